"""`reference_impl/mistakes.yaml` in, the texts of each known mistake out."""

from __future__ import annotations

import re
from pathlib import Path

from grader.model import Mistake, message
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import SLUG, MistakeFile
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Problem, author_error
from grader.stages.spec.text import read_text


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def load_mistakes(path: Path, shown: str | None = None) -> dict[str, Mistake]:
    """Return the mistakes by id, in the order of the file; raise AuthorError with every problem of the file."""
    name = shown or str(path)
    source = read_yaml(read_text(path, name), name)
    problems: list[Problem] = []
    mistakes: dict[str, Mistake] = {}
    for id_ in source.data:
        if not re.fullmatch(SLUG, id_):
            problems.append(
                source.problem((id_,), message("an id has lower-case letters, digits and `_` only"), key=True)
            )
        file = sift(validate(MistakeFile, source, (id_,)), problems)
        if file is not None:
            error = (file.error.type, file.error.text) if file.error else None
            mistakes[id_] = Mistake(id_, file.codes, file.says, file.asks, error)
            if error and not _is_pattern(error[1]):
                what = message("this is no regular expression")
                problems.append(source.problem((id_, "error", "text"), what))
    if problems:
        raise author_error(name, problems)
    return mistakes
