"""Class folders and zips: whose submission is what, and what no submission may do to the judge."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import pytest
from small_class import RIGHT_HALVE, RIGHT_MIX, SHEET, write_files, zipped

from grader.course.downloads import (
    Entry,
    Person,
    Roster,
    RosterError,
    Wanted,
    find_entries,
    find_strays,
    read_roster,
    sort_files,
)
from grader.course.downloads.members import MAX_FILES, MAX_TOTAL_BYTES
from grader.course.downloads.metadata import read_metadata
from grader.course.downloads.roster import iso_time
from grader.locale import say
from grader.model import Response, Submission
from grader.stages.intake import Refused

WANTED = Wanted({"halve": "halve", "mix": "mix"}, ("recall",))

METADATA = """\
---
submission_11:
  :submitters:
  - :name: Ann A
    :sid: a1
    :email: ann@example.org
  - &2
    :name: "*Ben: B"
    :sid: b2
  :created_at: 2026-03-01 18:30:00.123456789 -08:00
  :score: 3.0
  :results:
    :tests:
    - :name: submitters
      :output: ":sid: forged"
submission_12:
  :submitters:
  - :name: Cat C
    :sid: &1 c3
    :email: *1
  :created_at: 2026-03-02 10:00:00 Z
"""


def learners(root: Path, roster: Roster | None = None) -> dict[str, Entry]:
    return {entry.name: entry for entry in find_entries(root, roster)}


def refused(files: Entry) -> str:
    with pytest.raises(Refused) as caught:
        files.files()
    return say(caught.value.why, "en")


def raw_zip(*entries: tuple[str, bytes]) -> bytearray:
    return bytearray(zipped(dict(entries)))


# ---------------------------------------------------------------- names


def test_a_folder_a_program_and_a_zip_are_each_a_learner(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"ann/halve.py": RIGHT_HALVE, "ben.py": RIGHT_HALVE, "cat.zip": zipped({"halve.py": RIGHT_HALVE})}
    )
    write_files(tmp_path, {"README.md": "no submission", ".hidden/halve.py": RIGHT_HALVE})
    found = find_entries(tmp_path)
    assert [entry.learner for entry in found] == ["ann", "ben", "cat"]
    assert [list(entry.files()) for entry in found] == [["halve.py"], ["ben.py"], ["halve.py"]]


def test_the_same_learner_may_hand_in_more_than_once_with_times(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"ann@2026-03-02T1200Z/halve.py": "x", "ann@2026-03-01T1830+0100.py": "x", "ann/halve.py": "x"}
    )
    found = find_entries(tmp_path)
    assert {entry.learner for entry in found} == {"ann"}
    assert [entry.submitted_at for entry in found] == ["", "2026-03-01T18:30:00+01:00", "2026-03-02T12:00:00+00:00"]


def test_gradescope_says_who_handed_in_and_when_and_a_group_counts_for_each_member(tmp_path: Path) -> None:
    root = write_files(tmp_path / "assignment_9_export", {"submission_metadata.yml": METADATA})
    write_files(root, {"submission_11/halve.py": RIGHT_HALVE, "submission_12/halve.py": RIGHT_HALVE})
    for place in (root, root.parent):
        found = find_entries(place)
        assert [entry.learner for entry in found] == ["a1", "b2", "c3"]
        assert [entry.full_name for entry in found] == ["Ann A", "*Ben: B", "Cat C"]
        assert found[0].submitted_at == "2026-03-01T18:30:00.123456-08:00"
        assert found[2].email == "c3"  # a text that the file repeats by reference
        assert len({entry.name for entry in found}) == 3
        assert list(found[1].files()) == ["halve.py"]


def test_a_hostile_metadata_file_builds_nothing(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nsubmission_1:\n  :submitters:\n  - :sid: ok\nz: !!python/object/apply:os.system [ls]\n"
    assert read_metadata(bomb)["submission_1"].submitters == [{"sid": "ok"}]
    assert "submission_1" in read_metadata("submission_1:\n  :created_at: 2026-03-01 10:00:00 Z\nx: [")


def test_moodle_names_tell_the_participant_in_folders_and_in_files(tmp_path: Path) -> None:
    write_files(tmp_path, {"Ann Ä_123_assignsubmission_file_/halve.py": RIGHT_HALVE})
    write_files(
        tmp_path,
        {"Ben_45_assignsubmission_file_halve.py": RIGHT_HALVE, "Ben_45_assignsubmission_file_mix.py": RIGHT_MIX},
    )
    write_files(tmp_path, {"Cat_6_assignsubmission_file/work.zip": zipped({"a/mix.py": RIGHT_MIX})})
    found = {entry.learner: entry for entry in find_entries(tmp_path)}
    assert set(found) == {"123", "45", "6"}
    assert found["123"].full_name == "Ann Ä"
    assert sorted(found["45"].files()) == ["halve.py", "mix.py"]
    assert list(found["6"].files()) == ["work.zip/a/mix.py"]


def test_classroom_folders_lose_the_name_of_the_assignment(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "attention-submissions", {"attention-ann/halve.py": "x", "attention-ben-b/halve.py": "x"}
    )
    assert [entry.learner for entry in find_entries(root)] == ["ann", "ben-b"]
    write_files(root, {"other/halve.py": "x"})  # then it is no such folder
    assert [entry.learner for entry in find_entries(root)] == ["attention-ann", "attention-ben-b", "other"]


def test_canvas_files_of_one_learner_come_together(tmp_path: Path) -> None:
    write_files(tmp_path, {"aann_LATE_77_901_halve.py": RIGHT_HALVE, "aann_77_902_mix-1.py": RIGHT_MIX})
    (found,) = find_entries(tmp_path)
    assert found.learner == "77"
    assert sorted(found.files()) == ["halve.py", "mix-1.py"]


def test_a_zip_of_the_whole_class_is_read_without_unpacking(tmp_path: Path) -> None:
    files = {"export/submission_metadata.yml": METADATA, "export/submission_11/halve.py": RIGHT_HALVE,
             "export/submission_12/mix.py": RIGHT_MIX}  # fmt: skip
    (tmp_path / "class.zip").write_bytes(zipped(files))
    found = find_entries(tmp_path / "class.zip")
    assert [entry.learner for entry in found] == ["a1", "b2", "c3"]
    assert found[2].files() == {"mix.py": RIGHT_MIX.encode()}
    assert os.listdir(tmp_path) == ["class.zip"]
    (tmp_path / "flat.zip").write_bytes(zipped({"ann/halve.py": "x", "ben.py": "y", "../evil/halve.py": "z"}))
    flat = learners(tmp_path / "flat.zip")
    assert flat["ben.py"].files() == {"ben.py": b"y"}
    assert set(flat) == {"ann", "ben.py"}


def test_a_roster_finds_learners_by_every_name_that_only_one_has(tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "\ufefflearner;name;github_username;submitted_at\nid1;Ann;octo-ann;2026-03-01 10:00:00 UTC\nid2;Twin;;\nid3;twin;;\n"
    )
    people = read_roster(roster)
    assert people.find("OCTO-ANN") == Person("id1", "Ann", "", "2026-03-01T10:00:00+00:00")
    assert people.find("Twin") is None
    write_files(tmp_path / "subs", {"octo-ann/halve.py": "x", "unknown/halve.py": "x"})
    found = find_entries(tmp_path / "subs", people)
    assert [(entry.learner, entry.submitted_at[:10]) for entry in found] == [("id1", "2026-03-01"), ("unknown", "")]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("name,section\nA,1\n", "roster.csv:1:", "no column names the learner"),
        ("learner\na\na\n", "roster.csv:3:", "a is there twice"),
        ("learner,name\n,A\n", "roster.csv:2:", "no id"),
        ("learner,submitted_at\na,yesterday\n", "roster.csv:2:", "'yesterday' is no time"),
        ('learner\n"a\n', "roster.csv:", "not CSV"),
    ],
)
def test_a_roster_says_where_it_is_wrong(tmp_path: Path, text: str, line: str, said: str) -> None:
    (tmp_path / "roster.csv").write_text(text)
    with pytest.raises(RosterError) as caught:
        read_roster(tmp_path / "roster.csv")
    told = say(caught.value.problems[0], "en")
    assert line in told
    assert said in told


@pytest.mark.parametrize("text", ["2026-13-01 10:00", "2026-03-01", "soon", "2026-03-01T25:00"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert iso_time(text) is None


# ---------------------------------------------------------------- hostile zips and folders


def lying_size() -> bytes:
    """A zip whose directory claims one byte where a megabyte comes out."""
    data = raw_zip(("halve.py", b"#" * 2**20))
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 1)
    return bytes(data)


def special(mode: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("halve.py")
        info.external_attr = mode << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def encrypted() -> bytes:
    data = raw_zip(("halve.py", b"x"))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def twice() -> bytes:
    data = raw_zip(("halve.py", b"a"), ("other.py", b"b"))
    return bytes(data).replace(b"other.py", b"halve.py")


def renamed(name: bytes) -> bytes:
    return bytes(raw_zip(("0" * len(name), b"x"))).replace(b"0" * len(name), name)


BOMB = b"\0" * (200 * 1024)
HOSTILE = {
    "traversal": (renamed(b"../halve.py"), "leads out of it"),
    "deep traversal": (renamed(b"a/../../halve.py"), "leads out of it"),
    "absolute": (renamed(b"/etc/halve.py"), "leads out of it"),
    "drive": (renamed(b"C:/halve.py"), "leads out of it"),
    "backslash": (renamed(b"..\\halve.py"), "leads out of it"),
    "control": (renamed(b"ha\x1b[2Jlve.py"), "control characters"),
    "link": (special(0o120777), "a link or special file"),
    "pipe": (special(0o010600), "a link or special file"),
    "encrypted": (encrypted(), "encrypted"),
    "twice": (twice(), "two files of the same name"),
    "cut off": (zipped({"halve.py": RIGHT_HALVE})[:60], "cannot be read"),
    "no zip": (b"hello", "cannot be read"),
    "empty": (b"", "cannot be read"),
    "many files": (zipped({f"f{n}.py": "" for n in range(MAX_FILES + 1)}), "more than"),
    "bomb of many": (
        zipped({f"f{n}.py": BOMB for n in range(MAX_TOTAL_BYTES // len(BOMB) + 2)}),
        "Unpacked it is larger",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_zip_is_refused_with_a_reason_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    data, said = HOSTILE[name]
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "eve.zip").write_bytes(data)
    (entry,) = find_entries(tmp_path / "subs")
    assert said in refused(entry)
    assert [path.name for path in tmp_path.rglob("*")] == ["subs", "eve.zip"]


@pytest.mark.parametrize("data", [lying_size(), zipped({"halve.py": b"#" * 2**22})], ids=["lying size", "bomb"])
def test_one_file_that_expands_too_far_is_refused_alone(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "eve.zip").write_bytes(data)
    (entry,) = find_entries(tmp_path)
    try:
        (content,) = entry.files().values()
    except Refused as error:
        content = error.why
    assert not isinstance(content, bytes)


def test_a_nested_zip_is_not_opened(tmp_path: Path) -> None:
    inner = zipped({"halve.py": RIGHT_HALVE})
    (tmp_path / "eve.zip").write_bytes(zipped({"inner.zip": inner, "mix.py": RIGHT_MIX}))
    (entry,) = find_entries(tmp_path)
    assert list(entry.files()) == ["mix.py"]


def test_links_and_pipes_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("SECRET = 1")
    folder = tmp_path / "subs" / "eve"
    folder.mkdir(parents=True)
    (folder / "halve.py").symlink_to(tmp_path / "secret.py")
    (folder / "out").symlink_to(tmp_path)
    os.mkfifo(folder / "mix.py")
    (tmp_path / "subs" / "linked").symlink_to(tmp_path)
    found = learners(tmp_path / "subs")
    assert set(found) == {"eve", "linked"}
    files = found["eve"].files()
    assert sorted(files) == ["halve.py", "mix.py"]
    assert not any(isinstance(content, bytes) for content in files.values())


# ---------------------------------------------------------------- which file is what


def given(files: dict[str, bytes], wanted: Wanted = WANTED) -> dict[str, Submission | Response]:
    return {piece.slug: piece.given for piece in sort_files(files, wanted)}


def test_files_are_known_by_name_or_by_what_they_define() -> None:
    both = (RIGHT_HALVE + RIGHT_MIX).encode()
    assert list(given({"01_halve.py": both, "mix (1).py": both})) == ["halve", "mix"]
    assert list(given({"answers.py": both})) == ["halve", "mix"]
    assert given({"halve.py": RIGHT_HALVE.encode(), "rest.py": both})["halve"].path == "halve.py"
    assert given({"rest.py": b"x = 1\n"}) == {}
    assert list(given({"odd.py": b"x = 1\n"}, Wanted({"halve": "halve"}, ()))) == ["halve"]


def test_two_different_files_for_one_exercise_are_not_guessed_between() -> None:
    same = given({"halve.py": b"a = 1\n", "old/halve.py": b"a = 1\n"})["halve"]
    assert isinstance(same, Submission)
    assert same.problem is None
    other = given({"halve.py": b"a = 1\n", "old/halve.py": b"a = 2\n"})["halve"]
    assert isinstance(other, Submission)
    assert other.problem is not None
    assert "halve.py, old/halve.py" in say(other.problem, "en")


def test_a_notebook_answers_each_exercise_that_it_defines() -> None:
    cell = '{{"cell_type": "code", "metadata": {{}}, "outputs": [], "execution_count": null, "source": {source}}}'
    cells = ", ".join(cell.format(source=repr(text).replace("'", '"')) for text in (RIGHT_HALVE, RIGHT_MIX))
    book = f'{{"cells": [{cells}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
    found = given({"work.ipynb": book.encode()})
    assert list(found) == ["halve", "mix"]
    assert isinstance(found["mix"], Submission)
    assert b"w @ v" in found["mix"].source


def test_sheets_are_known_by_what_stands_in_them() -> None:
    sheet = SHEET.format(sum=2, why="x").encode()
    found = given({"anything.yaml": sheet, "config.yaml": b"a: 1\n", "halve.py": b"\xff\xfe"})
    assert list(found) == ["halve", "recall"]
    assert isinstance(found["recall"], Response)
    assert found["recall"].answers == {"sum": 2, "why": "x"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_in_the_place_of_a_submission_is_told_of_and_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path / "other", {"halve.py": RIGHT_HALVE})
    root = write_files(tmp_path / "subs", {"ann/halve.py": RIGHT_HALVE, "notes.txt": "x", ".hidden": "x"})
    for name, target in (
        ("linked", "other"),
        ("lost", "nowhere"),
        ("file.py", "other/halve.py"),
        ("list.txt", "other/halve.py"),
    ):
        (root / name).symlink_to(tmp_path / target)
    found = learners(root)
    assert list(found) == ["ann", "file.py", "linked", "lost"]
    assert "link" in say(found["file.py"].files()["file.py"], "en")  # type: ignore[arg-type]
    for name in ("linked", "lost"):
        assert refused(found[name]).startswith("This is a link: what it leads to was not handed in.")
    assert find_strays(root) == ["list.txt", "notes.txt"]


def test_what_is_no_submission_in_a_zip_is_told_of_too(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    path.write_bytes(
        zipped({"ann/halve.py": RIGHT_HALVE, "notes.txt": "x", "__MACOSX/._x": "x", "ben.py": RIGHT_HALVE})
    )
    assert find_strays(path) == ["notes.txt"]
