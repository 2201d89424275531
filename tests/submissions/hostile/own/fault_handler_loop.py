# attack: fault_handler_loop
# goal: return from a segmentation fault into the same instruction, for ever
# want: any
# control: yes

import ctypes, signal
libc = ctypes.CDLL(None)
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda number: None)
libc.signal(signal.SIGSEGV, handler)
ctypes.string_at(8)
