"""Which modules learner code may import, and which of them a submission will ask for, read off its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_HARMLESS = """
__future__ abc argparse array base64 bisect builtins calendar cmath collections contextlib contextvars copy csv
dataclasses datetime decimal difflib doctest enum errno fractions functools gc hashlib heapq importlib inspect io
itertools json keyword linecache locale logging math numbers operator os pathlib pprint queue random re reprlib
secrets string statistics struct sys textwrap threading time timeit tokenize traceback types typing typing_extensions
unittest uuid warnings weakref zlib
"""
HARMLESS = tuple(_HARMLESS.split())
"""Standard modules that an exercise may be solved with. What they could do to a file or a socket, the lock forbids."""

ALWAYS = ("torch", "numpy", *HARMLESS)

# Imported before every lock: cheap, and honest code wants them late (from inside torch, or by attribute).
_READY = """
numpy.random numpy.linalg numpy.fft numpy.testing torch.nn.functional torch.autograd.functional torch.utils.checkpoint
torch.nn.attention torch.profiler._cupti_monitor concurrent.futures collections.abc importlib.util unittest.mock
encodings.idna encodings.ascii encodings.latin_1 encodings.utf_16 encodings.unicode_escape
"""
READY = tuple(_READY.split())

# Parts of torch that import a great deal when they are first used. Where a text names one, all that is imported before the lock.
LATE = re.compile(
    r"\b(?:torch\s{0,20}\.\s{0,20}(?:func|optim)|torch import (?:func|optim)|grad_outputs|optim\.[A-Z]\w{0,40})\b"
)
LATE_MODULE = "torch._dynamo"

# Every repetition is bounded or ends at the line, so that no text makes the judge search for long.
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<package>[\w.]+)[ \t]+import[ \t]*(?:\((?P<many>[^)]{0,1000})\)|(?P<names>[^\n;#]*))"
    r"|import[ \t]+(?P<modules>[^\n;#]+))",
    re.MULTILINE,
)
NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
MOST, LONGEST = 64, 100


# Parts of packages that are not there to be imported: they start something, or end the process.
NOT_MODULES = frozenset({"__main__", "test", "tests", "conftest"})


def allowed_tops(preload: Sequence[str]) -> tuple[str, ...]:
    """The top-level names that a learner's file may import."""
    return tuple(dict.fromkeys((*ALWAYS, *(name.partition(".")[0] for name in preload))))


def needed_preload(sources: Iterable[bytes | str], allowed: Sequence[str]) -> list[str]:
    """The modules that these sources will ask for, of those that `allowed` (course preload) and the standard list permit.

    By regular expression, never by parsing: the text may be hostile. `from a import b` names both `a` and `a.b`, for b may be a module.
    """
    tops = set(allowed_tops(allowed))
    found: dict[str, None] = {}
    for source in sources:
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        for name in _imported(text):
            if name.partition(".")[0] in tops and len(name) <= LONGEST and NOT_MODULES.isdisjoint(name.split(".")):
                found[name] = None
        if LATE.search(text):
            found[LATE_MODULE] = None
    return list(found)[:MOST]


def _imported(text: str) -> Iterable[str]:
    for match in IMPORT.finditer(text):
        if match["modules"] is not None:
            for part in match["modules"].split(","):
                yield from NAME.findall(part)[:1]
            continue
        package = match["package"].strip(".")
        if package and NAME.fullmatch(package):
            yield package
            for part in (match["many"] or match["names"] or "").split(","):
                name = NAME.match(part.strip())
                if name and "." not in name[0] and name[0][:1].islower():
                    yield f"{package}.{name[0]}"


def may_be_asked_for(module: str, preload: Sequence[str]) -> bool:
    """Whether a child may ask for `module` to be imported before the lock.

    Nothing of a course or of the grader; anything else that is installed holds no answers. The name is a claim of the child's.
    """
    top = module.partition(".")[0]
    return (
        bool(NAME.fullmatch(module))
        and len(module) <= LONGEST
        and NOT_MODULES.isdisjoint(module.split("."))
        and top not in ("grader", "reference_impl")
        and (top in allowed_tops(preload) or top in TORCH_USES)
    )


_TORCH_USES = """
sympy mpmath networkx jinja2 markupsafe fsspec filelock functorch torchgen opt_einsum ctypes multiprocessing tempfile
shutil subprocess platform pickle copyreg ast dis signal socket select selectors tarfile zipfile bz2 lzma glob fnmatch
getpass hmac http urllib email concurrent cProfile pstats sysconfig site atexit asyncio ssl xml html pkgutil gzip
configparser optparse gettext code codeop pdb cmd bdb stringprep graphlib ipaddress mmap fcntl pwd grp resource runpy
sched sets symtable token opcode quopri binascii unicodedata _strptime _pydecimal _pydatetime encodings zoneinfo
"""
TORCH_USES = frozenset(_TORCH_USES.split())
"""What torch and the standard library import late, on their own behalf."""
