"""The text of a signature in, a `Signature` out; nothing in the text is run."""

from __future__ import annotations

import ast

from grader.model import Message, Parameter, Signature, message

DEFINED = "def {}: pass"


def parse_signature(text: str) -> Signature | Message:
    """Return the signature in `attention(query, key, value, mask=None)`, or what is wrong with it.

    Parameters are plain names; defaults are literals, so that they can be shown and compared without being run.
    """
    function = _function(text)
    if function is None:
        return message("this is no signature: expected something like `attention(query, key, value, mask=None)`")
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        return message("`*` and `/` are not allowed in a signature")
    if function.returns or any(argument.annotation for argument in arguments.args):
        return message("annotations are not allowed in a signature")
    names = [argument.arg for argument in arguments.args]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        return message("the parameter `{name}` is there twice", name=twice)
    if any(not _literal(default) for default in arguments.defaults):
        return message("a default must be a literal, such as None, True, 0 or 1e-5")
    defaults = [None] * (len(names) - len(arguments.defaults)) + [_written(d, text) for d in arguments.defaults]
    return Signature(
        function.name, tuple(Parameter(name, default) for name, default in zip(names, defaults, strict=True))
    )


def _function(text: str) -> ast.FunctionDef | None:
    try:
        body = ast.parse(DEFINED.format(text)).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    first = body[0]
    return (
        first if len(body) == 1 and isinstance(first, ast.FunctionDef) and isinstance(first.body[0], ast.Pass) else None
    )


def _written(default: ast.expr, text: str) -> str:
    """A default as it is written where that is a number: `1e-5` stays `1e-5`."""
    numeric = isinstance(getattr(default, "operand", default), ast.Constant) and isinstance(
        ast.literal_eval(default), (int, float)
    )
    return (numeric and ast.get_source_segment(DEFINED.format(text), default)) or ast.unparse(default)


def _literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
