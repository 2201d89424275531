"""What stopped the learner's code in, sentences out: what happened, where, what is allowed, and one thing to do about it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from grader.kinds import nearest
from grader.kinds.inputs import InputKind
from grader.model import Exercise, Fault, Message, Sayable, Verdict, message
from grader.stages import module_faults

AGAIN = message("Mend it, then run the check again.")

REMEDIES = {
    Verdict.TIMED_OUT: message(
        "Look for a loop that never ends. Loops over single numbers are slow: tensor operations are much faster."
    ),
    Verdict.OUT_OF_MEMORY: message(
        "Look for a tensor that is much larger than the result, or a list that keeps growing."
    ),
    Verdict.CRASHED: message("Return the result from the function; do not end the process and start no other one."),
}

KEPT_OUT = message(
    "The grader keeps files, the network and other processes out of reach. Compute the result from the arguments alone."
)
"""What to do about what the sandbox refused, by the exception that the system's refusal becomes."""

AFTER = {
    "It printed more than {mb} MB and was stopped.": message(
        "Print less: the shapes of one small case tell more than every number."
    ),
    "It waited for more than {seconds} seconds and was stopped.": message(
        "Remove what waits, such as `time.sleep` or a lock: nothing here is worth waiting for."
    ),
}
"""What to do after what the sandbox saw, by how it says that; before the remedy of the verdict."""


@dataclass(frozen=True)
class Story:
    """What a result says: the sentence that matters, further facts, the learner's own lines, and the next step."""

    headline: Sayable
    details: tuple[Sayable, ...] = ()
    next_step: Sayable | None = None
    source: tuple[tuple[int, str, str], ...] = ()
    column: int | None = None


def in_case(exercise: Exercise, case: str | None, what: Sayable) -> Message:
    """Say where it happened: in a case by name, or while the file was loaded."""
    if case is None:
        return message("While your file was loaded: {what}", what=what)
    shown = next((one.shown for one in exercise.cases if one.name == case), case)
    return message('Case "{case}": {what}', case=shown, what=what)


