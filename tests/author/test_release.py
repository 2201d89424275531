"""`grader course release`: what stands in a release, what cannot, and that a folder of others is left alone."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result
from planted_course import (
    HIDDEN_CASE,
    HIDDEN_SIZE,
    IN_COMMENTS,
    IN_KEYS,
    IN_THE_REFERENCE,
    ONLY_A_KEY,
    PERSON,
    SECRET,
    contents,
    holding,
    read_folder,
    write_planted,
)
from small_class import RIGHT_HALVE, write_files

import grader
from grader.author.release import Release, Unreleasable, courses, release
from grader.author.release import wheels as wheels_module
from grader.cli import cli
from grader.course.folder import load_course, load_policy
from grader.course.variants import draw_of
from grader.model import AuthorError, GraderError, Tensor
from grader.stages.plan import plan

Files = Mapping[str, bytes]
TELLING = (*IN_KEYS, str(ONLY_A_KEY)[:7], IN_THE_REFERENCE, IN_COMMENTS, PERSON, SECRET, HIDDEN_CASE)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_planted(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def made(root: Path) -> Callable[[str], Files]:
    known: dict[str, Files] = {}

    def files(target: str) -> Files:
        if target not in known:
            known[target] = release(Release(root, target))
        return known[target]

    return files


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["course", "release", *map(str, arguments)])


def of_learners(files: Files) -> Files:
    """What learners can read: all of a learner's release, of others what lies under `learner/`."""
    part = {name: data for name, data in files.items() if name.startswith("learner/")}
    return part or files


@pytest.fixture(scope="module")
def whole_package() -> Files:
    return wheels_module._package()


@pytest.fixture(scope="module", autouse=True)
def small_package(whole_package: Files) -> Iterator[None]:
    """Build wheels of a package of two files: the others are the same in every release, and take a second to pack."""
    few = {name: data for name, data in whole_package.items() if name in ("grader/__init__.py", "grader/model.py")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wheels_module, "_package", lambda: few)
        yield


# ---------------------------------------------------------------- redaction


@pytest.mark.parametrize("word", TELLING)
def test_the_words_that_are_looked_for_stand_in_the_course(root: Path, word: str) -> None:
    assert holding(read_folder(root), word)


@pytest.mark.parametrize("target", ["learner", "github", "gitlab"])
@pytest.mark.parametrize("word", TELLING)
def test_no_byte_that_a_learner_can_read_tells_an_answer(made: Callable[[str], Files], target: str, word: str) -> None:
    assert not holding(of_learners(made(target)), word)


@pytest.mark.parametrize("target", ["learner", "github", "gitlab", "gradescope"])
def test_the_secret_is_in_no_release_at_all(made: Callable[[str], Files], target: str) -> None:
    assert not holding(made(target), SECRET)


@pytest.mark.parametrize("target", ["github", "gitlab", "gradescope"])
def test_the_judge_has_the_answers(made: Callable[[str], Files], target: str) -> None:
    found = holding(made(target), IN_THE_REFERENCE)
    assert found
    assert all(name.startswith(("judge/", "autograder.zip")) for name in found)


def test_no_number_of_a_hidden_case_is_released(root: Path, made: Callable[[str], Files]) -> None:
    planned = plan(load_course(root).exercises["halve"], secret=SECRET.encode())
    for drawn, hidden in zip(planned.cases, (False, True), strict=True):
        x = drawn.arguments["x"]
        assert isinstance(x, Tensor)
        right = (np.asarray(x.array, dtype=np.float64) / 2).tobytes()[:32]
        assert drawn.case.hidden is hidden
        assert bool(holding(made("learner"), right)) is not hidden


def test_no_size_of_a_hidden_case_is_released(root: Path, made: Callable[[str], Files]) -> None:
    size = str(HIDDEN_SIZE)
    assert holding({"hidden": (root / "exercises/01_halve.yaml").read_bytes()}, size)
    texts = {name: data for name, data in contents(made("learner")) if name.endswith((".yaml", ".md", ".py", ".json"))}
    assert any(name.endswith("exercises/01_halve.yaml") for name in texts)
    assert not holding(texts, size)


