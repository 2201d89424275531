"""What a release runs elsewhere: workflows of GitHub and GitLab, and the scripts of Gradescope, in folders laid out as there."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from planted_course import SECRET, write_planted
from small_class import RIGHT_HALVE, RIGHT_MIX, WRONG_HALVE, write_files

from grader.author.release import Release, courses, lay_out, release
from grader.author.release.templates import FOLDER, filled

ACTIONS = {"actions/checkout@v4", "actions/setup-python@v5", "actions/upload-artifact@v4"}
WORKFLOWS = ("github-feedback.yml", "github-judge.yml", "gitlab-feedback.yml", "gitlab-judge.yml")
GRADER = Path(sys.executable).with_name("grader")


def bash(script: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


# ---------------------------------------------------------------- workflows


def workflow(name: str) -> dict[str, Any]:
    loaded = yaml.safe_load(filled(name, SECRET="COURSE_SECRET", VARIANTS="COURSE_VARIANTS"))
    assert isinstance(loaded, dict)
    return loaded


def steps(name: str) -> list[dict[str, Any]]:
    (job,) = workflow(name)["jobs"].values()
    return list(job["steps"])


def lines(name: str) -> list[str]:
    """The scripts of a workflow in order."""
    if name.startswith("github"):
        return [step["run"] for step in steps(name) if "run" in step]
    (job,) = workflow(name).values()
    return [*job["before_script"], *job["script"]]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_script_of_a_workflow_is_bash(name: str, tmp_path: Path) -> None:
    assert lines(name)
    for script in lines(name):
        parsed = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (parsed.returncode, parsed.stderr) == (0, "")


@pytest.mark.parametrize("name", WORKFLOWS[:2])
def test_a_github_workflow_may_only_read_and_uses_known_actions(name: str) -> None:
    assert workflow(name)["permissions"] == {"contents": "read"}
    assert {step["uses"] for step in steps(name) if "uses" in step} == ACTIONS
    (checkout,) = (step for step in steps(name) if step.get("uses", "").startswith("actions/checkout"))
    assert checkout["with"] == {"persist-credentials": False}


def test_learners_code_never_runs_in_a_step_with_the_token(tmp_path: Path) -> None:
    grading = next(step for step in steps("github-judge.yml") if "course grade" in step.get("run", ""))
    assert grading["env"] == {name: f"${{{{ secrets.{name} }}}}" for name in ("COURSE_SECRET", "COURSE_VARIANTS")}
    assert "--isolation strict" in grading["run"]
    script = lines("gitlab-judge.yml")
    assert script.index("unset SUBMISSIONS_TOKEN") < next(i for i, line in enumerate(script) if "course grade" in line)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_takes_the_python_that_is_proved_in_full(name: str) -> None:
    (proved,) = re.findall(r"Run in full: ([\d.]+),", Path(__file__).parents[2].joinpath("README.md").read_text())
    assert re.findall(r"python(?:-version)?: ?\"?([\d.]+)", filled(name).decode()) == [proved]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_placeholder_is_left(name: str) -> None:
    assert not re.search(r"@[A-Z_]+@", filled(name, SECRET="COURSE_SECRET", VARIANTS="COURSE_VARIANTS").decode())


@pytest.mark.parametrize("name", ["github-judge.yml", "gitlab-judge.yml"])
def test_without_the_secret_nothing_is_graded(name: str, tmp_path: Path) -> None:
    guard = next(script for script in lines(name) if "hidden cases would be public" in script).splitlines()[0]
    assert bash(guard, tmp_path, COURSE_SECRET="").returncode == 2
    assert bash(guard, tmp_path, COURSE_SECRET="something").returncode == 0


def on_a_runner(script: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a script where the grader is installed as its own environment, as the steps before it leave it."""
    there = folder.parent / "runner" / "grader" / "bin"
    there.mkdir(parents=True, exist_ok=True)
    if not (there / "grader").exists():
        (there / "grader").symlink_to(GRADER)
    script = script.replace("/opt/grader/bin", str(there))
    return bash(script, folder, RUNNER_TEMP=str(there.parent.parent), HOME=str(folder.parent), **environ)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_planted(tmp_path_factory.mktemp("planted"))


