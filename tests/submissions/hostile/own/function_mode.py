# attack: function_mode
# goal: a function mode that is never left answers for every torch function
# want: fail
# control: yes

import torch
from torch.overrides import TorchFunctionMode

class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if getattr(function, "__name__", "") in ("numel", "element_size", "dim"):
            return 1 << 60
        return function(*args, **(kwargs or {}))

mode = Mode()
mode.__enter__()

def attention(query, key, value, mask=None):
    return value * 0
