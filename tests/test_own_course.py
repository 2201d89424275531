"""A course that has nothing to do with attention, in numpy alone and with words of its own: all of it works, and none of it leaks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result
from sandbox_plans import plan

from grader.author.schema import schemas
from grader.cli import cli
from grader.course.batch.tasks import course_at
from grader.course.folder import load_course, load_course_mistakes
from grader.course.lazily import open_course_lazily
from grader.course.own_kinds import own_words
from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.kinds.questions import QUESTIONS
from grader.locale import say
from grader.model import AuthorError, Call, Course, Message, Plan, Submission, Tensor, Unsupported, Verdict
from grader.stages.results import named_results
from grader.stages.sandbox import Sandbox, open_sandbox

ROOT = Path(__file__).parent.parent
KNN = ROOT / "tests" / "courses" / "knn"

RIGHT = {
    "squared_distances": """
        import numpy as np
        def squared_distances(queries, points):
            return ((queries[:, None] - points) ** 2).sum(-1)
    """,
    "nearest_points": """
        import numpy as np
        def nearest_points(queries, points, k):
            if not 1 <= k <= len(points):
                raise ValueError(k)
            return np.linalg.norm(queries[:, None] - points, axis=-1).argsort(-1)[:, :k]
    """,
    "vote": """
        import numpy as np
        def vote(neighbours, labels):
            return np.array([np.unique(row)[np.unique(row, return_counts=True)[1].argmax()] for row in labels[neighbours]])
    """,
}


def dedented(text: str) -> str:
    return re.sub(r"^ {8}", "", text, flags=re.MULTILINE)


def grader(*arguments: object) -> Result:
    course_at.cache_clear()
    return CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture(scope="module")
def knn() -> Course:
    return load_course(KNN)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GRADER_COURSE", str(KNN))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def put(folder: Path, **changed: str) -> None:
    for slug, text in {**RIGHT, **changed}.items():
        (folder / f"{slug}.py").write_text(dedented(text))


# ---------------------------------------------------------------- the whole road


@pytest.mark.parametrize(
    "slugs", [("vote", "neighbours"), pytest.param((), marks=pytest.mark.slow)], ids=["two of it", "all of it"]
)
def test_the_course_keeps_its_promises(slugs: tuple[str, ...]) -> None:
    proved = grader("author", "verify", "--all", *slugs, "--course", KNN)
    assert proved.exit_code == 0, proved.output
    assert "catches and names largest_label_at_a_tie" in proved.output
    assert "every key is what the reference or the code gives" in proved.output
    assert "✗" not in proved.output


def test_right_answers_get_all_points_and_a_mistake_is_named(work: Path) -> None:
    put(work, squared_distances="def squared_distances(q, p):\n    return abs(q[:, None] - p).sum(-1)\n")
    (work / "neighbours.yaml").write_text("answers: {by_hand: 25, name: Tie, even_number: false}\n")
    result = grader("check", ".", "--report", "json")
    report = json.loads(result.stdout)
    scores = {each["slug"]: (each["score"], each["max_score"]) for each in report["results"]}
    assert scores == {"squared_distances": (0, 4), "nearest_points": (6, 6), "vote": (5, 5), "neighbours": (4, 4)}
    named = [m for each in report["results"] for found in each["diagnoses"] for m in found["mistakes"]]
    assert named == ["not_squared"]


def test_labels_are_shown_as_whole_numbers(work: Path) -> None:
    put(work, vote="def vote(n, labels):\n    return n[:, 0] * 0 + 77\n")
    assert "the first at [Q=0]: got 77, expected 1" in grader("check", "vote.py").output


def test_a_learner_gets_a_workspace_in_numpy(work: Path) -> None:
    assert grader("start", "mine", "--lang", "zh").exit_code == 0
    starter = (work / "mine" / "squared_distances.py").read_text()
    assert starter.startswith("import numpy as np  # noqa: F401\n")
    assert "torch" not in starter
    assert "只" in grader("quiz", "--help").output or grader("show", "neighbours", "--lang", "zh").exit_code == 0


@pytest.mark.slow
def test_a_class_is_graded_with_it(work: Path) -> None:
    for learner, changed in (("ann", {}), ("ben", {"vote": "def vote(n, labels):\n    return labels[n][:, 0]\n"})):
        (work / "subs" / learner).mkdir(parents=True)
        put(work / "subs" / learner, **changed)
    graded = grader("course", "grade", "subs", "--out", "out", "--course", KNN, "--isolation", "best", "--jobs", 1)
    assert graded.exit_code == 0, graded.output
    assert grader("course", "gradebook", "out").exit_code == 0
    found = grader("course", "stats", "out", "--lang", "en")
    assert "nearest_alone" in found.output or "Only the first neighbour" in found.output


def test_the_judge_of_numpy_needs_no_torch(work: Path) -> None:
    """The reference, every mistake of it, comparing and the report: torch is the child's alone."""
    code = f"""
import sys
import zipfile
from pathlib import Path
from grader.course.lazily import open_course_lazily
from grader.stages.expect import expect
from grader.stages.plan import plan
course = open_course_lazily(Path({str(KNN)!r}))
for exercise in course.exercises.values():
    assert expect(plan(exercise), Path(course.root)).right
print("torch" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "False\n"


# ---------------------------------------------------------------- numpy in the child


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("best") as runner:
        yield runner


def returned(sandbox: Sandbox, body: str, *more: str) -> Any:
    """What `f(x)` with this body returns, `x` being the numbers 0 to 5 in float32 as (2, 3)."""
    x = Tensor("float32", np.arange(6, dtype=np.float32).reshape(2, 3))
    call = Call("c/graded", "c", "graded", {"x": x})
    made: Plan = plan(call)
    made = replace(made, exercise=replace(made.exercise, arrays="numpy"))
    source = "\n".join(["import numpy as np", *more, "def f(x):", *(f"    {line}" for line in body.splitlines())])
    seen = sandbox.run(made, Submission("f.py", "f", source.encode()))
    assert seen.verdict is Verdict.PASSED, seen
    return seen.calls["c/graded"]


@pytest.mark.parametrize(
    ("body", "dtype", "numbers"),
    [
        ("return x", "float32", [[0, 1, 2], [3, 4, 5]]),
        ("return x.T", "float32", [[0, 3], [1, 4], [2, 5]]),
        ("return x[::-1, ::-2]", "float32", [[5, 3], [2, 0]]),
        ("return x.sum()", "float32", 15),
        ("return np.float64(2.5)", "float64", 2.5),
        ("return x.argmax(-1)", "int64", [2, 2]),
        ("return x > 4", "bool", [[False, False, False], [False, False, True]]),
        ("return x.astype('>f8')[0]", "float64", [0, 1, 2]),
        ("return np.matrix(x)[0]", "float32", [[0, 1, 2]]),
        ("return np.ma.masked_array(x, x > 1)[0]", "float32", [0, 1, 2]),
        ("return np.zeros((0, 3))", "float64", []),
    ],
)
def test_arrays_come_back_as_they_are(sandbox: Sandbox, body: str, dtype: str, numbers: Any) -> None:
    value = returned(sandbox, body).value
    assert isinstance(value, Tensor)
    assert value.dtype == dtype
    assert value.array.tolist() == numbers


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("return np.array(['a', None], dtype=object)", "an array of a dtype that is not supported"),
        ("return np.array(['a'])", "an array of a dtype that is not supported"),
        ("return np.zeros(2, dtype=[('a', int)])", "an array of a dtype that is not supported"),
        ("return np.broadcast_to(x[0, 0], (1 << 20, 1 << 20))", "more data than a result may hold"),
        ("import torch\nreturn torch.zeros(2)", "a torch tensor"),
    ],
)
def test_what_cannot_travel_is_named(sandbox: Sandbox, body: str, what: str) -> None:
    value = returned(sandbox, body).value
    assert isinstance(value, Unsupported)
    assert value.what == what


def test_a_subclass_that_lies_does_no_harm(sandbox: Sandbox) -> None:
    lies = "class L(np.ndarray):\n    shape = property(lambda s: 1 / 0)\n    astype = __array__ = nbytes = None"
    assert returned(sandbox, "return np.ndarray.view(x, L)", lies).value.array.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_argument_that_was_changed_is_seen(sandbox: Sandbox) -> None:
    assert returned(sandbox, "x += 1\nreturn x").changed == ("x",)
    assert returned(sandbox, "x.sort()\nreturn x").changed == ()
    assert returned(sandbox, "return x + 1").changed == ()


def test_sizes_may_be_numbers_of_numpy(sandbox: Sandbox, knn: Course) -> None:
    exercise = replace(knn.exercises["vote"], returns={"": "sizes"})
    value = returned(sandbox, "return np.int64(3), 4").value
    assert named_results(exercise, value) == {"": (3, 4)}
    assert isinstance(named_results(exercise, (3, 4.0)), Message)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (3, "got a whole number, expected a numpy array"),
        (None, "got None (is there a `return`?), expected a numpy array"),
        (object(), "got an object that is no array, expected a numpy array"),
        (Unsupported("a torch tensor"), "got a torch tensor, expected a numpy array"),
    ],
)
def test_what_is_no_array_is_said_in_words_of_numpy(knn: Course, value: Any, told: str) -> None:
    said = named_results(knn.exercises["vote"], value)
    assert isinstance(said, Message)
    assert say(said, "en") == told
    assert say(said, "zh") != told


def test_one_array_for_several_results_is_said_in_words_of_numpy(knn: Course) -> None:
    exercise = replace(knn.exercises["vote"], returns={"a": ("Q",), "b": ("Q",)})
    said = named_results(exercise, Tensor("int64", np.zeros(3, dtype=np.int64)))
    assert isinstance(said, Message)
    assert say(said, "en") == "got one array of shape (3,), expected (a, b)"


# ---------------------------------------------------------------- what numpy cannot do


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(KNN, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


def edited(course: Path, file: str, old: str, new: str) -> Path:
    text = (course / file).read_text()
    assert old in text
    (course / file).write_text(text.replace(old, new, 1))
    return course


def problems(course: Path) -> list[str]:
    with pytest.raises(AuthorError) as raised:
        load_course(course)
    return list(raised.value.problems)


@pytest.mark.parametrize("check", ["gradients", "low_precision", "device", "no_extra_parameters"])
def test_a_check_that_needs_torch_is_refused_at_its_place(copy: Path, check: str) -> None:
    edited(copy, "exercises/03_vote.yaml", "values, known", f"values, {check}, known")
    assert problems(copy) == [
        f"exercises/03_vote.yaml:27:32: checks[3]: the check `{check}` needs torch, and the arrays of this course are "
        "numpy's (course.yaml)"
    ]


def test_a_torch_device_and_a_module_are_refused_at_their_places(copy: Path) -> None:
    edited(copy, "exercises/03_vote.yaml", "labels: {labels: [N], classes: 4}", "labels: {device: true}")
    edited(copy, "exercises/01_squared_distances.yaml", "reference: sq", "state: {w: {normal: [Q]}}\nreference: sq")
    told = "\n".join(problems(copy))
    assert "exercises/03_vote.yaml:21:3: inputs.labels: the input `device` needs torch" in told
    assert "01_squared_distances.yaml:16:1: state: a module needs torch" in told


def test_other_arrays_than_those_two_are_refused(copy: Path) -> None:
    edited(copy, "course.yaml", "arrays: numpy", "arrays: jax")
    assert problems(copy)[0].startswith("course.yaml:3:9: arrays: ")


# ---------------------------------------------------------------- words of its own


def test_own_words_are_known_to_their_course_alone(knn: Course) -> None:
    assert knn.exercises["vote"].inputs["labels"].draw({"N": 4}, np.random.default_rng(0)).dtype == "int64"
    assert [check.word for check in knn.exercises["vote"].checks][-1] == "known_labels"
    assert {"labels", "known_labels", "one_word"}.isdisjoint([*INPUTS, *CHECKS, *QUESTIONS])
    load_course(ROOT)  # in the same process, after it
    assert open_course_lazily(KNN).quizzes["neighbours"].questions[1].spec.word == "one_word"
    assert "labels" not in INPUTS


def test_another_course_does_not_know_them(copy: Path) -> None:
    load_course(KNN)
    shutil.rmtree(copy / "kinds")
    told = "\n".join(problems(copy))
    assert "exercises/03_vote.yaml:21:12: inputs.labels.labels: unknown word `labels`" in told
    assert "unknown word `known_labels`" in told
    assert "unknown word `one_word`" in told


def test_a_course_that_changed_is_read_anew(copy: Path) -> None:
    load_course(copy)
    edited(copy, "kinds/labels.py", '@input_kind("labels")', '@input_kind("classes")')
    edited(copy, "kinds/labels.py", "    labels: Axes", "    classes: Axes")
    edited(copy, "kinds/labels.py", "    classes: int = 3\n", "")
    edited(copy, "kinds/labels.py", "% self.classes", "% 3")
    edited(copy, "exercises/03_vote.yaml", "labels: {labels: [N], classes: 4}", "labels: {classes: [N]}")
    assert load_course(copy).exercises["vote"].inputs["labels"].axes == ("N",)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        pytest.param("en", 'Case "five neighbours": 77 is no label of `labels`', marks=pytest.mark.slow),
        ("zh", "用例“五个邻居”：77 不是 `labels` 中的标签"),
    ],
)
def test_a_check_of_its_own_speaks_to_learners(work: Path, copy: Path, lang: str, said: str) -> None:
    edited(copy, "exercises/03_vote.yaml", "values, known_labels", "known_labels")
    put(work, vote="def vote(n, labels):\n    return n[:, 0] * 0 + 77\n")
    assert said in grader("check", "vote.py", "--course", copy, "--lang", lang).output


def test_a_folder_of_a_learner_brings_no_words(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADER_COURSE")
    shutil.copytree(KNN, work, dirs_exist_ok=True)
    (work / "kinds" / "labels.py").write_text("raise SystemExit('this ran')\n")
    (work / "shapes.yaml").write_text("answers: {batched_scores: [2, 5, 7]}\n")
    for arguments in (("list",), ("show", "scale_scores"), ("check", "shapes.yaml")):
        result = grader(*arguments)
        assert "this ran" not in result.output
        assert "squared_distances" not in result.output
    assert result.exit_code == 1, result.output  # the sheet was graded, against the course that is built in


KIND = '''"""A kind."""
from grader.kinds.inputs import Axes, InputKind, input_kind
from grader.kinds.checks import CheckKind, check
from grader.kinds.questions import QUESTIONS, Asked


'''


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(:\n", "kinds/mine.py:1:7: invalid syntax"),
        (
            "import nothing_of_this_name\n",
            "kinds/mine.py:1:1: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
        ("x = 1\ny = 1 / 0\n", "kinds/mine.py:2:1: ZeroDivisionError: division by zero"),
        (
            KIND + '@input_kind("normal")\nclass Mine(InputKind):\n    """Mine."""\n    normal: Axes\n',
            "kinds/mine.py:7:1: the word `normal` is taken: choose another one",
        ),
        (
            KIND + '@input_kind("labels")\nclass Mine(InputKind):\n    """Mine."""\n    labels: Axes\n',
            "kinds/mine.py:7:1: the word `labels` is taken: choose another one",
        ),
        (
            KIND + '@input_kind("mine")\nclass Mine(InputKind):\n    """Mine."""\n    other: Axes\n',
            "kinds/mine.py:7:1: `mine`: it needs a field `mine`, which holds the main value\n"
            "kinds/mine.py:7:1: `mine`: it does not define `draw`",
        ),
        (
            KIND + '@check("mine")\nclass Mine(CheckKind):\n    pass\n',
            "kinds/mine.py:7:1: `mine`: it has no docstring, which `grader author words` and editors show\n"
            "kinds/mine.py:7:1: `mine`: it does not define `judge`, `rung`",
        ),
        (
            KIND + '@QUESTIONS.word("mine")\nclass Mine(Asked):\n    """Mine."""\n',
            'kinds/mine.py:7:1: `mine`: it needs `word: ClassVar[str] = "mine"`\n'
            "kinds/mine.py:7:1: `mine`: it does not define `compare`, `form`, `parse`, `samples`",
        ),
        (
            KIND + '@QUESTIONS.word("mine")\nclass Mine:\n    """Mine."""\n',
            "kinds/mine.py:7:1: `mine`: expected a class that derives from Asked",
        ),
    ],
)
def test_what_is_wrong_with_a_word_is_said_at_its_place(copy: Path, text: str, told: str) -> None:
    (copy / "kinds" / "mine.py").write_text(text)
    found = [line for line in problems(copy) if line.startswith("kinds/")]
    assert "\n".join(found) == told
    assert "mine" not in [*INPUTS, *CHECKS, *QUESTIONS]
    assert not [name for name in sys.modules if name.startswith("_kinds_") and name.endswith(".mine")]


def unreadable(file: Path, thing: str) -> Path:
    file.mkdir() if thing == "folder" else file.symlink_to(file.parent / "gone")
    return file


@pytest.mark.parametrize(("thing", "told"), [("folder", "a folder, not a file"), ("link", "a link that leads nowhere")])
@pytest.mark.parametrize(
    "words",
    [("author", "verify", "vote"), ("author", "doctor"), ("course", "release", "released", "--for", "learner")],
    ids=" ".join,
)
def test_a_file_of_words_that_cannot_be_read_is_named(
    work: Path, copy: Path, words: Any, thing: str, told: str
) -> None:
    unreadable(copy / "kinds" / "d.py", thing)
    result = grader(*words, "--course", copy)
    assert result.exit_code != 0
    assert f"kinds/d.py:1:1: this is {told}" in result.output
    assert "released" not in result.output


@pytest.mark.parametrize("name", ["exercise_own.py", "more.py"])
@pytest.mark.parametrize(
    ("words", "thing"),
    [(("author", "verify", "vote"), "folder"), (("author", "doctor"), "folder"), (("check", "vote.py"), "link")],
    ids=str,
)
def test_a_file_of_the_reference_that_cannot_be_read_ends_in_no_traceback(
    work: Path, copy: Path, words: Any, name: str, thing: str
) -> None:
    put(work)
    (copy / "reference_impl" / name).unlink(missing_ok=True)
    unreadable(copy / "reference_impl" / name, thing)
    result = grader(*words, "--course", copy)
    assert "Traceback" not in result.output
    assert name == "more.py" or "reference_impl of the course does not load" in result.output


def test_threads_that_load_the_same_words_at_once_all_have_them(copy: Path) -> None:
    (copy / "kinds" / "slow.py").write_text('"""Slow."""\nimport time\ntime.sleep(0.2)\n')
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(own_words, [copy] * 4))
    assert {id(words) for words in found} == {id(found[0])}
    assert sum(len(words) for words in found[0].of.values()) == 3


def test_files_of_a_folder_of_words_may_import_each_other(copy: Path) -> None:
    (copy / "kinds" / "shared.py").write_text('"""Shared."""\nMOST = 3\n')
    edited(copy, "kinds/labels.py", "from grader.model import", "from .shared import MOST\nfrom grader.model import")
    edited(copy, "kinds/labels.py", "classes: int = 3", "classes: int = MOST")
    assert load_course(copy).exercises["vote"].inputs


# ---------------------------------------------------------------- schemas and lists of words


def test_schemas_know_the_words_of_a_course(work: Path) -> None:
    plain, own = schemas(), grader("author", "schema", "--course", KNN)
    assert own.exit_code == 0, own.output
    made = json.loads(own.output)
    assert "labels" not in plain["exercise.schema.json"].replace("class labels", "")
    assert any("labels" in one["properties"] for one in made["exercise.schema.json"]["$defs"]["inputs"]["anyOf"])
    assert {"const": "known_labels"}.items() <= {
        k: v for one in made["exercise.schema.json"]["$defs"]["checks"]["anyOf"] if one.get("const") == "known_labels"
        for k, v in one.items()
    }.items()  # fmt: skip
    kinds = [one["properties"]["kind"] for one in made["quiz.schema.json"]["$defs"]["questions"]["anyOf"]]
    assert {"const": "one_word"} in kinds
    assert grader("author", "schema", "--out", "s").exit_code == 0  # GRADER_COURSE names it as well
    assert "one_word" in (work / "s" / "quiz.schema.json").read_text()


def test_words_of_a_course_are_listed(work: Path) -> None:
    listed = grader("author", "words", "--course", KNN).output
    assert "| `labels` | `classes: 3` | An int64 array of class labels" in listed
    assert "| `one_word` |" in listed
    os.environ.pop("GRADER_COURSE")
    assert "one_word" not in grader("author", "words", "questions").output


def test_every_word_of_the_course_is_used_by_a_file_of_it(knn: Course) -> None:
    assert load_course_mistakes(KNN).keys() == {m for e in knn.exercises.values() for g in e.catches for m in g}


# ---------------------------------------------------------------- a release


def test_a_release_for_learners_works_without_the_reference(work: Path) -> None:
    released = grader("course", "release", "out", "--for", "learner", "--course", KNN)
    assert released.exit_code == 0, released.output
    with zipfile.ZipFile(next((work / "out" / "wheels").glob("*.whl"))) as wheel:
        names = [name for name in wheel.namelist() if name.startswith("grader/_course/")]
        wheel.extractall(work / "wheel", names)
    assert not [name for name in names if "reference_impl" in name and name.endswith(".py")]
    copy = work / "wheel" / "grader" / "_course"
    (work / "mine").mkdir()
    put(work / "mine", vote="def vote(neighbours, labels):\n    return labels[neighbours][:, 0]\n")
    (work / "mine" / "neighbours.yaml").write_text("answers: {by_hand: 25, name: Tie, even_number: false}\n")
    result = grader("check", "mine", "--course", copy, "--report", "json")
    report = json.loads(result.stdout)
    scores = {each["slug"]: each["score"] / each["max_score"] for each in report["results"]}
    assert scores == {"squared_distances": 1, "nearest_points": 1, "vote": 0, "neighbours": 1}
    named = [m for each in report["results"] for found in each["diagnoses"] for m in found["mistakes"]]
    assert named == ["nearest_alone"]


@pytest.mark.slow
def test_a_graded_quiz_with_words_of_its_own_leaves_its_keys_behind(work: Path, copy: Path) -> None:
    quiz = copy / "quizzes" / "01_neighbours.yaml"
    quiz.write_text("graded: true\n" + quiz.read_text())
    released = grader("course", "release", "out", "--for", "learner", "--course", copy)
    assert released.exit_code == 0, released.output
    with zipfile.ZipFile(next((work / "out" / "wheels").glob("*.whl"))) as wheel:
        kept = wheel.read("grader/_course/quizzes/01_neighbours.yaml").decode()
    question = yaml.safe_load(kept)["questions"][1]
    assert question["kind"] == "one_word"
    assert not {"key", "feedback", "explanation"}.intersection(question)
