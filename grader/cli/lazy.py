"""A click group that imports a command when it runs, and gives every exception its message and exit code."""

from __future__ import annotations

import errno
import importlib
import traceback
from collections.abc import Mapping
from typing import Any

import click

from grader.cli.help import Context
from grader.cli.speech import spoken
from grader.cli.stop import FAULT, UNAVAILABLE, Stop, harmless
from grader.kinds import nearest
from grader.locale import say
from grader.model import AuthorError, IsolationUnavailable, Message, message
from grader.stages.ended import told_of_end

# click's own words: they reach the learner through the same catalogue.
CLICK_SAYS = (
    message("Usage:"),
    message("Options"),
    message("Commands"),
    message("Show this message and exit."),
    message("Show the version and exit."),
    message("Error: {message}", message="…"),
    message("Missing command."),
    message("No such command {name!r}.", name="…"),
    message("Try '{command} {option}' for help.", command="…", option="…"),
    message("Aborted!"),
    message("Invalid value: {message}", message="…"),
    message("Invalid value for {param_hint}: {message}", param_hint="…", message="…"),
    message("Missing argument"),
    message("Missing option"),
    message("No such option {name!r}.", name="…"),
    message("Option {name!r} does not take a value.", name="…"),
    message("{value!r} is not a valid {number_type}.", value="…", number_type="…"),
    message("{value} is not in the range {range}.", value="…", range="…"),
    message("{name} {filename!r} does not exist.", name="…", filename="…"),
    message("{name} {filename!r} is a file.", name="…", filename="…"),
    message("{name} {filename!r} is a directory.", name="…", filename="…"),
)


class LazyGroup(click.Group):
    """A group whose commands are named as `module:attribute`, with their one-line help beside them."""

    context_class = Context

    def __init__(self, *args: Any, commands_at: Mapping[str, tuple[str, Message]], **settings: Any):
        super().__init__(*args, **settings)
        self.commands_at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table, which is the order in which a learner meets them."""
        return list(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None when there is no such word."""
        if cmd_name not in self.commands_at:
            return None
        module, _, attribute = self.commands_at[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        command.context_class = Context
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a word that is none, name the nearest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if near := nearest(args[0], self.commands_at):
                meant = say(message("Did you mean {word!r}?", word=near), spoken())
                raise click.UsageError(f"{error.message} {meant}", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing any."""
        with formatter.section(say(message("Commands"), spoken())):
            formatter.write_dl([(name, say(told, spoken())) for name, (_, told) in self.commands_at.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it raises ends as a message, never as a traceback that a learner has to read."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except AuthorError as error:
            click.echo("\n".join(error.problems), err=True)
            raise Stop(message("The files of the course have errors."), code=FAULT) from error
        except IsolationUnavailable as error:
            raise Stop(error.why, code=UNAVAILABLE) from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if not isinstance(error, Exception):  # a course's own words may call `sys.exit`: no success
                raise Stop(message("{what}", what=told_of_end(error)), code=FAULT) from error
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise  # the reader of our output left; click ends quietly
            click.echo(harmless(traceback.format_exc()), err=True)
            told = message("grader error: this is our fault, not yours ({kind}).", kind=type(error).__name__)
            raise Stop(told, code=FAULT) from error
