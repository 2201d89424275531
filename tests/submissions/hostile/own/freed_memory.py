# attack: freed_memory
# goal: a tensor over memory that was given back after it was made
# want: fail
# control: yes
# ends: crashed

import ctypes, mmap, torch

def attention(query, key, value, mask=None):
    page = mmap.mmap(-1, 1 << 14)
    tensor = torch.frombuffer(page, dtype=torch.float32, count=1024).view(2, 4, 16, 8)
    ctypes.CDLL(None).munmap(ctypes.c_void_p(tensor.data_ptr()), ctypes.c_size_t(1 << 14))
    return tensor
