"""Exports of whole calls: the cases of conformance/importers/, real files with what is known of them, and damaged ones."""

from __future__ import annotations

import copy
import json
import random
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato import assert_, importers
from hotato.context.trace import spans as as_spans
from hotato.context.transcript import turns as as_turns
from hotato.errors import EvidenceError
from hotato.importers import _clock, _payload
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import NOTES, Lost
from hotato.model import codec

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "conformance" / "importers"
SHARED = ROOT.parent / "shared"
FORMATS = (
    "vapi", "retell", "elevenlabs", "livekit", "pipecat", "openai_chat", "openai_responses", "openai_realtime",
    "anthropic", "deepgram_agent", "twilio_relay", "bland", "call_center_ai", "hotato_bundle",
)  # fmt: skip
CAPTURED = {"tool_call", "arguments", "result", "handoff", "dtmf", "http_exchange", "termination"}
MODULES: dict[str, ModuleType] = {name: import_module(f"hotato.importers.{name}") for name in FORMATS}


def case_text(case: dict[str, Any]) -> str:
    if "lines" in case:
        return "".join(json.dumps(value) + "\n" for value in case["lines"])
    return json.dumps(case["input"])


def loaded() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name in FORMATS:
        file = yaml.safe_load((SUITE / name / "cases.yaml").read_text(encoding="utf-8"))
        assert file["format"] == name
        found += [(name, case) for case in file["cases"]]
    return found


CASES = loaded()


def content_of(values: list[Any], *, lines: bool) -> Content:
    shape = "lines" if lines else "document"
    places = list(range(1, len(values) + 1))
    return Content(name="f", raw=b"", text="", shape=shape, values=values, lines=places)


def usable(found: Imported) -> None:
    """Check what every import must be: evidence that the engine takes, in JSON, in the order of time."""
    codec.encode([found.transcript, found.spans, found.captures])
    as_turns(found.transcript or [])
    starts = [span.start for span in as_spans(found.spans or []) if span.start is not None]
    assert starts == sorted(starts)
    for span in found.spans or []:
        assert span.get("end_sec", span.get("start_sec", 0)) >= span.get("start_sec", 0)
        if span.get("time_inferred"):
            assert "end_sec" not in span
    assert set(found.captures) <= CAPTURED
    assert all(note.count > 0 and note.message for note in found.notes)


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda v: v if isinstance(v, str) else v["name"])
def test_a_case_comes_out_as_it_says(name: str, case: dict[str, Any]) -> None:
    raw = case_text(case).encode()
    options = Options(**case.get("options", {}))
    if "refused" in case:
        with pytest.raises(EvidenceError) as caught:
            importers.read_raw("f", raw, None, options)
        (problem,) = caught.value.problems
        expected = case["refused"][0]
        assert (problem.path, problem.line) == (expected.get("path", ""), expected.get("line", 0))
        return
    found = importers.read_raw("f", raw, None, options)
    assert found.format == name
    expect = case["expect"]
    assert found.transcript == expect.get("transcript")
    assert found.spans == expect.get("spans")
    assert sorted(note.code for note in found.notes) == expect["notes"]
    assert (found.call_id, found.agent_id) == (expect.get("call_id"), expect.get("agent_id"))
    usable(found)
    assert importers.read_raw("f", raw, name, options) == found


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is_and_has_cases_that_are_read_and_refused(name: str) -> None:
    page = MODULES[name].__doc__ or ""
    assert "How to get it" in page
    assert "does not record" in page
    mine = [case for format_, case in CASES if format_ == name]
    assert any("refused" in case for case in mine)
    assert any("expect" in case for case in mine)


def test_every_note_has_a_case() -> None:
    noted: set[str] = set()
    for file in SUITE.glob("*/cases.yaml"):
        for case in yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)["cases"]:
            noted |= set(case.get("expect", {}).get("notes", []))
    assert set(NOTES) - noted == set()


# Real files, and what is known of them.


def sample(path: str, call_id: str | None = None) -> Imported:
    file = SHARED / "samples" / path
    if not file.is_file():
        pytest.skip(f"the sample {path} is not beside this checkout, so this was not tried")
    found = importers.read_raw(path, file.read_bytes(), None, Options(call_id=call_id))
    usable(found)
    return found


def tools(found: Imported) -> list[dict[str, Any]]:
    return of_type(found, "tool_call")


