# attack: hostile_exception
# goal: an exception whose class, text, lines and causes run code or go round in circles
# want: fail
# control: yes
# ends: errored

class Meta(type):
    @property
    def __name__(cls): raise SystemExit
    @property
    def __mro__(cls): raise SystemExit
    def __instancecheck__(cls, other): raise SystemExit

class Text(str):
    def __getitem__(self, place): raise SystemExit
    def __len__(self): return -1
    def encode(self, *a): raise SystemExit

class Odd(Exception, metaclass=Meta):
    @property
    def __class__(self): raise SystemExit
    @property
    def __traceback__(self): return self
    tb_next = property(lambda self: self)
    @property
    def __cause__(self): return self
    def __str__(self): return Text("x" * 5000)

def attention(query, key, value, mask=None):
    raise Odd
