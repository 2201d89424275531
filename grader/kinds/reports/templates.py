"""The name of a template in, the compiled template out. Jinja is loaded only when a format needs it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grader

if TYPE_CHECKING:
    import jinja2

FOLDER = Path(grader.__file__).parent / "templates"


def template(name: str, **filters: Any) -> jinja2.Template:
    """Return a template of `grader/templates`; HTML is escaped, and a name that is not there is an error."""
    return _environment(name.endswith(".html"), tuple(filters.items())).get_template(name)


@lru_cache(maxsize=8)
def _environment(html: bool, filters: tuple[tuple[str, Any], ...]) -> jinja2.Environment:
    """Keep what compiles templates, and with it the compiled ones: a class has a page for each learner."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=html,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment
