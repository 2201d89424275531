# attack: wild_pointer
# goal: a tensor over memory that is not there
# want: fail
# control: yes

import ctypes, torch

def attention(query, key, value, mask=None):
    hole = (ctypes.c_char * 4096).from_address(0x1000)
    return torch.frombuffer(hole, dtype=torch.float32).view(2, 4, 16, 8)