def test_what_is_released_besides_the_course_is_the_package(whole_package: Files, made: Callable[[str], Files]) -> None:
    assert len(whole_package) > 200
    assert whole_package["grader/__main__.py"] == (Path(grader.__file__).parent / "__main__.py").read_bytes()
    assert not [name for name in whole_package if "/_course/" in name or "__pycache__" in name]
    inside = {n.partition("!")[2] for n, _ in contents(made("learner")) if "!grader/" in n}
    assert {name for name in inside if "/_course/" not in name} == {"grader/__init__.py", "grader/model.py"}


# ---------------------------------------------------------------- what stands in it


def test_a_learner_gets_starters_sheets_prompts_and_one_wheel(made: Callable[[str], Files]) -> None:
    names = sorted(name for name in made("learner") if not name.startswith("wheels/"))
    assert names == [
        ".grader/progress.json",
        "EXERCISES.md",
        "README.md",
        "final.yaml",
        "halve.py",
        "mix.py",
        "recall.yaml",
    ]
    (wheel,) = (name for name in made("learner") if name.startswith("wheels/"))
    assert wheel.removeprefix("wheels/") in made("learner")["README.md"].decode()
    page = made("learner")["EXERCISES.md"].decode()
    assert "Return x / 2." in page
    assert "Cases: small; and 1 hidden." in page


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_readme_tells_of_nothing_that_is_not_in_the_release(root: Path, lang: str) -> None:
    words = {"en": ("quiz", "sheet"), "zh": ("测验", "答题卡")}[lang]
    alone = release(Release(root, "learner", lang, only=("halve",)))["README.md"].decode()
    assert not [word for word in (*words, "@") if word in alone.lower()]
    all_of_it = release(Release(root, "learner", lang))
    readme = all_of_it["README.md"].decode()
    assert not [word for word in words if word not in readme.lower()]
    assert set(re.findall(r"[\w./]+\.(?:md|py|yaml)\b", readme)) <= set(all_of_it)
    assert readme.index("grader-env/bin/activate\n") < readme.index("\ngrader check .")  # `grader` alone is found then
    for target in ("github", "gitlab", "gradescope"):
        judges = release(Release(root, target, lang, only=("halve",)))["README.md"].decode()
        assert not [word for word in ("docs/", "sheets/", "variants", "@") if word in judges], target


def test_the_same_course_is_the_same_bytes(root: Path, made: Callable[[str], Files]) -> None:
    assert release(Release(root, "learner")) == made("learner")
    assert release(Release(root, "gradescope")) == made("gradescope")


def test_a_release_speaks_chinese(root: Path) -> None:
    files = release(Release(root, "learner", "zh", only=("halve",)))
    assert "开始之前" in files["README.md"].decode()
    assert "返回 x / 2。" in files["EXERCISES.md"].decode()
    assert "返回 x / 2。" in files["halve.py"].decode()


def test_a_part_of_a_course_is_released_alone(root: Path) -> None:
    copy = courses.learner_course(root, ("halve",), None, lambda _: None)
    assert sorted(name for name in copy if name.startswith(("exercises", "quizzes", "expectations"))) == [
        "exercises/01_halve.yaml", "expectations/halve.expect", "expectations/halve.pairs", "expectations/index.json",
    ]  # fmt: skip


def test_a_quiz_does_not_point_to_an_exercise_that_is_not_released(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "copy")
    quiz = tmp_path / "copy/quizzes/01_recall.yaml"
    quiz.write_text(quiz.read_text().replace("key: 2}", "key: 2, practises: mix}"))
    both = courses.learner_course(tmp_path / "copy", ("mix", "recall"), None, lambda _: None)
    alone = courses.learner_course(tmp_path / "copy", ("recall",), None, lambda _: None)
    assert b"practises" in both["quizzes/01_recall.yaml"]
    assert b"practises" not in alone["quizzes/01_recall.yaml"]


def test_words_of_a_course_travel_with_it() -> None:
    knn = Path(__file__).parent.parent / "courses" / "knn"
    copy = courses.learner_course(knn, (), None, lambda _: None)
    assert copy["kinds/words.py"] == (knn / "kinds/words.py").read_bytes()
    assert "arrays: numpy" in copy["course.yaml"].decode()


