# attack: signal_in_the_middle
# goal: a signal handler that raises while the grader works
# want: fail
# control: yes

import os, signal

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGUSR1)

def handler(number, frame):
    raise KeyError("repeat")

signal.signal(signal.SIGUSR1, handler)

def attention(query, key, value, mask=None):
    return (value * 0, Late())
