"""An author's text in, HTML out: Markdown with `$formulas$`, and nothing that fetches, runs or was not meant.

Raw HTML is shown as text, images are left out, links lead to https only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grader.kinds.reports.mathml import ATTRIBUTES, TAGS, Unreadable, mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

WIDE = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef“”]"
BLOCKS = {"p", "ul", "ol", "li", "pre", "code", "strong", "em", "blockquote", "a", "br", "h4"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
FORMULA = re.compile(r"\$(?=\S)((?:[^$\\]|\\.)*[\\^_](?:[^$\\]|\\.)*)(?<=\S)\$")
LONGEST = 50_000


def prose(text: str) -> Markup:
    """Return a text of several paragraphs as HTML: paragraphs, lists, tables, code and formulas."""
    import nh3
    from markupsafe import Markup

    # A line break between two Chinese characters is no space.
    text = re.sub(rf"(?<={WIDE})\n(?={WIDE})", "", text[:LONGEST])
    reader = _reader()
    tokens = reader.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = "h4"  # a page has its own headings above
    page = reader.renderer.render(tokens, reader.options, {})
    allowed: dict[str, set[str]] = {"a": {"href"}, "ol": {"start"}, **{tag: set(ATTRIBUTES) for tag in TAGS}}
    clean = nh3.clean(
        page, tags=BLOCKS | TABLES | TAGS, attributes=allowed, url_schemes={"https"}, link_rel="noreferrer"
    )
    return Markup(clean.replace("<pre>", '<pre tabindex="0">'))


def formula(latex: str, *, block: bool = False) -> Markup:
    """Return a formula as MathML, or as code where it cannot be shown."""
    from markupsafe import Markup

    try:
        return Markup(mathml(latex, block=block))
    except Unreadable:
        return Markup("<code>{}</code>").format(latex)


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def shown(latex: str, options: dict[str, Any]) -> str:
        return str(formula(latex, block=bool(options["display_mode"])))

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return reader.use(dollarmath_plugin, renderer=shown, allow_space=False)
