"""A slug put into course.yaml: however its lists are written, and without touching anything else."""

from __future__ import annotations

import pytest

from grader.author.new_listing import NotListed, with_entry

TITLE = "title: {en: C, zh: 课}\n"
FLOW = f"""{TITLE}modules:
  - title: {{en: One, zh: 一}}  # first
    exercises: [a, b]  # two of them
  - title: {{en: Two, zh: 二}}
    quizzes: []
"""
BLOCK = f"""{TITLE}modules:
- title:
    en: One
    zh: 一
  exercises:
  - a   # first
  - b

# then
- title: {{en: Two, zh: 二}}
  exercises:
"""
INLINE = (
    f"{TITLE}modules: [{{title: {{en: One, zh: 一}}, exercises: [a,\n  b,\n  ]}}, {{title: {{en: Two, zh: 二}}}}]\n"
)


@pytest.mark.parametrize(
    ("text", "module", "folder", "old", "new"),
    [
        (FLOW, 0, "exercises", "[a, b]  # two", "[a, b, c]  # two"),
        (FLOW, 1, "quizzes", "quizzes: []", "quizzes: [c]"),
        (FLOW, 1, "exercises", "{en: Two, zh: 二}\n", "{en: Two, zh: 二}\n    exercises: [c]\n"),
        (FLOW, 0, "quizzes", "# first\n", "# first\n    quizzes: [c]\n"),
        (BLOCK, 0, "exercises", "  - b\n", "  - b\n  - c\n"),
        (BLOCK, 0, "quizzes", "    zh: 一\n", "    zh: 一\n  quizzes: [c]\n"),
        (BLOCK, 1, "exercises", "二}\n  exercises:\n", "二}\n  exercises: [c]\n"),
        (INLINE, 0, "exercises", "  b,\n", "  b, c\n"),
        (INLINE, 1, "exercises", "{en: Two, zh: 二}}", "{en: Two, zh: 二}, exercises: [c]}"),
    ],
)
def test_only_the_entry_is_new(text: str, module: int, folder: str, old: str, new: str) -> None:
    assert text.count(old) == 1
    assert with_entry(text, module, folder, "c") == text.replace(old, new)


@pytest.mark.parametrize("text", ["", "modules: 3\n", TITLE, "modules: [a]\n", "a: [\n", FLOW])
def test_where_there_is_no_such_module_it_is_said(text: str) -> None:
    with pytest.raises(NotListed):
        with_entry(text, 7, "exercises", "c")
