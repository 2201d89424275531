# attack: odd_containers
# goal: containers that contain themselves, millions of things, or code
# want: fail
# control: yes

class List(list):
    def __len__(self): return 1
    def __iter__(self): raise SystemExit
    def __getitem__(self, place): raise SystemExit

class Dict(dict):
    def __len__(self): return 0
    def __iter__(self): raise SystemExit
    def items(self): raise SystemExit

class Key(str):
    def __eq__(self, other): raise SystemExit
    def __hash__(self): return 1

def attention(query, key, value, mask=None):
    calls.append(1)
    own = []
    own.extend([own] * 3000)
    deep = ()
    for _ in range(100_000): deep = (deep,)
    return [own, deep, [0] * 5_000_000, List([1, 2]), Dict(a=1), {Key("k"): 1}, [[0.0] * 100] * 100, {str(i): i for i in range(10_000)}][
        len(calls) - 1]

calls = []
