"""Input kinds: how one argument of the learner's function is drawn from the sizes of a case.

To add a kind, add one class to a file of this folder: its field named like the word holds the main value, further fields
are options.
"""

from grader.kinds.inputs import masks, plain, tensors
from grader.kinds.inputs.drawing import INPUTS, Axes, InputKind, input_kind
from grader.kinds.inputs.masks import BoolMask
from grader.kinds.inputs.plain import EarlierResult, Size
from grader.kinds.inputs.tensors import Normal

__all__ = [
    "INPUTS",
    "Axes",
    "BoolMask",
    "EarlierResult",
    "InputKind",
    "Normal",
    "Size",
    "input_kind",
    "masks",
    "plain",
    "tensors",
]
