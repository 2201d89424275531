"""A formula's tree and the values of its symbols in, its value out, with the names of its axes: shape errors speak in those names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from grader.kinds.formula.spelling import SUPERSCRIPTS, meant
from grader.kinds.formula.tree import Node, WrongShape
from grader.kinds.formula.typed import Scope, Typed, scalar
from grader.model import Message, message

MAX_EXPONENT = 8
Operation = Callable[[Node, Scope], Typed]


def evaluate(node: Node, scope: Scope) -> Typed:
    """Return the value of a tree; raise WrongShape where shapes do not fit or a number does not exist."""
    return OPERATIONS[node.op](node, scope)


def _wrong(node: Node, template: Message) -> WrongShape:
    return WrongShape(message("column {column}: {what}", column=node.column, what=template))


def _number(node: Node, scope: Scope) -> Typed:
    return scalar(float(node.text))


def _symbol(node: Node, scope: Scope) -> Typed:
    return scope.values[meant(node.text, scope.names)]


def _negate(node: Node, scope: Scope) -> Typed:
    value = evaluate(node.parts[0], scope)
    return Typed(-value.array, value.axes)


def _both(node: Node, scope: Scope) -> tuple[Typed, Typed]:
    return evaluate(node.parts[0], scope), evaluate(node.parts[1], scope)


def _sum(sign: int) -> Operation:
    def operation(node: Node, scope: Scope) -> Typed:
        left, right = _both(node, scope)
        if left.axes and right.axes and left.axes != right.axes:
            what = message("cannot add {left} and {right}", left=str(left), right=str(right))
            raise _wrong(node.parts[1], what)
        return Typed(left.array + sign * right.array, left.axes or right.axes)

    return operation


def _multiply(node: Node, scope: Scope) -> Typed:
    """Scalars scale, matrices multiply as matrices."""
    left, right = _both(node, scope)
    if not left.axes or not right.axes:
        return Typed(left.array * right.array, left.axes or right.axes)
    if left.axes[-1] != right.axes[0]:
        what = message("cannot multiply {left} by {right}: the inner axes differ", left=str(left), right=str(right))
        if left.axes[-1] == right.axes[-1]:
            what = message(
                "cannot multiply {left} by {right}: the inner axes differ; is a transpose missing?",
                left=str(left),
                right=str(right),
            )
        raise _wrong(node.parts[1], what)
    return Typed(left.array @ right.array, (left.axes[0], right.axes[-1]))


def _matmul(node: Node, scope: Scope) -> Typed:
    left, right = _both(node, scope)
    if not left.axes or not right.axes:
        raise _wrong(node.parts[1], message("'@' and matmul need a matrix on both sides"))
    return _multiply(node, scope)


def _elementwise(node: Node, scope: Scope) -> Typed:
    left, right = _both(node, scope)
    if left.axes and right.axes and left.axes != right.axes:
        what = message("{left} and {right} cannot be multiplied element by element", left=str(left), right=str(right))
        raise _wrong(node.parts[1], what)
    return Typed(left.array * right.array, left.axes or right.axes)


def _star(node: Node, scope: Scope) -> Typed:
    if not scope.python:
        return _multiply(node, scope)
    left, right = _both(node, scope)
    if left.axes and right.axes and left.axes != right.axes:
        what = message(
            "in Python '*' multiplies element by element, and {left} and {right} do not fit; a matrix product is written '@'",
            left=str(left),
            right=str(right),
        )
        raise _wrong(node.parts[1], what)
    return _elementwise(node, scope)


def _divide(node: Node, scope: Scope) -> Typed:
    left, right = _both(node, scope)
    if right.axes:
        raise _wrong(node.parts[1], message("cannot divide by a matrix ({right})", right=str(right)))
    if right.number == 0:
        raise _wrong(node.parts[1], message("this divides by zero"))
    return Typed(left.array / right.array, left.axes)


def _power(node: Node, base: Typed, exponent: float) -> Typed:
    if base.axes:
        raise _wrong(node, message("only a scalar can be raised to a power, this is {shape}", shape=str(base)))
    if abs(exponent) > MAX_EXPONENT:
        raise _wrong(
            node, message("the exponent {got} is too large; at most {most}", got=f"{exponent:g}", most=MAX_EXPONENT)
        )
    if base.number == 0 and exponent < 0:
        raise _wrong(node, message("this divides by zero"))
    if base.number < 0 and not exponent.is_integer():
        raise _wrong(node, message("a negative number has no such power"))
    return scalar(float(np.power(base.array, exponent)))


def _raise(node: Node, scope: Scope) -> Typed:
    *before, last = node.parts
    base = evaluate(before[0], scope) if before else scalar(float(node.text))
    exponent = evaluate(last, scope)
    if exponent.axes:
        raise _wrong(last, message("an exponent must be a scalar, this is {shape}", shape=str(exponent)))
    return _power(node, base, exponent.number)


def _superscript(node: Node, scope: Scope) -> Typed:
    base = evaluate(node.parts[0], scope) if node.parts else scalar(float(node.text.split()[0]))
    return _power(node, base, float(node.text.split()[-1].translate(SUPERSCRIPTS)))


def _root(node: Node, scope: Scope) -> Typed:
    value = evaluate(node.parts[0], scope)
    if value.axes:
        raise _wrong(node, message("only a scalar has its place under a root, this is {shape}", shape=str(value)))
    return _power(node, value, 0.5)


def _reciprocal_root(node: Node, scope: Scope) -> Typed:
    return _power(node, _root(node, scope), -1.0)


def _transpose(node: Node, scope: Scope) -> Typed:
    value = evaluate(node.parts[0], scope)
    if not value.axes:
        raise _wrong(node, message("a scalar cannot be transposed"))
    if len({int(axis) % 2 for axis in re.findall(r"-?\d+", node.text)}) == 1:
        raise _wrong(node, message("a transpose needs two different axes"))
    return Typed(value.array.T, value.axes[::-1])


def _size(node: Node, scope: Scope) -> Typed:
    value = evaluate(node.parts[0], scope)
    return scalar(float(value.array.shape[_axis(node, node.text, value)]))


def _axis(node: Node, text: str, value: Typed) -> int:
    """Return the axis (0 or 1) that the last whole number of `text` names, the last one where there is none."""
    found = re.findall(r"-?\d+", text)
    axis = int(found[-1]) if found else -1
    if not value.axes:
        raise _wrong(node, message("a scalar has no axes"))
    if not -2 <= axis <= 1:
        raise _wrong(
            node,
            message("there is no axis {axis}: {shape} has two, 0 and 1 (or -2 and -1)", axis=axis, shape=str(value)),
        )
    return axis % 2


def _softmax(node: Node, value: Typed, text: str) -> Typed:
    if not value.axes:
        raise _wrong(node, message("softmax of a scalar is always 1; it needs the whole row of scores"))
    axis = _axis(node, text, value)
    powers = np.exp(value.array - value.array.max(axis=axis, keepdims=True))
    return Typed(powers / powers.sum(axis=axis, keepdims=True), value.axes)


def _function(node: Node, scope: Scope) -> Typed:
    value = evaluate(node.parts[0], scope)
    called = re.search(r"softmax|exp|log|ln", node.text, re.IGNORECASE)
    name = called.group().lower() if called else ""
    if name == "softmax":
        return _softmax(node, value, node.text)
    return Typed(np.exp(value.array) if name == "exp" else np.log(value.array), value.axes)


def _softmaxed(node: Node, scope: Scope) -> Typed:
    return _softmax(node, evaluate(node.parts[0], scope), node.text)


OPERATIONS: dict[str, Operation] = {
    "number": _number,
    "symbol": _symbol,
    "negate": _negate,
    "add": _sum(1),
    "subtract": _sum(-1),
    "star": _star,
    "multiply": _multiply,
    "matmul": _matmul,
    "hadamard": _elementwise,
    "divide": _divide,
    "raise": _raise,
    "superscript": _superscript,
    "root": _root,
    "reciprocal_root": _reciprocal_root,
    "transpose": _transpose,
    "size": _size,
    "function": _function,
    "softmaxed": _softmaxed,
}


def number(node: Node, constants: Mapping[str, float] | None = None) -> float:
    """Return the number that a formula without matrices gives; raise WrongShape where it is not a finite one."""
    known = {"e": math.e, "pi": math.pi, "π": math.pi} if constants is None else constants
    scope = Scope({name: scalar(value) for name, value in known.items()}, {name: name for name in known})
    with np.errstate(all="ignore"):
        value = evaluate(node, scope).number
    if not math.isfinite(value):
        raise WrongShape(message("this is not a finite number"))
    return value
