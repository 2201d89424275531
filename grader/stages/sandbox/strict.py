"""What is held against bytes that nobody vouches for: JSON without tricks, and one exception for all that is not what it claims to be."""

from __future__ import annotations

import json
import re
from typing import Any

LONG_NUMBER = re.compile(rb"[0-9]{200}")


class WireError(Exception):
    """Bytes that are not what they claim to be, or a tensor that the format cannot hold."""


def strict_json(data: bytes) -> Any:
    """Parse ASCII JSON without duplicate keys, NaN or numbers of thousands of digits; raise WireError for anything else."""
    try:
        if LONG_NUMBER.search(data):  # turning digits into a number takes their square
            raise WireError("a number of too many digits")
        return _DECODER.decode(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"not plain JSON: {type(error).__name__}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise WireError("a key twice")
    return found


def _no_constant(word: str) -> Any:
    raise WireError(word)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