def test_the_judge_takes_the_secret_from_the_environment(root: Path, made: Callable[[str], Files]) -> None:
    assert "secret:\n  env: COURSE_SECRET" in courses.judge_course(root, ())["course.yaml"].decode()
    assert "COURSE_SECRET: ${{ secrets.COURSE_SECRET }}" in made("github")["judge/.github/workflows/grade.yml"].decode()


def test_a_roster_goes_to_the_judge_alone(root: Path) -> None:
    files = release(Release(root, "gitlab", only=("halve",), roster=b"id,repository\nsomebody-known,a/b\n"))
    assert holding(files, "somebody-known") == ["judge/roster.csv"]


# ---------------------------------------------------------------- numbers of learners' own

OWN = "secret-of-the-numbers-2718"
PEOPLE = b"id,repository,name\nann,class/ann,Ann\nben,class/ben,Ben\n"


@pytest.fixture
def varied(root: Path, tmp_path: Path) -> Path:
    copy = changed(root, tmp_path / "copy", "course.yaml", "policy: {", "policy: {variants: {file: numbers.txt}, ")
    (copy / "numbers.txt").write_text(OWN)
    (tmp_path / "roster.csv").write_bytes(PEOPLE)
    return copy


def test_each_learner_gets_a_sheet_with_numbers_of_their_own(varied: Path, tmp_path: Path) -> None:
    ran = run(tmp_path / "out", "--for", "learner", "--roster", tmp_path / "roster.csv", "--course", varied)
    assert ran.exit_code == 0, ran.output
    files = read_folder(tmp_path / "out")
    assert {name for name in files if name.startswith("sheets/")} == {"sheets/ann/final.yaml", "sheets/ben/final.yaml"}
    assert "learner/final.yaml" not in files
    assert "learner/recall.yaml" in files
    assert "- `final.yaml`: Final (you are given a sheet of your own)" in files["learner/README.md"].decode()
    for person in ("ann", "ben"):
        sheet = files[f"sheets/{person}/final.yaml"].decode()
        assert f"draw: {draw_of(OWN.encode(), person, 'final')}\n" in sheet
    assert not [word for word in (*TELLING, OWN) if word != PERSON and holding(files, word)]


@pytest.mark.parametrize("where", ["github", "gitlab"])
def test_the_judge_works_the_numbers_out_from_its_environment(varied: Path, where: str, tmp_path: Path) -> None:
    ran = run(tmp_path / "out", "--for", where, "--roster", tmp_path / "roster.csv", "--course", varied)
    assert ran.exit_code == 0, ran.output
    files = read_folder(tmp_path / "out")
    assert not holding(files, OWN)
    assert "sheets/ann/final.yaml" in files
    assert files["judge/roster.csv"] == PEOPLE
    course = next(
        data for name, data in contents(files) if name.startswith("judge/") and name.endswith("_course/course.yaml")
    )
    assert "variants:\n    env: COURSE_VARIANTS" in course.decode()
    assert b"COURSE_VARIANTS" in files["README.md"]
    assert b"`sheets/`" in files["README.md"]


def test_numbers_of_their_own_need_to_know_the_learners(varied: Path, tmp_path: Path) -> None:
    refused = run(tmp_path / "out", "--for", "learner", "--course", varied)
    assert refused.exit_code == 2
    assert "numbers of their own in final: add --roster, a CSV of the learners." in refused.stderr
    assert run(tmp_path / "out", "--for", "learner", "--exercise", "recall", "--course", varied).exit_code == 0


def test_gradescope_cannot_know_whose_numbers_a_sheet_has(varied: Path, tmp_path: Path) -> None:
    refused = run(tmp_path / "out", "--for", "gradescope", "--roster", tmp_path / "roster.csv", "--course", varied)
    assert refused.exit_code == 2
    assert "Gradescope does not tell whose numbers a sheet should have. Grade final with" in refused.stderr


def test_without_the_secret_of_the_numbers_nothing_is_released(varied: Path, tmp_path: Path) -> None:
    (varied / "numbers.txt").unlink()
    refused = run(tmp_path / "out", "--for", "learner", "--roster", tmp_path / "roster.csv", "--course", varied)
    assert (refused.exit_code, "numbers.txt is not here, or empty" in refused.stderr) == (3, True)


