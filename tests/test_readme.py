"""Every console block of README.md, and every story of tests/feedback, shows what the commands really print."""

from __future__ import annotations

from pathlib import Path

import pytest
import transcripts

FILES = [transcripts.ROOT / "README.md", *sorted((transcripts.ROOT / "tests" / "feedback").glob("*.md"))]
STORIES = [story for file in FILES for story in transcripts.stories(file)]


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_a_transcript_shows_what_the_commands_print(
    story: transcripts.Story, tmp_path: Path, update_transcripts: bool
) -> None:
    if update_transcripts:
        story = next(s for s in transcripts.stories(story.file) if s.title == story.title)  # lines moved meanwhile
    transcripts.check(story, tmp_path, update=update_transcripts)


STORY = """# Title

## One

`note/a.txt`:

```text
hello
```

```console
$ cat note/a.txt
hello
$ cd note
$ ls
a.txt
$ false
$ echo $?
1
```
"""


def written(folder: Path, text: str) -> transcripts.Story:
    (folder / "story.md").write_text(text)
    (story,) = transcripts.stories(folder / "story.md")
    return story


def test_a_story_runs_its_files_and_commands(tmp_path: Path) -> None:
    transcripts.check(written(tmp_path, STORY), tmp_path, update=False)


def test_a_story_with_another_output_fails_and_can_be_rewritten(tmp_path: Path) -> None:
    story = written(tmp_path, STORY.replace("$ ls\na.txt\n", "$ ls\nb.txt\nc.txt\n"))
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with pytest.raises(AssertionError, match=r"story\.md:12"):
        transcripts.check(story, tmp_path / "one", update=False)
    transcripts.check(story, tmp_path / "two", update=True)
    assert story.file.read_text() == STORY


def test_a_fault_of_ours_is_never_written_into_a_story(tmp_path: Path) -> None:
    story = written(tmp_path, "## One\n\n```console\n$ python -c 'import nothing_of_this_name'\n```\n")
    with pytest.raises(AssertionError, match="a fault of ours"):
        transcripts.check(story, tmp_path, update=True)
    assert "Traceback" not in story.file.read_text()
