# attack: half_texts
# goal: half surrogate pairs in what is printed, raised and returned
# want: fail
# control: yes

import sys

def attention(query, key, value, mask=None):
    print("\ud800", "\udcff\x00\x1b]0;x\x07")
    calls.append(1)
    if len(calls) % 2:
        raise ValueError("\ud800\x85\u202e" + "\U000e0001")
    return "\udfff"

calls = []
