"""What `say` and `language` make of messages, author's texts and the environment."""

from __future__ import annotations

import pytest

from grader.locale import language, say
from grader.model import message


def test_a_message_is_its_template_with_the_fields_filled_in() -> None:
    assert say(message("got {got}, expected {expected:.2f}", got=1, expected=0.5), "en") == "got 1, expected 0.50"


def test_a_message_or_text_inside_a_message_is_said_in_the_same_language() -> None:
    inner = message("{what} here", what={"en": "a mask", "zh": "掩码"})
    assert say(message("see: {inner}", inner=inner), "en") == "see: a mask here"
    assert say(message("see: {inner}", inner=inner), "zh") == "see: 掩码 here"


def test_a_text_without_the_language_is_said_in_english() -> None:
    assert say({"en": "mask"}, "zh") == "mask"
    assert say({"en": "mask", "zh": "掩码"}, "zh") == "掩码"


def test_a_message_without_a_translation_is_said_in_english() -> None:
    assert say(message("nobody translates this {n}", n=1), "zh") == "nobody translates this 1"


def test_braces_in_a_field_stay_as_they_are() -> None:
    assert say(message("got {got}", got="{0}{x}"), "en") == "got {0}{x}"


@pytest.mark.parametrize(
    ("environ", "spoken"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh-TW"}, "zh"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
    ],
)
def test_the_language_is_that_of_the_first_locale_variable_that_is_set(environ: dict[str, str], spoken: str) -> None:
    assert language(None, environ) == spoken


def test_a_flag_decides_before_the_environment() -> None:
    assert language("en", {"LANG": "zh_CN.UTF-8"}) == "en"
