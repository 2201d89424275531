# attack: subclass_lies
# goal: a tensor subclass that lies about its numbers, shape and dtype in every attribute
# want: fail
# control: yes

import torch

class Lie(torch.Tensor):
    @property
    def dtype(self): return torch.float32
    @property
    def shape(self): return torch.Size([2, 4, 16, 8])
    @property
    def layout(self): return torch.strided
    def numel(self): return 1024
    def dim(self): return 4
    def element_size(self): return 4
    def detach(self): return self
    def contiguous(self): return self
    def resolve_conj(self): return self
    def resolve_neg(self): return self
    def cpu(self): return self
    def reshape(self, *shape): return self
    def view(self, *shape): return self
    def __eq__(self, other): return True

def attention(query, key, value, mask=None):
    return torch.zeros(1).as_subclass(Lie)
