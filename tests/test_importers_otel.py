"""Telemetry as traces: the cases of conformance/importers/, real files with what is known of them, laws, and damaged files."""

from __future__ import annotations

import base64
import copy
import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from _laws import law
from hotato import assert_, importers
from hotato.context.trace import spans as as_spans
from hotato.context.transcript import turns as as_turns
from hotato.errors import EvidenceError
from hotato.importers import _otel_notes
from hotato.importers._export import export_otel_bridge
from hotato.importers._importer import Imported, Options
from hotato.importers._ingest import ingest_trace, records, to_jsonl
from hotato.importers._redact import address, redacted
from hotato.importers._split import split_trace
from hotato.model import codec

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "conformance" / "importers"
SHARED = ROOT.parent / "shared"
FORMATS = ("otlp", "jaeger", "zipkin", "otel_console", "langfuse", "bridge")
SCHEMA = Draft202012Validator(json.loads((ROOT / "src/hotato/schema/voice_trace.v1.json").read_text(encoding="utf-8")))
GENAI = "otel-genai/otel_genai_openai_agents_1.3b0.otlp"


def loaded() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name in FORMATS:
        file = yaml.load((SUITE / name / "cases.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
        assert file["format"] == name
        found += [(name, case) for case in file["cases"]]
    return found


CASES = loaded()
Any_ = dict[str, Any]


def case_text(case: Any_) -> str:
    if "lines" in case:
        return "".join(json.dumps(value) + "\n" for value in case["lines"])
    return case["input"] if isinstance(case["input"], str) else json.dumps(case["input"])


def usable(found: Imported) -> None:
    """Check what every import must be: evidence that the engine takes, in JSON, in the order of time."""
    codec.encode([found.transcript, found.spans, found.captures])
    as_turns(found.transcript or [])
    starts = [span.start for span in as_spans(found.spans) if span.start is not None]
    assert starts == sorted(starts)
    for span in found.spans or []:
        assert ("latency_ms" in span) <= (("start_sec" in span and "end_sec" in span) or found.format == "bridge")
        assert span.get("end_sec", span.get("start_sec", 0)) >= span.get("start_sec", 0)
    assert all(note.count > 0 and note.message for note in found.notes)
    for line in records(found):
        SCHEMA.validate(line)


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda v: v if isinstance(v, str) else v["name"])
def test_a_case_comes_out_as_it_says(name: str, case: Any_) -> None:
    raw = case_text(case).encode()
    options = Options(**case.get("options", {}))
    if "refused" in case:
        with pytest.raises(EvidenceError) as caught:
            importers.read_raw("f", raw, None, options)
        (problem,) = caught.value.problems
        assert {"code": problem.code, "path": problem.path, "line": problem.line} == {"line": 0, **case["refused"][0]}
        return
    found = importers.read_raw("f", raw, None, options)
    expect = case["expect"]
    assert found.format == name
    assert found.transcript == expect["transcript"]
    assert found.spans == expect["spans"]
    assert sorted(note.code for note in found.notes) == expect["notes"]
    said = found.call_id, found.agent_id, found.stack
    assert said == (expect.get("call_id"), expect.get("agent_id"), expect.get("stack"))
    usable(found)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is_and_has_cases_that_are_read_and_refused(name: str) -> None:
    page = import_module(f"hotato.importers.{name}").__doc__ or ""
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
    assert set(_otel_notes.NOTES) - noted == set()


# Real files, and what is known of them.


def sample(path: str) -> Imported:
    found = importers.read_raw(path, sample_bytes(path))
    usable(found)
    return found


def sample_bytes(path: str) -> bytes:
    file = SHARED / "samples" / path
    if not file.is_file():
        pytest.skip(f"the sample {path} is not beside this checkout, so this was not tried")
    return file.read_bytes()


def of_type(found: Imported, kind: str) -> list[Any_]:
    return [span for span in found.spans or [] if span["type"] == kind]


def said(found: Imported) -> list[tuple[str, str]]:
    return [(turn["role"], turn["text"]) for turn in found.transcript or []]


def without_times(found: Imported) -> list[Any_]:
    times = {"start_sec", "end_sec", "latency_ms", "time_sec"}
    return [{key: value for key, value in span.items() if key not in times} for span in found.spans or []]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_livekit_session_comes_out_as_known(suffix: str) -> None:
    found = sample(f"livekit/livekit_agents_1.8.9_session.otlp.{suffix}")
    assert found.meta["source"]["input_span_count"] == 75
    roles = [role for role, _ in said(found)]
    assert (roles.count("caller"), roles.count("agent")) == (3, 5)
    assert [turn["text"] for turn in found.transcript or [] if turn.get("interrupted")] == [
        "It is sunny and 21 degrees in Tokyo right"
    ]
    calls = [(span["name"], round(span["latency_ms"], 1), span.get("error")) for span in of_type(found, "tool_call")]
    assert calls == [
        ("get_weather", 264.1, None),
        ("lookup_order", 102.7, "order not found"),
        ("transfer_to_billing", 1.9, None),
    ]
    assert [(span["from"], span["to"]) for span in of_type(found, "handoff")] == [("front_desk", "billing_agent")]
    assert [span["reason"] for span in of_type(found, "termination")] == ["user_initiated"]
    cut = next(turn for turn in found.transcript or [] if turn.get("interrupted"))
    barge_in = next(turn for turn in found.transcript or [] if turn["text"].startswith("Stop"))
    assert cut["start"] < barge_in["start"] < cut["end"]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_pipecat_conversation_comes_out_as_known(suffix: str) -> None:
    found = sample(f"pipecat/pipecat_1.14.0_conversation.otlp.{suffix}")
    roles = [role for role, _ in said(found)]
    assert (roles.count("caller"), roles.count("agent")) == (3, 3)
    assert [(span["name"], span["arguments"], span["result"]) for span in of_type(found, "tool_call")] == [
        ("get_weather", {"location": "Tokyo"}, {"location": "Tokyo", "sky": "sunny", "temp_c": 21}),
        ("lookup_order", {"order_id": "42"}, {"error": "order not found", "order_id": "42"}),
    ]
    assert all("error" not in span and "end_sec" not in span for span in of_type(found, "tool_call"))


@pytest.mark.parametrize(
    "path",
    [
        f"{GENAI}.json",
        f"{GENAI}.jsonl",
        f"{GENAI}.pb",
        "otlp-variants/protobuf_json_mapping.base64ids_enumnames.json",
        "otlp-variants/protobuf_json_mapping.snake_case.json",
        "otlp-variants/synthetic-legacy_instrumentationLibrarySpans.json",
        "otlp-variants/synthetic-tempo_v1_batches.json",
        "otlp-variants/synthetic-tempo_v2_trace.json",
    ],
)
def test_a_genai_call_is_the_same_in_every_wrapping(path: str) -> None:
    found, plain = sample(path), sample(f"{GENAI}.json")
    assert (found.call_id, found.meta["source"]["input_span_count"]) == ("conv-1", 14)
    calls = {span["name"]: span for span in of_type(found, "tool_call")}
    assert set(calls) == {"fetch_hours", "get_weather", "lookup_order"}
    assert calls["fetch_hours"]["result"] == "status 200"
    assert calls["get_weather"]["result"] == {"location": "Tokyo", "sky": "sunny", "temp_c": 21}
    assert "Error running tool" in calls["lookup_order"]["error"]
    (exchange,) = of_type(found, "http_exchange")
    assert (exchange["method"], exchange["url"].split("/")[-1], exchange["status_code"]) == (
        "GET",
        "hours?store=main",
        200,
    )
    assert [(span["from"], span["to"]) for span in of_type(found, "handoff")] == [("front_desk", "billing")]
    assert (found.transcript, found.spans, found.notes) == (plain.transcript, plain.spans, plain.notes)


def test_a_genai_call_says_the_same_in_jaegers_and_zipkins_words() -> None:
    plain = sample(f"{GENAI}.json")
    jaeger, zipkin = (
        sample("jaeger/synthetic-genai_from_real_otlp.jaeger.json"),
        sample("zipkin/otel_genai_openai_agents_1.3b0.zipkin.json"),
    )
    assert (without_times(jaeger), jaeger.transcript) == (without_times(plain), plain.transcript)
    unnumbered = [{key: v for key, v in span.items() if key != "tool_call_id"} for span in without_times(plain)]
    assert [{**s, "error": 0} if "error" in s else s for s in without_times(zipkin)] == [
        {**s, "error": 0} if "error" in s else s for s in unnumbered
    ]
    for one, other in zip(jaeger.spans or [], plain.spans or [], strict=True):
        assert abs(one["start_sec"] - other["start_sec"]) < 2e-6


@pytest.mark.parametrize(
    "path",
    [
        "openinference/openinference_openai_agents_2.6.0.otlp.json",
        "openinference/openinference_openai_agents_2.6.0.otlp.jsonl",
        "openllmetry/openllmetry_openai_agents_0.62.4.otlp.json",
        "openllmetry/openllmetry_openai_agents_0.62.4.otlp.jsonl",
    ],
)
def test_three_tools_and_a_handoff_are_that_in_other_dialects(path: str) -> None:
    found = sample(path)
    calls = {span["name"]: (span["arguments"], span.get("error")) for span in of_type(found, "tool_call")}
    assert {name: arguments for name, (arguments, _) in calls.items()} == {
        "fetch_hours": {"store": "main"},
        "get_weather": {"location": "Tokyo"},
        "lookup_order": {"order_id": "42"},
    }
    assert [name for name, (_, error) in calls.items() if error is not None] == ["lookup_order"]
    assert [(span["from"], span["to"]) for span in of_type(found, "handoff")] == [("front_desk", "billing")]
    assert said(found) == said(sample(f"{GENAI}.json"))


@pytest.mark.parametrize(
    "path",
    ["otel-http/http_semconv_old.otlp.json", "otel-http/http_semconv_new.otlp.jsonl",
     "otel-http/http_semconv_dup.otlp.json", "zipkin/http_semconv_new.zipkin.json"],
)  # fmt: skip
def test_requests_under_old_and_new_names_are_the_same(path: str) -> None:
    found = sample(path)
    ok, refused, lost = of_type(found, "http_exchange")
    assert (ok["method"], ok["status_code"], "error" in ok) == ("GET", 200, False)
    assert (refused["method"], refused["status_code"], "error" in refused) == ("GET", 503, True)
    assert (lost["method"], lost.get("status_code"), "HTTPConnectionPool" in lost["error"]) == ("POST", None, True)
    calls = {span["name"]: span for span in of_type(found, "tool_call")}
    assert set(calls) == {"fetch_hours", "boom"}
    assert calls["boom"]["error"] == "backend exploded"
    assert found.captures["arguments"] is False


def test_elevenlabs_telemetry_comes_out_as_known() -> None:
    found = sample("elevenlabs/synthetic-webhook-post_call_transcription_otel.json")
    assert [role for role, _ in said(found)] == ["agent", "caller", "agent"]
    assert [(s["name"], s["latency_ms"], s["result"]) for s in of_type(found, "tool_call")] == [
        ("check_tables", 852, {"free": True})
    ]
    assert (found.call_id, found.agent_id, found.stack) == ("conv_demo1", "agent_x", "elevenlabs")


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("google-adk-2025-08-28", ["say_hello"]),
        ("langgraph-python-2025-08-22", ["Web-Search"]),
        ("openai-agents-2025-09-30", ["get_weather"]),
        ("vercel-aisdk-2025-11-17", ["getWeather"]),
        (
            "pydantic-ai-tools-2025-12-04",
            ["get_pun_suggestion", "get_dad_joke_suggestion", "get_one_liner_suggestion", "final_result"],
        ),
    ],
)
def test_the_tools_of_langfuse_traces_are_called_once_each(path: str, names: list[str]) -> None:
    found = sample(f"langfuse/{path}.trace.json")
    assert [span["name"] for span in of_type(found, "tool_call")] == names
    assert all("arguments" in span for span in of_type(found, "tool_call"))