def test_rules_for_what_is_not_released_stay_behind(root: Path, tmp_path: Path) -> None:
    rules = "policy: {weights: {halve: 2, mix: 3}, due: {mix: 2026-03-01}, bonus: [mix, halve], "
    copy = changed(root, tmp_path / "copy", "course.yaml", "policy: {", rules)
    judge = courses.lay_out(tmp_path / "judge", courses.judge_course(copy, ("halve",)))
    policy = load_policy(judge)
    assert (policy.weights, policy.due, policy.bonus) == ({"halve": 2}, {}, {"halve"})
    assert set(policy.extensions) == {PERSON}


# ---------------------------------------------------------------- what cannot be released


def changed(root: Path, copy: Path, name: str, old: str, new: str) -> Path:
    shutil.copytree(root, copy)
    text = (copy / name).read_text()
    assert old in text
    (copy / name).write_text(text.replace(old, new))
    return copy


def test_an_exercise_of_hidden_cases_alone_is_refused(root: Path, tmp_path: Path) -> None:
    copy = changed(root, tmp_path / "copy", "exercises/01_halve.yaml", "T: 2, D: 3}", "T: 2, D: 3, hidden: true}")
    refused = run(tmp_path / "out", "--for", "learner", "--course", copy)
    assert refused.exit_code == 3
    assert "exercises/01_halve.yaml: every case with a result is hidden" in refused.stderr
    assert not (tmp_path / "out").exists()


def test_an_axis_that_only_hidden_cases_have_does_not_get_out(root: Path, tmp_path: Path) -> None:
    hidden = f"{{name: {HIDDEN_CASE}, H: 2, T: 4, D: 5, hidden: true, inputs: {{x: {{normal: [H, T, D]}}}}}}"
    copy = changed(
        root,
        tmp_path / "copy",
        "exercises/01_halve.yaml",
        f"{{name: {HIDDEN_CASE}, T: {HIDDEN_SIZE}, D: 2, hidden: true}}",
        hidden,
    )
    text = (copy / "exercises/01_halve.yaml").read_text().replace("returns: [T, D]", "returns: [H, T, D]")
    (copy / "exercises/01_halve.yaml").write_text(text)
    released = courses.learner_course(copy, ("halve",), None, lambda _: None)
    exercise = load_course(courses.lay_out(tmp_path / "released", released)).exercises["halve"]
    assert exercise.returns == {"": ("T", "D")}
    assert exercise.elsewhere == (1.0,)


HELD_BACK = f"{{name: {HIDDEN_CASE}, T: {HIDDEN_SIZE}, D: 2, hidden: true}}"
TOLD = "x: {integers: [T, D], low: -777, high: 777}"


@pytest.mark.parametrize(
    ("signature", "inputs", "opened", "left"),
    [
        ("halve(x)", TOLD, "inputs: {x: {normal: [T, D]}}", {"x": {"normal": ["T", "D"]}}),
        ("halve(x)", TOLD, "", {"x": {"integers": ["T", "D"], "low": -777, "high": 777}}),
        (
            "halve(x, n=2)",
            "x: {normal: [T, D]}, n: {value: 777}",
            "omit: [n]",
            {"x": {"normal": ["T", "D"]}, "n": {"value": None}},
        ),
        (
            "halve(x, n=2)",
            "x: {normal: [T, D]}, n: {value: 777}",
            "inputs: {n: {value: 3}}",
            {"x": {"normal": ["T", "D"]}, "n": {"value": 3}},
        ),
        (
            "halve(x, n=2)",
            "x: {normal: [T, D]}, n: {integers: [D], low: 5, high: 777}",
            "omit: [n]",
            {"x": {"normal": ["T", "D"]}, "n": {"normal": ["D"]}},
        ),
    ],
)
def test_inputs_that_only_hidden_cases_draw_do_not_get_out(
    root: Path, tmp_path: Path, signature: str, inputs: str, opened: str, left: dict[str, object]
) -> None:
    name = "exercises/01_halve.yaml"
    copy = changed(root, tmp_path / "copy", name, "inputs: {x: {normal: [T, D]}}", f"inputs: {{{inputs}}}")
    reference = (copy / "reference_impl/__init__.py").read_text()
    assert "def halve(x, *, " in reference
    (copy / "reference_impl/__init__.py").write_text(reference.replace("def halve(x, *, ", "def halve(x, n=2, *, "))
    text = (copy / name).read_text().replace("signature: halve(x)", f"signature: {signature}")
    (copy / name).write_text(text.replace("T: 2, D: 3}", f"T: 2, D: 3, {opened}}}" if opened else "T: 2, D: 3}"))
    released = courses.learner_course(copy, ("halve",), None, lambda _: None)
    assert yaml.safe_load(released[name])["inputs"] == left
    assert bool(holding({name: released[name]}, "777")) is (not opened)


