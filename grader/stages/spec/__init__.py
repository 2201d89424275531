"""The spec stage: files of a course or a learner in, frozen nouns out; every problem at once, at its place.

`read_yaml` knows syntax, `models` the form of each file, `words` the vocabulary, and `exercise`, `quiz`, `mistakes` and `answers` what
must fit together.
"""

from grader.stages.spec.answers import read_answers
from grader.stages.spec.exercise import load_exercise
from grader.stages.spec.mistakes import load_mistakes
from grader.stages.spec.quiz import load_quiz
from grader.stages.spec.reader import CAPS, Caps, read_yaml
from grader.stages.spec.source import Source

__all__ = ["CAPS", "Caps", "Source", "load_exercise", "load_mistakes", "load_quiz", "read_answers", "read_yaml"]
