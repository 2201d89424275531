"""The sources in, the Chinese catalogue out: what `make catalogue` runs (needs babel, a development dependency).

Templates are found by the name of the function that makes them, `message`. Translations come from the catalogue as it is
and from fragments `zh/*.po` beside it, which win; a template that nobody uses any more is dropped.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from grader.locale import FOLDER

PACKAGE = FOLDER.parent
PO = FOLDER / "zh" / "LC_MESSAGES" / "grader.po"
MO = PO.with_suffix(".mo")
HEADER = "# The Chinese interface texts of Attention Grader. `make catalogue` keeps this file and its .mo in step with the sources."


def templates(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return every template of `message` under `package`, with the files that use it."""
    found: dict[str, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        file = path.relative_to(package).as_posix()
        for call in calls(path):
            if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
                users = found.setdefault(call.args[0].value, [])
                users.extend({file} - set(users))
    return found


def calls(file: Path) -> list[ast.Call]:
    """Return the calls of `message` in one Python file."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    found = [node for node in nodes if isinstance(node, ast.Call)]
    return [call for call in found if isinstance(call.func, ast.Name) and call.func.id == "message"]


def read(file: Path) -> Catalog:
    """Return the catalogue in a .po file; raise babel's PoFileError where it does not parse."""
    with file.open("rb") as stream:
        return read_po(stream, locale="zh", abort_invalid=True)


def translations() -> Iterator[tuple[str, str]]:
    """Yield (template, Chinese) of the catalogue, then of each fragment."""
    for file in [PO, *sorted(PO.parent.parent.glob("*.po"))]:
        if file.exists():
            yield from ((str(entry.id), str(entry.string)) for entry in read(file) if entry.id and entry.string)


def merged() -> Catalog:
    """Return the catalogue that the sources and all translations make, in the order of its templates."""
    known = dict(translations())
    catalogue = Catalog(locale="zh", charset="utf-8", header_comment=HEADER, fuzzy=False)
    for template, files in sorted(templates().items()):
        catalogue.add(template, known.get(template, ""), locations=[(file, 0) for file in sorted(files)])
    return catalogue


def po_bytes(catalogue: Catalog) -> bytes:
    """Return the text of the .po file, without dates, versions and line numbers: they would change with every run."""
    out = io.BytesIO()
    write_po(out, catalogue, include_lineno=False, width=120, omit_header=True)
    header = f'{HEADER}\nmsgid ""\nmsgstr ""\n"Language: zh\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return header.encode() + out.getvalue()


def mo_bytes(catalogue: Catalog) -> bytes:
    """Return the compiled catalogue, as gettext reads it; the same entries give the same bytes."""
    day = datetime(2000, 1, 1, tzinfo=timezone.utc)  # any one: a date that moves would change the file with every run
    plain = Catalog(locale="zh", charset="utf-8", fuzzy=False, creation_date=day, revision_date=day)
    for entry in catalogue:
        if entry.id and entry.string:
            plain.add(entry.id, entry.string)
    out = io.BytesIO()
    write_mo(out, plain)
    return out.getvalue()


def write() -> None:
    """Write grader.po and grader.mo anew."""
    catalogue = merged()
    PO.write_bytes(po_bytes(catalogue))
    MO.write_bytes(mo_bytes(read(PO)))


if __name__ == "__main__":
    write()