def of_type(found: Imported, kind: str) -> list[dict[str, Any]]:
    return [span for span in found.spans or [] if span["type"] == kind]


def said(found: Imported, *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(turn.get(field) for field in ("role", *fields)) for turn in found.transcript or []]


def test_the_real_vapi_report_comes_out_as_known() -> None:
    found = sample("vapi/endOfCallReportRequest.masked.json")
    roles = [role for (role,) in said(found)]
    assert (len(roles), roles.count("agent"), roles.count("caller")) == (9, 5, 4)
    calls = [(span["name"], span["arguments"], span["latency_ms"]) for span in tools(found)]
    assert calls == [
        ("getWeatherByCity_001", {"city": "Danville", "state": "California"}, 948),
        ("transferCall", {"destination": "assistant2"}, 1534),
        ("getWeatherByCity_002", {"city": "San Francisco", "state": "California"}, 1588),
    ]
    assert [span["to"] for span in of_type(found, "handoff")] == ["assistant2"]
    assert [(s["reason"], s["by"]) for s in of_type(found, "termination")] == [("customer-ended-call", "caller")]
    starts = [turn["start"] for turn in found.transcript or []]
    assert starts == sorted(starts)


def test_a_vapi_call_says_the_same_as_a_report_and_as_a_call_object() -> None:
    report, call = sample("vapi/synthetic-end-of-call-report.json"), sample("vapi/synthetic-get-call.json")
    assert (report.transcript, report.spans) == (call.transcript, call.spans)
    assert [span.get("result") for span in tools(report)] == [
        {"free": True, "slots": ["19:00", "20:30"]},
        "Error: booking service unavailable",
        None,
        "Transfer initiated.",
    ]
    assert [(s["to"], s["status"]) for s in of_type(report, "handoff")] == [("+15550100", "connected")]


def test_a_vapi_webhook_gives_the_call_that_it_asks_for() -> None:
    found = sample("vapi/toolRequest1.masked.json")
    assert [(s["name"], s["arguments"]) for s in tools(found)] == [
        ("getWeatherByCity_001", {"city": "Danville", "state": "California"})
    ]


@pytest.mark.parametrize("path", ["synthetic-get-call.json", "synthetic-webhook-call_ended.json"])
def test_a_retell_call_comes_out_as_known(path: str) -> None:
    found = sample(f"retell/{path}")
    assert [role for role, in said(found)] == [
        "agent", "caller", "agent", "caller", "caller", "agent", "transfer_target",
    ]  # fmt: skip
    assert [span.get("error") for span in tools(found)] == [None, "Axios Error: error code: 502", None, None]
    assert "".join(span["digits"] for span in of_type(found, "dtmf")) == "1#"
    assert [span["to"] for span in of_type(found, "handoff")] == ["+15550100"]
    assert found.transcript == sample("retell/synthetic-list-calls.json", "call_demo1").transcript


def test_an_elevenlabs_conversation_comes_out_as_known() -> None:
    found = sample("elevenlabs/synthetic-get-conversation.json")
    hook = sample("elevenlabs/synthetic-webhook-post_call_transcription.json")
    assert (found.transcript, found.spans) == (hook.transcript, hook.spans)
    assert [(s["name"], s["latency_ms"], s.get("error")) for s in tools(found)] == [
        ("check_tables", 852, None),
        ("book_table", 2000, "timed out after 2s"),
        ("transfer_to_number", 1, None),
        ("end_call", 0, None),
    ]
    cut = [turn for turn in found.transcript or [] if turn.get("interrupted")]
    assert [(t["text"], t["planned_text"]) for t in cut] == [
        ("Seven is free. Shall...", "Seven is free. Shall I book that for you now?")
    ]
    assert [span["digits"] for span in of_type(found, "dtmf")] == ["1"]
    assert [(s["method"], s["response"]) for s in of_type(found, "http_exchange")] == [("POST", {"free": True})]
    assert of_type(found, "termination")[0]["by"] == "agent"


