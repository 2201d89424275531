"""A course in, what the judge needs out: a wheel with the answers, and what runs it on GitHub, GitLab or Gradescope. No secret is in it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from grader.author.release.courses import Files
from grader.author.release.templates import filled
from grader.author.release.wheels import JUDGE, wheel

FEEDBACK = {"github": ".github/workflows/feedback.yml", "gitlab": ".gitlab-ci.yml"}
GRADING = {"github": ".github/workflows/grade.yml", "gitlab": ".gitlab-ci.yml"}
ROSTER = b"id,repository,name,email\n"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a zip: the same course is the same bytes, whenever it is released."""


def ci_files(
    where: str,
    learner: Mapping[str, bytes],
    course: Mapping[str, bytes],
    secrets: tuple[str, str],
    roster: bytes | None,
    lang: str,
    *,
    sheets: bool,
) -> Files:
    """Return a release for `github` or `gitlab`: the learners' repository, and the judge's private one.

    `sheets` says whether answer sheets of learners' own go along.
    """
    built = wheel(JUDGE, course)
    names = {"SECRET": secrets[0], "VARIANTS": secrets[1]}
    return {
        "README.md": filled(f"{where}.{lang}.md", ["variants"] if sheets else [], **names),
        **{f"learner/{name}": data for name, data in learner.items()},
        f"learner/{FEEDBACK[where]}": filled(f"{where}-feedback.yml"),
        f"judge/{GRADING[where]}": filled(f"{where}-judge.yml", **names),
        "judge/fetch.py": filled("fetch.txt"),
        "judge/roster.csv": ROSTER if roster is None else roster,
        f"judge/wheels/{built.name}": built.data,
    }


def gradescope_files(course: Mapping[str, bytes], points: float, secret: str, lang: str) -> Files:
    """Return a release for Gradescope: the autograder's zip, and what to do with it."""
    built = wheel(JUDGE, course)
    inside = {
        "setup.sh": filled("setup.sh"),
        "run_autograder": filled("run_autograder", SECRET=secret, LANG=lang),
        f"wheels/{built.name}": built.data,
    }
    return {"README.md": filled(f"gradescope.{lang}.md", POINTS=f"{points:g}"), "autograder.zip": zipped(inside)}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files, those without a suffix and scripts executable."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            runs = name.endswith(".sh") or "." not in name
            entry.create_system, entry.external_attr = 3, (0o100755 if runs else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
