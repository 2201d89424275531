"""Frames are held to the one order in which an honest child sends them; values and faults are taken apart with distrust."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox_plans import call

from grader.model import Isolation, Observations, Tensor, Unsupported, Verdict
from grader.stages.sandbox.dialogue import MAX_FRAME, Dialogue
from grader.stages.sandbox.observe import observe
from grader.stages.sandbox.request import Request
from grader.stages.sandbox.strict import WireError
from grader.stages.sandbox.values import decode
from grader.stages.sandbox.watch import Heard
from grader.stages.sandbox.wire import pack

P = {"printed": 0}
RESULT = {"call": 0, "value": ["n"], **P}


def frame(tag: str, content: Any = None) -> bytes:
    text = b"" if content is None else json.dumps(content).encode()
    return tag.encode() + struct.pack("<I", len(text)) + text


def hear(*frames: bytes, calls: int = 2, open_calls: int = 1) -> list[str]:
    return list(Dialogue(calls, open_calls).hear(b"".join(frames)))


STORY = [
    frame("S"),
    frame("L", P),
    frame("B", {"call": 0}),
    frame("R", RESULT),
    frame("W", P),
    frame("B", {"call": 1}),
    frame("X", {"call": 1, "fault": {"kind": "exception"}, **P}),
    frame("D", P),
]


def test_the_honest_story_is_heard_byte_by_byte_too() -> None:
    assert hear(*STORY) == list("SLBRWBXD")
    dialogue = Dialogue(2, 1)
    assert [tag for byte in b"".join(STORY) for tag in dialogue.hear(bytes([byte]))] == list("SLBRWBXD")
    assert not dialogue.unfinished


@pytest.mark.parametrize("missing", range(len(STORY) - 1))
def test_a_story_with_a_frame_left_out_is_refused(missing: int) -> None:
    with pytest.raises(WireError):
        hear(*STORY[:missing], *STORY[missing + 1 :])


@pytest.mark.parametrize("again", range(len(STORY)))
def test_a_story_with_a_frame_twice_is_refused(again: int) -> None:
    with pytest.raises(WireError):
        hear(*STORY[: again + 1], *STORY[again:])


@pytest.mark.parametrize(
    "lie",
    [
        frame("R", RESULT | {"call": 1}),
        frame("R", RESULT | {"call": True}),
        frame("R", RESULT | {"call": -1}),
        frame("R", RESULT | {"printed": -1}),
        frame("R", RESULT | {"printed": 1.0}),
        frame("R", RESULT | {"verdict": "passed"}),
        frame("R", {"call": 0, **P}),
        frame("R", [RESULT]),
        frame("R"),
        frame("R", "text"),
        frame("W", P),
        frame("D", P),
        frame("B", {"call": 1}),
        b"R" + struct.pack("<I", MAX_FRAME + 1),
        b"R" + struct.pack("<I", 0xFFFFFFFF) + b"{}",
        b"R" + struct.pack("<I", 400_000) + b"[" * 400_000,
        b"R" + struct.pack("<I", 60_001) + b"[" + b"[]," * 20_000,
        b"R" + struct.pack("<I", 8) + b"\xff" * 8,
        b"\0" * 16,
        b"\xff" * 16,
    ],
)
def test_a_frame_that_lies_is_refused(lie: bytes) -> None:
    with pytest.raises(WireError):
        hear(*STORY[:3], lie)


def test_frames_without_end_are_refused() -> None:
    dialogue = Dialogue(10_000, 10_000)
    list(dialogue.hear(frame("S") + frame("L", P)))
    big = "x" * 500_000

    def flood() -> None:
        for i in range(40):
            list(dialogue.hear(frame("B", {"call": i})))
            list(dialogue.hear(frame("R", {"call": i, "value": ["s", big], **P})))

    with pytest.raises(WireError, match="too many"):
        flood()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 8))
def test_any_bytes_are_heard_or_refused_and_nothing_else(data: bytes, after: int) -> None:
    try:
        hear(*STORY[:after], data)
    except WireError:
        return


@pytest.mark.parametrize(
    "node",
    [
        None,
        "n",
        [],
        ["x"],
        ["n", 1],
        ["b", 1],
        ["i", True],
        ["i", 1.5],
        ["f", 1.5],
        ["f", "0x" + "1" * 100],
        ["f", "1e5x"],
        ["f", "0x1p99999999"],
        ["c", "0x1p0"],
        ["s", 3],
        ["t", 0, "cpu"],
        ["t", "0", "cpu"],
        ["d", "cpu"],
        ["u", "a compliment"],
        ["T", "ab"],
        ["T", [["n"], 3]],
        ["D", [["a", ["n"]], ["a", ["n"]]]],
        ["D", [[1, ["n"]]]],
        ["L", [["n"]] * 5000],
        ["T"],
        [["T"], []],
        ["i", 1 << 513],
        ["i", -(10**4000)],
        ["s", "\ud800"],
        ["s", "x" * (1 << 17)],
        ["D", [["\udfff", ["n"]]]],
        ["D", [["x" * (1 << 17), ["n"]]]],
    ],
)
def test_a_value_that_is_malformed_is_refused(node: Any) -> None:
    with pytest.raises(WireError):
        decode(node, {})


def test_values_nested_too_deeply_are_refused() -> None:
    node: list[Any] = ["n"]
    for _ in range(50):
        node = ["T", [node]]
    with pytest.raises(WireError):
        decode(node, {})


def test_a_word_for_what_cannot_travel_is_one_of_ours() -> None:
    assert decode(["u", "sparse"], {}) == Unsupported("a sparse tensor")


def observed(*frames: tuple[str, Any], status: int = 0) -> Observations:
    request = Request((call("one", x=1), call("two", hidden=True, x=2)), 1, b"", b"")
    heard = Heard(frames, b"", 0, "")
    found = observe(heard, status, lambda offset, length: b"\0" * length, request=request, isolation=Isolation("best"))
    assert isinstance(found, Observations)
    return found


START = [("S", {}), ("L", P), ("B", {"call": 0})]


@pytest.mark.parametrize(
    "result",
    [
        {"at": [0, 8, 1], "value": ["t", 0, "cpu"]},
        {"at": [-8, 8, 0], "value": ["n"]},
        {"at": [0, 1 << 40, 0], "value": ["n"]},
        {"at": [0, 8, 1 << 40], "value": ["n"]},
        {"at": [0, 8], "value": ["n"]},
        {"at": "all", "value": ["n"]},
        {"value": ["t", 0, "cpu"]},
        {"value": ["n"], "changed": ["y"]},
        {"value": ["n"], "changed": "x"},
        {"value": ["n"], "changed": [["x"]]},
        {"value": ["n"], "changed": [{}]},
        {"value": ["n"], "module": {"parameters": [], "buffers": [], "left_behind": [], "halved": []}},
        {"value": ["n"], "gradients": [["n"]]},
        {"value": ["n"], "fault": {"kind": "triumph"}},
        {"value": ["n"], "fault": {"kind": "exception", "text": 3}},
        {"value": ["n"], "fault": {"kind": "exception", "text": "x" * 5000}},
        {"value": ["n"], "fault": {"kind": "exception", "lines": [[1, "f"]]}},
        {"value": ["n"], "fault": {"kind": "exception", "lines": [["1", "f", "x"]]}},
        {"value": ["n"], "fault": {"kind": "exception", "near": "abc"}},
        {"value": ["n"], "fault": {"kind": "syntax", "column": "7"}},
        {"value": ["n"], "fault": {"kind": "syntax", "column": 10**12}},
        {"value": ["n"], "fault": {"kind": "syntax", "column": -1}},
        {"value": ["n"], "fault": {"kind": "exception", "lines": [[10**12, "f", "x"]]}},
        {"value": ["n"], "fault": {"kind": ["exception"]}},
        {"value": ["n"], "fault": []},
    ],
)
def test_a_result_that_lies_ends_the_run_without_anything(result: dict[str, Any]) -> None:
    observations = observed(*START, ("R", {"call": 0, **P, **result}), ("W", P), ("B", {"call": 1}))
    assert (observations.verdict, observations.calls) == (Verdict.CRASHED, {})
    assert observations.detail is not None
    assert "channel" in observations.detail.template


@pytest.mark.parametrize("told", range(len(STORY)))
def test_a_child_that_dies_early_has_passed_nothing_more(told: int) -> None:
    frames = [(chr(f[0]), json.loads(f[5:] or b"{}")) for f in STORY[:told]]
    observations = observed(*frames)
    passed = {name for name, o in observations.calls.items() if o.verdict is Verdict.PASSED}
    assert passed == ({"one"} if told > 3 else set())
    assert observations.detail is not None
    assert observations.detail.fields == ({"code": 0} if told < 5 else {})
    assert (observations.verdict is Verdict.PASSED) == (told >= 2)


def asked(*frames: bytes) -> list[str]:
    return hear(*STORY[:3], *frames)


def test_a_module_is_not_asked_for_once_a_hidden_call_has_been_seen() -> None:
    wish = frame("N", {"module": "sympy", **P})
    assert asked(wish)[-1] == "N"
    assert hear(*STORY[:1], wish) == ["S", "N"]
    for place in (5, 6):
        with pytest.raises(WireError):
            hear(*STORY[:place], wish)


def test_a_wish_that_was_not_permitted_ends_the_run() -> None:
    wish = ("N", {"module": "sympy", **P})
    assert observed(*START[:2], wish).verdict is Verdict.CRASHED
    assert observed(*START, wish).calls == {}


@pytest.mark.parametrize("status", [0, 7 << 8, 10, 11])
def test_how_the_process_ended_is_not_told_once_it_has_seen_a_hidden_call(status: int) -> None:
    before = observed(*START, status=status)
    assert before.detail is not None
    assert before.detail.fields
    after = observed(*START, ("R", RESULT), ("W", P), ("B", {"call": 1}), status=status)
    assert after.calls["two"].verdict is Verdict.CRASHED
    assert after.detail is not None
    assert after.detail.fields == {}
    assert after.detail == observed(*START, ("R", RESULT), ("W", P), ("B", {"call": 1}), status=3 << 8).detail


def test_results_lie_one_after_the_other_in_the_result_area() -> None:
    data = pack({"0": Tensor("float32", np.zeros(2, np.float32))})
    calls = (call("one", x=1), call("two", x=2))

    def tell(*places: int) -> Observations:
        frames: list[tuple[str, Any]] = START[:2]
        for i, place in enumerate(places):
            said = {"call": i, "value": ["t", 0, "cpu"], "at": [place, len(data), 1], **P}
            frames = [*frames, ("B", {"call": i}), ("R", said)]
        heard = Heard((*frames, ("D", P)), b"", 0, "")
        read = lambda offset, length: data  # noqa: E731 - whatever is asked for
        found = observe(heard, 0, read, request=Request(calls, 2, b"", b""), isolation=Isolation("best"))
        assert isinstance(found, Observations)
        return found

    assert set(tell(0, len(data)).calls) == {"one", "two"}
    assert tell(0, 0).verdict is Verdict.CRASHED
    assert tell(0, len(data) + 64).verdict is Verdict.CRASHED
    assert tell(64).verdict is Verdict.CRASHED