@pytest.mark.parametrize(
    ("named", "left"),
    [
        (f"[{HIDDEN_CASE}]", "gradients"),
        (f"[{HIDDEN_CASE}, small]", {"gradients": {"not_in": ["small"]}}),
        ("[small]", {"gradients": {"not_in": ["small"]}}),
    ],
)
def test_a_check_names_no_hidden_case(root: Path, tmp_path: Path, named: str, left: object) -> None:
    name = "exercises/01_halve.yaml"
    options = f"finite, values, {{gradients: {{not_in: {named}}}}}]"
    copy = changed(root, tmp_path / "copy", name, "finite, values]", options)
    released = courses.learner_course(copy, ("halve",), None, lambda _: None)
    assert yaml.safe_load(released[name])["checks"][-1] == left
    assert not holding(released, HIDDEN_CASE)


def test_a_course_that_needs_its_hidden_cases_is_refused(root: Path, tmp_path: Path) -> None:
    hidden = f"{{name: {HIDDEN_CASE}, B: 2, T: 4, D: 5, hidden: true, inputs: {{x: {{normal: [B, T, D]}}}}}}"
    copy = changed(
        root,
        tmp_path / "copy",
        "exercises/01_halve.yaml",
        f"{{name: {HIDDEN_CASE}, T: {HIDDEN_SIZE}, D: 2, hidden: true}}",
        hidden,
    )
    text = (copy / "exercises/01_halve.yaml").read_text().replace("returns: [T, D]", "returns: [B, T, D]")
    (copy / "exercises/01_halve.yaml").write_text(
        text.replace("finite, values]", "finite, values, {batch_independence: {axis: B}}]")
    )
    refused = run(tmp_path / "out", "--for", "learner", "--course", copy)
    assert refused.exit_code == 3
    assert "without its hidden cases the course does not stand alone: exercises/01_halve.yaml:" in refused.stderr


def test_a_course_with_its_secret_in_a_released_file_is_refused(root: Path, tmp_path: Path) -> None:
    copy = changed(root, tmp_path / "copy", "exercises/01_halve.yaml", "Return x / 2.", f"Return x / 2. {SECRET}")
    with pytest.raises(GraderError, match=r"the secret of the course stands in halve\.py: nothing was released"):
        release(Release(copy, "learner"))


def test_a_secret_of_the_environment_is_looked_for_too(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = changed(root, tmp_path / "copy", "course.yaml", "{file: reference_impl/secret.txt}", "{env: PLANTED}")
    monkeypatch.setenv("PLANTED", "Return x / 2.")
    with pytest.raises(GraderError, match="the secret of the course stands in"):
        release(Release(copy, "learner"))
    assert "env: PLANTED" in courses.judge_course(copy, ())["course.yaml"].decode()


def test_a_key_that_is_left_is_found_before_it_gets_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courses, "without_keys", lambda data, draws: (data, json.dumps(draws)))
    with pytest.raises(GraderError, match=r"quizzes/02_final\.yaml: the learner's copy would tell the key of number"):
        courses.learner_course(root, ("final",), None, lambda _: None)


def test_a_course_with_mistakes_is_not_released(root: Path, tmp_path: Path) -> None:
    copy = changed(root, tmp_path / "copy", "exercises/02_mix.yaml", "points: 6", "points: many")
    with pytest.raises(AuthorError, match=r"exercises/02_mix\.yaml:2:9"):
        release(Release(copy, "learner"))


