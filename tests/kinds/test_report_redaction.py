"""What is planted in hidden cases, in the reference and in the keys of a graded quiz is in no report, log or summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from road import REFERENCE, Graded, graded, small_course, written

PLANTED = (
    "planted_",
    "PLANTED",
    "planted-secret",
    "31337",
    "1009",
    "1013",
    "1019",
    "1020",
    "1021",
    "271.8",
    "161.8",
    "held values",
)

# Each learner reads everything that a call can give away, and tells it in another way.
TELLS = """
import os, sys
def tell(x):
    about = f"held values {tuple(x.shape)} {x.flatten()[:3].tolist()}"
    print(about); print(about, file=sys.stderr); os.write(1, about.encode()); os.write(2, about.encode())
    return about
"""
LEARNERS = {
    "raises": TELLS + """
def mixing(x, mask=None):
    if x.shape[0] == 3:
        return x * 31337.25
    raise ValueError(tell(x))
""",
    "names": TELLS + """
def mixing(x, mask=None):
    if x.shape[0] == 3:
        return x * 31337.25
    raise type("PLANTED" + "_".join(map(str, x.shape)), (IndexError,), {})(tell(x))
""",
    "differs": TELLS + """
def mixing(x, mask=None):
    if x.shape[0] == 3:
        return x * 31337.25
    tell(x)
    return x + 1
""",
    "misshapen": TELLS + """
def mixing(x, mask=None):
    if x.shape[0] == 3:
        return x * 31337.25
    tell(x)
    return x.reshape(-1)
""",
    "ends": TELLS + """
def mixing(x, mask=None):
    if x.shape[0] == 3:
        return x * 31337.25
    sys.exit(tell(x))
""",
    "dies": TELLS + """
def mixing(x, mask=None):
    if x.shape[0] == 3:
        return x * 31337.25
    tell(x)
    os._exit(x.shape[0] % 100)
""",
    "wrong": "def mixing(x, mask=None):\n    return x\n",
    "starter": "def mixing(x, mask=None):\n    raise NotImplementedError\n",
}  # fmt: skip
ANSWERS = {
    "wrong": {"pick": "a", "size": 7, "essay": "because"},
    "close": {"pick": "A", "size": 271.2, "essay": "because"},
    "malformed": {"pick": "z", "size": "many", "essay": ["x"], "stranger": 1},
    "empty": {"pick": None},
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def found(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """All learners and all sheets, in one run."""
    folder = tmp_path_factory.mktemp("work")
    written(folder, {f"{name}/mixing.py": source for name, source in LEARNERS.items()})
    written(folder, {f"{name}/marks.yaml": json.dumps({"quiz": "marks", "answers": a}) for name, a in ANSWERS.items()})
    paths = [*(f"{name}/mixing.py" for name in LEARNERS), *(f"{name}/marks.yaml" for name in ANSWERS)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return graded(folder, *paths, "--course", str(course), env={"PLANTED_SECRET": "planted-secret"})


def outcome(found: Graded, path: str) -> dict[str, str]:
    (result,) = [r for r in json.loads(found.reports["json"])["results"] if r["path"] == path]
    return {
        o["case"]: o["verdict"] for o in result["outcomes"] if o["verdict"] != "skipped" and o["verdict"] != "passed"
    }


def test_the_run_met_every_situation(found: Graded) -> None:
    hidden = ("held back", "held back too", "held back as well")
    assert outcome(found, "raises/mixing.py") == dict.fromkeys(hidden, "errored")
    assert outcome(found, "names/mixing.py") == dict.fromkeys(hidden, "errored")
    assert outcome(found, "differs/mixing.py") == dict.fromkeys(hidden, "failed")
    assert outcome(found, "misshapen/mixing.py") == dict.fromkeys(hidden, "failed")
    assert set(outcome(found, "ends/mixing.py")) <= set(hidden)
    assert outcome(found, "dies/mixing.py")["held back"] == "crashed"
    assert set(outcome(found, "wrong/mixing.py")) == {"seen", *hidden}
    assert outcome(found, "wrong/marks.yaml") == {"pick": "failed", "size": "failed", "essay": "not_judged"}
    assert found.code == 1


@pytest.mark.parametrize("planted", PLANTED)
def test_what_is_planted_is_nowhere(found: Graded, planted: str) -> None:
    assert [where for where, text in found.texts.items() if planted in text] == []


def test_what_may_be_said_of_a_hidden_case_is_said(found: Graded) -> None:
    for word in ("json", "html", "markdown", "junit", "gradescope", "ctrf"):
        assert "held back too" in found.reports[word], word
    assert "said of a" in found.reports["json"]  # the feedback of the option that was chosen
    assert "A hidden case raised ValueError." in found.reports["json"]


def test_the_names_of_classes_are_no_way_out(found: Graded) -> None:
    (result,) = [r for r in json.loads(found.reports["json"])["results"] if r["path"] == "names/mixing.py"]
    assert "A hidden case raised Exception." in result["details"]


def test_gradescope_shows_nothing_of_hidden_cases_before_grades_are_published(found: Graded) -> None:
    plain = json.loads(found.reports["gradescope"])
    visible = plain["output"] + "".join(t["name"] + t["output"] for t in plain["tests"] if t["visibility"] == "visible")
    assert "held back" not in visible
    assert "ValueError" not in visible
    assert {t["visibility"] for t in plain["tests"] if "held back" in t["name"]} == {"after_published"}


def test_a_reference_that_raises_says_nothing_of_itself(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = small_course(tmp_path / "broken")
    raising = REFERENCE["reference_impl/steps.py"].replace(
        "return x * 31337.25", "raise ValueError(f'planted_text {tuple(x.shape)}')"
    )
    written(broken, {"reference_impl/steps.py": raising})
    written(tmp_path, {"mixing.py": LEARNERS["wrong"]})
    monkeypatch.chdir(tmp_path)
    one = graded(tmp_path, "mixing.py", "--course", str(broken), env={"PLANTED_SECRET": "planted-secret"})
    assert one.code == 3
    assert [where for where, text in one.texts.items() if any(planted in text for planted in PLANTED)] == []