SEEN = ("otlp-json", "otlp-variants", "jaeger", "zipkin", "langfuse", "livekit", "pipecat", "otel-genai", "otel-http",
        "openinference", "openllmetry")  # fmt: skip


def test_every_sample_of_telemetry_is_read_as_what_it_is() -> None:
    if not (SHARED / "samples").is_dir():
        pytest.skip("the samples are not beside this checkout, so this was not tried")
    for folder in SEEN:
        for file in sorted((SHARED / "samples" / folder).iterdir()):
            if file.name != "SOURCE.txt" and not file.name.startswith(("chat_ctx", "session_report", "llm_context")):
                usable(importers.read_file(file))


def ingested_cases() -> Iterator[Path]:
    for folder in sorted((SHARED / "cases" / "bugs").glob("*/otel.json")):
        yield folder.parent


def test_the_cases_of_public_reports_meet_their_expectation(tmp_path: Path) -> None:
    folders = list(ingested_cases())
    if not folders:
        pytest.skip("the cases are not beside this checkout, so this was not tried")
    for folder in folders:
        expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]
        trace = tmp_path / "voice_trace.jsonl"
        trace.write_text(to_jsonl(ingest_trace(folder / "otel.json")), encoding="utf-8")
        call = assert_.build_context(trace_path=trace)
        envelope = assert_.run_assertions_from_file(folder / "assertions.yaml", call)
        assert {result["id"]: result["status"] for result in envelope["results"]} == expected["results"], folder.name
        assert envelope["exit_code"] == expected["exit_code"]


