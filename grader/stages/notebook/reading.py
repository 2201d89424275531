"""The bytes of an .ipynb file in, its code cells out; outputs and metadata are dropped unread, whatever they hold."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.model import Message, message
from grader.stages.intake import BOM, MAX_BYTES, Refused, read_bytes
from grader.stages.notebook.magics import python_lines, split_lines

MAX_NOTEBOOK_BYTES = 5 * 1024 * 1024
SOLUTION = "solution"
"""The tag of a cell that says: this is what I hand in."""

TOO_LARGE = message(
    "The notebook is larger than {mb} MB. Clear its outputs, then save it again.", mb=MAX_NOTEBOOK_BYTES // 1024**2
)
TOO_MUCH_CODE = message(
    "The code of the notebook is larger than {kb} KB. Hand in a notebook with your functions alone.",
    kb=MAX_BYTES // 1024,
)
NESTED = message("This is not a notebook: its JSON is nested too deeply. Save it again from Jupyter.")
NO_NOTEBOOK = message("This is JSON, but not a notebook. Save it again from Jupyter.")


class MissingExtra(Exception):
    """Packages that only notebooks need are not installed; `why` says how to get them."""

    def __init__(self) -> None:
        self.why = message(
            "Reading a notebook needs the packages nbformat and jupytext. "
            'Install them with: pip install "attention-grader[notebook]"'
        )
        super().__init__(self.why.template)


@dataclass(frozen=True)
class Cell:
    """A code cell as Python: its number among the code cells, from 1, and its lines, magics neutralised."""

    number: int
    lines: tuple[str, ...]
    solution: bool = False  # whether it carries the tag


def read_cells(path: Path) -> tuple[Cell, ...]:
    """Return the code cells of a notebook; raise Refused with what is wrong, MissingExtra without nbformat and jupytext."""
    return cells_of(read_bytes(path, MAX_NOTEBOOK_BYTES, TOO_LARGE))


def cells_of(data: bytes) -> tuple[Cell, ...]:
    """Return the code cells in the bytes of a notebook; raises as `read_cells` does."""
    found = _upgraded(_bare(_json(data)))["cells"]
    if sum(len(cell["source"].encode("utf-8", "replace")) for cell in found) > MAX_BYTES:
        raise Refused(TOO_MUCH_CODE)
    try:
        return tuple(
            Cell(number, python_lines(split_lines(cell["source"])), SOLUTION in cell["metadata"].get("tags", ()))
            for number, cell in enumerate(found, 1)
        )
    except ImportError as error:
        raise MissingExtra from error


def _json(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data.removeprefix(BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(message("Line {line} is not UTF-8. Save the file as UTF-8.", line=line)) from None
    except json.JSONDecodeError as error:
        why = message("This is not a notebook: line {line} is not JSON. Save it again from Jupyter.", line=error.lineno)
        raise Refused(why) from None
    except RecursionError:
        raise Refused(NESTED) from None
    except ValueError:  # a number of thousands of digits
        raise Refused(NO_NOTEBOOK) from None
    if not isinstance(found, dict):
        raise Refused(NO_NOTEBOOK)
    return found


def _bare(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with nothing in it but code cells, their source and tag: the rest may be huge or hostile."""
    language = _at(notebook, "metadata", "kernelspec", "language")
    if isinstance(language, str) and language.lower() not in ("python", ""):
        raise Refused(message("This notebook is written in {language}, not in Python.", language=language[:40]))
    bare: dict[str, Any] = {"metadata": {}, "nbformat": notebook.get("nbformat"), "nbformat_minor": 0}
    if "worksheets" in notebook:  # nbformat 3
        bare["worksheets"] = [{"metadata": {}, "cells": _code(sheet)} for sheet in _list(notebook, "worksheets")]
    else:
        bare["cells"] = _code(notebook)
    return bare


def _code(holder: Any) -> list[dict[str, Any]]:
    return [_bare_cell(cell, n) for n, cell in enumerate(_list(holder, "cells"), 1) if _at(cell, "cell_type") == "code"]


def _bare_cell(cell: dict[str, Any], number: int) -> dict[str, Any]:
    name = "source" if "source" in cell else "input"  # what nbformat 3 calls it
    source = cell.get(name)
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Refused(_odd(message("cell {cell}", cell=number)))
    tags = _at(cell, "metadata", "tags")
    kept = {"tags": [SOLUTION]} if isinstance(tags, list) and SOLUTION in tags else {}
    rest = {"execution_count": None} if name == "source" else {"language": "python"}
    return {"cell_type": "code", "metadata": kept, "outputs": [], name: source, **rest}


def _at(thing: Any, *path: str) -> Any:
    """Return what lies at `path`, None where something on the way is not what it should be."""
    for name in path:
        thing = thing.get(name) if isinstance(thing, dict) else None
    return thing


def _list(holder: Any, name: str) -> list[Any]:
    found = _at(holder, name)
    if not isinstance(found, list):
        raise Refused(_odd(name))
    return found


def _odd(what: str | Message) -> Message:
    return message("This notebook cannot be read, because of its {what}. Save it again from Jupyter.", what=what)


def _upgraded(bare: dict[str, Any]) -> Any:
    """Return the notebook in nbformat 4, found valid by nbformat."""
    try:
        import nbformat
    except ImportError as error:
        raise MissingExtra from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.convert(nbformat.from_dict(bare), 4)  # type: ignore[no-untyped-call]
            nbformat.validate(notebook)
    except Exception as error:  # it raises AttributeError, KeyError and more for what is no notebook
        raise Refused(_odd(f"nbformat {bare['nbformat']!r}"[:60])) from error
    return notebook
