"""`grader author new`: what it writes verifies as it is, in any course, and nothing is overwritten."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import cli
from grader.course.folder import load_course
from grader.stages.released import INDEX, Frozen

Run = Callable[..., Result]
Edit = Callable[[str, str, str], None]


def files(root: Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc"
    }


def test_a_course_an_exercise_and_a_quiz_verify_as_they_are(
    course: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.author.verify.SEEDS", 200)  # as it is outside of tests
    shown = run("verify").stdout
    assert "✓ catches and names twice_the_sum_not_doubled" in shown
    assert "✓ twice_the_sum  5 proven" in shown
    assert "✓ warm_up        2 proven" in shown
    assert "7 proofs hold, 0 do not." in shown
    loaded = load_course(course)
    assert loaded.exercises["twice_the_sum"].title == {"en": "Twice the sum", "zh": "和的两倍"}
    assert loaded.exercises["twice_the_sum"].module == "First steps"
    assert loaded.quizzes["warm_up"].questions[0].practises == "twice_the_sum"


def test_what_was_made_needs_no_mending(run: Run) -> None:
    assert "Nothing to mend" in run("doctor").stdout


def test_a_new_course_holds_nothing_and_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(cli, ("author", "new", "course", "mine"))
    assert made.exit_code == 0, made.output
    assert "Next, in mine: grader author new exercise SLUG" in made.stdout
    proven = CliRunner().invoke(cli, ("author", "verify", "--course", "mine"))
    assert (proven.exit_code, proven.stdout) == (
        0,
        "The course has nothing to prove yet. A first exercise: grader author new exercise SLUG\n",
    )
    assert load_course(tmp_path / "mine").title == {"en": "Mine", "zh": "（待译）Mine"}


def test_a_quiz_in_a_course_without_exercises_verifies_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (("new", "course", "q"), ("new", "quiz", "alone", "--course", "q"), ("verify", "--course", "q")):
        done = CliRunner().invoke(cli, ("author", *arguments))
        assert done.exit_code == 0, done.output
    assert "✓ every question has a hint and an explanation\n" in done.stdout


def test_the_arrays_of_a_course_may_be_those_of_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADER_COURSE", "plain")
    for arguments in (
        ("new", "course", "plain", "--arrays", "numpy"),
        ("new", "exercise", "doubled", "--signature", "doubled(a)"),
        ("verify", "doubled", "--all"),
    ):
        done = CliRunner().invoke(cli, ("author", *arguments))
        assert done.exit_code == 0, done.output
    assert "torch" not in (tmp_path / "plain/reference_impl/exercise_doubled.py").read_text(encoding="utf-8")
    assert load_course(tmp_path / "plain").exercises["doubled"].arrays == "numpy"


def test_the_next_number_is_taken_and_the_module_is_the_one_named(course: Path, run: Run, edit: Edit) -> None:
    edit("course.yaml", "preload:", "  - title: {en: Later, zh: 之后}\npreload:")
    shown = run("new", "exercise", "more", "--module", "first steps", code=2).stderr
    assert "Did you mean 'First steps'?" in shown
    run("new", "exercise", "more", "--module", "First steps")
    run("new", "exercise", "last")
    run("new", "exercise", "far", "--number", "120", "--module", "之后")
    names = sorted(path.name for path in (course / "exercises").iterdir())
    assert names == ["01_twice_the_sum.yaml", "02_more.yaml", "03_last.yaml", "120_far.yaml"]
    loaded = load_course(course)
    assert [module.exercises for module in loaded.modules] == [("twice_the_sum", "more"), ("last", "far")]
    assert loaded.exercises["last"].title["en"] == "Last"


SAID = {
    "one(x, eps=1e-5)": [
        "Write one(x, eps=1e-5): return twice x.",
        "- x: a float tensor of shape (B, T, D)\n",
        "By hand: x = [1, 0] gives [2, 0].",
        "返回 x 的两倍。",
        "- x：形状为 (B, T, D) 的浮点张量",
        "\n  # eps: {value: 1e-5}\n",
        "x was not doubled.",
        "应有值的一半：x 没有乘以 2。",
        '"""Return twice x, (…, T, D); say',
    ],
    "two(x, y, m=None, mode='pre', causal=False, at=(1, 2), far=1e400, odd={1})": [
        "return twice the sum of x, y.",
        "- x, y: float tensors of one shape (B, T, D)\n",
        "By hand: x = [1, 0] and y = [2, 0] give [6, 0].",
        "返回 x、y 之和的两倍。",
        "- x、y：形状同为 (B, T, D) 的浮点张量",
        '# m: {normal: [B, T, D]}\n  # mode: {value: "pre"}\n  # causal: {value: false}\n',
        "# at: {value: [1, 2]}\n  # far: {normal: [B, T, D]}\n",
        "# odd: {normal: [B, T, D]}",
        "the sum was not doubled.",
        "求和之后没有乘以 2。",
        '"""Return twice the sum of x, y, (…, T, D) each; say',
    ],
}


@pytest.mark.parametrize("signature", SAID)
def test_a_new_exercise_reads_right_for_one_argument_and_for_several(course: Path, run: Run, signature: str) -> None:
    slug = signature.split("(")[0]
    run("new", "exercise", slug, "--signature", signature)
    made = (f"exercises/02_{slug}.yaml", f"reference_impl/exercise_{slug}.py", "reference_impl/mistakes.yaml")
    text = "".join((course / name).read_text(encoding="utf-8") for name in made)
    for said in SAID[signature]:
        assert said in text, f"{said}\n{text}"
    made_exercise = course / made[0]
    drawn = re.sub(r"(?m)^  # (\w+: \{value.*)", r"  \1", made_exercise.read_text(encoding="utf-8"))
    made_exercise.write_text(drawn, encoding="utf-8")  # what the remarks offer can stand there
    assert "5 proofs hold, 0 do not." in run("verify", slug).stdout


