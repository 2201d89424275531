# attack: own_importer
# goal: serve modules of its own for whatever is imported later
# want: fail
# control: yes

import sys, types

class Finder:
    def find_spec(self, name, path=None, target=None):
        import importlib.machinery
        return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec):
        return types.ModuleType(spec.name)
    def exec_module(self, module):
        module.__getattr__ = lambda name: (lambda *a, **k: True)

sys.meta_path.insert(0, Finder())
for name in ("json", "struct", "numpy", "torch.autograd", "encode", "channel", "learner"):
    sys.modules.pop(name, None)

def attention(query, key, value, mask=None):
    return value * 0
