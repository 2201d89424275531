"""The name of a template in, the compiled template out. Jinja is loaded only when a format needs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import grader

if TYPE_CHECKING:
    import jinja2

FOLDER = Path(grader.__file__).parent / "templates"


def template(name: str, **filters: Any) -> jinja2.Template:
    """Return a template of `grader/templates`; HTML is escaped, and a name that is not there is an error."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=name.endswith(".html"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(name)
