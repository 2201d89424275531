r"""LaTeX in an author's text in, unicode that reads well in a terminal out: `$\frac{QK^\top}{\sqrt{d_k}}$` is `QKᵀ/√d_k`."""

from __future__ import annotations

import re

DOLLARS = re.compile(r"\$\$?(?=\S)((?:[^$\\]|\\.)+?)(?<=\S)\$?\$")
WORDS = {
    "cdot": "·", "times": "×", "odot": "⊙", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
    "approx": "≈", "sim": "∼", "infty": "∞", "in": "∈", "sum": "Σ", "prod": "Π", "partial": "∂", "to": "→", "rightarrow": "→",
    "mapsto": "↦", "ldots": "…", "dots": "…", "cdots": "…", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
    "top": "⊤", "intercal": "⊤", "prime": "′", "odots": "⊙", "otimes": "⊗", "oplus": "⊕", "nabla": "∇", "langle": "⟨", "rangle": "⟩",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "theta": "θ", "lambda": "λ", "mu": "μ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω",
}  # fmt: skip
SILENT = re.compile(
    r"\\(?:left|right|big|Big|bigl|bigr|Bigl|Bigr|displaystyle|textstyle|limits|quad|qquad|[,;:! ])(?![A-Za-z])|\\!"
)
NAMED = re.compile(
    r"\\(?:text|mathrm|mathbf|mathsf|mathit|mathcal|boldsymbol|bm|operatorname\*?|textbf|textit)\s*\{([^{}]*)\}"
)
FUNCTION = re.compile(r"\\(softmax|exp|log|ln|max|min|sin|cos|tanh|arg|det|dim)(?![A-Za-z])")
ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
RAISED = str.maketrans("0123456789+-−ni()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿⁱ⁽⁾")
TRANSPOSE = re.compile(r"\^(?:\{\s*(?:⊤|T)\s*\}|⊤|T(?![A-Za-z]))")
RAISE = re.compile(r"\^(?:\{([0-9+\-−ni]+)\}|([0-9n]))")
LOWER = re.compile(r"_\{([A-Za-z0-9]+)\}")
GROUPED = re.compile(r"[A-Za-z0-9_ᵀ′⁰-⁹√α-ωΑ-Ω∞.]+|\([^()]*\)|softmax\([^()]*\)")


def readable(text: str) -> str:
    """Return a text with its `$formulas$` as unicode; everything else as it is."""
    return DOLLARS.sub(lambda found: unicode_maths(found.group(1)), text)


def unicode_maths(latex: str) -> str:
    """Return a formula in one line of unicode; what has no spelling here stays LaTeX."""
    text = NAMED.sub(lambda found: found.group(1), SILENT.sub("", latex))
    text = FUNCTION.sub(lambda found: found.group(1), text)
    text = re.sub(r"\\([A-Za-z]+)", lambda found: WORDS.get(found.group(1), found.group(0)), text)
    text = TRANSPOSE.sub("ᵀ", text)
    before = ""
    while before != text:  # from the inside out
        before = text
        text = RAISE.sub(lambda found: (found.group(1) or found.group(2)).translate(RAISED), text)
        text = LOWER.sub(lambda found: f"_{found.group(1)}", text)
        text = ROOT.sub(lambda found: f"√{_grouped(found.group(1))}", text, count=1)
        text = FRACTION.sub(lambda found: f"{_grouped(found.group(1))}/{_grouped(found.group(2))}", text, count=1)
    text = text.replace("{", "(").replace("}", ")") if "\\" not in text else text
    return " ".join(text.split())


def _grouped(part: str) -> str:
    """Return a part of a formula in brackets, unless it is one thing anyway."""
    bare = part.strip()
    return bare if GROUPED.fullmatch(bare) else f"({bare})"