def test_a_livekit_session_comes_out_as_known() -> None:
    found = sample("livekit/session_report.json")
    roles = [role for (role,) in said(found)]
    assert (roles.count("caller"), roles.count("agent")) == (3, 5)
    (cut,) = [turn for turn in found.transcript or [] if turn.get("interrupted")]
    barge = next(turn for turn in found.transcript or [] if turn["text"].startswith("Stop."))
    assert cut["start"] < barge["start"] < cut["end"]
    assert cut["end"] - barge["start"] == pytest.approx(0.51, abs=0.01)
    calls = [(s["name"], round(s["latency_ms"], 1), s.get("error")) for s in tools(found)]
    assert calls == [
        ("get_weather", 264.2, None),
        ("lookup_order", 102.8, "order not found"),
        ("transfer_to_billing", 3.9, None),
    ]
    assert tools(found)[0]["result"] == {"location": "Tokyo", "sky": "sunny", "temp_c": 21}
    assert [(s["from"], s["to"]) for s in of_type(found, "handoff")] == [("front_desk", "billing_agent")]
    assert of_type(found, "termination")[0]["reason"] == "user_initiated"


def test_a_livekit_context_says_what_the_report_says() -> None:
    report = sample("livekit/session_report.json")
    timed, plain = (sample(f"livekit/chat_ctx_to_dict.{name}.json") for name in ("with_timestamps", "default"))
    assert timed.transcript == report.transcript
    assert tools(timed) == tools(report)
    assert said(plain, "text", "interrupted") == said(report, "text", "interrupted")
    assert [(s["name"], s["result"]) for s in tools(plain)] == [(s["name"], s["result"]) for s in tools(report)]
    assert [s for s in tools(plain) if "start_sec" in s or "latency_ms" in s] == []


def test_a_pipecat_context_comes_out_as_known() -> None:
    found = sample("pipecat/llm_context_messages.json")
    assert [role for (role,) in said(found)].count("caller") == 3
    assert [(s["name"], s["arguments"], s["result"]) for s in tools(found)] == [
        ("get_weather", {"location": "Tokyo"}, {"location": "Tokyo", "sky": "sunny", "temp_c": 21}),
        ("lookup_order", {"order_id": "42"}, {"error": "order not found", "order_id": "42"}),
    ]
    assert [s for s in tools(found) if "error" in s] == []


def test_tau_bench_trajectories_come_out_whole() -> None:
    for path, count in (("tau_bench_gpt4o_airline_task0_0.json", 8), ("tau_bench_gpt4o_airline_task2_1.json", 7)):
        found = sample(f"openai-chat/{path}")
        assert found.format == "openai_chat"
        assert len(tools(found)) == count
        assert all("arguments" in span and "result" in span for span in tools(found))


def test_parallel_calls_of_a_chat_come_out_as_known() -> None:
    found = sample("openai-chat/synthetic-parallel-and-errors.json")
    assert [(s["name"], s.get("arguments"), s.get("result")) for s in tools(found)] == [
        ("check_tables", {"party": 4}, {"free": True}),
        ("get_policy", {}, "Error: not found"),
        ("run_sql", {"input": "select 1"}, "1"),
        ("book_table", None, {"ok": False}),
    ]
    assert found.transcript is not None
    assert found.transcript[0] == {"role": "caller", "text": "A table for four tonight.", "seq": 0}


def test_the_items_of_the_agents_sdk_come_out_as_known() -> None:
    found = sample("openai-responses-items/openai_agents_0.24.0_to_input_list.json")
    assert [(s["name"], s["tool_call_id"]) for s in tools(found)] == [
        ("get_weather", "call_w1"), ("fetch_hours", "call_h1"), ("lookup_order", "call_o1"), ("transfer_to_billing", "call_x1"),
    ]  # fmt: skip
    assert tools(found)[0]["result"]["temp_c"] == 21
    assert [span["to"] for span in of_type(found, "handoff")] == ["billing"]


def test_realtime_events_come_out_alike_with_and_without_a_wrapper() -> None:
    plain, wrapped = (
        sample(f"openai-realtime/synthetic-{n}.jsonl") for n in ("server-events", "wrapped-with-timestamps")
    )
    assert said(plain, "text", "interrupted") == said(wrapped, "text", "interrupted")
    for found in (plain, wrapped):
        assert [(s["name"], s["arguments"], s["result"]) for s in tools(found)] == [
            ("check_tables", {"party": 4}, {"free": True})
        ]
        assert [s["digits"] for s in of_type(found, "dtmf")] == ["1"]
    assert (plain.transcript or [{}])[0]["start"] == 4.1


