"""What a call returned in, named results out: the contract of an exercise, read off a value from the sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from grader.kinds.numbers import shape_text
from grader.model import NUMPY, SIZES, TORCH, Exercise, Message, Returned, Tensor, Unsupported, Value, message


def named_results(exercise: Exercise, value: Value) -> dict[str, Value] | Message:
    """Return the results by name, or a message that says how the value breaks the contract.

    A list does for a tuple of results; `returns` decides which names there are and what each has to be.
    """
    names = exercise.returns
    arrays = exercise.arrays
    if not exercise.many_results:
        problem = _problem(value, names[""], arrays)
        return problem if problem else {"": _plain(value, names[""])}
    wanted = "(" + ", ".join(names) + ")"
    if not isinstance(value, (tuple, list)):
        return message("got {got}, expected {expected}", got=describe(value, arrays), expected=wanted)
    if len(value) != len(names):
        return message(
            "number of results: got {count}, expected {wanted}: {expected}", count=len(value), wanted=len(names), expected=wanted
        )  # fmt: skip
    results: dict[str, Value] = {}
    for (name, kind), item in zip(names.items(), value, strict=True):
        problem = _problem(item, kind, arrays)
        if problem:
            return message("{result}: {text}", result=name, text=problem)
        results[name] = _plain(item, kind)
    return results


def _plain(value: Value, kind: Returned) -> Value:
    return tuple(map(_number, value)) if kind == SIZES else value


def _number(value: Value) -> Value:
    """A whole number of numpy's travels as an array without axes; as a size it is a plain one."""
    whole = isinstance(value, Tensor) and value.shape == () and value.array.dtype.kind in "iu"
    return int(value.array) if whole else value


def _problem(value: Value, kind: Returned, arrays: str) -> Message | None:
    if kind == SIZES:
        if isinstance(value, (tuple, list)) and all(type(_number(size)) is int for size in value):
            return None
        return message("got {got}, expected a tuple of whole numbers", got=describe(value, arrays))
    if isinstance(value, Tensor):
        return None
    if arrays == NUMPY:
        return message("got {got}, expected a numpy array", got=describe(value, arrays))
    if isinstance(value, Unsupported):
        return message("got {got}, expected a plain torch tensor", got=describe(value))
    return message("got {got}, expected a torch tensor", got=describe(value))


_KINDS: Mapping[type, Message] = {
    type(None): message("None (is there a `return`?)"),
    bool: message("a bool"),
    int: message("a whole number"),
    float: message("a number"),
    complex: message("a complex number"),
    str: message("a string"),
    dict: message("a dict"),
}


def describe(value: Value, arrays: str = TORCH) -> Message:
    """Name a value in the learner's words: "one tensor of shape (2, 3)", "a tuple of 2 results", "None"."""
    if isinstance(value, Tensor) and arrays == NUMPY:
        return message("one array of shape {shape}", shape=shape_text(value.shape))
    if isinstance(value, Tensor):
        return message("one tensor of shape {shape}", shape=shape_text(value.shape))
    if isinstance(value, Unsupported):
        return Message(value.what)
    if isinstance(value, tuple):
        return message("a tuple of {count}", count=len(value))
    if isinstance(value, list):
        return message("a list of {count}", count=len(value))
    other = message("an object that is no array") if arrays == NUMPY else message("an object that is no tensor")
    return _KINDS.get(type(value), other)
