"""The shape of the package, read off its sources: who imports whom, who prints, who opens the reference, what is too long."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "grader"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_course" not in path.parts)


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


# A part may import parts of its own rank or below.
RANK = {
    "model": 0,
    "locale": 1,
    "kinds": 2,
    "stages": 3,
    "grade": 4,
    "author": 5,
    "course": 5,
    "cli": 6,
    "interactive": 6,
    "__main__": 6,
}

# What runs in the learner's process: it is started from its file alone, so it can import nothing of ours.
CHILD = {name(path) for path in MODULES if "child" in path.parts or path.stem == "child"}

# The one door to the reference's code, and who may name its folder otherwise: to refuse it to learners.
DOOR = {"stages/expect.py"}
NAMES_THE_FOLDER = {*DOOR, "stages/sandbox/modules.py"}

LONGEST = 250
LONGER = {"model.py": 700}  # all nouns on one page: it is read from top to bottom, and has no logic
LONGEST_FUNCTION = 40


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else "model"  # `grader` itself holds the version


def imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    for each in ast.walk(node):
        if isinstance(each, ast.Import):
            yield from ((each.lineno, alias.name) for alias in each.names)
        elif isinstance(each, ast.ImportFrom):
            assert each.level == 0, f"line {each.lineno}: a relative import"
            module = each.module or ""
            yield from ((each.lineno, f"grader.{alias.name}" if module == "grader" else module) for alias in each.names)


every_module = pytest.mark.parametrize("path", MODULES, ids=name)


@every_module
def test_import_arrows_point_one_way(path: Path) -> None:
    own = RANK[path.relative_to(PACKAGE).parts[0].removesuffix(".py").replace("__init__", "model")]
    ours = [(line, module) for line, module in imports(tree(path)) if module.split(".")[0] == "grader"]
    ours = [(line, module) for line, module in ours if module != "grader.__version__"]
    assert not [(line, module) for line, module in ours if RANK[part(module)] > own]


@pytest.mark.parametrize("path", [PACKAGE / child for child in sorted(CHILD)], ids=name)
def test_what_runs_in_the_child_imports_nothing_of_ours(path: Path) -> None:
    assert not [module for _, module in imports(tree(path)) if module.split(".")[0] == "grader"]


def test_there_is_code_that_runs_in_the_child() -> None:
    assert CHILD


def prints(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in {"print", "exit", "quit", "SystemExit"}
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
        return node.attr in {"stdout", "stderr", "exit"}
    return isinstance(node, (ast.Import, ast.ImportFrom)) and any(m.split(".")[0] == "click" for _, m in imports(node))


@every_module
def test_only_the_command_line_prints_and_exits(path: Path) -> None:
    if name(path).split("/")[0] in {"cli", "__main__.py"} or name(path) in CHILD:
        return
    assert not [f"line {node.lineno}" for node in ast.walk(tree(path)) if prints(node)]  # type: ignore[attr-defined]


def docstrings(node: ast.Module) -> set[int]:
    owners = (
        n for n in ast.walk(node) if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    )
    return {id(o.body[0].value) for o in owners if o.body and isinstance(o.body[0], ast.Expr)}


@every_module
def test_only_the_expect_stage_opens_the_reference(path: Path) -> None:
    parsed = tree(path)
    assert not [module for _, module in imports(parsed) if module.split(".")[0] == "reference_impl"]
    said = docstrings(parsed)
    strings = [
        n for n in ast.walk(parsed) if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in said
    ]
    assert name(path) in NAMES_THE_FOLDER or not [n.lineno for n in strings if n.value == "reference_impl"]  # type: ignore[comparison-overlap]
    loads = [
        n.lineno for n in ast.walk(parsed) if isinstance(n, ast.Attribute) and n.attr in {"exec_module", "run_path"}
    ]
    assert name(path) in DOOR | CHILD or not loads


@every_module
def test_nothing_gets_too_long(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGER.get(name(path), LONGEST)
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lengths = {f.name: (f.end_lineno or 0) - f.lineno + 1 for f in functions}
    assert not {function: lines for function, lines in lengths.items() if lines > LONGEST_FUNCTION}


def explained(node: ast.stmt) -> bool:
    """Whether a function or class says what it is for; a command says it in the help of its decorator."""
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    told = any(isinstance(d, ast.Call) and any(k.arg == "help" for k in d.keywords) for d in node.decorator_list)
    return told or ast.get_docstring(node) is not None


@every_module
def test_every_module_and_public_name_is_explained(path: Path) -> None:
    parsed = tree(path)
    empty = path.name == "__init__.py" and not parsed.body
    assert empty or ast.get_docstring(parsed)
    if name(path) in CHILD:
        return  # nobody imports it, so nothing in it is public
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    public = [node for node in parsed.body if isinstance(node, kinds) and not node.name.startswith("_")]
    assert not [node.name for node in public if not explained(node)]


@every_module
def test_no_module_is_a_catch_all(path: Path) -> None:
    assert path.stem not in {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base"}


# ---------------------------------------------------------------- what a command imports

HEAVY = ("torch", "numpy", "pydantic", "jinja2")
REPORT = "import atexit, sys; atexit.register(lambda: print('LOADED', *sorted(sys.modules), file=sys.stderr)); "
RUN = REPORT + "sys.argv = ['grader', *sys.argv[1:]]; from grader.cli import main; main()"


def loaded(arguments: list[str], folder: Path) -> set[str]:
    command = [sys.executable, "-c", RUN, *arguments]
    ran = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return set(ran.stderr.rpartition("LOADED")[2].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["no-such-command"]], ids=" ".join)
def test_help_needs_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    modules = loaded(arguments, tmp_path)
    assert "grader.cli" in modules
    assert modules.isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "attention"],
        ["hint", "attention"],
        ["start", "."],
        ["author", "schema"],
        ["quiz", "--help"],
        ["check", "--help"],
        ["check", "no_such_file.py"],
    ],
    ids=" ".join,
)
def test_a_command_that_runs_no_code_needs_no_torch(arguments: list[str], tmp_path: Path) -> None:
    modules = loaded(arguments, tmp_path)
    assert "grader.cli" in modules
    assert "torch" not in modules
