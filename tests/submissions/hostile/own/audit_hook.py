# attack: audit_hook
# goal: an audit hook that raises at every step of the grader
# want: fail
# control: yes

import sys

def hook(event, arguments):
    if armed:
        raise KeyError("repeat")

armed = []

def attention(query, key, value, mask=None):
    if not armed:
        sys.addaudithook(hook)
        armed.append(1)
    return value * 0