def test_every_sample_of_a_call_imports_under_one_format() -> None:
    expected = {
        "vapi": "vapi", "retell": "retell", "elevenlabs": "elevenlabs", "livekit": "livekit", "pipecat": "openai_chat",
        "openai-chat": "openai_chat", "openai-realtime": "openai_realtime", "openai-responses-items": "openai_responses",
        "anthropic-messages": "anthropic", "deepgram-voice-agent": "deepgram_agent", "bland": "bland", "other": "call_center_ai",
    }  # fmt: skip
    if not (SHARED / "samples").is_dir():
        pytest.skip("the samples are not beside this checkout, so this was not tried")
    for folder, name in expected.items():
        for file in sorted((SHARED / "samples" / folder).glob("*.json*")):
            if "otlp" in file.name or "otel" in file.name:
                continue
            found = sample(f"{folder}/{file.name}", "call_demo1" if "list-calls" in file.name else None)
            assert found.format == name, file.name
            assert found.transcript or found.spans, file.name
    assert sample("twilio/synthetic-conversationrelay.jsonl").format == "twilio_relay"


def test_no_sample_of_anything_else_is_taken_for_a_call() -> None:
    if not (SHARED / "samples").is_dir():
        pytest.skip("the samples are not beside this checkout, so this was not tried")
    others = ("stt-", "subtitles", "otel", "otlp", "jaeger", "zipkin", "langfuse", "openinference", "openllmetry")
    from hotato.importers._container import opened

    for file in sorted((SHARED / "samples").glob("*/*")):
        if file.name == "SOURCE.txt" or not (file.parent.name.startswith(others) or "otlp" in file.name):
            continue
        content = opened(file.name, file.read_bytes()).content
        assert [name for name in FORMATS if MODULES[name].matches(content)] == [], file.name


def test_the_vendor_case_of_a_bug_meets_its_expectation() -> None:
    folder = SHARED / "cases" / "bugs" / "111-vendor-vapi-report"
    if not folder.is_dir():
        pytest.skip("the cases of public bugs are not beside this checkout, so this was not tried")
    found = importers.read_raw("vendor.json", (folder / "vendor.json").read_bytes())
    context = assert_.build_context(transcript=found.transcript, spans=found.spans)
    envelope = assert_.run_assertions_from_file(folder / "assertions.yaml", context)
    expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]
    assert {r["id"]: r["status"] for r in envelope["results"]} == expected["results"]
    assert envelope["exit_code"] == expected["exit_code"]


# Shapes that several formats share.

CHAT = [
    {"role": "user", "content": "Is it open?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "function": {"name": "hours", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": '{"open": true}'},
    {"role": "assistant", "content": "Yes."},
]


def test_a_list_of_the_same_shape_is_read_in_the_same_way_by_whoever_reads_it() -> None:
    content = content_of([CHAT], lines=False)
    assert [name for name in FORMATS if MODULES[name].matches(content)] == ["openai_chat"]
    chat, context = (MODULES[name].read(content, Options()) for name in ("openai_chat", "pipecat"))
    assert (chat.transcript, chat.spans, chat.notes) == (context.transcript, context.spans, context.notes)


def test_items_with_function_calls_are_told_apart_by_how_their_texts_stand() -> None:
    call = {"type": "function_call", "call_id": "k", "name": "go", "arguments": "{}"}
    plain = {"type": "message", "role": "user", "content": ["Go."]}
    block = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}
    for message, name in ((plain, "livekit"), (block, "openai_responses")):
        for value in ([message, call], {"items": [message, call]}):
            found = [format_ for format_ in FORMATS if MODULES[format_].matches(content_of([value], lines=False))]
            assert found == [name]


# Laws.


@settings(deadline=None, max_examples=150)
@given(st.permutations(range(4)), st.booleans())
def test_results_find_their_calls_in_any_order(order: list[int], named: bool) -> None:
    calls = [{"id": f"k{n}", "function": {"name": f"t{n}", "arguments": json.dumps({"n": n})}} for n in range(4)]
    answers = [{"role": "tool", "tool_call_id": f"k{n}", "content": f"r{n}"} for n in order]
    if named:
        answers = [{**one, "name": f"t{one['tool_call_id'][1]}"} for one in answers]
    messages = [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]
    found = MODULES["openai_chat"].read(content_of([messages], lines=False), Options())
    assert [(s["name"], s["arguments"], s["result"]) for s in tools(found)] == [
        (f"t{n}", {"n": n}, f"r{n}") for n in range(4)
    ]


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2 * 10**18), st.integers(0, 10**13))
def test_a_time_is_exact_to_the_nanosecond(start: int, taken: int) -> None:
    assert _clock.number_ns(start, _clock.NS) == start
    assert _clock.number_ns(str(start), _clock.NS) == start
    assert _clock.number_ns(f"{start // 10**9}.{start % 10**9:09}", _clock.S) == start
    assert _clock.since(start + taken, start) == taken / 10**9
    assert _clock.window(start, start + taken, start, Lost())["latency_ms"] == taken / 10**6


