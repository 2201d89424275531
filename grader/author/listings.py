"""The code of a question in, what is wrong with its key out: the code is run, for it is the author's own."""

from __future__ import annotations

import ast
import math
from typing import Any

import torch

from grader.kinds.questions.predicting import Predict
from grader.model import Message, message

NAMES: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math}
"""What code may use without importing it."""


def listing_problems(spec: Predict) -> list[Message]:
    """Return where the key is not what the code gives when it is run."""
    try:
        result = run(spec.code)
    except Exception as error:
        if spec.error in [kind.__name__ for kind in type(error).__mro__]:
            return []
        return [message("the code raises {got}, the key does not say so", got=f"{type(error).__name__}: {error}")]
    if spec.error is not None:
        return [message("the code does not raise {error}", error=spec.error)]
    if spec.asks == "shape":
        found: Any = list(getattr(result, "shape", result))
    else:
        found = result.tolist() if isinstance(result, torch.Tensor) else result
    answer = list(found) if isinstance(found, (tuple, list)) else [found]
    if spec.judge(spec.parse(answer)).right:
        return []
    return [message("the code gives {got}, the key says {key}", got=str(answer), key=str(list(spec.key or ())))]


def run(code: str) -> Any:
    """Return the value of the expression in the last line of some code, after everything before it was run."""
    tree = ast.parse(code)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise SyntaxError("the last line is no expression")
    names = dict(NAMES)
    exec(compile(tree, "<listing>", "exec"), names)  # an author's own code
    return eval(compile(ast.Expression(last.value), "<listing>", "eval"), names)
