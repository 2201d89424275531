"""The `kinds/` folder of a course in, the words that it adds to the vocabularies out: input, check and question kinds.

They are registered with the decorators of the built-in ones. Only the judge runs them, and only those of a course that it was
given: a learner's folder is never looked at for any.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.kinds import OwnWords, WordTaken, speaking
from grader.kinds.checks import CHECKS, CheckKind
from grader.kinds.inputs import INPUTS, InputKind
from grader.kinds.kind import Kind
from grader.kinds.questions import QUESTIONS, Asked
from grader.model import AuthorError, Message, message
from grader.stages.spec.source import Problem, author_error
from grader.stages.spec.text import bytes_of

FOLDER = "kinds"
SORTS: tuple[tuple[Any, type[Kind]], ...] = ((INPUTS, InputKind), (CHECKS, CheckKind), (QUESTIONS, Asked))

_LOADING = threading.Lock()  # a second thread would find the modules there, and no words in them
_KNOWN: dict[str, OwnWords] = {}
"""By content: a copy of a course has the very classes of the course, so that their questions can be compared."""


def own_words(root: Path) -> OwnWords:
    """Return the words that the course in a folder adds, none where it has no `kinds/`.

    Raise AuthorError with what is wrong with its files: what does not load, a word that is taken, a class that lacks what its
    sort needs.
    """
    files = sorted((root / FOLDER).glob("*.py"))
    if not files:
        return OwnWords()
    digest, problems = hashlib.sha256(), list[str]()
    for file in files:
        data = bytes_of(file)
        if isinstance(data, Message):
            problems += author_error(_shown(file), [Problem((1, 1), (), data)]).problems
        else:
            digest.update(b"\0" + file.name.encode() + b"\0" + data)
    if problems:
        raise AuthorError(problems)
    name = f"_kinds_{digest.hexdigest()[:16]}"
    with _LOADING:
        if name not in _KNOWN:
            _KNOWN[name] = _loaded(name, files)
        return _KNOWN[name]


def _loaded(name: str, files: list[Path]) -> OwnWords:
    package = ModuleType(name)
    package.__path__ = [str(files[0].parent)]
    sys.modules[name] = package
    words, problems = OwnWords(open=True), list[str]()
    with speaking(words):
        for file in files:
            before = _words(words)
            try:
                importlib.import_module(f"{name}.{file.stem}")
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # `sys.exit` too: it would look like success
                problems += author_error(_shown(file), [_stopped(file, error)]).problems
            new = _words(words) - before
            problems += author_error(_shown(file), list(_lacking(words, file, new))).problems
    words.open = False
    if problems:
        for loaded in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
            del sys.modules[loaded]
        raise AuthorError(problems)
    return words


def _shown(file: Path) -> str:
    return f"{FOLDER}/{file.name}"


def _words(words: OwnWords) -> set[tuple[int, str]]:
    return {(place, word) for place, (vocabulary, _) in enumerate(SORTS) for word in words.of.get(id(vocabulary), ())}


def _stopped(file: Path, error: BaseException) -> Problem:
    """Say what kept a file from being loaded, at the line of it that was reached last."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return Problem((error.lineno or 1, error.offset or 1), (), message("{reason}", reason=error.msg))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    place = (frames[-1].lineno or 1, 1) if frames else (1, 1)
    if isinstance(error, WordTaken):
        return Problem(place, (), message("the word `{word}` is taken: choose another one", word=error.word))
    return Problem(place, (), message("{kind}: {reason}", kind=type(error).__name__, reason=str(error)))


def _lacking(words: OwnWords, file: Path, new: set[tuple[int, str]]) -> Iterator[Problem]:
    """Yield what the classes of a file lack, each at its line."""
    for place, word in sorted(new):
        vocabulary, sort = SORTS[place]
        kind = words.of[id(vocabulary)][word]
        for what in _lacks(kind, sort, word):
            yield Problem((_line(file, kind), 1), (), message("`{word}`: {what}", word=word, what=what))


def _lacks(kind: Any, sort: type[Kind], word: str) -> Iterator[Message]:
    if not (inspect.isclass(kind) and issubclass(kind, sort)):
        yield message("expected a class that derives from {sort}", sort=sort.__name__)
        return
    if not kind.__doc__:
        yield message("it has no docstring, which `grader author words` and editors show")
    if getattr(kind, "word", None) != word:
        yield message('it needs `word: ClassVar[str] = "{word}"`', word=word)
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if issubclass(kind, InputKind):
        keys = {field.alias or name for name, field in kind.model_fields.items()}
        missing += [] if kind.draw is not InputKind.draw else ["draw"]
        if word not in keys:
            yield message("it needs a field `{word}`, which holds the main value", word=word)
    if issubclass(kind, CheckKind):
        missing += [
            *([] if kind.judge is not CheckKind.judge else ["judge"]),
            *([] if hasattr(kind, "rung") else ["rung"]),
        ]
    if missing:
        yield message("it does not define {names}", names=", ".join(f"`{name}`" for name in missing))


def _line(file: Path, kind: Any) -> int:
    try:
        return inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return 1