def test_a_fraction_is_read_by_its_digits() -> None:
    assert _clock.number_ns(1796185619.0484707, _clock.S) == 1_796_185_619_048_470_700
    assert _clock.number_ns(1.722115418016999e12, _clock.MS) == 1_722_115_418_016_999_000


@pytest.mark.parametrize("value", [True, False, None, float("nan"), float("inf"), "", "soon", "1e3", [], 10**400])
def test_what_is_no_number_is_no_time(value: Any) -> None:
    assert _clock.number_ns(value, _clock.S) is None


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1970-01-01T00:00:01Z", 10**9),
        ("1970-01-01T01:00:00.25+01:00", 250_000_000),
        ("1970-01-01 00:00:00.000000001", 1),
        ("1969-12-31T23:59:59-0100", 3_599 * 10**9),
        ("1970-02-30T00:00:00Z", None),
        ("1970-01-01T24:00:00Z", None),
        ("1970-01-01", None),
    ],
)
def test_a_moment_is_read_exactly(text: str, ns: int | None) -> None:
    assert _clock.iso_ns(text) == ns


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("{'a': True, 'b': None, 'c': (1, -2.5)}", {"a": True, "b": None, "c": [1, -2.5]}),
        ("{1: 'a'}", {"1": "a"}),
        ("{1: 'a', '1': 'b'}", "{1: 'a', '1': 'b'}"),
        ("{'a': {1, 2}}", "{'a': {1, 2}}"),
        ("{'a': 1e999}", "{'a': 1e999}"),
        ("{'a': open('x')}", "{'a': open('x')}"),
        ("(" * 80 + ")" * 80, "(" * 80 + ")" * 80),
        ("{'a': 1+1}", "{'a': 1+1}"),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('"status 200"', "status 200"),
        ("42", "42"),
        ("null", None),
        ("", ""),
    ],
)
def test_a_text_that_holds_a_value_is_read_as_that(text: str, value: Any) -> None:
    assert _payload.decoded(text) == value


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="{}[]()'\":,0123456789.eTrue NoneFals\\ux-_", max_size=60))
def test_any_text_is_read_without_an_accident(text: str) -> None:
    lost = Lost()
    codec.encode([_payload.answer(text, lost), _payload.argument_fields(text, lost)])


# Damage: whatever a file holds, it is read or refused.

ODD: list[Any] = [
    None, True, 0, -1, 10**30, 1e308, float("nan"), "", "x", "2026-01-01T00:00:00Z", [], [None], [[]], {}, {"type": "message"},
    {"role": "user"}, ["a"], "{'a': 1}", '{"a": ',
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            found += places(value[key], (*path, key))
    return found


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a copy with one to three faults: a value of another type, a missing key, an item twice or out of order."""
    made = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        ways = places(made)
        if not ways:
            return made
        *way, last = chance.choice(ways)
        parent = made
        for part in way:
            parent = parent[part]
        fault = chance.randrange(4)
        if fault == 0:
            del parent[last]
        elif fault == 1 and isinstance(parent, list):
            parent.insert(chance.randrange(len(parent) + 1), copy.deepcopy(parent[last]))
        elif fault == 2 and isinstance(parent, list):
            chance.shuffle(parent)
        else:
            parent[last] = copy.deepcopy(chance.choice(ODD))
    return made


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_content_is_read_or_refused_and_nothing_else(name: str) -> None:
    chance = random.Random(name)
    mine = [case for format_, case in CASES if format_ == name]
    for _ in range(400):
        case = chance.choice(mine)
        values = mutated(case["lines"], chance) if "lines" in case else [mutated(case["input"], chance)]
        content = content_of(values, lines="lines" in case)
        for module in MODULES.values():
            assert isinstance(module.matches(content), str)
        try:
            found = MODULES[name].read(content, Options(**case.get("options", {})))
        except Damage as damage:
            importers.way(damage.path)
            continue
        as_turns([{**t, **{k: None for k in ("start", "end") if t.get(k) != t.get(k)}} for t in found.transcript or []])
        if name != "hotato_bundle":
            as_spans(found.spans or [])
