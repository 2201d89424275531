"""A class of any size for ten exercises of the built-in course, made of the samples: 60 % right, 30 % wrong, 10 % broken."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

SAMPLES = Path(__file__).parent / "submissions"
EXERCISES = (
    "similarity_scores",
    "scale_scores",
    "softmax_rows",
    "scaled_dot_product",
    "causal_mask",
    "masked_softmax",
    "attention",
    "split_heads",
    "layer_norm",
    "sinusoidal_encoding",
)
SORTS = ("right", "wrong", "right", "right", "wrong", "right", "broken", "right", "wrong", "right")


@cache
def texts(sort: str, slug: str) -> tuple[str, ...]:
    """Return the samples of a sort for an exercise."""
    if sort != "broken":
        return tuple(path.read_text(encoding="utf-8") for path in sorted((SAMPLES / sort / slug).glob("*.py")))
    return (
        f"def {slug}(x:\n    return x\n",
        f"import nowhere\n\n\ndef {slug}(*given):\n    return given\n",
        f"def {slug}(*given):\n    raise NotImplementedError\n",
        f"def {slug}x(*given):\n    return given\n",
        f"def {slug}(*given):\n    return None\n",
    )


def answers(learner: int) -> Iterator[tuple[str, str]]:
    """Yield slug and file of each answer of a learner; no two learners have the same file."""
    for number, slug in enumerate(EXERCISES):
        chosen = texts(SORTS[(learner + 3 * number) % len(SORTS)], slug)
        yield slug, f"{chosen[(7 * learner + number) % len(chosen)].rstrip()}\n# {learner}\n"


def write_class(root: Path, learners: int) -> Path:
    """Write one folder a learner and return the folder of all."""
    for learner in range(learners):
        folder = root / f"learner{learner:04}"
        folder.mkdir(parents=True)
        for slug, text in answers(learner):
            (folder / f"{slug}.py").write_text(text, encoding="utf-8")
    return root


def shares(learners: int) -> dict[str, float]:
    """Return the share of each sort in a class."""
    counted = [
        SORTS[(learner + 3 * number) % len(SORTS)] for learner in range(learners) for number in range(len(EXERCISES))
    ]
    return {sort: counted.count(sort) / len(counted) for sort in dict.fromkeys(SORTS)}
