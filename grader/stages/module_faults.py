"""What kept a call of a module, or on an earlier result, from being made in; out what is wrong, and what the exercise asks for."""

from __future__ import annotations

from collections.abc import Callable

from grader.kinds import nearest
from grader.kinds.inputs import EarlierResult, InputKind
from grader.kinds.numbers import shape_text
from grader.model import Exercise, Fault, Message, message

SHOWN = 12
NOTHING = "(none)"  # what the child says of a module that has no tensor at all


def state_text(exercise: Exercise, fault: Fault, case: str | None) -> Message:
    """Say which promised parameter is missing, or which shape it has."""
    name = fault.type
    if fault.got:
        expected = _expected_shape(exercise, name, case)
        return message(
            "`{name}` of your module: got shape {got}, expected {expected}.",
            name=name,
            got=fault.got,
            expected=expected,
        )
    near = nearest(name, fault.near)
    if near:
        return message("Your module has no parameter `{name}`. Did you mean `{near}`?", name=name, near=near)
    return message("Your module has no parameter `{name}`.", name=name)


def _expected_shape(exercise: Exercise, name: str, case: str | None) -> str:
    """The shape that a parameter has in a case; in axis names where a size of the case is drawn."""
    found = next((one for one in exercise.cases if one.name == case), None)
    kind = (found.state if found else {}).get(name) or (exercise.builds.state[name] if exercise.builds else None)
    if not isinstance(kind, InputKind):
        return ""
    sizes = {axis: size for axis, size in (found.sizes if found else {}).items() if isinstance(size, int)}
    if all(axis in sizes for axis in kind.axes):
        return shape_text(kind.shape(sizes))
    return f"({', '.join(str(axis) for axis in kind.shape_axes)})"


def not_module_text(exercise: Exercise, fault: Fault, case: str | None) -> Message:
    """Say what came out where a module should have."""
    return message(
        "`{signature}` gives {type}, expected a `torch.nn.Module`.", signature=exercise.signature, type=fault.type
    )


def earlier_text(exercise: Exercise, fault: Fault, case: str | None) -> Message:
    """Say which earlier case gave nothing to go on with."""
    found = next((one for one in exercise.cases if one.name == case), None)
    kind = {**exercise.inputs, **(found.inputs if found else {})}.get(fault.type)
    source = kind.result_of.partition(".")[0] if isinstance(kind, EarlierResult) else ""
    return message(
        'its argument `{name}` is what your function returns in the case "{source}", and nothing usable came from there.',
        name=fault.type,
        source=source,
    )


TEXTS: dict[str, Callable[[Exercise, Fault, str | None], Message]] = {
    "state": state_text,
    "not_module": not_module_text,
    "earlier": earlier_text,
}


def details(exercise: Exercise, fault: Fault) -> tuple[Message, ...]:
    """What else helps: the names that are there, and tensors that hang on the module without being registered."""
    if fault.kind != "state":
        return ()
    have = message("It has: {names}", names=", ".join(fault.near[:SHOWN]))
    found = [have] if fault.near else [message("It has no parameters and no buffers.")]
    if fault.text and fault.text != NOTHING:
        found.append(
            message("Not registered, because they are not attributes of modules themselves: {names}", names=fault.text)
        )
    return tuple(found)


NEXT: dict[str, Message] = {
    "state": message(
        "Give your layers the names and the sizes that the exercise states, as attributes of the module itself."
    ),
    "not_module": message("Let the class inherit from `nn.Module`, and call `super().__init__()` first."),
    "earlier": message("See to the earlier case first."),
}