def fault_story(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    """Turn an exception into a story; `case` is None when the file could not be loaded."""
    return FAULTS.get(fault.kind, _exception)(exercise, fault, case)


def fault_text(exercise: Exercise, fault: Fault, case: str) -> Sayable:
    """Return what an exception says of one case in a few words."""
    if fault.kind in module_faults.TEXTS:
        return module_faults.TEXTS[fault.kind](exercise, fault, case)
    if fault.kind == "signature":
        return _other_signature(exercise, fault)
    return message("raised {error}", error=error_text(fault))


def hidden_fault(fault: Fault) -> Message:
    """Say that a hidden case raised: the class, nothing else."""
    return message("A hidden case raised {type}.", type=fault.type or "SystemExit")


def stop_story(exercise: Exercise, verdict: Verdict, detail: Message | None, case: str | None) -> Story:
    """Turn a time-out, a memory limit or a crash into a story; `case` is None when it happened while the file was loaded."""
    limits = exercise.limits
    seconds = limits.import_seconds if case is None else limits.call_seconds
    next_step = REMEDIES.get(verdict, REMEDIES[Verdict.CRASHED])
    if detail is not None:
        next_step = AFTER.get(detail.template, next_step)
    if detail is not None and verdict is not Verdict.OUT_OF_MEMORY:  # what was seen says more than which limit there is
        return Story(in_case(exercise, case, detail), (), next_step)
    return Story(in_case(exercise, case, stop_text(exercise, verdict, seconds)), (detail,) if detail else (), next_step)


def stop_text(exercise: Exercise, verdict: Verdict, seconds: float) -> Message:
    """Say which limit was met."""
    if verdict is Verdict.TIMED_OUT:
        return message("it did not finish within {seconds:g} seconds.", seconds=seconds)
    if verdict is Verdict.OUT_OF_MEMORY:
        return message("it needed more memory than the {limit} MB allowed.", limit=exercise.limits.memory_mb)
    return message("the process ended before it had answered.")


def _exception(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    given = _given(exercise, case) if case is not None and fault.lines else None
    next_step = KEPT_OUT if "PermissionError" in (fault.type, *fault.bases) else AGAIN
    return Story(in_case(exercise, case, _raised(fault)), (given,) if given else (), next_step, fault.lines)


def _given(exercise: Exercise, case: str) -> Message | None:
    """Say the shapes of the arguments of a case in axis names; None where one of its sizes is drawn, or no argument has axes."""
    found = next((one for one in exercise.cases if one.name == case), None)
    if found is None or not all(isinstance(size, int) for size in found.sizes.values()):
        return None
    sizes = {axis: size for axis, size in found.sizes.items() if isinstance(size, int)}
    inputs = {name: found.inputs.get(name, kind) for name, kind in exercise.inputs.items() if name not in found.omit}
    shown = [
        f"{name} [{', '.join(str(axis) if isinstance(axis, int) else f'{axis}={size}' for axis, size in pairs)}]"
        for name, kind in inputs.items()
        if isinstance(kind, InputKind)
        and kind.word not in ("size", "shape")
        and (pairs := list(zip(kind.shape_axes, kind.shape(sizes), strict=True)))
    ]
    return message("The arguments there: {arguments}", arguments=", ".join(shown)) if shown else None


def _raised(fault: Fault) -> Message:
    if not fault.lines:
        return message("raised {error}", error=error_text(fault))
    line, function, _ = fault.lines[-1]
    if function in ("", "<module>"):
        return message("line {line} raised {error}", line=line, error=error_text(fault))
    return message(
        "line {line}, in `{function}`, raised {error}", line=line, function=function, error=error_text(fault)
    )


def error_text(fault: Fault) -> str:
    """Return `ValueError: text` as Python prints it."""
    return ": ".join(part for part in (fault.type, fault.text) if part)


def _syntax(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    if not fault.lines:
        return Story(message("Python cannot read your file: {error}", error=error_text(fault)), (), AGAIN)
    headline = message("Python cannot read line {line} of your file: {text}", line=fault.lines[-1][0], text=fault.text)
    hint = message("Often the cause is on the line before: a bracket or a quote that is not closed.")
    vague = fault.text == "invalid syntax" or "EOF" in fault.text  # all others say what is wrong themselves
    return Story(headline, (hint,) if vague else (), AGAIN, fault.lines, fault.column)


def _missing(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    name = exercise.signature.name
    near = nearest(name, fault.near)
    headline = message("Your file does not define `{name}`.", name=name)
    if near:
        headline = message("Your file does not define `{name}`. Did you mean `{near}`?", name=name, near=near)
    defined = (
        message("It defines: {names}", names=", ".join(fault.near[:12]))
        if fault.near
        else message("It defines no function.")
    )
    return Story(headline, (defined,), _expected_signature(exercise))


def _expected_signature(exercise: Exercise) -> Message:
    if exercise.builds is None:
        return message("Define it as `def {signature}`.", signature=str(exercise.signature))
    return message(
        "Define it as `class {name}(nn.Module)` with the methods `{init}` and `{forward}`.",
        name=exercise.signature.name,
        init=exercise.signature.as_method("__init__"),
        forward=exercise.builds.forward.as_method("forward"),
    )


def _not_callable(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    name = exercise.signature.name
    headline = (
        message("`{name}` is not a function but {type}.", name=name, type=fault.type)
        if exercise.builds is None
        else message("`{name}` is not a class but {type}.", name=name, type=fault.type)
    )
    return Story(headline, (), _expected_signature(exercise), fault.lines)


def _signature(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    return Story(_other_signature(exercise, fault), (), _expected_signature(exercise), fault.lines)


def _other_signature(exercise: Exercise, fault: Fault) -> Message:
    wanted = exercise.call_signature if fault.type == "forward" else exercise.signature
    return message(
        "`{name}` takes other arguments: got `{got}`, expected `{expected}`.",
        name=wanted.name,
        got=wanted.name + fault.got if fault.got.startswith("(") else fault.got,
        expected=str(wanted),
    )


def _no_call(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    """A module that is not made as promised, or an argument that is not there: the call was not made."""
    said, kind = module_faults.TEXTS[fault.kind](exercise, fault, case), fault.kind
    return Story(in_case(exercise, case, said), module_faults.details(exercise, fault), module_faults.NEXT[kind])


def _import(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    allowed = _allowed(fault.near) if fault.near else None
    next_step = message("Remove the import, or do the same with what may be imported.")
    return Story(
        message("Your file imports `{module}`, which is not available here.", module=fault.text),
        (allowed,) if allowed else (),
        next_step,
        fault.lines,
    )


def _allowed(modules: tuple[str, ...]) -> Message:
    """Name what may be imported; of the standard library only that parts of it are."""
    names = ", ".join(name for name in modules if name not in sys.stdlib_module_names)
    if not names:
        return message("What may be imported: harmless parts of the standard library, such as math.")
    return message(
        "What may be imported: {names}, and harmless parts of the standard library such as math.", names=names
    )


def _exit(exercise: Exercise, fault: Fault, case: str | None) -> Story:
    what = message("your code ended the program ({error}).", error=error_text(fault) or "SystemExit")
    next_step = message("Remove the call of `exit`, `quit` or `sys.exit`: return the result instead.")
    return Story(in_case(exercise, case, what), (), next_step, fault.lines)


FAULTS: dict[str, Callable[[Exercise, Fault, str | None], Story]] = {
    "exception": _exception,
    "syntax": _syntax,
    "missing": _missing,
    "not_callable": _not_callable,
    "signature": _signature,
    "import": _import,
    "exit": _exit,
    **dict.fromkeys(module_faults.TEXTS, _no_call),
}
