"""A plan in, a harmless submission out that goes through all of it: whether a broken run is our fault is found out with it."""

from __future__ import annotations

import json
from typing import Any

from grader.model import Built, Plan, Submission

# It takes any arguments, and returns tensors that it was given or, every other time, a value of every sort that can travel.
_FUNCTION = """
import json
import torch

RESULTS = {results}
SORTS = [None, True, -3, 2 ** 100, 0.5, 1j, "text", (1, (2,)), {{"key": [torch.Size([2])]}}, torch.eye(2).to_sparse(), object()]
SORTS += [torch.zeros(2, 3).to(getattr(torch, name)) for name in {dtypes}]
made = []

def answer(*given, **named):
    made.append(1)
    tensors = [value for value in (*given, *named.values()) if isinstance(value, torch.Tensor)] or [torch.zeros(2)]
    if len(made) % 2 == 0:
        return SORTS
    return tensors[0] if RESULTS == 1 else tuple(tensors[place % len(tensors)] for place in range(RESULTS))
"""

_PLAIN = """
{name} = answer
"""

# The parameters that a call promises differ in shape with what the module is built from.
_MODULE = """
STATES = json.loads({states!r})
PLAIN = (int, float, bool, str, type(None))

class {name}(torch.nn.Module):
    def __init__(self, *given, **named):
        super().__init__()
        plain = {{name: value for name, value in named.items() if type(value) in PLAIN}}
        state = next((state for built, state in STATES if built == plain), [])
        for path, shape in state:
            self.hang(path.split("."), torch.nn.Parameter(torch.zeros(shape)))

    def hang(self, path, parameter):
        at = self
        for part in path[:-1]:
            if part not in at._modules:
                at.add_module(part, torch.nn.Module())
            at = at._modules[part]
        at.register_parameter(path[-1], parameter)

    def forward(self, *given, **named):
        return answer(*given, **named)
"""

_DTYPES = ("float32", "float64", "bfloat16", "float16", "int64", "uint8", "bool", "complex64", "float8_e4m3fn")


def control_submission(plan: Plan) -> Submission:
    """Return a file for the exercise of `plan` that no learner wrote, and that does no harm."""
    exercise = plan.exercise
    text = _FUNCTION.format(results=len(exercise.returns), dtypes=_DTYPES)
    name = exercise.signature.name
    if exercise.builds is None:
        text += _PLAIN.format(name=name)
    else:
        states = [_state(call.built) for call in plan.calls if call.built is not None]
        text += _MODULE.format(name=name, states=json.dumps(states))
    return Submission("control.py", exercise.slug, text.encode())


def _state(built: Built) -> list[Any]:
    """What tells this build from others, and the shapes of the parameters that are then asked for."""
    plain = {
        name: value for name, value in built.arguments.items() if type(value) in (int, float, bool, str, type(None))
    }
    return [plain, [[path, list(tensor.shape)] for path, tensor in built.state.items()]]
