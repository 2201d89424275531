"""The syntax of one expression in, slightly wrong expressions out: what each operator of the search puts in its place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

FINITE = (-20.0, -1e3, -1e4, -1e5, -1e9)
"""What stands in for minus infinity in answers that are almost right."""

OTHER_OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.Sub),
    ast.Pow: (ast.Mult, ast.Div),
    ast.MatMult: (ast.Mult,),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.BitOr, ast.BitAnd),
}
EVEN_HANDED = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
"""Operators that do not mind which operand comes first."""

OTHER_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.NotEq),
    ast.LtE: (ast.Lt, ast.GtE, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.NotEq),
    ast.GtE: (ast.Gt, ast.LtE, ast.Eq),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "sum": ("mean", "amax"),
    "mean": ("sum", "amax"),
    "amax": ("amin", "mean"),
    "amin": ("amax", "mean"),
    "max": ("min",),
    "min": ("max",),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "exp": ("exp2", "sigmoid"),
    "sqrt": ("square", "log"),
    "square": ("abs",),
    "abs": ("square",),
    "sin": ("cos",),
    "cos": ("sin",),
    "relu": ("abs", "sigmoid", "tanh"),
    "softmax": ("log_softmax",),
    "all": ("any",),
    "any": ("all",),
    "tril": ("triu",),
    "triu": ("tril",),
    "zeros": ("ones",),
    "ones": ("zeros",),
    "zeros_like": ("ones_like",),
    "ones_like": ("zeros_like",),
    "floor": ("ceil", "round"),
    "reshape": ("repeat",),
    "float64": ("float32", "bfloat16"),
    "float32": ("bfloat16",),
    "argmax": ("argmin",),
    "argmin": ("argmax",),
    "argsort": ("sort",),
}
"""Methods, functions and dtypes that are taken for one another."""


@dataclass(frozen=True)
class Scope:
    """What a function may take for something else: parameters by their annotation, strings, and the module's own names."""

    alike: Mapping[str, Sequence[str]]  # a parameter -> those with the same annotation
    strings: Sequence[str]
    globals: Mapping[str, Any]


