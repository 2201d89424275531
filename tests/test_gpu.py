"""On a CUDA device: the same scores as on the CPU, and results on the device of the inputs. Skipped, with a reason, elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.course.folder import load_course, load_course_mistakes
from grader.grade import Settings, grade_exercise
from grader.model import Verdict
from grader.stages.intake import read_submission
from grader.stages.sandbox import open_sandbox

ROOT = Path(__file__).parent.parent
SAMPLES = Path(__file__).parent / "submissions"
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="not run: no CUDA device on this machine"),
]


def _graded(path: Path, device: str):
    course = load_course(ROOT)
    exercise = course.exercises[path.parent.name]
    settings = Settings(ROOT, load_course_mistakes(ROOT), device=device)
    with open_sandbox("best", preload=course.preload, device=device) as sandbox:
        return grade_exercise(exercise, read_submission(path, exercise.slug, path.name), settings, sandbox)


@pytest.mark.parametrize("name", ["textbook", "einsum", "built_in_and_weights_by_hand"])
def test_a_right_answer_gets_full_marks_on_the_device(name):
    result = _graded(SAMPLES / "right" / "attention" / f"{name}.py", "cuda")
    assert (result.verdict, result.score) == (Verdict.PASSED, result.max_score)


@pytest.mark.parametrize("name", ["unscaled", "mask_ignored", "softmax_over_queries"])
def test_a_mistake_gets_the_score_and_the_name_that_it_gets_on_the_cpu(name):
    path = SAMPLES / "wrong" / "attention" / f"{name}.py"
    on_cpu, on_gpu = _graded(path, "cpu"), _graded(path, "cuda")
    assert (on_gpu.score, on_gpu.diagnoses) == (on_cpu.score, on_cpu.diagnoses)


def test_a_mask_made_on_the_wrong_device_is_remarked(tmp_path):
    path = tmp_path / "causal_mask.py"
    path.write_text(
        "import torch\n\ndef causal_mask(n_q, n_k=None, device=None):\n"
        "    n_k = n_q if n_k is None else n_k\n"
        "    return torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)\n"
    )
    course = load_course(ROOT)
    settings = Settings(ROOT, load_course_mistakes(ROOT), device="cuda")
    with open_sandbox("best", preload=course.preload, device="cuda") as sandbox:
        exercise = course.exercises["causal_mask"]
        result = grade_exercise(exercise, read_submission(path, exercise.slug, path.name), settings, sandbox)
    assert any(o.check == "device" and o.verdict is Verdict.FAILED and o.remark for o in result.outcomes)
