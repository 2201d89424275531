# attack: constant_bomb
# goal: constants that the compiler would work out for a long time
# want: fail
# control: yes

def never():
    return ((((("a" * 4096 * 4096,) * 4096) * 4096,) * 4096) * 4096, (1 << (1 << 40)) if False else 0)

x = 9 ** 9 ** 7 if False else 0
y = (((((((((0,) * 100,) * 100,) * 100,) * 100,) * 100,) * 100,) * 100,) * 100,) * 100

def attention(query, key, value, mask=None):
    return value * 0
