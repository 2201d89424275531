"""The sources in, the catalogue of each language out: what `make catalogue` runs (needs babel, a development dependency).

`python -m grader.locale.catalogue --new fr` starts a further language: it writes `fr/LC_MESSAGES/grader.po`, with every text still to be
translated. The same command without `--new`, when texts were added to it, brings all languages in step.

Templates are found by the name of the function that makes them, `message`. Translations come from the catalogue as it is
and from fragments `zh/*.po` beside it, which win; a template that nobody uses any more is dropped.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from grader.locale import FOLDER

PACKAGE = FOLDER.parent
HEADER = "# The {name} interface texts of Attention Grader. `make catalogue` keeps this file and its .mo in step with the sources."
NAMES = {"zh": "Chinese"}  # what a header calls a language; its code unless given


def po_file(lang: str, folder: Path = FOLDER) -> Path:
    """Return where the catalogue of a language lies; its compiled form, the .mo, lies beside it."""
    return folder / lang / "LC_MESSAGES" / "grader.po"


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


def read(file: Path, lang: str) -> Catalog:
    """Return the catalogue in a .po file; raise babel's PoFileError where it does not parse."""
    with file.open("rb") as stream:
        return read_po(stream, locale=lang, abort_invalid=True)


def translations(lang: str, folder: Path = FOLDER) -> Iterator[tuple[str, str]]:
    """Yield (template, translation) of the catalogue, then of each fragment."""
    po = po_file(lang, folder)
    for file in [po, *sorted(po.parent.parent.glob("*.po"))]:
        if file.exists():
            yield from ((str(entry.id), str(entry.string)) for entry in read(file, lang) if entry.id and entry.string)


def merged(lang: str, folder: Path = FOLDER) -> Catalog:
    """Return the catalogue that the sources and all translations make, in the order of its templates."""
    known = dict(translations(lang, folder))
    catalogue = Catalog(locale=lang, charset="utf-8", fuzzy=False)
    for template, files in sorted(templates().items()):
        catalogue.add(template, known.get(template, ""), locations=[(file, 0) for file in sorted(files)])
    return catalogue


def po_bytes(catalogue: Catalog, lang: str) -> bytes:
    """Return the text of the .po file, without dates, versions and line numbers: they would change with every run."""
    out = io.BytesIO()
    write_po(out, catalogue, include_lineno=False, width=120, omit_header=True)
    first = HEADER.format(name=NAMES.get(lang, lang))
    header = f'{first}\nmsgid ""\nmsgstr ""\n"Language: {lang}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return header.encode() + out.getvalue()


def mo_bytes(catalogue: Catalog, lang: str) -> bytes:
    """Return the compiled catalogue, as gettext reads it; the same entries give the same bytes."""
    day = datetime(2000, 1, 1, tzinfo=timezone.utc)  # any one: a date that moves would change the file with every run
    plain = Catalog(locale=lang, charset="utf-8", fuzzy=False, creation_date=day, revision_date=day)
    for entry in catalogue:
        if entry.id and entry.string:
            plain.add(entry.id, entry.string)
    out = io.BytesIO()
    write_mo(out, plain)
    return out.getvalue()


def write(lang: str, folder: Path = FOLDER) -> None:
    """Write grader.po and grader.mo of a language anew."""
    po = po_file(lang, folder)
    po.parent.mkdir(parents=True, exist_ok=True)
    po.write_bytes(po_bytes(merged(lang, folder), lang))
    po.with_suffix(".mo").write_bytes(mo_bytes(read(po, lang), lang))


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> None:
    """Bring the catalogue of every language in step, or start that of a new one."""
    parser = argparse.ArgumentParser(description="Bring the catalogue of every language in step with the sources.")
    parser.add_argument("--new", metavar="LANG", help="start the catalogue of a language, such as fr")
    new = parser.parse_args(arguments).new
    there = sorted(file.parent.parent.name for file in folder.glob("*/LC_MESSAGES/grader.po"))
    if new is not None and not re.fullmatch(r"[a-z]{2,3}", new):
        parser.error(f"{new!r} is no code of a language: two or three small letters, such as fr")
    if new is not None and (new in there or new == "en"):
        parser.error(f"there is a catalogue of {new!r} already" if new in there else "the sources are in English")
    for lang in there if new is None else [new]:
        write(lang, folder)


if __name__ == "__main__":
    main()
