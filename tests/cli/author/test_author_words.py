"""`grader author words`: the tables, and all of one word."""

from __future__ import annotations

from click.testing import CliRunner, Result

from grader.cli import cli


def call(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    return result


def test_one_word_is_told_with_an_example() -> None:
    shown = call("author", "words", "inputs", "integers").stdout
    assert shown.startswith("integers\n  A float32 tensor of whole numbers")
    assert "  high (3)\n" in shown
    assert shown.endswith("    q: {integers: [B, H, T, D], low: -2, high: 2}\n")


def test_a_word_that_is_none_is_answered_with_the_nearest() -> None:
    assert "Did you mean 'integers'?" in call("author", "words", "inputs", "integer", code=2).stderr


def test_without_a_word_there_are_tables() -> None:
    shown = call("author", "words", "checks").stdout
    assert shown.startswith("# checks\n\n| word | options | what it is |")
    assert "# inputs" not in shown