def test_two_new_exercises_stand_beside_each_other(course: Path, run: Run) -> None:
    run("new", "exercise", "twin")
    assert "5 proofs hold, 0 do not." in run("verify", "twin").stdout
    codes = load_course(course) and (course / "reference_impl/mistakes.yaml").read_text(encoding="utf-8")
    assert "codes: [TTS1]" in codes and "codes: [T1]" in codes


def test_an_existing_function_is_tried_and_used(course: Path, run: Run) -> None:
    run("new", "exercise", "again", "--reference", "twice_the_sum", "--signature", "again(x, y)")
    assert not (course / "reference_impl/exercise_again.py").exists()
    assert "`catches` could have these too: twice_the_sum_not_doubled" in run("verify", "again").stdout


def test_an_existing_function_that_wants_more_than_arrays_is_no_start(course: Path, run: Run, edit: Edit) -> None:
    edit("reference_impl/exercise_twice_the_sum.py", "    return x + y", "    return x + y.shape")
    before = files(course)
    told = run("new", "exercise", "again", "--reference", "twice_the_sum", code=2).stderr
    assert "does not take arrays of one shape (B, T, D) alone (TypeError" in told
    assert "Copy an exercise that uses it" in told
    assert files(course) == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("exercise", "twice_the_sum"), "The course has a twice_the_sum already. Choose another slug."),
        (("quiz", "twice_the_sum"), "The course has a twice_the_sum already. Choose another slug."),
        (("exercise", "Bad-Name"), "'Bad-Name' is no slug"),
        (("exercise", "more", "--number", "1"), "The number 1 is taken by 01_twice_the_sum.yaml."),
        (("exercise", "more", "--module", "9"), "There is no '9'. There are: First steps."),
        (
            ("exercise", "more", "--signature", "Other(x)"),
            "got the function `Other`, expected `more`. (A module is written by hand: the keys of schemas/exercise.schema.json",
        ),
        (("exercise", "more", "--signature", "more(x"), "this is no signature"),
        (("exercise", "more", "--signature", "more()"), "A function without a required argument has nothing"),
        (("course", "."), "is there already, and nothing is overwritten."),
    ],
)
def test_what_cannot_be_begun_is_said_and_nothing_is_written(course: Path, run: Run, arguments, told: str) -> None:
    before = files(course)
    assert told in run("new", *arguments, code=2).stderr
    assert files(course) == before


def test_a_file_that_lies_there_already_is_kept(course: Path, run: Run) -> None:
    stray = course / "reference_impl/exercise_more.py"
    stray.write_text("FUNCTIONS = {}\n")
    before = files(course)
    assert "exercise_more.py is there already" in run("new", "exercise", "more", code=2).stderr
    assert files(course) == before


def test_outside_of_a_course_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ("author", "new", "exercise", "more"))
    assert done.exit_code == 2
    assert "grader author new course DIR" in done.stderr


def test_a_copy_without_a_reference_cannot_be_added_to(course: Path, run: Run) -> None:
    (course / "reference_impl/__init__.py").unlink()
    told = run("new", "quiz", "more", code=2).stderr
    assert "has no reference_impl/__init__.py, where the answers lie. `grader author new course DIR` begins" in told


@pytest.mark.parametrize(
    "words",
    [
        ("verify",),
        ("mutate",),
        ("mutate", "twice_the_sum"),
        ("preview", "twice_the_sum"),
        ("freeze", "quizzes/01_warm_up.yaml"),
        ("doctor",),
        ("mistakes",),
        ("new", "quiz", "more"),
    ],
)
def test_a_learners_copy_is_called_what_it_is_by_every_command_for_authors(course: Path, run: Run, words) -> None:
    index = course / INDEX
    index.parent.mkdir()
    index.write_text(Frozen(0, {}, {}).text(), encoding="utf-8")
    before = files(course)
    refused = run(*words, code=2)
    assert "is a learner's copy of the course: it has no answers. Use the judge's." in refused.stderr
    assert (refused.stdout, files(course)) == ("", before)


def test_a_course_file_that_cannot_be_added_to_is_left_as_it_is(
    course: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import grader.author.new as module
    from grader.author.new_listing import NotListed

    def never(*_: object) -> str:
        raise NotListed

    monkeypatch.setattr(module, "with_entry", never)
    assert "Add more to the quizzes of a module by hand." in run("new", "quiz", "more", code=2).stderr


def test_where_nothing_can_be_written_it_is_said(course: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import grader.cli.author.new as module

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(module, "write", full)
    assert "cannot be written: No space left on device." in run("new", "quiz", "more", code=2).stderr


def test_in_a_terminal_it_asks_for_what_is_not_given(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grader.cli.author.new as module

    monkeypatch.setattr(module, "interactive", lambda: True)
    typed = "Layer norm\n层归一化\nnormed(x, eps=1e-5)\n1\n"
    done = CliRunner().invoke(cli, ("author", "new", "exercise", "normed"), input=typed)
    assert done.exit_code == 0, done.output
    assert "1 First steps" in done.stdout
    made = load_course(course).exercises["normed"]
    assert made.title == {"en": "Layer norm", "zh": "层归一化"}
    assert str(made.signature) == "normed(x, eps=1e-5)"


def test_it_speaks_chinese(run: Run) -> None:
    assert "已写入" in run("new", "quiz", "more", "--lang", "zh").stdout
