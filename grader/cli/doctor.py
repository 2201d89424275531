"""`grader doctor`: what holds learner code on this machine, which device there is, and what is missing and how to get it."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click

from grader import __version__
from grader.cli.opening import course_folder
from grader.cli.options import course_option, lang_option, told
from grader.course.find import preload_of
from grader.locale import say
from grader.model import Message, message
from grader.stages.sandbox import OPTIONAL, Fact, isolation_facts

LAYERS = {
    "user": message("a user of its own for your code"),
    "privileges": message("no privileges, and none to be gained"),
    "namespaces": message("a network and an empty root folder of its own (namespaces)"),
    "landlock": message("files out of reach (Landlock)"),
    "seccomp": message("only harmless system calls (seccomp)"),
}


_SPARED = message("strict isolation does without it")


@click.command(help=told(message("Say what this machine gives: isolation, device, language; and what is missing.")))
@course_option
@lang_option
def doctor(course: Path | None, lang: str) -> None:
    facts = isolation_facts()
    preload = preload_of(course_folder(course, lang))
    sections = [
        (message("Isolation"), [layer(fact, lang) for fact in facts]),
        (message("Device"), list(device(lang))),
        (message("Versions"), [f"  grader {__version__}, Python {platform.python_version()}, {versions()}"]),
        (message("Language"), [f"  {lang}"]),
    ]
    for title, lines in sections:
        click.secho(say(title, lang), bold=True)
        click.echo("\n".join(lines))
    for text in (*isolation_advice(facts), *module_advice(preload)):
        click.echo(f"→ {say(text, lang)}")


def layer(fact: Fact, lang: str) -> str:
    """Return the line of one layer of isolation."""
    name = say(LAYERS.get(fact.layer, message("{name}", name=fact.layer)), lang)
    spared = f"; {say(_SPARED, lang)}" if fact.layer in OPTIONAL and not fact.holds else ""
    return f"  {'✓' if fact.holds else '✗'} {name}" + (f" — {fact.why}" if fact.why else "") + spared


def device(lang: str) -> Iterable[str]:
    """Yield a line for each device that torch can use."""
    import torch

    yield "  ✓ cpu"
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    yield from (f"  ✓ cuda:{n} — {torch.cuda.get_device_name(n)}" for n in range(count))
    if not count:
        yield f"  ✗ cuda — {say(message('this torch sees no GPU; nothing needs one'), lang)}"


def versions() -> str:
    """Return the versions that decide what is computed."""
    return ", ".join(f"{name} {metadata.version(name)}" for name in ("torch", "numpy"))


def isolation_advice(facts: Iterable[Fact]) -> Iterable[Message]:
    """Yield what can be done with the layers that hold."""
    missing = {fact.layer for fact in facts if not fact.holds} - set(OPTIONAL)
    if not missing:
        yield message("Strict isolation is to be had here: grader check --isolation strict FILE")
    elif missing == set(LAYERS) - set(OPTIONAL):
        yield message("Grade where it matters on Linux with kernel 5.13 or newer; WSL 2 and containers count.")
    else:
        yield message("Strict isolation needs every layer but namespaces; --isolation best uses those that hold.")
        if "user" in missing:
            yield message("Root gets a user of its own for your code with the capabilities SETUID, SETGID and KILL.")


def module_advice(preload: Iterable[str]) -> Iterable[Message]:
    """Yield how to get what the course lets learners import and is not installed."""
    tops = sorted({name.split(".")[0] for name in preload})
    for name in tops:
        if find_spec(name) is None:
            yield message("The course lets your code use {name}, which is not installed: pip install {name}", name=name)
