"""A function of the reference in, its wrong forms out, each as a line before and after and a way to put it in place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.author.mutate.operators import Scope, numbers, variants
from grader.author.mutate.source import Function, Reached
from grader.stages.compute import Reference

Undo = Callable[[], None]
LONGEST = 110
"""Characters of a line that are shown."""


class Stillborn(Exception):
    """A wrong form that is no code, or does not fit where it should stand."""


@dataclass(frozen=True)
class Mutant:
    """One wrong form of a reference: where it differs, how, and what puts it in place and gives back what undoes that."""

    file: str
    line: int
    function: str
    before: str
    after: str
    put: Callable[[], Undo]
    steps: Mapping[str, Any] | None = None  # of a known mistake: the steps that it replaces
    mistakes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Edit:
    """One node in the place of another."""

    owner: ast.AST
    field: str
    at: int | None
    new: ast.AST

    def apply(self) -> Undo:
        if self.at is None:
            old = getattr(self.owner, self.field)
            setattr(self.owner, self.field, self.new)
            return lambda: setattr(self.owner, self.field, old)
        row, at = getattr(self.owner, self.field), self.at
        old = row[at]
        row[at] = self.new

        def undo() -> None:
            row[at] = old

        return undo


def mutants_of(function: Reached) -> Iterator[Mutant]:
    """Yield every wrong form of a function, each once, from its first line to its last."""
    seen = set()
    scope = _scope(function)
    for edit, statement in _edits(function.node, scope):
        before = _shown(statement)
        undo = edit.apply()
        after = _shown(statement if edit.owner is not _parent(edit, statement) else edit.new)
        undo()
        if after != before and (statement.lineno, after) not in seen:
            seen.add((statement.lineno, after))
            line = getattr(edit.new, "lineno", statement.lineno)
            yield Mutant(function.file, line, function.name, *_apart(before, after), _putting(function, edit))
    yield from _defaults(function)


def mistaken(reference: Reference, used: frozenset[str], at: Callable[[Any], tuple[str, int]]) -> Iterator[Mutant]:
    """Yield the known mistakes that replace a step in use."""
    for mistake, steps in reference.mistakes.items():
        if used.intersection(steps):
            file, line = at(next(iter(steps.values())))
            yield Mutant(file, line, ", ".join(steps), ", ".join(steps), mistake, _nothing, steps, (mistake,))


def together(one: Mutant, other: Mutant) -> Mutant:
    """Return two known mistakes as one wrong form; where both replace a step, the second wins."""
    steps = {**(one.steps or {}), **(other.steps or {})}
    both = (*one.mistakes, *other.mistakes)
    named = ", ".join(steps)
    return replace(one, function=named, before=named, after=" + ".join(both), steps=steps, mistakes=both)


def _nothing() -> Undo:
    return lambda: None


def _putting(function: Reached, edit: _Edit) -> Callable[[], Undo]:
    def put() -> Undo:
        undo = edit.apply()
        try:
            code = function.compiled()
            return function.put(code)
        except (SyntaxError, ValueError, IndexError, TypeError) as error:
            raise Stillborn from error
        finally:
            undo()

    return put


def _defaults(function: Reached) -> Iterator[Mutant]:
    """Wrong values of parameters that need not be given."""
    target = function.objects[0]
    named = function.node.args.args[len(function.node.args.args) - len(target.__defaults__ or ()) :]
    for at, (argument, value) in enumerate(zip(named, target.__defaults__ or (), strict=True)):
        others = [not value] if isinstance(value, bool) else numbers(value) if isinstance(value, int | float) else []
        for other in others:
            text = f"{argument.arg}={value!r}", f"{argument.arg}={other!r}"
            yield Mutant(function.file, argument.lineno, function.name, *text, _default(function, at, other))


def _default(function: Reached, at: int, value: Any) -> Callable[[], Undo]:
    def put() -> Undo:
        before = [target.__defaults__ for target in function.objects]

        def undo() -> None:
            for target, old in zip(function.objects, before, strict=True):
                target.__defaults__ = old

        for target in function.objects:
            have = target.__defaults__ or ()
            target.__defaults__ = (*have[:at], value, *have[at + 1 :])
        return undo

    return put


def _scope(function: Reached) -> Scope:
    arguments = [*function.node.args.posonlyargs, *function.node.args.args, *function.node.args.kwonlyargs]
    kinds = {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in arguments if a.arg != "steps"}
    alike = {name: [other for other, of in kinds.items() if of == kind] for name, kind in kinds.items()}
    docs = {id(s.value) for s in _body(function.node) if isinstance(s, ast.Expr)}
    found = [n for s in _body(function.node) for n in ast.walk(s) if isinstance(n, ast.Constant) and id(n) not in docs]
    strings = list(dict.fromkeys(n.value for n in found if isinstance(n.value, str)))
    hidden = {
        *kinds,
        *(
            n.id
            for s in _body(function.node)
            for n in ast.walk(s)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ),
    }
    return Scope(alike, strings, {name: value for name, value in function.globals.items() if name not in hidden})


def _body(node: Function) -> list[ast.stmt]:
    return [ast.copy_location(ast.Expr(node.body), node)] if isinstance(node, ast.Lambda) else node.body


Place = tuple[ast.AST, str, int | None]


def _edits(root: Function, scope: Scope) -> Iterator[tuple[_Edit, ast.stmt]]:
    for (owner, field, at), node, statement in _slots(root):
        for new in (*_instead(node, field), *variants(node, scope)):
            placed = ast.fix_missing_locations(ast.copy_location(new, node)) if not hasattr(new, "lineno") else new
            yield _Edit(owner, field, at, placed), statement


def _instead(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """What may stand for a node because of where it stands: no statement at all, a condition that always or never holds."""
    if isinstance(node, ast.Expr | ast.AugAssign):
        yield ast.Pass()
    elif (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _reads(node.value, node.targets[0].id)
    ):
        yield ast.Pass()  # x = f(x)
    if field in ("test", "ifs"):
        yield from (ast.Constant(True), ast.Constant(False), ast.UnaryOp(ast.Not(), node))  # type: ignore[arg-type]


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


SKIPPED = ("annotation", "returns", "decorator_list", "args", "ctx", "op", "ops", "func", "keys")
"""Fields that hold no value of the calculation. A call's own `args` and the object of its method are gone through apart."""


