"""Plain data of a course file in, YAML text out that reads back as the same data. Comments of authors stay behind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from grader.model import GraderError
from grader.stages.spec.reader import SCALARS, read_yaml
from grader.stages.spec.text import read_text

WIDTH = 120


class _Dumper(yaml.SafeDumper):
    """Quotes what our reader would not read as text: it knows more numbers than PyYAML, such as `1e-5`."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: a course file has no aliases."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if "\n" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    odd = any(pattern.fullmatch(text) for pattern, _ in SCALARS)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Dumper.add_representer(str, _text)


def data_of(root: Path, name: str) -> dict[str, Any]:
    """Return the plain data of a course file; raise AuthorError where it cannot be read."""
    data: dict[str, Any] = read_yaml(read_text(root / name, name), name).data
    return data


def dumped(data: Mapping[str, Any], name: str) -> bytes:
    """Return the file; raise GraderError where it would not read back as the same data."""
    text = yaml.dump(dict(data), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=WIDTH)
    if read_yaml(text, name).data != data:
        raise GraderError(f"{name} cannot be written anew: what is read back differs")
    return text.encode()
