"""LaTeX in, MathML out that may stand in a page: nothing of it can link, style, fetch or run.

`latex2mathml.convert` ends by un-escaping the whole document, which makes live markup of what stood in `\\text{…}`. So only
its tree is used here: texts are set right one by one, the standard serialiser escapes them, and what is on no list is dropped.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from functools import lru_cache

from grader.model import Message, message

LONGEST = 2_000  # characters of one formula
TAGS = frozenset(
    {
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "mfrac",
        "msqrt",
        "mroot",
        "msub",
        "msup",
        "msubsup",
        "munder",
        "mover",
        "munderover",
        "mtable",
        "mtr",
        "mtd",
        "mstyle",
        "mpadded",
        "mphantom",
    }
)
ATTRIBUTES = frozenset(
    {
        "display",
        "xmlns",
        "stretchy",
        "fence",
        "form",
        "mathvariant",
        "width",
        "height",
        "depth",
        "columnalign",
        "displaystyle",
        "scriptlevel",
        "accent",
        "linethickness",
        "lspace",
        "rspace",
        "minsize",
        "maxsize",
    }
)
REFERENCE = re.compile(r"&#(?:x[0-9a-fA-F]+|[0-9]+);")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
POOR = {r"\begin{aligned}": r"\begin{align*}", r"\xrightarrow": r"\rightarrow"}
"""What converts to something that cannot be read, and what to write instead."""


class Unreadable(ValueError):
    """A formula that cannot be shown; `why` says what is wrong with it."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


def problem(latex: str) -> Message | None:
    """Return what an author should know of a formula before learners see it, None where it is fine."""
    for poor, better in POOR.items():
        if poor in latex:
            return message("`{poor}` cannot be shown well; write `{better}`", poor=poor, better=better)
    try:
        shown = mathml(latex)
    except Unreadable as error:
        return error.why
    unknown = re.search(r"\\[A-Za-z]+", shown)  # a command that the converter does not know is left as it is
    return message("`{command}` is not known", command=unknown[0]) if unknown else None


@lru_cache(maxsize=512)
def mathml(latex: str, *, block: bool = False) -> str:
    """Return a `<math>` element; raise `Unreadable` where the formula is too long, too deep or cannot be read."""
    import nh3
    from latex2mathml.converter import convert_to_element

    if len(latex) > LONGEST:
        raise Unreadable(message("the formula is longer than {most} characters", most=LONGEST))
    try:
        root = convert_to_element(latex, display="block" if block else "inline")
        for element in root.iter():
            element.text, element.tail = _characters(element.text), _characters(element.tail)
            for name in [name for name in element.attrib if name not in ATTRIBUTES]:  # href, style, class, on…
                del element.attrib[name]
        markup = ET.tostring(root, encoding="unicode")
    except RecursionError:
        raise Unreadable(message("the formula is nested too deeply")) from None
    except Exception as error:  # malformed input raises whatever the parser trips over
        raise Unreadable(message("the formula cannot be read ({error})", error=type(error).__name__)) from error
    return nh3.clean(markup, tags=set(TAGS), attributes={tag: set(ATTRIBUTES) for tag in TAGS}, link_rel=None)


def _characters(text: str | None) -> str | None:
    """Resolve the numeric references that the converter leaves in a text; everything else in it stays text."""
    if text is None:
        return None
    return NOT_XML.sub("\ufffd", REFERENCE.sub(lambda found: html.unescape(found[0]), text))
