"""Where a key comes from: a call of the reference, whose result must be what the quiz file says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.kinds.kind import Kind
from grader.kinds.questions.asked import CallReference, NoSuchCall, Several
from grader.kinds.questions.reading import Grid
from grader.model import Message, message


class ComputedBy(Kind):
    """The call of the reference that gives the key: `function`, its `arguments` by name, and what to `take` of the result.

    A key that shows what a `mistake` does names it.

    `take` walks into the result, one step an entry: a whole number is an index (of a tuple or an axis), a word the key of a
    mapping. A list of lists is handed over as a matrix (float64 or bool), a flat list as a tuple: `[2, 5, 8]` is a shape,
    `[[2, 5, 8]]` a matrix of one row; `{floats: [2, 5, 8]}`, `{ints: …}` and `{bools: …}` are arrays of any number of axes.
    In a formula question an argument that is the name of a symbol stands for the matrix drawn for it, a mask as booleans
    (True: allowed).
    """

    function: str
    arguments: dict[str, Any]
    mistake: str | None = None
    take: Several[int | str] = ()

    def call(self, call: CallReference, arguments: Mapping[str, Any] | None = None, mistake: str | None = None) -> Any:
        """Return what the reference gives, right or with a mistake, after `take`; raise `NoSuchCall`."""
        given = self.arguments if arguments is None else arguments
        handed = {name: _handed_over(value) for name, value in given.items()}
        mistake = mistake or self.mistake
        result = call(self.function, handed) if mistake is None else call(self.function, handed, mistake)
        for step in self.take:
            try:
                result = result[step]
            except (IndexError, KeyError, TypeError):
                why = message("{function} of the reference gives nothing at {step}", function=self.function, step=step)
                raise NoSuchCall(why) from None
        return result


ARRAYS = {"floats": "float64", "ints": "int64", "bools": "bool"}


def _handed_over(value: Any) -> Any:
    import numpy as np

    if isinstance(value, dict) and len(value) == 1 and (dtype := ARRAYS.get(next(iter(value)))):
        return np.asarray(next(iter(value.values())), dtype=dtype)
    if not isinstance(value, list):
        return value
    if not value or not isinstance(value[0], list):
        return tuple(value)
    array = np.asarray(value)
    return array if array.dtype == np.bool_ else array.astype(np.float64)


def grid_of(result: Any) -> Grid:
    """Return a result of the reference (numpy, nested lists, a number) as a grid."""
    import numpy as np

    array = np.asarray(result, dtype=np.float64)
    return Grid(tuple(array.shape), tuple(float(cell) for cell in array.ravel()))


def fitted(grid: Grid, shape: tuple[int, ...]) -> Grid:
    """Return a result without its axes of size 1 where only those keep it from having this shape."""
    bare, wanted = (tuple(size for size in sizes if size != 1) for sizes in (grid.shape, shape))
    return Grid(shape, grid.cells) if bare == wanted else grid


def differs(written: str, computed: str, function: str) -> Message:
    """Return the problem that a key is not what the reference gives."""
    return message(
        "the key is {written}, but {function} of the reference gives {computed}",
        written=written,
        function=function,
        computed=computed,
    )
