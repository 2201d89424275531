"""A folder or zip of submissions in, one `Entry` for each of them out, whichever system they were downloaded from.

What is recognised, by names alone:

- Gradescope: `submission_metadata.yml` beside folders such as `submission_123456`; submitters, their ids and the time stand in it.
- Moodle: `Full Name_123456_assignsubmission_file_`, as folders or in front of each file's name.
- GitHub Classroom: a folder `exercise-submissions` of folders `exercise-username`.
- Canvas: `familyname_123_4567_file.py`, with `_LATE` behind the name where it was late.
- anything else: one folder, zip, program, notebook or sheet for a learner, named after them; `alice@2026-03-01T1200Z` adds a time.
"""

from grader.course.downloads.entries import Entry, find_entries, find_strays
from grader.course.downloads.roster import Person, Roster, RosterError, read_roster
from grader.course.downloads.sorting import Piece, Wanted, sort_files

__all__ = [
    "Entry",
    "Person",
    "Piece",
    "Roster",
    "RosterError",
    "Wanted",
    "find_entries",
    "find_strays",
    "read_roster",
    "sort_files",
]