def _slots(root: Function) -> Iterator[tuple[Place, ast.AST, ast.stmt]]:
    """Every place in a function's body that a value or a statement stands in, with the statement that it belongs to."""
    if isinstance(root, ast.Lambda):
        yield from _within(root, "body", None, root.body, ast.copy_location(ast.Expr(root), root))
        return
    for at, statement in enumerate(root.body):
        if not (at == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield from _within(root, "body", at, statement, statement)


def _within(
    owner: ast.AST, field: str, at: int | None, node: ast.AST, statement: ast.stmt
) -> Iterator[tuple[Place, ast.AST, ast.stmt]]:
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return  # whoever reads an exception is not graded on it
    statement = node if isinstance(node, ast.stmt) else statement
    yield (owner, field, at), node, statement
    for name, value in ast.iter_fields(node):
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for place, child in children:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.keyword):
                yield from _within(child, "value", None, child.value, statement)
            elif isinstance(child, ast.comprehension):
                yield from _within(child, "iter", None, child.iter, statement)
                for number, test in enumerate(child.ifs):
                    yield from _within(child, "ifs", number, test, statement)
            elif name == "func" and isinstance(child, ast.Attribute):
                yield (node, name, place), child, statement
                yield from _within(child, "value", None, child.value, statement)
            elif name not in SKIPPED or (name == "args" and isinstance(node, ast.Call)):
                yield from _within(node, name, place, child, statement)


def _parent(edit: _Edit, statement: ast.stmt) -> ast.AST | None:
    """The owner of an edit that replaces the statement itself; None where it lies inside of it."""
    row = getattr(edit.owner, edit.field)
    return edit.owner if edit.at is not None and row[edit.at] is edit.new and isinstance(edit.new, ast.stmt) else None


def _shown(statement: ast.AST) -> str:
    """A statement on one line; of one that holds others, its first line."""
    return ast.unparse(statement).split("\n")[0]


def _apart(before: str, after: str) -> tuple[str, str]:
    """Both texts, cut to what is round their first difference where they are long."""
    if max(len(before), len(after)) <= LONGEST:
        return before, after
    first = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = max(0, first - LONGEST // 2)
    cut = [
        ("…" if start else "") + t[start : start + LONGEST] + ("…" if len(t) > start + LONGEST else "")
        for t in (before, after)
    ]
    return cut[0], cut[1]
