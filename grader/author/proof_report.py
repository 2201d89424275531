"""What was proven in, JSON out: format 1, one entry an exercise or quiz."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from grader.author.proof import Proof
from grader.author.proving import Proven
from grader.locale import say


def proof_report(found: Sequence[Proven], lang: str) -> str:
    """Return the report of a run as JSON; texts are in `lang`."""
    report = {
        "format": 1,
        "held": sum(item.held for item in found),
        "broken": sum(item.broken for item in found),
        "unreadable": sum(item.state == "unreadable" for item in found),
        "items": [_item(item, lang) for item in found],
    }
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def _item(item: Proven, lang: str) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "slug": item.slug,
        "file": item.file,
        "state": item.state,
        "proven_before": item.kept,
        "problems": list(item.problems),
        "proofs": [_proof(proof, lang) for proof in item.proofs],
    }


def _proof(proof: Proof, lang: str) -> dict[str, Any]:
    return {
        "claim": say(proof.claim, lang),
        "holds": None if proof.remark else proof.holds,
        "why": say(proof.why, lang) if proof.why else None,
        "place": proof.place or None,
    }
