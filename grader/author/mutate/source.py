"""A reference in, the functions of its own source that a call reaches out: their syntax, and a way to put other code into them."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

Function = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True, eq=False)
class Reached:
    """A function of the reference that ran: its source, its syntax, and the objects that hold its code.

    `path` leads to its code among the constants of what `top` compiles to: its module, cut down to imports and this statement.
    """

    file: str  # relative to the course folder
    name: str
    node: Function
    top: ast.Module
    path: tuple[int, ...]
    objects: tuple[FunctionType, ...]

    @property
    def globals(self) -> Mapping[str, Any]:
        """The names that its code sees beside its own."""
        return self.objects[0].__globals__

    def compiled(self) -> CodeType:
        """Return the code that the syntax stands for now; raise SyntaxError or ValueError where it is none."""
        return _at(_compile(self.top, self.objects[0].__code__.co_filename), self.path)

    def put(self, code: CodeType) -> Callable[[], None]:
        """Put other code into every object; return what puts the old one back. Raise ValueError where it does not fit."""
        before = [function.__code__ for function in self.objects]

        def back() -> None:
            for function, old in zip(self.objects, before, strict=True):
                function.__code__ = old

        for function in self.objects:
            function.__code__ = code
        return back


def reached(call: Callable[[], Any], folder: Path, root: Path, steps: Any) -> list[Reached]:
    """Return the functions whose source lies under `folder` and that `call` runs, in the order of files and lines."""
    ran = _ran(call, folder)
    found = []
    for objects in _functions(folder, steps):
        code = objects[0].__code__
        if any(id(inner) in ran for inner in _nested(code)):
            place = _placed(code, objects, root)
            found += [place] if place else []
    return sorted(found, key=lambda each: (each.file, each.node.lineno, each.node.col_offset))


def _ran(call: Callable[[], Any], folder: Path) -> dict[int, CodeType]:
    """The code under a folder that runs during a call, by identity."""
    ran: dict[int, CodeType] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            ran[id(frame.f_code)] = frame.f_code

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return {key: code for key, code in ran.items() if folder in Path(code.co_filename).parents}


def _functions(folder: Path, steps: Any) -> list[tuple[FunctionType, ...]]:
    """The function objects under a folder that share a code: of its modules, of their classes, and among the steps."""
    things: list[Any] = list(vars(steps).values()) if hasattr(steps, "__dict__") else []
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and folder in Path(file).parents:
            things += list(vars(module).values())
    things += [inner for thing in things if isinstance(thing, type) for inner in vars(thing).values()]
    found: dict[int, dict[int, FunctionType]] = {}
    for thing in things:
        function = getattr(thing, "__func__", thing)
        if isinstance(function, FunctionType) and folder in Path(function.__code__.co_filename).parents:
            found.setdefault(id(function.__code__), {})[id(function)] = function
    return [tuple(objects.values()) for objects in found.values()]


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _nested(inner)


def _placed(code: CodeType, objects: tuple[FunctionType, ...], root: Path) -> Reached | None:
    """The place of a function in its file; None where the file does not hold this code (any more)."""
    file = Path(code.co_filename)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    top = ast.Module([s for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom) or _holds(s, code)], [])
    compiled = _compile(top, code.co_filename)
    path = _path_to(code, compiled)
    if path is None:
        return None
    alike = [c for c in _nested(compiled) if (c.co_name, c.co_firstlineno) == (code.co_name, code.co_firstlineno)]
    nodes = [n for n in _ordered(top) if isinstance(n, Function) and _named(n) == (code.co_name, code.co_firstlineno)]
    at = next((i for i, c in enumerate(alike) if _same(c, code)), None)
    if at is None or len(alike) != len(nodes):
        return None
    shown = file.relative_to(root).as_posix() if root in file.parents else file.name
    return Reached(shown, code.co_name, nodes[at], top, path, objects)


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes come from one place in a source. `==` will not do: Python 3.11 looks at what it has learned in running."""
    names = ("co_name", "co_firstlineno", "co_code", "co_names", "co_varnames", "co_freevars")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _named(node: Function) -> tuple[str, int]:
    return ("<lambda>", node.lineno) if isinstance(node, ast.Lambda) else (node.name, _first(node))


def _holds(statement: ast.stmt, code: CodeType) -> bool:
    return _first(statement) <= code.co_firstlineno <= (statement.end_lineno or statement.lineno)


def _first(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _ordered(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes under one, from left to right: `ast.walk` goes layer by layer."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _ordered(child)


def _compile(top: ast.Module, file: str) -> CodeType:
    """What a module compiles to. Imports decide how: `math.sqrt` is no method call where `math` is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # such as `1 is None`: wrong code is what is wanted
        return compile(top, file, "exec", dont_inherit=True)


def _path_to(wanted: CodeType, inside: CodeType) -> tuple[int, ...] | None:
    if _same(inside, wanted):
        return ()
    for at, inner in enumerate(c for c in inside.co_consts if isinstance(c, CodeType)):
        rest = _path_to(wanted, inner)
        if rest is not None:
            return (at, *rest)
    return None


def _at(code: CodeType, path: tuple[int, ...]) -> CodeType:
    for at in path:
        code = [c for c in code.co_consts if isinstance(c, CodeType)][at]
    return code
