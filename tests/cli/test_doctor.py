"""What `grader doctor` says of layers that hold and of layers that do not."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from grader.cli import cli
from grader.cli.doctor import LAYERS, isolation_advice, layer, module_advice
from grader.locale import say
from grader.stages.sandbox import Fact


def advised(*missing: str) -> str:
    (text,) = isolation_advice([Fact(name, name not in missing, "why") for name in LAYERS])
    return say(text, "en")


def test_the_advice_follows_from_what_is_missing() -> None:
    assert "--isolation strict" in advised()
    assert "--isolation strict" in advised("namespaces")
    assert "--isolation best" in advised("landlock")
    assert "Linux" in advised(*LAYERS)


def test_a_layer_that_does_not_hold_says_why() -> None:
    assert layer(Fact("landlock", False, "function not implemented"), "en").endswith("— function not implemented")
    assert layer(Fact("landlock", True), "en").startswith("  ✓")
    assert layer(Fact("namespaces", False, "not permitted"), "en").endswith(
        "— not permitted; strict isolation does without it"
    )
    assert layer(Fact("namespaces", True), "en").endswith("(namespaces)")


def test_a_module_that_the_course_allows_and_nobody_installed_is_named() -> None:
    (text,) = module_advice(["torch.nn", "nowhere_to_be_found", "nowhere_to_be_found.part"])
    assert "pip install nowhere_to_be_found" in say(text, "en")


@pytest.mark.parametrize(("lang", "title"), [("en", "Isolation"), ("zh", "隔离")])
def test_it_tells_isolation_device_versions_and_language(lang: str, title: str) -> None:
    result = CliRunner().invoke(cli, ["doctor", "--lang", lang])
    assert result.exit_code == 0, result.output
    assert title in result.stdout
    assert "✓ cpu" in result.stdout
    assert "torch" in result.stdout