@pytest.mark.parametrize("name", ["github-feedback.yml", "gitlab-feedback.yml"])
@pytest.mark.slow
def test_feedback_is_given_in_a_learners_repository(name: str, planted: Path, tmp_path: Path) -> None:
    copy = courses.lay_out(tmp_path / "course", courses.learner_course(planted, (), None, lambda _: None))
    work = write_files(tmp_path / "work", {"halve.py": WRONG_HALVE, "mix.py": RIGHT_MIX})
    ran = on_a_runner(lines(name)[-1], work, GRADER_COURSE=str(copy), GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert ran.returncode == 1, ran.stderr
    assert "Nothing was halved." in ran.stdout
    assert {"report.html", "report.xml"} <= {path.name for path in work.iterdir()}
    assert ("::error" in ran.stdout) is name.startswith("github")


@pytest.mark.parametrize("name", ["github-judge.yml", "gitlab-judge.yml"])
@pytest.mark.slow
def test_a_class_is_graded_in_the_judges_repository(name: str, planted: Path, tmp_path: Path) -> None:
    course = lay_out(tmp_path / "course", courses.judge_course(planted, ()))
    work = lay_out(tmp_path / "judge", {"fetch.py": filled("fetch.txt")})
    repositories(
        tmp_path / "server",
        {"class/ann": {"halve.py": RIGHT_HALVE, "mix.py": RIGHT_MIX}, "class/ben": {"halve.py": WRONG_HALVE}},
    )
    (work / "roster.csv").write_text("id,repository,name\nann,class/ann,Ann\nben,class/ben,Ben\ncat,class/none,Cat\n")
    skipped = ("venv", "pip")
    script = "\n".join(line for line in lines(name) if not any(word in line for word in skipped))
    server = f"file://{tmp_path / 'server'}"
    ran = on_a_runner(
        script.replace("python fetch.py", f"{sys.executable} fetch.py"), work, COURSE_SECRET=SECRET, GRADER_COURSE=str(course),
        SUBMISSIONS_SERVER=server, CI_SERVER_URL=server,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "Repositories that could not be fetched: 1." in ran.stdout
    assert "cat: " in ran.stderr
    with (work / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    assert {learner: row["halve"] for learner, row in rows.items()} == {"ann": "4", "ben": "0", "cat": "0"}
    assert (work / "not-fetched.txt").read_text().startswith("cat: ")
    pages = list((work / "graded").rglob("*.html"))
    assert len(pages) >= 3
    assert not [page for page in pages if "public default" in page.read_text(encoding="utf-8")]


# ---------------------------------------------------------------- fetching


def repositories(server: Path, files: dict[str, dict[str, str]]) -> None:
    for name, content in files.items():
        work = write_files(server / f"{name}.git", content)
        git = "git -c user.name=x -c user.email=x@example.org -c init.defaultBranch=main"
        made = bash(f"{git} init -q . && {git} add . && {git} commit -q -m all", work)
        assert made.returncode == 0, made.stderr


def fetch(work: Path, roster: str, server: str, **environ: str) -> subprocess.CompletedProcess[str]:
    lay_out(work, {"fetch.py": filled("fetch.txt"), "roster.csv": roster.encode()})
    return bash(f"{sys.executable} fetch.py roster.csv out", work, SUBMISSIONS_SERVER=server, **environ)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_repositories_are_fetched_without_their_history(tmp_path: Path) -> None:
    repositories(tmp_path / "server", {"class/ann": {"halve.py": RIGHT_HALVE}})
    roster = "id,repository\nann,class/ann\nben,class/none\n../up,class/ann\ncat,\n"
    ran = fetch(tmp_path / "work", roster, f"file://{tmp_path / 'server'}", SUBMISSIONS_TOKEN="a-token-of-somebody")
    assert ran.returncode == 0, ran.stderr
    assert "Repositories that could not be fetched: 3." in ran.stdout
    assert {path.name for path in (tmp_path / "work/out").iterdir()} == {"ann"}
    assert [path.name for path in (tmp_path / "work/out/ann").iterdir()] == ["halve.py"]
    assert [line.partition(":")[0] for line in ran.stderr.splitlines()] == ["ben", "../up", "cat"]
    assert "a-token-of-somebody" not in ran.stdout + ran.stderr


def test_where_to_fetch_from_has_to_be_said(tmp_path: Path) -> None:
    ran = fetch(tmp_path, "id,repository\nann,class/ann\n", "")
    assert (ran.returncode, "SUBMISSIONS_SERVER" in ran.stderr) == (1, True)


# ---------------------------------------------------------------- Gradescope

STUB = """\
#!{bash}
if [ "$2" = -c ]; then exec {python} "$@"; fi
printf '%s\\n' "$PWD: $*" >> "$AUTOGRADER/asked"
printf '%s' "$COURSE_SECRET" > "$AUTOGRADER/secret"
for word in "$@"; do case "$word" in gradescope=*) report="${{word#gradescope=}}" ;; esac; done
echo "what the grader said"
[ -z "$REPORTS" ] || echo '{{"tests": []}}' > "$report"
exit "$CODE"
"""


def gradescope(root: Path, *, code: int, reports: bool, secret: str = "") -> subprocess.CompletedProcess[str]:
    """Run `run_autograder` beside a grader that does nothing but end as it is told."""
    stub = STUB.format(bash=shutil.which("bash"), python=sys.executable)
    script = filled("run_autograder", SECRET="COURSE_SECRET", LANG="zh")
    lay_out(root, {"source/run_autograder": script, "venv/bin/python": stub.encode(), "results/results.json": b"old"})
    if secret:
        (root / "source/secret").write_text(secret + "\n")
    for path in (root / "source/run_autograder", root / "venv/bin/python"):
        path.chmod(0o755)
    environ = {"AUTOGRADER": str(root), "CODE": str(code), "REPORTS": "yes" if reports else ""}
    return bash(str(root / "source/run_autograder"), root.parent, **environ)


@pytest.mark.parametrize("code", [0, 1])
def test_a_score_is_left_for_gradescope(tmp_path: Path, code: int) -> None:
    ran = gradescope(tmp_path, code=code, reports=True, secret="of-this-course")
    assert (ran.returncode, ran.stdout) == (0, "what the grader said\n")
    assert json.loads((tmp_path / "results/results.json").read_text()) == {"tests": []}
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["results.json"]
    asked = (tmp_path / "asked").read_text()
    assert asked.startswith(f"{tmp_path}: ")  # and no path of the server in what learners read
    assert "check submission --isolation strict --lang zh" in asked
    assert (tmp_path / "secret").read_text() == "of-this-course"


@pytest.mark.parametrize("code", [2, 3, 4, 137])
@pytest.mark.parametrize("reports", [True, False])
def test_a_fault_of_the_grader_leaves_no_result_and_so_no_zero(tmp_path: Path, code: int, reports: bool) -> None:
    assert gradescope(tmp_path, code=code, reports=reports).returncode == code
    assert list((tmp_path / "results").iterdir()) == []


def test_a_submission_with_nothing_in_it_is_told_so(tmp_path: Path) -> None:
    assert gradescope(tmp_path, code=1, reports=False).returncode == 0
    result = json.loads((tmp_path / "results/results.json").read_text())
    assert result == {"score": 0, "output": "what the grader said", "output_format": "text"}


def test_the_zip_is_as_gradescope_wants_it(planted: Path, tmp_path: Path) -> None:
    files = release(Release(planted, "gradescope", only=("halve",)))
    (tmp_path / "autograder.zip").write_bytes(files["autograder.zip"])
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    wheel = next(name for name in modes if name.startswith("wheels/"))
    assert modes == {"setup.sh": 0o755, "run_autograder": 0o755, wheel: 0o644}
    assert "Points of the assignment: 4." in files["README.md"].decode()
    for name in ("setup.sh", "run_autograder"):
        parsed = subprocess.run(["bash", "-n", str(FOLDER / name)], capture_output=True, text=True, check=False)
        assert (parsed.returncode, parsed.stderr) == (0, "")


@pytest.mark.slow
def test_the_zip_grades_in_a_folder_laid_out_as_on_gradescope(planted: Path, tmp_path: Path) -> None:
    (tmp_path / "autograder.zip").write_bytes(release(Release(planted, "gradescope"))["autograder.zip"])
    unpacked = bash("unzip -q autograder.zip -d source && mkdir results submission", tmp_path)
    assert unpacked.returncode == 0, unpacked.stderr
    # Without a network: what the grader needs is taken from where the tests run.
    here = {
        "AUTOGRADER": str(tmp_path),
        "PYTHON": os.path.realpath(sys.executable),
        "PIP_OPTIONS": "--no-index --no-deps",
    }
    setup = bash("source/setup.sh", tmp_path, **here)
    assert setup.returncode == 0, setup.stdout + setup.stderr
    (packages,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    needs = tmp_path / "needs"
    needs.mkdir()
    for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if "attention_grader" not in path.name and path.name not in ("pip", "setuptools"):
            (needs / path.name).symlink_to(path)
    (packages / "needs.pth").write_text(f"{needs}\n")
    (tmp_path / "source/secret").write_text(SECRET)

    write_files(tmp_path / "submission", {"halve.py": RIGHT_HALVE, "mix.py": "def mix(w, v):\n    return w\n"})
    ran = bash("source/run_autograder", tmp_path, **here)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    result = json.loads((tmp_path / "results/results.json").read_text())
    assert "score" not in result  # the sum of the tests
    assert sum(test.get("score", 0) for test in result["tests"]) == 4
    assert "public default" not in ran.stdout
    assert SECRET not in json.dumps(result) + ran.stdout

    shutil.rmtree(tmp_path / "submission")
    (tmp_path / "submission").mkdir()
    assert bash("source/run_autograder", tmp_path, **here).returncode == 0
    empty = json.loads((tmp_path / "results/results.json").read_text())
    assert (empty["score"], str(tmp_path) in empty["output"]) == (0, False), empty

    write_files(tmp_path / "submission", {"halve.py": RIGHT_HALVE})
    (packages / "grader/_course/reference_impl/steps.py").write_text("raise RuntimeError\n")
    assert bash("source/run_autograder", tmp_path, **here).returncode == 3
    assert list((tmp_path / "results").iterdir()) == []