# Laws. A call is a list of spans; what it says must not depend on how the file is written.

START = 1_772_359_200_000_000_000
VALUES = st.recursive(
    st.text(max_size=4)
    | st.integers(-(2**62), 2**62)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=2)


def any_value(value: Any) -> Any_:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": any_value(v)} for k, v in value.items()]}}
    return {"stringValue": value}


@st.composite
def call_spans(draw: st.DrawFn) -> list[Any_]:
    """Return spans of one trace: calls, requests, a handoff, keys, requests to a model, and spans of no interest."""
    spans = [one_span(1, "call", {"service.step": "root"}, 0, 10**10, None)]
    said: list[Any_] = []
    for number in range(2, draw(st.integers(3, 8))):
        kind = draw(st.sampled_from(["tool", "http", "own", "model", "other"]))
        start = draw(st.integers(0, 10**9)) + number * 10**9
        end = draw(st.sampled_from([start, start + 7, start + 5 * 10**8, None]))
        parent = draw(st.sampled_from([None, 1, 2, number - 1]))
        spans.append(span_of(draw, kind, number, start, end, parent, said))
    return spans


def span_of(
    draw: st.DrawFn, kind: str, number: int, start: int, end: int | None, parent: int | None, said: list[Any_]
) -> Any_:
    status = draw(st.sampled_from([{}, {"code": 1}, {"code": 2, "message": "declined"}]))
    if kind == "tool":
        told = draw(ARGUMENTS)
        name = draw(st.sampled_from(["book", "pay", "transfer_to_billing"]))
        values = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        values["gen_ai.tool.call.arguments"] = draw(st.sampled_from([json.dumps(told), told]))
        if draw(st.booleans()):
            values["gen_ai.tool.call.id"] = f"c{number}"
        if draw(st.booleans()):
            values["gen_ai.tool.call.result"] = draw(st.sampled_from([json.dumps({"ok": True}), "done", {"n": 1}]))
        return one_span(number, f"execute_tool {name}", values, start, end, parent, status)
    if kind == "http":
        values = {
            "http.request.method": "GET",
            "url.full": f"https://a.example/{number}",
            "http.status_code": 200 + number,
        }
        return {**one_span(number, "GET", values, start, end, parent, status), "kind": 3}
    if kind == "own":
        name, values = draw(
            st.sampled_from([("dtmf", {"digits": "1"}), ("handoff", {"to": "x"}), ("hangup", {"by": "agent"})])
        )
        return one_span(number, name, values, start, end, parent)
    if kind == "model":
        said.append({"role": "user", "parts": [{"type": "text", "content": f"Question {number}"}]})
        values = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(said)}
        said.append({"role": "assistant", "parts": [{"type": "text", "content": f"Answer {number}"}]})
        values["gen_ai.output.messages"] = json.dumps(said[-1:])
        return one_span(number, "chat m", values, start, end, parent)
    return one_span(number, "db", {"db.system": "x"}, start, end, parent, status)


