"""Evidence decoded by types is the evidence that the careful readers read, and what they refuse is refused the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato.context.build import build_context
from hotato.context.typed import Typed, of_bytes, of_value
from hotato.errors import EvidenceError
from hotato.model import codec
from hotato.model.limits import limits

ODD = st.sampled_from(
    ("null", "true", "0", "-0.0", "1", "2.5", "1e999", "1e300", "9" * 320, "123456789012345678901234567890", '""', '" "', '"a"',
     '"Agent "', '"USER"', r'"\ud800"', r'"a\u003ab"', r'"\\u003a"', '"caf\u0065\u0301:\u2019"', "[]", "{}", '{"a":1,"a":2}', '{"name":"b"}',
     '{"tool_name":"c"}', '[{"word":"a","start":0,"end":1}]', '[{"word":"a","start":0}]', "NaN", '"tool_call"')
)  # fmt: skip


def mapping(required: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return texts of objects: mostly well made, with values and keys of any kind here and there, some of them twice."""
    usual = st.fixed_dictionaries(required).map(lambda one: list(one.items()))
    extra = st.lists(st.tuples(st.sampled_from(names), ODD), max_size=2)
    return st.tuples(usual, extra, st.sampled_from((", ", ","))).map(
        lambda told: "{" + told[2].join(f'"{key}": {value}' for key, value in told[0] + told[1]) + "}"
    )


TURN = mapping(
    {"text": st.sampled_from(('"hello"', '"1: 2"', '"naïve\u00a0"', r'"x\ny"')), "role": st.sampled_from(('"agent"', '"bot"'))},
    ("speaker", "start", "end", "seq", "words", "role", "text", "confidence"),
)  # fmt: skip
SPAN = mapping(
    {"type": st.sampled_from(('"tool_call"', '"handoff"')), "name": st.sampled_from(('"refund"', '"e\u0301"'))},
    ("start_sec", "end_sec", "time_sec", "attributes", "name", "type", "tool_name", "arguments", "result"),
) | mapping({"type": st.just('"tool_call"')}, ("tool_name", "attributes", "name", "time_sec", "start_sec"))  # fmt: skip


def listed(item: Any) -> Any:
    return st.lists(item, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")


CALL = mapping({"transcript": listed(TURN), "spans": listed(SPAN)}, ("state", "timing", "call_id", "spans", "other"))


def careful(value: Any) -> list[Any]:
    call = build_context(
        transcript=value.get("transcript"), spans=value.get("spans"), timing=value.get("timing"), state_adapter=None
    )
    return [
        call.transcript,
        call.spans,
        call.timing,
        call.captures,
        call.audit,
        value.get("call_id"),
        value.get("state"),
    ]


def told(call: Typed) -> list[Any]:
    return [call.transcript, call.spans, call.timing, call.captures, call.audit, call.call_id, call.state]


def test_what_types_read_is_what_the_careful_readers_read() -> None:
    seen = [0, 0, 0]

    @settings(max_examples=300, derandomize=True, deadline=None, database=None)
    @given(CALL)
    def law(text: str) -> None:
        raw = text.encode()
        quick = of_bytes(raw)
        try:
            value = codec.decode(text)
        except codec.JsonError:
            seen[0] += 1
            assert quick is None
            return
        slow = of_value(value)
        try:
            wanted = careful(value)
        except EvidenceError:
            seen[1] += 1
            assert quick is slow is None
            return
        for found in (quick, slow):
            if found is not None:
                seen[2] += 1
                assert repr(told(found)) == repr(wanted)  # 1 and 1.0 differ as well

    law()
    assert min(seen) > 20, seen


@pytest.mark.parametrize(
    "call",
    [
        {"call_id": "a", "transcript": [{"role": "agent", "text": "a: b", "start": 1, "end": None}], "spans": []},
        {"spans": [{"type": "tool_call", "attributes": {"name": "x"}, "time_sec": 3}], "state": {"a": []}},
        {"transcript": [{"speaker": "bot", "text": ""}], "timing": {"events": []}, "spans": None},
    ],
)
def test_a_usual_call_is_read_by_types(call: dict[str, Any]) -> None:
    for text in (json.dumps(call), json.dumps(call, indent=1), json.dumps(call, ensure_ascii=False)):
        quick = of_bytes(text.encode())
        assert quick is not None
        assert repr(told(quick)) == repr(careful(call))
    slow = of_value({**call, "expected": 1})
    assert slow is not None
    assert repr(told(slow)) == repr(careful(call))


def test_what_is_over_a_limit_is_left_to_the_careful_readers() -> None:
    call = {"transcript": [{"role": "agent", "text": "abcdef"}], "spans": [{"type": "x", "a": [[[1]]]}]}
    raw = json.dumps(call).encode()
    for given_limits in ({"turn_characters": 5}, {"depth": 5}, {"values": 20}):
        with limits(**given_limits):
            assert of_bytes(raw) is None
    assert of_bytes(raw) is not None
    with limits(turn_characters=5):
        assert of_value(call) is None


def test_nothing_supplied_is_left_to_the_careful_readers() -> None:
    for raw in (b"{}", b'{"transcript": null}', b'{"state": {}}', b"[]", b"", b"\xef\xbb\xbf{}"):
        assert of_bytes(raw) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"transcript": [{"text": "a", "role": " "}]}',
        '{"transcript": [{"text": "a", "speaker": ""}]}',
        '{"transcript": [{"text": "a", "role": "x", "text": "b:"}], "spans": []}',
        r'{"transcript": [{"text": "\u003a", "role": "x", "role": "y"}]}',
        '{"spans": [{"type": ""}]}',
        '{"spans": [{"type": "tool_call"}]}',
        '{"spans": [{"type": "tool_call", "attributes": {"name": 1}}]}',
        '{"spans": [{"type": "toolcall", "name": "refund"}]}',
        '{"spans": [{"type": "tool_call", "name": "refund", "argument": {"amount": 5}}]}',
        '{"spans": [{"type": "meta", "source": {"captures": {"tool_call": false}}}]}',
    ],
)
def test_what_is_refused_is_left_to_the_careful_readers(text: str) -> None:
    assert of_bytes(text.encode()) is None
    try:
        value = codec.decode(text)
    except codec.JsonError:
        return
    assert of_value(value) is None
    with pytest.raises(EvidenceError):
        careful(value)


def test_a_turn_without_a_role_is_said_by_somebody_unknown() -> None:
    call = {"transcript": [{"text": "a"}]}
    quick = of_bytes(json.dumps(call).encode())
    assert quick is not None
    assert repr(told(quick)) == repr(careful(call))
