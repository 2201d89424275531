"""The symbols of a question in, a regular expression that knows their spellings out; and which symbol a spelling stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# One character for one character, so that columns stay true.
SAME_WIDTH = str.maketrans(
    "（）［］｛｝＋－／＊，、．：；＝＾＿＠％｜　" + "′’" + "⋅∙×⨯" + "−–—" + "∗∕÷⊺",
    "()[]{}+-/*,,.:;=^_@%| " + "''" + "····" + "---" + "*//⊤",
)
FULL_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}

SUBSCRIPTS = str.maketrans("ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₀₁₂₃₄₅₆₇₈₉", "aehijklmnoprstuvx0123456789")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

_FONT = r"\\(?:mathbf|boldsymbol|bm|mathrm|mathit|mathsf|mathcal|text|textbf|textit|vec|hat)"


def plain(text: str) -> str:
    """Return `text` with full-width characters replaced one by one: columns stay what they were."""
    return text.translate(FULL_WIDTH).translate(SAME_WIDTH)


def canonical(spelling: str) -> str:
    r"""Return what a spelling says without its clothes: `d_{\text{k}}`, `dₖ` and `dk` are all `dk`, `W^Q` is `WQ`."""
    return re.sub(rf"{_FONT}|[{{}}\s_^\\]", "", spelling).translate(SUBSCRIPTS)


@lru_cache(64)
def symbol_pattern(names: tuple[str, ...]) -> str:
    """Return the alternatives for all spellings of all names, longest first."""
    if not names:
        return r"(?!)\0"  # matches nothing; the lexer wants a pattern that takes a character
    return "|".join(_pattern(name) for name in sorted(names, key=len, reverse=True))


def _pattern(name: str) -> str:
    if "_" in name:
        base, below = name.split("_", 1)
        subscript = "".join(c for c in _subscripted(below))
        dressed = rf"{_FONT}\s*\{{\s*{below}\s*\}}|{_FONT}\s+{below}(?![A-Za-z0-9])"
        # As in LaTeX, one letter below ends the symbol: `W_QW_K` are two.
        ends = "(?![a-z0-9])" if len(below) == 1 else "(?![A-Za-z0-9])"
        spelled = [
            rf"{base}_{below}{ends}",
            rf"{base}{below}(?![A-Za-z0-9])",
            rf"{base}_\{{\s*{below}\s*\}}",
            rf"{base}_(?:{dressed})",
            rf"{base}_\{{\s*(?:{dressed})\s*\}}",
            *([base + subscript] if subscript else []),
            *_above(base, below),
        ]
        return "|".join(spelled)
    bare = rf"{name}(?![A-Za-z])" if len(name) > 1 else name
    return rf"{_FONT}\s*\{{\s*{name}\s*\}}|{_FONT}\s+{bare}|{bare}"


def _above(base: str, below: str) -> list[str]:
    """Return the spellings with a capital above, as in `W^Q`; T above is a transpose."""
    if len(below) != 1 or not below.isupper() or below == "T":
        return []
    return [rf"{base}\^{below}(?![a-z0-9])", rf"{base}\^\{{\s*(?:{_FONT}\s*\{{\s*{below}\s*\}}|{below})\s*\}}"]


def _subscripted(text: str) -> str:
    back = {chr(plain_code): chr(code) for code, plain_code in SUBSCRIPTS.items()}
    return "".join(back[c] for c in text) if all(c in back for c in text) else ""


def meant(spelling: str, names: Mapping[str, str]) -> str:
    """Return the symbol that a matched spelling stands for. `names` maps each way to name a symbol to the symbol."""
    wanted = canonical(spelling)
    return next(symbol for name, symbol in names.items() if name.replace("_", "") == wanted)
