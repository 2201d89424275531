"""In the child: arguments of a call to values, a class to a loaded module, a module to what it is made of. Claims, all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from arguments import Arguments  # type: ignore[import-not-found]
from binding import binding  # type: ignore[import-not-found]
from encode import Tree, tensor_bytes  # type: ignore[import-not-found]
from faults import SHOWN_NAME, SHOWN_TEXT, fault, shown, theirs  # type: ignore[import-not-found]

MOST_NAMES, MOST_NODES, MOST_DEPTH, SHOWN_NAMES = 200, 4096, 12, 8
PARTS = ("_parameters", "_buffers", "_modules")
NOTHING = "(none)"


class Refused(Exception):
    """A call that cannot be made; `fault` says why. Raised here alone, outside of the learner's code."""

    def __init__(self, kind: str, **more: Any):
        super().__init__(kind)
        self.fault: dict[str, Any] = fault(kind, **more)


def bound(
    function: Callable[..., Any], ours: list[str], values: Mapping[str, Any], where: str = "", arrays: bool = False
) -> Callable[[], Any]:
    """Return the call of `function` with our values, by the rules of `binding`; of a module, `where` is the method that tells them.

    With `arrays`, tensors are handed over as numpy arrays of the same memory: what the function changes in them is seen.
    """
    if arrays:
        values = {name: v.numpy() if type(v) is torch.Tensor else v for name, v in values.items()}
    way = binding(theirs(getattr, function, where) if where else function, ours, values)
    if isinstance(way, str):
        raise Refused("signature", got=way, type=where)
    positional = [values[name] for name in way[0]]
    named = {key: values[name] for key, name in way[1].items()}
    return lambda: theirs(function, *positional, **named)


# ---------------------------------------------------------------- arguments


class Kept:
    """Results that later calls take as arguments, by the number of their call: copies go in, and copies come out."""

    def __init__(self, device: str):
        self.device = device
        self.results: dict[int, tuple[list[Any], list[torch.Tensor]]] = {}

    def put(self, number: int, tree: Tree) -> None:
        self.results[number] = (tree.root, [tensor.clone() for tensor in tree.tensors])

    def value(self, name: str, number: int, place: int | None) -> Any:
        """The result of call `number` (item `place` of it) for the argument `name`."""
        root, tensors = self.results.get(number, (["n"], []))
        if place is not None:
            items = root[1] if root[0] in "TL" else []
            root = items[place] if place < len(items) else ["n"]
        if root[0] != "t":  # there was no result, or one that is of no use here
            raise Refused("earlier", type=name, bases=["earlier"])
        return tensors[root[1]].clone().to(self.device)


def given(pairs: list[list[Any]], arguments: Arguments, kept: Kept) -> dict[str, Any]:
    """The arguments of a call, new ones each time."""
    return {name: kept.value(name, *node[1:]) if node[0] == "r" else arguments.value(node) for name, node in pairs}


def changed(now: Any, node: list[Any], arguments: Arguments, kept: Kept) -> bool:
    """Whether an argument differs, bit for bit, from what was sent."""
    if node[0] == "t" and type(now) is torch.Tensor and now.device.type == "cpu":
        sent = arguments.sent(node[1])
        if now.dtype == sent.dtype and now.shape == sent.shape and torch.equal(now, sent):
            return False  # which NaN never is: then the bits decide
    got = Tree(now, 1 << 40)
    if node[0] == "t":
        root, tensors = ["t", 0, str(torch.device(arguments.device))], [arguments.sent(node[1])]
    else:
        before = Tree(kept.value("", *node[1:]) if node[0] == "r" else arguments.value(node), 1 << 40)
        root, tensors = before.root, before.tensors
    if got.root[:2] != root[:2] or len(got.tensors) != len(tensors):
        return True
    return any(
        x.dtype != y.dtype or x.shape != y.shape or not torch.equal(tensor_bytes(x), tensor_bytes(y))
        for x, y in zip(got.tensors, tensors, strict=True)
    )


