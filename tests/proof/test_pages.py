"""Every page, in a real browser: axe-core finds nothing to object to, and nothing is wider than a phone.

It needs Chromium, and axe-core from npm: `npm install axe-core` here, or AXE_CORE=…/axe.min.js.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kinds"))

import report_samples as samples  # noqa: E402

from grader.course.find import find_course  # noqa: E402
from grader.course.lazily import mistakes_lazily, open_course_lazily  # noqa: E402
from grader.course.stats import Item, Seen, Stats  # noqa: E402
from grader.course.stats.page import page as class_page  # noqa: E402
from grader.kinds.reports import REPORTS, ReportStyle  # noqa: E402
from grader.model import Verdict  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
AXE = Path(os.environ.get("AXE_CORE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))

pytestmark = [
    pytest.mark.proof,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here"),
    pytest.mark.skipif(not AXE.is_file(), reason="no axe-core here: npm install axe-core, or AXE_CORE=…/axe.min.js"),
]


def started() -> object:
    """A folder in which one file is still the starter, one is missing and one is wrong."""
    return samples.report(replace(samples.absent(), path="output_shapes.py"), samples.absent(), samples.failed())


PAGES = {
    "mistake": lambda: samples.report(samples.failed()),
    "passed": lambda: samples.report(samples.passed()),
    "syntax error": lambda: samples.report(samples.errored()),
    "quiz": lambda: samples.report(samples.quiz()),
    "course": samples.course_page,
    "hostile": lambda: samples.report(samples.hostile(), samples.failed()),
    "not started": started,
}


def class_of(learners: int, lang: str) -> str:
    """The page that `grader course stats` writes, of a class of so many; names are long and some are of hidden cases."""
    root = find_course()
    percents = tuple(100 * n / learners for n in range(learners))
    slugs = ("scale_scores", "multi_head_attention_module", "self_test")
    items = tuple(Item(slug, "", learners, 0.6, None if learners < 5 else 0.05 * n) for n, slug in enumerate(slugs))
    parts = tuple(
        Item("scale_scores", name, learners, 0.5, 0.4, name == "large") for name in ("batch and heads", "large")
    )
    seen = (Seen(("divided_by_d_k", "scaled_twice"), 3, 1, 2, 1.5, slugs[:1]), Seen(("unscaled",), 2, 0, 2, 2.0, slugs))
    verdicts = {slug: {Verdict.PASSED.value: learners} for slug in slugs}
    some = learners > 0
    stats = Stats(
        percents, items if some else (), parts if some else (), seen if some else (), verdicts if some else {}, learners
    )
    return class_page(stats, open_course_lazily(root), mistakes_lazily(root), lang)


PROBE = """<script>{axe}</script><script>
const tell = found => {{ parent.document.documentElement.dataset.found = JSON.stringify(found); }};
document.querySelectorAll("details").forEach(each => {{ each.open = true; }});
axe.run(document, {{resultTypes: ["violations"]}}).then(
  result => tell({{
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    width: innerWidth,
    beyond: document.documentElement.scrollWidth - innerWidth,
    rules: result.passes.length,
    wrong: result.violations.map(each => each.id + ": " + each.nodes.map(node => node.html).join(" | ")),
  }}),
  error => tell({{wrong: [String(error)]}}));
</script>"""


def looked_at(page: str, width: int, dark: bool, folder: Path) -> dict[str, object]:
    """Return what axe-core and the browser say of a page at a width; a frame is as narrow as it is told to be."""
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # for the probe, which is a script
    page = page.replace("</body>", PROBE.format(axe=AXE.read_text(encoding="utf-8")) + "</body>")
    frame = f'<iframe title="page" style="width:{width}px;height:900px;border:0" srcdoc="{html.escape(page)}"></iframe>'
    file = folder / "page.html"
    file.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><style>:root{{color-scheme:light dark}}</style></head>'
        f"<body>{frame}</body></html>",
        encoding="utf-8",
    )
    shade = ["--blink-settings=preferredColorScheme=0"] if dark else []
    command = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        *shade,
    ]
    command += ["--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom", file.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    found = re.search(r'<html[^>]* data-found="([^"]*)"', ran.stdout)
    assert found, ran.stderr[-2000:]
    told: dict[str, object] = json.loads(html.unescape(found[1]))
    return told


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)], ids=["phone, dark", "desk, light"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible_and_fits(page: str, lang: str, width: int, dark: bool, tmp_path: Path) -> None:
    holds(REPORTS["html"](PAGES[page](), ReportStyle(lang)), width, dark, tmp_path)


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)], ids=["phone, dark", "desk, light"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("learners", [0, 3, 40])
def test_the_page_of_a_class_is_accessible_and_fits(
    learners: int, lang: str, width: int, dark: bool, tmp_path: Path
) -> None:
    holds(class_of(learners, lang), width, dark, tmp_path)


def holds(page: str, width: int, dark: bool, folder: Path) -> None:
    """A page gives axe-core nothing to object to, and is not wider than it may be."""
    found = looked_at(page, width, dark, folder)
    assert found["wrong"] == []
    assert (found["width"], found["dark"]) == (width, dark)
    assert int(str(found["beyond"])) <= 0
    assert int(str(found["rules"])) > 10


def test_a_page_with_faults_would_be_found_out(tmp_path: Path) -> None:
    page = '<html><head><title>x</title></head><body><img src="x"><p style="width:2000px;color:#ccc">pale</p></body></html>'
    found = looked_at(page, 390, False, tmp_path)
    assert {str(each).split(":")[0] for each in found["wrong"]} >= {"image-alt", "color-contrast", "html-has-lang"}  # type: ignore[attr-defined]
    assert int(str(found["beyond"])) > 0