def one_span(
    number: int, name: str, values: Any_, start: int, end: int | None, parent: int | None, status: Any_ | None = None
) -> Any_:
    span = {
        "traceId": f"{0xABCDEF:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent in (None, number) else f"{parent:016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START + start),
        "attributes": [{"key": key, "value": any_value(value)} for key, value in values.items()],
        "status": status or {},
    }
    return span if end is None else {**span, "endTimeUnixNano": str(START + end)}


def request(spans: list[Any_]) -> Any_:
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "agent"}, "spans": spans}]}]}


def lined(requests: list[Any_]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in requests).encode()


def read(raw: bytes) -> tuple[Any, ...]:
    found = importers.read_raw("f", raw)
    usable(found)
    noted = [(note.code, note.count) for note in found.notes if note.code != "traces_joined"]
    return found.transcript, found.spans, noted, found.captures


def plain(spans: list[Any_]) -> bytes:
    return json.dumps(request(spans)).encode()


@law(150)
@given(call_spans(), st.randoms(use_true_random=False))
def test_the_order_of_spans_means_nothing(spans: list[Any_], chance: random.Random) -> None:
    shuffled = list(spans)
    chance.shuffle(shuffled)
    assert read(plain(shuffled)) == read(plain(spans))


@law(100)
@given(call_spans(), st.integers(1, 3))
def test_the_batches_of_spans_mean_nothing(spans: list[Any_], size: int) -> None:
    batches = [request(spans[i : i + size]) for i in range(0, len(spans), size)]
    assert read(lined(batches)) == read(plain(spans))
    assert read("\n".join(json.dumps(one, indent=1) for one in batches).encode()) == read(plain(spans))


