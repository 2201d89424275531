# attack: generator_close
# goal: objects that act when they are thrown away, in the middle of the grader's work
# want: fail
# control: yes

import gc

class Bomb:
    def __del__(self):
        raise SystemExit
    def __eq__(self, other):
        raise SystemExit

def callback(phase, info):
    raise SystemExit

gc.callbacks.append(callback)
gc.set_threshold(1, 1, 1)

def attention(query, key, value, mask=None):
    return (value * 0, Bomb(), {"a": Bomb()})
