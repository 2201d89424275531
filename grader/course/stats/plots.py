"""Numbers in, pictures as SVG out: sized and coloured by the page, with the same numbers as text for those who hear it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDE, HIGH, FOOT = 640, 220, 34
ROW, NAME = 26, 240
BINS = 10


@dataclass(frozen=True)
class Bar:
    """One bar: its name, how long it is (0 to 1), and what stands at its end."""

    name: str
    share: float
    label: str


def bins(percents: Sequence[float]) -> list[tuple[str, int]]:
    """Return how many percentages fall into each tenth; 100 and more belong to the last one."""
    counts = [0] * BINS
    for percent in percents:
        counts[min(BINS - 1, max(0, int(percent // 10)))] += 1
    return [(f"{10 * at}–{10 * at + (9 if at < BINS - 1 else 10)}", count) for at, count in enumerate(counts)]


def histogram(counts: Sequence[tuple[str, int]], title: str) -> str:
    """Return upright bars beside one another."""
    most = max((count for _, count in counts), default=0) or 1
    step = WIDE / max(1, len(counts))
    parts = []
    for at, (name, count) in enumerate(counts):
        tall = (HIGH - 24) * count / most
        x, y = at * step, HIGH - tall
        middle = x + step / 2
        parts.append(
            f'<rect class="bar" x="{x + 4:.1f}" y="{y:.1f}" width="{step - 8:.1f}" height="{tall:.1f}" rx="3"/>'
        )
        if count:
            parts.append(f'<text class="at" x="{middle:.1f}" y="{y - 6:.1f}" text-anchor="middle">{count}</text>')
        parts.append(f'<text x="{middle:.1f}" y="{HIGH + 20}" text-anchor="middle">{escape(name)}</text>')
    parts.append(f'<line class="axis" x1="0" y1="{HIGH}" x2="{WIDE}" y2="{HIGH}"/>')
    told = "; ".join(f"{name}: {count}" for name, count in counts)
    return _svg(HIGH + FOOT, title, told, parts)


def rows(bars: Sequence[Bar], title: str) -> str:
    """Return lying bars one under another, names before them."""
    room = WIDE - NAME - 70
    parts = []
    for at, bar in enumerate(bars):
        y = at * ROW
        long = room * max(0.0, min(1.0, bar.share))
        parts.append(f'<text x="{NAME - 10}" y="{y + 17}" text-anchor="end">{escape(_short(bar.name))}</text>')
        parts.append(f'<rect class="ground" x="{NAME}" y="{y + 4}" width="{room}" height="{ROW - 8}" rx="3"/>')
        parts.append(f'<rect class="bar" x="{NAME}" y="{y + 4}" width="{long:.1f}" height="{ROW - 8}" rx="3"/>')
        parts.append(f'<text class="at" x="{NAME + room + 8}" y="{y + 17}">{escape(bar.label)}</text>')
    told = "; ".join(f"{bar.name}: {bar.label}" for bar in bars)
    return _svg(max(1, len(bars)) * ROW + 4, title, told, parts)


def _short(name: str) -> str:
    return name if len(name) <= 32 else f"{name[:31]}…"


def _svg(high: int, title: str, told: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDE} {high}" role="img" focusable="false"><title>{escape(title)}</title>'
        f"<desc>{escape(told)}</desc>{''.join(parts)}</svg>"
    )
