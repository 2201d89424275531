"""A cell in, its units out: whole lines of code with the names that they define and need. Nothing is run."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from grader.stages.notebook.magics import parsed, quietly

BLOCKS = (ast.If, ast.Try, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))
"""Statements that may define something on one of several roads. Loops and `with` are work, not definitions."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexpr")
STAR = "*"


@dataclass(frozen=True)
class Unit:
    """A run of whole lines at the top level of a cell, lines from 1.

    `binds` are the names that it defines or changes, `whole` those of them for which nothing earlier matters. `now` are the names
    needed to run it, `later` those needed when what it defines is called. STAR in `binds` is `from … import *`.
    """

    first: int
    last: int
    binds: frozenset[str]
    whole: frozenset[str]
    now: frozenset[str]
    later: frozenset[str]
    imports: bool  # nothing but imports
    future: tuple[str, ...]  # what it imports from __future__


def units_of(lines: tuple[str, ...]) -> tuple[Unit, ...]:
    """Return the units that may be needed by a definition; raises what `parsed` raises."""
    return tuple(
        unit for statements in _grouped(parsed(lines).body) if (unit := _unit(statements, lines)).binds or unit.future
    )


def _grouped(statements: Iterable[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield statements that share lines together: `a = 1; b = 2`."""
    group: list[ast.stmt] = []
    for statement in statements:
        if group and _first(statement) > (group[-1].end_lineno or 0):
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _unit(statements: list[ast.stmt], lines: tuple[str, ...]) -> Unit:
    first, last = _first(statements[0]), statements[-1].end_lineno or 0
    now, later = _needs("\n".join(lines[first - 1 : last]) + "\n")
    binds = frozenset(name for statement in statements for name in _binds(statement))
    whole = frozenset(name for statement in statements for name in _wholly(statement)) - now
    imports = all(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in statements)
    future = tuple(alias.name for each in statements if _is_future(each) for alias in each.names)
    return Unit(first, last, binds, whole, now, later, imports, future)


def _is_future(statement: ast.stmt) -> TypeGuard[ast.ImportFrom]:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _binds(statement: ast.stmt) -> Iterator[str]:
    """Yield every name that a statement may define or change."""
    todo = [statement]
    while todo:  # not recursive: a thousand `elif` lie in one another
        each = todo.pop()
        if isinstance(each, BLOCKS):
            for block in (each.body, each.orelse, getattr(each, "finalbody", []), *_handlers(each)):
                todo.extend(block)
        else:
            yield from _bound_here(each)


def _handlers(block: ast.stmt) -> list[list[ast.stmt]]:
    return [handler.body for handler in getattr(block, "handlers", [])]


def _bound_here(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, DEFINITIONS):
        yield statement.name
    elif isinstance(statement, ast.Import):
        yield from (alias.asname or alias.name.split(".")[0] for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom) and not _is_future(statement):
        yield from (alias.asname or alias.name for alias in statement.names)
    else:
        for target in _targets(statement):
            yield from (name for node in ast.walk(target) if (name := _base(node)))


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.AnnAssign) and statement.value is not None):
        return [statement.target]
    alias = getattr(ast, "TypeAlias", None)  # type Name = …, from Python 3.12
    return [statement.name] if alias and isinstance(statement, alias) else []


def _base(node: ast.AST) -> str | None:
    """Return the name that is assigned to, also through `name.attribute = …` and `name[…] = …`."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else None
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.ctx, ast.Store):
        return None
    inner: ast.expr = node
    while isinstance(inner, (ast.Attribute, ast.Subscript)):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) else None


def _wholly(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement defines whatever they were before."""
    if isinstance(statement, DEFINITIONS):
        yield statement.name
    elif isinstance(statement, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
    elif isinstance(statement, ast.Import):  # `import a.b` adds to `a`
        yield from (alias.asname for alias in statement.names if alias.asname)
    elif not isinstance(statement, (ast.AugAssign, *BLOCKS)):
        for target in _targets(statement):
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _needs(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global names that code uses when it runs, and those that the functions in it use when they are called."""
    with quietly():
        top = symtable.symtable(source, "<cell>", "exec")
    now = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    later: set[str] = set()
    todo = [(child, False) for child in top.get_children()]
    while todo:
        table, inside = todo.pop()
        inside = inside or (table.get_type() == "function" and table.get_name().strip("<>") not in COMPREHENSIONS)
        (later if inside else now).update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
        todo.extend((child, inside) for child in table.get_children())
    return frozenset(now), frozenset(later)
