"""What a wheel holds, what it leaves out, and that a command installed from it works from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COURSE = ("exercises", "quizzes", "reference_impl", "schemas")


def run(*command: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environ}
    return subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    built = run("-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT), cwd=out)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = out.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_installs_one_package_and_nothing_beside_it(names: list[str]) -> None:
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"grader"}


def test_the_course_travels_inside_the_package(names: list[str]) -> None:
    there = {str(path.relative_to(ROOT)) for folder in COURSE for path in (ROOT / folder).rglob("*") if path.is_file()}
    there = {name for name in there if "__pycache__" not in name}
    assert "exercises/17_attention.yaml" in there
    assert {name.removeprefix("grader/_course/") for name in names if "/_course/" in name} == {*there, "course.yaml"}


def test_templates_and_the_compiled_catalogue_are_in_the_wheel(names: list[str]) -> None:
    assert "grader/locale/zh/LC_MESSAGES/grader.mo" in names
    assert any(name.startswith("grader/templates/") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("grader/_course/tests")]


def test_the_command_is_named_and_the_licence_is_there(wheel: Path, names: list[str]) -> None:
    (entry,) = (name for name in names if name.endswith("entry_points.txt"))
    with zipfile.ZipFile(wheel) as archive:
        assert "grader = grader.cli:main" in archive.read(entry).decode()
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("installed")
    done = run("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(where), str(wheel), cwd=where)
    assert done.returncode == 0, done.stderr
    return where


def test_the_installed_command_finds_its_course_from_any_folder(installed: Path, tmp_path: Path) -> None:
    listed = run("-m", "grader", "list", cwd=tmp_path, PYTHONPATH=str(installed))
    assert listed.returncode == 0, listed.stderr
    assert "attention" in listed.stdout
    where = run("-c", "import grader; print(grader.__file__)", cwd=tmp_path, PYTHONPATH=str(installed))
    assert where.stdout.startswith(str(installed))


@pytest.mark.parametrize("module", ["reference_impl", "exercises", "quizzes"])
def test_neither_install_lets_the_reference_be_imported(installed: Path, tmp_path: Path, module: str) -> None:
    for path in ("", str(installed)):  # the editable install of the tests, and the wheel
        tried = run("-c", f"import {module}", cwd=tmp_path, PYTHONPATH=path)
        assert "ModuleNotFoundError" in tried.stderr