# ---------------------------------------------------------------- the module


def build(target: Callable[..., Any], job: Mapping[str, Any], made: Mapping[str, Any], arguments: Arguments) -> Any:
    """Return what the learner's class gives for the named arguments of a call."""
    values = {name: arguments.value(node) for name, node in made["arguments"]}
    module = bound(target, job["parameters"], values)()
    if not issubclass(type(module), torch.nn.Module):
        raise Refused("not_module", type=shown(type(module).__name__, SHOWN_NAME))
    return module


def load(module: Any, job: Mapping[str, Any], made: Mapping[str, Any], arguments: Arguments) -> Any:
    """Convert a module, load the promised parameters into it (nothing else) and put it into its mode."""
    theirs(module.to, device=job["device"], dtype=getattr(torch, made["dtype"]))
    have = theirs(module.state_dict)
    wanted = {name: arguments.value(node) for name, node in made["state"]}
    for name, tensor in wanted.items():
        found = have.get(name)
        if found is None or tuple(found.shape) != tuple(tensor.shape):
            got = "" if found is None else str(tuple(found.shape))
            near = [short(key) for key in list(have)[:MOST_NAMES]]
            raise Refused("state", type=name, bases=["state"], got=got, near=near, text=theirs(unregistered, module))
    theirs(module.load_state_dict, wanted, strict=False)
    theirs(module.train, made["mode"] == "train")
    return module


# ---------------------------------------------------------------- how it is made


def facts(make: Callable[[], Any]) -> dict[str, Any]:
    """What a module consists of, what stays behind when another one moves to `meta`, and what `.half()` does to its buffers."""
    module, moved, halved = make(), make().to("meta"), make().half()
    parameters = [[short(key), list(value.shape)] for key, value in module.named_parameters()]
    left = [short(key) for key, value in tensors_of(moved) if value.device.type != "meta"]
    return {
        "parameters": parameters[:MOST_NAMES],
        "buffers": buffers(module),
        "left_behind": left[:MOST_NAMES],
        "halved": buffers(halved),
    }


def short(key: str) -> str:
    return str(shown(key, SHOWN_NAME))


def unregistered(module: Any) -> str:
    """Tensors that hang on a module where it does not look for parameters and buffers, such as in a list; NOTHING for no tensor at all."""
    known = {key for key, _ in (*module.named_parameters(), *module.named_buffers())}
    found = [short(key) for key, _ in tensors_of(module) if key not in known]
    return ", ".join(found[:SHOWN_NAMES])[:SHOWN_TEXT] if found or known else NOTHING


def buffers(module: Any) -> list[list[str]]:
    found = [[short(key), str(value.dtype).removeprefix("torch.")] for key, value in module.named_buffers()]
    return found[:MOST_NAMES]


def tensors_of(module: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor that hangs on a module by its path: parameters, buffers and plain attributes, in lists and dicts too."""
    seen: set[int] = set()
    left = [("", module, 0)]
    while left and len(seen) < MOST_NODES:
        path, value, depth = left.pop(0)
        if id(value) in seen or depth > MOST_DEPTH:
            continue
        seen.add(id(value))
        if issubclass(type(value), torch.Tensor):
            yield path, value
        else:
            left += [(f"{path}.{key}".lstrip("."), inner, depth + 1) for key, inner in inside(value)]


def inside(value: Any) -> Iterator[tuple[str, Any]]:
    """What a module, a list, a tuple or a dict holds, by name or number."""
    if issubclass(type(value), torch.nn.Module):
        for key, inner in list(vars(value).items()):
            yield from inner.items() if key in PARTS else [(key, inner)]
    elif issubclass(type(value), dict):
        yield from ((str(key), inner) for key, inner in list(dict.items(value)))
    elif issubclass(type(value), (list, tuple)):
        yield from ((str(place), inner) for place, inner in enumerate(list(value)))
