"""`python -m grader` is `grader`, without the folder it is called in on the path: a learner's `click.py` may lie there."""

import sys

if __name__ == "__main__":
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]
    from grader.cli import main

    main()