def test_without_hatchling_it_is_said_what_to_install(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hatchling.builders.wheel", None)
    with pytest.raises(Unreleasable, match="pip install hatchling"):
        release(Release(root, "gradescope"))


def test_what_is_needed_is_read_from_what_is_installed_too() -> None:
    listed = ["click>=8", "einops>=0.8; extra == 'einops'", "pytest; extra == 'dev'", "tomli; python_version < '3.11'"]
    needs = ["click>=8", "tomli; python_version < '3.11'"]
    assert wheels_module._requirements(listed) == (needs, {"einops": ["einops>=0.8"]})


# ---------------------------------------------------------------- the folder


def test_a_release_is_written_and_written_again(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    first = run(out, "--for", "gradescope", "--course", root)
    assert (first.exit_code, "is ready: files 2" in first.stdout) == (0, True), first.output
    before = read_folder(out)
    assert set(before) == {".release.json", "README.md", "autograder.zip"}
    again = run(out, "--for", "gradescope", "--exercise", "halve", "--course", root)
    assert again.exit_code == 0, again.output
    assert read_folder(out).keys() == before.keys()
    assert read_folder(out)["autograder.zip"] != before["autograder.zip"]
    assert sorted(path.name for path in out.parent.iterdir()) == ["out"]


def test_a_folder_of_others_is_left_alone(root: Path, tmp_path: Path) -> None:
    out = write_files(tmp_path / "out", {"notes.txt": "mine"})
    refused = run(out, "--for", "gradescope", "--course", root)
    assert refused.exit_code == 2
    assert (
        "has files that no release wrote, or that were changed since: notes.txt. Nothing was written." in refused.stderr
    )
    assert read_folder(out) == {"notes.txt": b"mine"}


def test_what_was_changed_in_a_release_is_not_lost(root: Path, tmp_path: Path) -> None:
    assert run(tmp_path / "out", "--for", "gradescope", "--course", root).exit_code == 0
    (tmp_path / "out/README.md").write_text("mine")
    refused = run(tmp_path / "out", "--for", "gradescope", "--course", root)
    assert (refused.exit_code, (tmp_path / "out/README.md").read_text()) == (2, "mine")
    assert "README.md" in refused.stderr


def test_a_release_that_fails_leaves_the_one_that_was_there(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(tmp_path / "out", "--for", "gradescope", "--course", root).exit_code == 0
    before = read_folder(tmp_path / "out")

    def full(part: Path, files: Files) -> Path:
        write_files(part, {"half": b"written"})
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys.modules["grader.author.release.place"], "lay_out", full)
    refused = run(tmp_path / "out", "--for", "gradescope", "--course", root)
    assert (refused.exit_code, "No space left on device" in refused.stderr) == (2, True)
    assert read_folder(tmp_path / "out") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


# ---------------------------------------------------------------- the command


def test_an_unknown_slug_is_named(root: Path, tmp_path: Path) -> None:
    refused = run(tmp_path / "out", "--for", "learner", "--exercise", "halv", "--course", root)
    assert (refused.exit_code, "Did you mean 'halve'?" in refused.stderr) == (2, True)


def test_a_roster_that_cannot_be_read_is_said(root: Path, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("colour\nred\n")
    refused = run(tmp_path / "out", "--for", "github", "--roster", roster, "--course", root)
    assert (refused.exit_code, "The roster cannot be read." in refused.stderr) == (2, True)
    assert "roster.csv:1: no column names the learner" in refused.stderr


def test_a_learners_copy_neither_releases_nor_grades_a_class(root: Path, tmp_path: Path) -> None:
    copy = courses.lay_out(tmp_path / "copy", courses.learner_course(root, (), None, lambda _: None))
    work = write_files(tmp_path / "work", {"ann/halve.py": RIGHT_HALVE})
    grade = ["course", "grade", str(work), "--out", str(tmp_path / "out"), "--course", str(copy)]
    for refused in (run(tmp_path / "out", "--for", "learner", "--course", copy), CliRunner().invoke(cli, grade)):
        assert refused.exit_code == 2
        assert "is a learner's copy of the course: it has no answers. Use the judge's." in refused.stderr
    assert not (tmp_path / "out").exists()
