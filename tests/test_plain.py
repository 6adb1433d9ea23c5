"""Shortcuts change nothing: HOTATO_PLAIN=1 judges without any of them and gives the same bytes."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato import assert_ as A
from hotato.document.load import load
from hotato.errors import EvidenceError, HotatoError
from hotato.model import codec
from hotato.plan.compile import compile_plan
from hotato.plan.resources import Resources
from hotato.state_adapter import MockStateAdapter
from hotato.testing import UNDER_TEST, Case, build_call, load_suite

ROOT = Path(__file__).resolve().parent.parent
CASES = load_suite(ROOT / "conformance" / "kinds")
EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/assertions.yaml"))
ENVELOPES = sorted((ROOT / "conformance" / "envelopes").iterdir())

WORDS = st.sampled_from(
    (
        "refund order parcel card the of is İstanbul \u017fure KELVIN number four two 4242 4111111111111111 birth born third May "
        "nineteen ninety 1991 refunded 42 dollars transfer you mia@example.org quality guaranteed Straße naïve"
    ).split()
)
TURNS = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(("agent", "caller", "ivr")), "text": st.lists(WORDS, max_size=9).map(" ".join)},
        optional={"start": st.integers(0, 30) | st.none(), "end": st.integers(0, 40), "seq": st.integers(0, 9)},
    ),
    max_size=8,
)
SPANS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(("tool_call", "handoff", "llm")), "name": st.sampled_from(("refund", "lookup"))},
        optional={
            "start_sec": st.integers(0, 30),
            "end_sec": st.integers(0, 40),
            "time_inferred": st.booleans(),
            "arguments": st.just({"amount": 42}) | st.just('{"amount": 41}'),
            "seq": st.integers(0, 9),
        },
    ),
    max_size=6,
)
REGEXES = (
    "refund", "refund|parcel", "[sk]ure|number", "i?stanbul", "(card|order) (is|of)", r"\d{4}", "^the", "may$", r"d. r?e",
    "[*#]{2}|r[ed]f[au]nd", "(?:four|two)+", r"\bbirth\b", "straße|naïve", "a.*b", "(?i:KELVIN)", r"of\s+the", r"[^a]\s[^b]",
)  # fmt: skip


def document() -> dict[str, Any]:
    """Return a document with each regex in four kinds, personal data twice, and checks on times."""
    items: list[dict[str, Any]] = []
    for regex in REGEXES:
        items += [
            {"kind": "phrase", "regex": regex},
            {
                "kind": "phrase",
                "regex": regex,
                "role": "agent",
                "position": "last",
                "absent": True,
                "case_sensitive": True,
            },
            {"kind": "phrase", "regex": regex, "role": "agent"},
            {"kind": "count", "phrase": regex, "role": "caller", "count": 1},
            {"kind": "within", "from": {"says": regex}, "to": {"tool": "refund"}, "max_sec": 9},
        ]
    items += [
        {"kind": "pii", "detectors": ["card_luhn"], "mode": "must_not_leak"},
        {"kind": "pii", "detectors": ["dob", "email"], "mode": "must_not_leak", "regions": ["DE"]},
        {"kind": "policy"},
        {"kind": "tool_call", "name": "refund", "args_subset": {"amount": 42}},
        {"kind": "during", "max_gap_sec": 3},
        {"kind": "until", "never": {"says": "refunded"}, "until": {"tool": "lookup"}},
        {"kind": "until", "never": {"says": "refunded", "role": "caller"}, "until": {"tool": "lookup"}},
        {"kind": "until", "never": {"says": "refunded"}, "until": {"tool": "lookup"}, "severity": "low"},
        {"kind": "claim", "says": "refunded (?P<amount>[0-9]+)", "requires": {"tool": "refund"}},
        {"kind": "claim", "says": "refund", "requires": {"tool": "refund", "outcome": "failure"}, "by": "after"},
        {"kind": "between", "from": {"tool": "lookup"}, "to": {"tool": "refund"}, "min_sec": 1},
        {"kind": "within", "from": {"tool": "lookup"}, "to": {"says": "card"}, "max_sec": 9},
        {"kind": "within", "from": {"says": "order"}, "to": {"tool": "refund"}, "max_sec": 9},
    ]
    return {"version": 1, "assertions": [{"id": f"a{place}", **item} for place, item in enumerate(items)]}


def plans(source: Any, monkeypatch: pytest.MonkeyPatch, file: str = "") -> tuple[A.Plan, A.Plan]:
    """Return a document's plan with all shortcuts, and the one without any."""
    monkeypatch.delenv("HOTATO_PLAIN", raising=False)
    fast = A.compile_assertions(source, file=file)
    monkeypatch.setenv("HOTATO_PLAIN", "1")
    plain = A.compile_assertions(source, file=file)
    assert (fast.plain, plain.plain) == (False, True)
    return fast, plain


def told(plan: A.Plan, call: Any) -> bytes | str:
    """Return the bytes of an envelope, or the words of what was refused."""
    try:
        return codec.encode_bytes(A.judge_call(plan, call))
    except HotatoError as error:
        return str(error)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.name}")