def in_base64(hexed: str) -> str:
    return base64.b64encode(bytes.fromhex(hexed)).decode()


def recoded(value: Any) -> Any:
    """Return spans as tools that go through protobuf's JSON write them: base64 ids, numbers where there was text."""
    if isinstance(value, list):
        return [recoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, item in value.items():
        if key in ("traceId", "spanId", "parentSpanId"):
            made[key] = in_base64(item)
        elif key in ("startTimeUnixNano", "endTimeUnixNano", "intValue"):
            made[key] = int(item)
        elif key == "kind":
            made[key] = {1: "SPAN_KIND_INTERNAL", 3: "SPAN_KIND_CLIENT"}[item]
        elif key == "code":
            made[key] = {1: "STATUS_CODE_OK", 2: "STATUS_CODE_ERROR"}[item]
        else:
            made[key] = recoded(item)
    return made


def snaked(value: Any) -> Any:
    if isinstance(value, list):
        return [snaked(item) for item in value]
    if not isinstance(value, dict):
        return value
    snake = {key: "".join(f"_{c.lower()}" if c.isupper() else c for c in key) for key in value}
    return {snake[key]: item if key == "key" else snaked(item) for key, item in value.items()}


@law(100)
@given(call_spans())
def test_the_spelling_of_ids_numbers_and_names_means_nothing(spans: list[Any_]) -> None:
    expected = read(plain(spans))
    assert read(plain(recoded(spans))) == expected
    assert read(json.dumps(snaked(request(spans))).encode()) == expected
    assert read(lined([request(spans), request(recoded(spans))]))[:2] == expected[:2]
    upper = [{**span, "traceId": span["traceId"].upper(), "spanId": span["spanId"].upper()} for span in spans]
    assert read(plain(upper)) == expected
    parted = [{**span, "startTimeUnixNano": halves(int(span["startTimeUnixNano"]))} for span in spans]
    assert read(plain(parted)) == expected


def halves(number: int) -> Any_:
    low = number & 0xFFFFFFFF
    return {"low": low - 2**32 if low >= 2**31 else low, "high": number >> 32}


@law(60)
@given(call_spans(), st.sampled_from(["trace", "result", "batches"]))
def test_wrappers_and_gzip_mean_nothing(spans: list[Any_], wrapper: str) -> None:
    expected = read(plain(spans))
    whole = request(spans)
    wrapped = {"batches": whole["resourceSpans"]} if wrapper == "batches" else {wrapper: whole}
    assert read(json.dumps(wrapped).encode()) == expected
    assert read(gzip.compress(b"\xef\xbb\xbf" + plain(spans))) == expected
    half = plain(spans)
    assert read(gzip.compress(half[:40]) + gzip.compress(half[40:])) == expected


@law(60)
@given(call_spans())
def test_protobuf_says_the_same_as_json(spans: list[Any_]) -> None:
    pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
    pb = import_module("opentelemetry.proto.trace.v1.trace_pb2")
    parse = import_module("google.protobuf.json_format").ParseDict
    raw = parse(request(recoded(spans)), pb.TracesData()).SerializeToString()
    expected = read(plain(spans))
    assert read(raw) == expected
    assert read(gzip.compress(raw)) == expected
    assert read(len(raw).to_bytes(4, "big") + raw) == expected


@law(60)
@given(call_spans(), st.integers(1, 3))
def test_unrelated_spans_and_repeats_change_nothing(spans: list[Any_], count: int) -> None:
    transcript, found, _, captures = read(plain(spans))
    others = [
        {
            **one_span(900 + i, "cron", {"db.system": "x", "user": "u"}, -(10**12) * i, 10**9, None),
            "traceId": f"{77 + i:032x}",
        }
        for i in range(count)
    ]
    more = read(plain([*others, *spans, *copy.deepcopy(spans[1:])]))
    assert (more[0], more[1], more[3]) == (transcript, found, captures)


@law(60)
@given(call_spans(), st.booleans(), st.booleans())
def test_what_was_written_is_read_again_unchanged(spans: list[Any_], identifiers: bool, text: bool) -> None:
    flags = {"include_identifiers": identifiers, "include_text": text}
    first = records(importers.read_raw("f", plain(spans)), call_id="k", stack="mine", **flags)
    again = records(importers.read_raw("f", to_jsonl(first).encode(), "bridge"), **flags)
    assert to_jsonl(again) == to_jsonl(first)
    exported = export_otel_bridge(first[1:], first[0])
    back = records(importers.read_raw("f", exported.encode(), "bridge"), **flags)
    assert back == first
    call = assert_.build_context(spans=first[1:])
    assert export_otel_bridge(call.spans or (), first[0]) == exported


@law(40)
@given(st.lists(st.tuples(st.sampled_from(["k1", "k2", "k3"]), call_spans()), min_size=1, max_size=3))
def test_a_file_of_several_calls_is_cut_into_what_each_says(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, list[Any_]]]
) -> None:
    whole: dict[str, list[Any_]] = {}
    for number, (conversation, spans) in enumerate(calls):
        named = copy.deepcopy(spans)
        named[-1]["attributes"].append({"key": "gen_ai.conversation.id", "value": {"stringValue": conversation}})
        whole.setdefault(conversation, []).extend({**span, "traceId": f"{number + 5:032x}"} for span in named)
    file = tmp_path_factory.mktemp("split") / "f.jsonl"
    mixed = [span for spans in whole.values() for span in reversed(spans)]
    raw = lined([request(mixed[i : i + 2]) for i in range(0, len(mixed), 2)])
    for content in (raw, gzip.compress(raw), plain(mixed)):
        file.write_bytes(content)
        found = dict(split_trace(file))
        assert set(found) == set(whole)
        for conversation, imported in found.items():
            alone = importers.read_raw("f", plain(whole[conversation]))
            assert (imported.transcript, imported.spans) == (alone.transcript, alone.spans)
            assert imported.call_id == alone.call_id == conversation


