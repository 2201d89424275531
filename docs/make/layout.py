"""The imports of the package in, `docs/layout.svg` out: which part of the code uses which.

    python docs/make/layout.py        # writes docs/layout.svg

An arrow that follows from two others is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "grader"
PICTURE = ROOT / "docs" / "layout.svg"

WIDTH, HEIGHT, ACROSS, DOWN, TEXT = 120, 34, 150, 62, 560
LEAVE_OUT = {"__main__"}
WHAT = {
    "interactive": "check(slug, function) in a notebook",
    "cli": "the commands: the only part that prints and exits",
    "author": "what proves, searches, previews and packs a course",
    "course": "a course folder, a workspace, a class and its gradebook",
    "grade": "the flow on one screen: a submission in, a result out",
    "stages": "one file or folder for each arrow of the flow",
    "kinds": "the words of YAML and the command line, a class or function each",
    "locale": "a message in, one language's sentence out",
    "model": "the nouns: frozen data, nothing else",
}

Edges = Mapping[str, frozenset[str]]


def part_of(path: Path) -> str:
    """Return the part that a module belongs to: the folder or file of `grader/` that it is in."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports() -> Edges:
    """Return for each part of the package the other parts that its modules import."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "_course" in path.parts or "templates" in path.parts or (path.stem == "__init__" and path.parent == PACKAGE):
            continue
        part = part_of(path)
        if part not in LEAVE_OUT:
            found.setdefault(part, set()).update(used(path) - {part})
    return {part: frozenset(others & found.keys()) for part, others in found.items()}


def used(path: Path) -> set[str]:
    """Return the parts that one module imports."""
    names: Iterator[str] = (
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [f"{node.module}.{alias.name}" for alias in node.names]
            if isinstance(node, ast.ImportFrom) and node.module
            else []
        )
    )
    return {name.split(".")[1] for name in names if name.startswith("grader.")}


def levels(edges: Edges) -> dict[str, int]:
    """Return how high each part stands: one above the highest of those that it uses."""
    height: dict[str, int] = {}

    def of(part: str, above: tuple[str, ...] = ()) -> int:
        if part in above:
            raise SystemExit(f"the imports go round in a circle: {' → '.join((*above, part))}")
        if part not in height:
            height[part] = max((of(other, (*above, part)) + 1 for other in edges[part]), default=0)
        return height[part]

    for part in edges:
        of(part)
    return height


def direct(edges: Edges) -> Edges:
    """Return the arrows that do not follow from others."""

    def reach(part: str) -> set[str]:
        return {further for other in edges[part] for further in (other, *reach(other))}

    return {
        part: frozenset(other for other in others if not any(other in reach(via) for via in others if via != other))
        for part, others in edges.items()
    }


def picture(edges: Edges) -> str:
    """Return the parts as boxes, those that use nothing at the bottom, with an arrow to each that is used."""
    height = levels(edges)
    rows = [sorted(part for part in edges if height[part] == level) for level in range(max(height.values()) + 1)]
    across, tall = max(map(len, rows)) * ACROSS, len(rows) * DOWN
    place = {
        part: ((at + 0.5) * across / len(row), tall - (level + 0.5) * DOWN)
        for level, row in enumerate(rows)
        for at, part in enumerate(row)
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across + TEXT} {tall}" font-family="sans-serif" role="img">',
        "<title>Which part of the package imports which</title>",
        f'<rect width="{across + TEXT}" height="{tall}" fill="#ffffff"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>',
    ]
    for part, others in sorted(direct(edges).items()):
        lines += [arrow(place[part], place[other]) for other in sorted(others)]
    for part in sorted(place):
        lines += [box(part, *place[part]), told(part, across, place[part][1])]
    return "\n".join([*lines, "</svg>"]) + "\n"


def arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return a line from the bottom of one box to the top of another."""
    (x, y), (u, v) = start, end
    return (
        f'<line x1="{x:g}" y1="{y + HEIGHT / 2:g}" x2="{u:g}" y2="{v - HEIGHT / 2:g}" '
        'stroke="#57606a" stroke-width="1.5" marker-end="url(#tip)"/>'
    )


def box(part: str, x: float, y: float) -> str:
    """Return one part as a box with its name."""
    return (
        f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" '
        f'fill="#f3f5f7" stroke="#8c959f"/><text x="{x:g}" y="{y + 5:g}" text-anchor="middle" font-size="15" '
        f'fill="#1b1f24">{part}</text>'
    )


def told(part: str, x: float, y: float) -> str:
    """Return what a part does, and below it what is in it."""
    inside = " · ".join(contents(part))
    return (
        f'<text x="{x:g}" y="{y - 2:g}" font-size="13" fill="#1b1f24">{WHAT[part]}</text>'
        f'<text x="{x:g}" y="{y + 16:g}" font-size="12" fill="#545d68">{inside}</text>'
    )


def contents(part: str) -> list[str]:
    """Return the folders in a part; of the stages, those that the flow in grade.py calls."""
    if part == "stages":
        tree = ast.parse((PACKAGE / "grade.py").read_text(encoding="utf-8"))
        froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        direct_ones = [node.module.split(".")[2] for node in froms if node.module.startswith("grader.stages.")]
        return [*direct_ones, *(a.name for node in froms if node.module == "grader.stages" for a in node.names)]
    return sorted(each.name for each in (PACKAGE / part).glob("*/") if (each / "__init__.py").is_file())


if __name__ == "__main__":
    PICTURE.write_text(picture(imports()), encoding="utf-8")