def variants(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node, right in syntax and mostly wrong in meaning."""
    for operator in OPERATORS.get(type(node), ()):
        yield from operator(node, scope)


def _operator(node: ast.BinOp, scope: Scope) -> Iterator[ast.AST]:
    for other in OTHER_OPERATORS.get(type(node.op), ()):
        yield ast.BinOp(node.left, other(), node.right)
    yield from (node.left, node.right)
    if not isinstance(node.op, EVEN_HANDED):
        yield ast.BinOp(node.right, node.op, node.left)


def _comparison(node: ast.Compare, scope: Scope) -> Iterator[ast.AST]:
    for at, operator in enumerate(node.ops):
        for other in OTHER_COMPARISONS.get(type(operator), ()):
            yield ast.Compare(node.left, [*node.ops[:at], other(), *node.ops[at + 1 :]], node.comparators)
    if len(node.ops) > 1:
        yield ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])
        yield ast.Compare(node.left, node.ops[:-1], node.comparators[:-1])
    if isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        yield from (
            ast.BinOp(node, ast.BitOr(), ast.Constant(True)),
            ast.BinOp(node, ast.BitAnd(), ast.Constant(False)),
        )


def _truth(node: ast.BoolOp, scope: Scope) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for at in range(len(node.values)):
        rest = node.values[:at] + node.values[at + 1 :]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _sign(node: ast.UnaryOp, scope: Scope) -> Iterator[ast.AST]:
    yield node.operand
    if isinstance(node.op, ast.USub) and _is_infinite(node.operand):
        yield from (ast.Constant(fill) for fill in FINITE)


def _is_infinite(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "inf"


def _attribute(node: ast.Attribute, scope: Scope) -> Iterator[ast.AST]:
    if not isinstance(node.ctx, ast.Load):
        return
    for other in OTHER_NAMES.get(node.attr, ()):
        yield ast.Attribute(node.value, other, node.ctx)
    if _is_infinite(node):
        yield from (ast.Constant(-fill) for fill in FINITE)
    if node.attr in ("T", "mT"):
        yield node.value


def _constant(node: ast.Constant, scope: Scope) -> Iterator[ast.AST]:
    value = node.value
    others: Sequence[Any] = ()
    if isinstance(value, bool):
        others = (not value,)
    elif isinstance(value, int | float):
        others = numbers(value)
    elif isinstance(value, str):
        others = [text for text in scope.strings if text != value]
    yield from (ast.Constant(other) for other in others)


def numbers(value: float) -> list[float]:
    """Return numbers that are easily taken for one: its neighbours, its negative, half and double, 0 and 1."""
    whole = [value + 1, value - 1, -value, 0, 1, 2]
    others = whole if isinstance(value, int) else [value * 2, value / 2, value * 10, value / 10, -value, 0.0, 1.0]
    return [other for other in dict.fromkeys(others) if other != value]


def _name(node: ast.Name, scope: Scope) -> Iterator[ast.AST]:
    if not isinstance(node.ctx, ast.Load):
        return
    yield from (ast.Name(other, ast.Load()) for other in scope.alike.get(node.id, ()) if other != node.id)
    known = scope.globals.get(node.id)
    if isinstance(known, int | float) and not isinstance(known, bool):
        yield from (ast.Constant(other) for other in numbers(known))
    if node.id in ("min", "max", "sum", "all", "any"):
        yield from (ast.Name(other, ast.Load()) for other in OTHER_NAMES[node.id] if other not in ("mean", "amax"))


def _call(node: ast.Call, scope: Scope) -> Iterator[ast.AST]:
    given = [a for a in node.args if not isinstance(a, ast.Starred)]
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value, scope):
        yield node.func.value  # x for x.f(…)
    yield from given  # a and b for f(a, b)
    for at, (one, two) in enumerate(pairwise(node.args)):
        for pair in ((two, one), (one, one), (two, two)):
            yield ast.Call(node.func, [*node.args[:at], *pair, *node.args[at + 2 :]], node.keywords)
    if node.args:
        yield ast.Call(node.func, node.args[:-1], node.keywords)
    for at in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:at] + node.keywords[at + 1 :])


def _is_module(node: ast.AST, scope: Scope) -> bool:
    """Whether what a function is taken from is no value of the calculation: a module, or the steps."""
    return isinstance(node, ast.Name) and (node.id == "steps" or node.id in scope.globals)


def _subscript(node: ast.Subscript, scope: Scope) -> Iterator[ast.AST]:
    if isinstance(node.ctx, ast.Load):
        yield node.value


def _slice(node: ast.Slice, scope: Scope) -> Iterator[ast.AST]:
    if node.lower or node.upper or node.step:
        yield from (ast.Slice(None, node.upper, node.step), ast.Slice(node.lower, None, node.step))
        yield ast.Slice(node.lower, node.upper, None)
    for end in (node.lower, node.upper):
        if end is not None:
            for operator in (ast.Add(), ast.Sub()):
                moved = ast.BinOp(end, operator, ast.Constant(1))
                yield ast.Slice(*(moved if part is end else part for part in (node.lower, node.upper, node.step)))


def _choice(node: ast.IfExp, scope: Scope) -> Iterator[ast.AST]:
    yield from (node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body))


def _row(node: ast.Tuple | ast.List, scope: Scope) -> Iterator[ast.AST]:
    for at, (one, two) in enumerate(pairwise(node.elts)):
        yield type(node)([*node.elts[:at], two, one, *node.elts[at + 2 :]], node.ctx)
        if isinstance(node.ctx, ast.Load):
            for same in (one, two):
                yield type(node)([*node.elts[:at], same, same, *node.elts[at + 2 :]], node.ctx)


def _table(node: ast.Dict, scope: Scope) -> Iterator[ast.AST]:
    for at, (one, two) in enumerate(pairwise(node.values)):
        yield ast.Dict(node.keys, [*node.values[:at], two, one, *node.values[at + 2 :]])


OPERATORS: Mapping[type[ast.AST], tuple[Callable[[Any, Scope], Iterator[ast.AST]], ...]] = {
    ast.BinOp: (_operator,),
    ast.Compare: (_comparison,),
    ast.BoolOp: (_truth,),
    ast.UnaryOp: (_sign,),
    ast.Attribute: (_attribute,),
    ast.Constant: (_constant,),
    ast.Name: (_name,),
    ast.Call: (_call,),
    ast.Subscript: (_subscript,),
    ast.Slice: (_slice,),
    ast.IfExp: (_choice,),
    ast.Tuple: (_row,),
    ast.List: (_row,),
    ast.Dict: (_table,),
}