# Writing.


def test_identifiers_and_text_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    spans = [
        {"type": "asr_partial", "time_sec": 1.0, "text": "my number is", "session.id": "s"},
        {"type": "tool_call", "name": "book", "start_sec": 2.0, "arguments": {"text": "kept"}, "attributes": {
            "gen_ai.input.messages": "secret", "user.id": "u", "team": "one"}},
        {"type": "http_exchange", "method": "GET", "url": "https://me:pw@a.example/x?token=abc&store=main", "start_sec": 3.0},
    ]  # fmt: skip
    file.write_text("".join(json.dumps(span) + "\n" for span in spans), encoding="utf-8")
    meta, partial, tool, exchange = ingest_trace(file, call_id="c-1", agent_id="a-1", git_sha="abc")
    assert (meta["call_id"], meta["deployment"]["agent_id"], meta["deployment"]["git_sha"]) == (None, None, "abc")
    assert partial == {"type": "asr_partial", "time_sec": 1.0, "text_redacted": True}
    assert (tool["arguments"], tool["attributes"], tool["text_redacted"]) == ({"text": "kept"}, {"team": "one"}, True)
    assert exchange["url"] == "https://REDACTED@a.example/x?token=REDACTED&store=main"
    kept = ingest_trace(file, call_id="c-1", agent_id="a-1", include_identifiers=True, include_text=True)
    assert kept[1:] == spans
    assert (kept[0]["call_id"], kept[0]["deployment"]["agent_id"]) == ("c-1", "a-1")


