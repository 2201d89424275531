# attack: odd_numbers
# goal: numbers that run code when they are turned into numbers, and numpy scalars of its own
# want: fail
# control: yes

import numpy as np

class Index:
    def __index__(self):
        while True: pass
    __int__ = __float__ = __len__ = __bool__ = __hash__ = __index__

class Int(int):
    def __index__(self): return 0
    def bit_length(self): raise SystemExit
    def __repr__(self): raise SystemExit

class Float(float):
    def hex(self): raise SystemExit

class Complex(complex):
    @property
    def real(self): raise SystemExit

class Text(str):
    def __str__(self): raise SystemExit
    def __len__(self): raise SystemExit

class Scalar(np.float32):
    def item(self): raise SystemExit

def attention(query, key, value, mask=None):
    return [Index(), Int(3), Float(0.5), Complex(1j), Text("a"), Scalar(1), 10 ** 100_000, -(1 << 300)]
