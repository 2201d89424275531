"""What MkDocs calls while it builds the site: the gallery of mistakes is made then, and not kept in the repository.

GALLERY=scale_scores,attention makes the pages of these exercises alone, GALLERY= none: all of them take a minute or two.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import gallery

from grader.cli.grading import cache_folder


def wanted() -> frozenset[str] | None:
    """Return the exercises whose mistakes are shown, None for all."""
    asked = os.environ.get("GALLERY")
    return None if asked is None else frozenset(filter(None, asked.split(",")))


def named(menu: Any) -> set[str]:
    """Return the pages that a menu names."""
    if isinstance(menu, str):
        return {menu}
    inner = menu.values() if isinstance(menu, dict) else menu
    return {page for each in inner for page in named(each)}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the gallery, and name them in the menu; at its end what it does not name."""
    known = named(config.nav)
    config.nav += [file.src_uri for file in files.documentation_pages() if file.src_uri not in known]
    made = list(gallery.pages(wanted(), cache_folder(os.environ)))
    for path, _, text in made:
        files.append(File.generated(config, path, content=text))
    entries = next(entry for entry in config.nav if "Mistakes" in entry)["Mistakes"]
    entries += [{title: path} for path, title, _ in made]
    return files