def test_what_was_left_out_stays_so() -> None:
    span = {"type": "asr_partial", "text": "a", "url": "https://u:p@a.example/?sig=1"}
    once = redacted(span, identifiers=False, text=False)
    assert redacted(once, identifiers=False, text=False) == once
    assert address(address("https://u:p@a.example/?key=1#x")) == "https://REDACTED@a.example/?key=REDACTED#x"


def test_the_meta_line_comes_first_and_says_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_bytes(plain([one_span(1, "dtmf", {"digits": "1"}, 0, 1, None)]))
    meta, *spans = ingest_trace(file, stack="mine", config_hash="h")
    assert list(meta) == ["schema", "_meta", "call_id", "deployment", "source"]
    assert meta["deployment"] == {"stack": "mine", "agent_id": None, "git_sha": None, "config_hash": "h"}
    assert meta["source"] == {"format": "otlp", "input_span_count": 1, "captures": {"dtmf": True}, "notes": []}
    assert [span["type"] for span in spans] == ["dtmf"]


# Telling formats, and refusing.


def refused(raw: bytes, format_: str | None = None) -> Any:
    with pytest.raises(EvidenceError) as caught:
        importers.read_raw("f", raw, format_)
    return caught.value.problems[0]


def test_content_of_no_format_is_refused_with_the_nearest_formats_and_what_they_share() -> None:
    problem = refused(b'{"resource_spans_": [], "scopeSpans": [], "traceID": 1, "operationName": 2}')
    assert problem.code == "format_unknown"
    assert "nearest: jaeger (has" in problem.message
    assert "--format NAME" in problem.message


def test_which_formats_are_nearest_is_the_same_on_every_python() -> None:
    problem = refused(b'{"Results": [], "Turn": 1, "channels": [], "results": [], "utterances": []}')
    nearest = "nearest: assemblyai (has Turn, utterances, results) and deepgram (has Results, channels, results)"
    assert nearest in problem.message  # `sum` of the same parts is another number from Python 3.12 on


def test_a_format_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    problem = refused(b"{}", "otlpp")
    assert (problem.code, problem.guess) == ("format_unknown", "otlp")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (gzip.compress(plain([]))[:-6], "gzip"),
        (gzip.compress(plain([])) + b"more", "gzip"),
        (b"\x1f\x8b\x08 no gzip at all", "gzip"),
        (gzip.compress(b" " * (65 * 1024 * 1024)), "gzip"),
        (b'{"resourceSpans": [}', "json_syntax"),
        (b'{"resourceSpans": [], "resourceSpans": []}', "json_duplicate_key"),
        (b'{"resourceSpans": []}\n{"resourceSpans": [', "json_syntax"),
        (b'{"resourceSpans": ' + b"[" * 80 + b"]" * 80 + b"}", "json_depth"),
        (b"", "format_unknown"),
        (b"\xff\xfe\x00\x01", "format_unknown"),
        (b"\n\x06\x12\x04\x12\xff\x01\x01", "import"),
    ],
    ids=("gzip-cut", "gzip-and-more", "no-gzip", "gzip-bomb", "syntax", "key-twice", "lines-cut", "deep", "empty",
         "no-text", "protobuf"),
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_why(raw: bytes, code: str) -> None:
    assert refused(raw).code == code


def test_a_last_line_that_was_cut_off_is_refused_with_its_line() -> None:
    problem = refused(plain([]) + b"\n" + plain([])[:-3])
    assert (problem.line, problem.message) == (2, "truncated: the last line is no whole JSON value")