def test_a_case_has_the_same_envelope_without_shortcuts(case: Case) -> None:
    under_test = {"id": UNDER_TEST, "kind": case.kind, **case.assertion}
    loaded = {"version": 1, **case.document, "assertions": [*case.also, under_test]}
    bundles = case.call.bundles
    verify = None if bundles is None else lambda path: (*bundles.get(path, (0, 0)), 0)[:3]
    resources = Resources(case.files.__getitem__, verify)
    fast, plain = (compile_plan(load(loaded, resources), resources, plain=plain) for plain in (False, True))
    assert told(fast, build_call(case.call)) == told(plain, build_call(case.call))


@pytest.mark.parametrize("folder", [*EXAMPLES, *ENVELOPES], ids=lambda folder: folder.name)
def test_an_example_has_the_same_envelope_without_shortcuts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call() -> A.Context:
        files = {"transcript_path": "transcript.json", "trace_path": "voice_trace.jsonl"}
        state = folder / "state.json"
        return A.build_context(
            **{name: folder / file for name, file in files.items() if (folder / file).exists()},
            state_adapter=MockStateAdapter(json.loads(state.read_text("utf-8"))) if state.exists() else None,
        )

    path = folder / "assertions.yaml"
    fast, plain = plans(path.read_text("utf-8"), monkeypatch, str(path))
    assert told(fast, call()) == told(plain, call())


def test_generated_calls_have_the_same_envelopes_without_shortcuts(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, plain = plans(document(), monkeypatch)

    @settings(max_examples=60, derandomize=True, deadline=None, database=None)
    @given(TURNS, SPANS, st.booleans())
    def law(turns: list[dict[str, Any]], spans: list[dict[str, Any]], is_counted: bool) -> None:
        if is_counted:  # one count over both, which is another order than that of their times
            for seq, item in enumerate([one for pair in zip_longest(spans, turns) for one in pair if one is not None]):
                item["seq"] = seq
        raw = msgspec.json.encode({"transcript": turns, "spans": spans})
        given_whole = told(plain, A.build_context(transcript=turns, spans=spans))
        assert A.judge_bytes(fast, raw) == A.judge_bytes(plain, raw) == given_whole

    law()


def test_assertions_that_order_by_other_sources_share_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns and spans are counted together here, against their times; spans alone are in the order of their times."""
    turns = [{"role": "agent", "text": "your card", "start": 3, "end": 4, "seq": 2}]
    spans = [
        {"type": "tool_call", "name": "lookup", "start_sec": 5, "end_sec": 6, "seq": 1},
        {"type": "tool_call", "name": "refund", "start_sec": 2, "end_sec": 3, "seq": 3},
        {"type": "termination", "start_sec": 90, "seq": 4},
    ]
    alone = {"id": "a", "kind": "within", "from": {"tool": "lookup"}, "to": {"tool": "refund"}, "max_sec": 60}
    both = {"id": "b", "kind": "until", "never": {"says": "card"}, "until": {"tool": "lookup"}}
    for items in ([alone, both], [both, alone]):
        fast, plain = plans({"version": 1, "assertions": items}, monkeypatch)
        call = A.build_context(transcript=turns, spans=spans)
        assert told(fast, call) == told(plain, call)
        found = {one["id"]: one["status"] for one in A.judge_call(fast, call)["results"]}
        assert found == {"a": "FAIL", "b": "PASS"}


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"transcript": [{"role": "agent", "text": "a", "text": "b"}]}', "json_duplicate_key"),
        (b'{"transcript": [], "transcript": []}', "json_duplicate_key"),
        (b'{"transcript": [{"role": "agent", "text": "\\u003a", "text": "b"}]}', "json_duplicate_key"),
        (b'{"transcript": [{"role": "agent", "text": ":", "text": ""}]}', "json_duplicate_key"),
        (b'{"transcript": ' + b"[" * 70 + b"]" * 70 + b"}", "json_depth"),
        (b'{"transcript": [', "json_syntax"),
        (b'{"transcript": ["\xff"]}', "json_syntax"),
        (b'{"spans": [NaN]}', "json_number"),
        (b"[]", "call"),
        (b'{"transcripts": []}', "call"),
        (b'{"transcript": null, "spans": null}', "call"),
        (b'{"transcript": [{"text": 1}]}', "turn"),
    ],
)
def test_the_bytes_of_what_is_no_call_are_refused(raw: bytes, code: str) -> None:
    plan = A.compile_assertions({"version": 1, "assertions": [{"id": "a", "kind": "phrase", "regex": "hello"}]})
    with pytest.raises(EvidenceError) as refused:
        A.judge_bytes(plan, raw)
    assert refused.value.problems[0].code == code


def test_the_bytes_of_a_call_are_judged_with_its_own_state() -> None:
    check = {"id": "a", "kind": "state", "resource": "orders", "expect": {"status": "paid"}}
    plan = A.compile_assertions({"version": 1, "assertions": [check]})
    raw = b'{"state": {"orders": [{"status": "paid"}]}}'
    assert codec.decode_bytes(A.judge_bytes(plan, raw, state=MockStateAdapter))["results"][0]["status"] == "PASS"
    assert codec.decode_bytes(A.judge_bytes(plan, raw))["results"][0]["code"] == "no_state"


def test_bytes_are_the_same_values_as_text() -> None:
    for value in ({"a": ["é\u2028", 1.5, 10**30, None, {"b": "\ud800"}]}, [1e16, -0.0, "\x7f"]):
        encoded = codec.encode_bytes(value)
        assert codec.decode_bytes(encoded) == codec.decode(codec.encode(value)) == value