def test_numbers_that_are_none_are_left_out_and_noted() -> None:
    found = importers.read_raw("f", b'{"type": "tool_call", "name": "a", "start_sec": 1, "arguments": {"n": NaN}}\n')
    assert found.spans == [{"type": "tool_call", "name": "a", "start_sec": 1, "arguments": {"n": None}}]
    assert [note.code for note in found.notes] == ["number_not_finite"]


def test_protobuf_without_its_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b"\n\x0a\x12\x08\x12\x06*\x04tool"
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.trace.v1.trace_pb2", None)
    problem = refused(raw)
    assert (problem.code, "pip install 'hotato[otel]'" in problem.message) == ("extra_missing", True)


def test_no_importer_is_imported_before_it_is_needed() -> None:
    code = "import sys, hotato.assert_, hotato.importers as i; i.names(); print(*sorted(m for m in sys.modules if 'importers' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {f"hotato.importers.{name}" for name in importers.names()} & set(done.stdout.split())
    code = (
        "import sys, hotato.importers as i; i.read_raw('f', b'{\"resourceSpans\": []}', 'otlp'); "
        "print(*(m for m in sys.modules if m.startswith('opentelemetry') or m.startswith('google')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == []


# Damaged files: whatever is wrong, the answer is a call or a refusal.

JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "\ud800",
    "[",
    [],
    {},
    [None],
    {"key": "k"},
    [[]],
    "0x",
    "9" * 25,
)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*way, key))


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a value with a place dropped, repeated, moved or made something else."""
    made = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 2, 4))):
        ways = list(places(made))
        way = ways[chance.randrange(len(ways))]
        if not way:
            return chance.choice(JUNK)
        holder = made
        for key in way[:-1]:
            holder = holder[key]
        action = chance.randrange(4)
        if action == 0:
            del holder[way[-1]]
        elif action == 1:
            holder[way[-1]] = copy.deepcopy(chance.choice(JUNK))
        elif action == 2 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[way[-1]]))
        elif isinstance(holder, dict):
            holder[chance.choice(["name", "attributes", "events", "key", "value", "id", "tags", "x"])] = holder[way[-1]]
    return made


def payloads() -> list[tuple[str, list[Any]]]:
    found = []
    for name, case in CASES:
        if "expect" in case and not isinstance(case.get("input"), str):
            found.append((name, case["lines"] if "lines" in case else [case["input"]]))
    return found


PAYLOADS = payloads()


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_file_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    for name, values in PAYLOADS:
        raw = "".join(json.dumps(mutated(value, chance)) + "\n" for value in values).encode()
        for format_ in (name, None):
            try:
                found = importers.read_raw("f", raw, format_)
            except EvidenceError:
                continue
            codec.encode([found.transcript, found.spans, found.meta])
            as_turns(found.transcript or [])
            as_spans(found.spans or [])
            to_jsonl(records(found))


@pytest.mark.parametrize("seed", range(8))
def test_damaged_bytes_are_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    raw = lined(
        [request([one_span(i, "execute_tool a", {"gen_ai.tool.name": "a"}, i, i + 1, None) for i in range(1, 5)])]
    )
    binary = b"\n\x1c\x12\x1a\x12\x18\n\x10" + bytes(range(16)) + b"\x12\x04abcd"
    for _ in range(150):
        whole = bytearray(chance.choice((raw, binary, gzip.compress(raw))))
        for _ in range(chance.choice((1, 2, 8))):
            whole[chance.randrange(len(whole))] = chance.randrange(256)
        cut = bytes(whole[: chance.randrange(len(whole))]) if chance.random() < 0.3 else bytes(whole)
        try:
            importers.read_raw("f", cut)
        except EvidenceError:
            continue


def test_a_long_chain_of_parents_and_a_circle_are_read_in_time() -> None:
    spans = [one_span(i, "execute_tool a", {"gen_ai.tool.name": "a"}, i, i + 1, i - 1) for i in range(1, 4000)]
    spans[0]["parentSpanId"] = f"{3999:016x}"
    assert len(importers.read_raw("f", plain(spans)).spans or []) == 3999
