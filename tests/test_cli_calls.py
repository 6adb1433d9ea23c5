"""The commands that read what other systems wrote: `trace`, `call`, and `assert run` with their files."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hotato import importers
from hotato.cli import main
from hotato.context.trace import load_trace_file

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
HOTATO = [sys.executable, "-m", "hotato"]

CHAT = {
    "messages": [
        {"role": "user", "content": "Where is my parcel?"},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "find_parcel", "arguments": '{"no": "P-7"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "moving"}'},
        {"role": "assistant", "content": "It is on its way."},
    ]
}
VTT = "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Anna>Good morning.\n\n00:03.000 --> 00:04.000\n<v Ben>Hello.\n"
WHISPERX = {
    "segments": [
        {"start": 0.5, "end": 1.5, "text": " Hello there.", "speaker": "SPEAKER_00", "words": []},
        {"start": 2.0, "end": 3.0, "text": " Hi.", "speaker": "SPEAKER_01", "words": []},
    ],
    "word_segments": [],
}
OWN_TURNS = [{"role": "agent", "text": "Hello there.", "start": 0, "end": 1}]
META = {"schema": "hotato.voice_trace.v1", "_meta": True, "call_id": "c-1"}
OWN_SPAN = {"type": "tool_call", "name": "find_parcel", "start_sec": 1.0, "end_sec": 2.0, "arguments": {"no": "P-7"}}
GREETED = "version: 1\nassertions:\n  - {id: greeted, kind: phrase, regex: 'hello|on its way', role: agent}\n"
FOUND = "version: 1\nassertions:\n  - {id: found, kind: tool_call, name: find_parcel, args_subset: {no: P-7}}\n"


def attribute(key: str, value: Any) -> dict[str, Any]:
    kind = {str: "stringValue", int: "intValue"}[type(value)]
    return {"key": key, "value": {kind: str(value)}}


def otlp(*calls: str, conversation: str = "conv-1", trace: str = "a" * 32) -> dict[str, Any]:
    """Return an export request with one span a tool call, of one conversation."""
    spans = [
        {
            "traceId": trace,
            "spanId": f"{number:016x}",
            "name": f"execute_tool {name}",
            "kind": 1,
            "startTimeUnixNano": str(1_700_000_000_000_000_000 + number * 10**9),
            "endTimeUnixNano": str(1_700_000_000_500_000_000 + number * 10**9),
            "attributes": [
                attribute("gen_ai.operation.name", "execute_tool"),
                attribute("gen_ai.tool.name", name),
                attribute("gen_ai.tool.call.arguments", '{"no": "P-7"}'),
                attribute("gen_ai.tool.call.result", '{"status": "moving"}'),
                attribute("gen_ai.conversation.id", conversation),
            ],
            "status": {},
        }
        for number, name in enumerate(calls, 1)
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "mine"}, "spans": spans}]}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with one file of each sort."""
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "chat.json": CHAT,
        "otlp.json": otlp("find_parcel"),
        "x.json": WHISPERX,
        "own.json": OWN_TURNS,
    }.items():
        (tmp_path / name).write_text(json.dumps(value))
    (tmp_path / "own.jsonl").write_text(f"{json.dumps(META)}\n{json.dumps(OWN_SPAN)}\n")
    (tmp_path / "c.vtt").write_text(VTT)
    (tmp_path / "greeted.yaml").write_text(GREETED)
    (tmp_path / "found.yaml").write_text(FOUND)
    return tmp_path


Out = pytest.CaptureFixture[str]


def said(capfd: Out, *words: str) -> tuple[int, str, str]:
    """Run a command; return exit code, standard output and standard error."""
    code = main(list(words))
    out, err = capfd.readouterr()
    return code, out, err


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# trace ingest and export ----------------------------------------------------------------------------------------------


def test_ingest_writes_a_trace_and_says_what_it_read(folder: Path, capfd: Out) -> None:
    code, out, err = said(capfd, "trace", "ingest", "--otel", "otlp.json", "--out", "v.jsonl")
    assert (code, out, err) == (0, "wrote v.jsonl: otlp, 1 span read, 1 written\n", "")
    meta, span = map(json.loads, (folder / "v.jsonl").read_text().splitlines())
    assert list(meta) == ["schema", "_meta", "call_id", "deployment", "source"]
    assert (meta["schema"], meta["call_id"]) == ("hotato.voice_trace.v1", None)
    assert (span["name"], span["arguments"], span["result"]) == ("find_parcel", {"no": "P-7"}, {"status": "moving"})
    assert said(capfd, "assert", "run", "--assertions", "found.yaml", "--trace", "v.jsonl")[0] == 0


def test_ingest_keeps_ids_only_where_it_is_told_to(folder: Path, capfd: Out) -> None:
    words = ["trace", "ingest", "--otel", "otlp.json", "--stack", "mine", "--call-id", "c-9", "--agent-id", "a-9"]
    words += ["--git-sha", "3f2c", "--config-hash", "77"]
    assert said(capfd, *words, "--out", "v.jsonl")[0] == 0
    plain = (folder / "v.jsonl").read_text()
    assert "c-9" not in plain
    assert "a-9" not in plain
    assert "conv-1" not in plain
    assert said(capfd, *words, "--out", "w.jsonl", "--include-identifiers")[0] == 0
    meta = json.loads((folder / "w.jsonl").read_text().splitlines()[0])
    assert meta["call_id"] == "c-9"
    assert meta["deployment"] == {"stack": "mine", "agent_id": "a-9", "git_sha": "3f2c", "config_hash": "77"}


def test_ingest_overwrites_only_when_forced(folder: Path, capfd: Out) -> None:
    (folder / "v.jsonl").write_text("mine")
    words = ["trace", "ingest", "--otel", "otlp.json", "--out", "v.jsonl"]
    code, out, err = said(capfd, *words)
    assert (code, out, err) == (2, "", "v.jsonl: exists already; --force overwrites it\n")
    assert (folder / "v.jsonl").read_text() == "mine"
    assert said(capfd, *words, "--force")[0] == 0
    assert len((folder / "v.jsonl").read_text().splitlines()) == 2


def damaged() -> dict[str, tuple[bytes, str]]:
    """Return what ingest refuses: the bytes, and what is said of them."""
    span = otlp("a")
    span["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["startTimeUnixNano"] = "soon"
    lines = f"{json.dumps(otlp('a'))}\n{json.dumps(otlp('b'))[:-9]}"
    return {
        "a time that is none": (
            json.dumps(span).encode(),
            "resourceSpans[0].scopeSpans[0].spans[0].startTimeUnixNano: must be",
        ),
        "a line that is broken off": (lines.encode(), "bad:2:"),
        "gzip that is broken off": (gzip.compress(json.dumps(otlp("a")).encode())[:-12], "broken off"),
        "no format that is known": (b'{"a": 1}', "--otel-format NAME names the format"),
        "a call of a vendor": (json.dumps(CHAT).encode(), "openai_chat, not telemetry; hotato call import"),
        "an empty file": (b"", "empty"),
    }


@pytest.mark.parametrize("name", damaged())
def test_ingest_refuses_damage_and_writes_nothing(name: str, folder: Path, capfd: Out) -> None:
    raw, wanted = damaged()[name]
    (folder / "bad").write_bytes(raw)
    before = files(folder)
    code, out, err = said(capfd, "trace", "ingest", "--otel", "bad", "--out", "v.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("bad")
    assert wanted in err
    assert files(folder) == before
    code, out, err = said(capfd, "trace", "ingest", "--otel", "bad", "--out", "v.jsonl", "--format", "json")
    assert (code, err, json.loads(out)["error_code"]) == (2, "", "evidence")


def test_ingest_reports_as_json(folder: Path, capfd: Out) -> None:
    code, out, _ = said(capfd, "trace", "ingest", "--otel", "otlp.json", "--out", "v.jsonl", "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert list(report) == ["ok", "file", "format", "spans_read", "spans_written", "captures", "notes"]
    assert (report["format"], report["spans_read"], report["spans_written"]) == ("otlp", 1, 1)


def test_ingest_reads_standard_input_and_gzip(folder: Path) -> None:
    raw = gzip.compress((folder / "otlp.json").read_bytes())
    words = ["trace", "ingest", "--otel", "-", "--out", "v.jsonl"]
    done = subprocess.run([*HOTATO, *words], input=raw, capture_output=True, check=False, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(load_trace_file(folder / "v.jsonl")[0]) == 1


def test_of_several_conversations_the_call_id_chooses_one(folder: Path, capfd: Out) -> None:
    lines = [otlp("a", conversation="one"), otlp("b", "c", conversation="two", trace="b" * 32)]
    (folder / "two.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    words = ["trace", "ingest", "--otel", "two.jsonl", "--out", "v.jsonl"]
    code, _, err = said(capfd, *words)
    assert code == 2
    assert "--call-id chooses one" in err
    code, _, err = said(capfd, *words, "--call-id", "three")
    assert (code, "it names 2, and --split-by" in err) == (2, True)
    assert "(did you mean 'two'?)" in said(capfd, *words, "--call-id", "twoo")[2]
    assert not (folder / "v.jsonl").exists()
    assert said(capfd, *words, "--call-id", "two")[0] == 0
    assert [span.name for span in load_trace_file("v.jsonl")[0]] == ["b", "c"]


def test_a_source_that_is_vouched_for_records_everything(folder: Path, capfd: Out) -> None:
    words = ["trace", "ingest", "--otel", "otlp.json", "--out", "v.jsonl", "--capture-complete"]
    assert said(capfd, *words)[0] == 0
    captures = load_trace_file("v.jsonl")[1]["captures"]
    assert set(captures.values()) == {True}
    assert {"tool_call", "arguments", "result", "handoff", "dtmf", "http_exchange", "termination"} == set(captures)


def two_calls(folder: Path) -> None:
    lines = [
        otlp("a", conversation="one"), otlp("b", "c", conversation="two", trace="b" * 32),
        otlp("d", conversation="one", trace="c" * 32),
    ]  # fmt: skip
    (folder / "two.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


SPLIT = ["trace", "ingest", "--otel", "two.jsonl", "--out", "traces", "--split-by", "gen_ai.conversation.id"]


def test_split_by_writes_a_trace_for_each_call(folder: Path, capfd: Out) -> None:
    two_calls(folder)
    code, out, err = said(capfd, *SPLIT)
    assert (code, err) == (0, "")
    assert out.startswith("wrote traces: 2 calls, 4 spans read, 4 written")
    assert files(folder / "traces") == {"call-00001.jsonl", "call-00002.jsonl"}
    made = [load_trace_file(path)[0] for path in sorted((folder / "traces").iterdir())]
    assert sorted(sorted(span.name or "" for span in spans) for spans in made) == [["a", "d"], ["b", "c"]]
    assert not [path for path in (folder / "traces").iterdir() if "one" in path.read_text()]
    assert said(capfd, *SPLIT)[0] == 2
    code, out, _ = said(capfd, *SPLIT, "--force", "--include-identifiers", "--format", "json")
    assert (code, json.loads(out)["calls"]) == (0, 2)
    ids = [json.loads(path.read_text().splitlines()[0])["call_id"] for path in (folder / "traces").iterdir()]
    assert sorted(ids) == ["one", "two"]


def test_split_by_writes_nothing_where_any_call_is_damaged(folder: Path, capfd: Out) -> None:
    two_calls(folder)
    with (folder / "two.jsonl").open("a") as file:
        file.write(json.dumps(otlp("e", conversation="three"))[:-5])
    before = files(folder)
    code, out, err = said(capfd, *SPLIT)
    assert (code, out) == (2, "")
    assert err.startswith("two.jsonl:4:")
    assert files(folder) == before
    assert not (folder / "traces").exists()


def test_split_by_leaves_no_call_of_another_file_beside_its_own(folder: Path, capfd: Out) -> None:
    two_calls(folder)
    assert said(capfd, *SPLIT)[0] == 0
    (folder / "two.jsonl").write_text(f"{json.dumps(otlp('z'))}\n{json.dumps(otlp('y'))}\n")
    code, _, err = said(capfd, *SPLIT, "--force")
    assert code == 2
    assert err.startswith("traces/call-00002.jsonl: is of another file's calls")
    assert "z" not in {span.name for span in load_trace_file("traces/call-00001.jsonl")[0]}


@pytest.mark.parametrize("words", [["--split-by", "no.such"], ["--call-id", "one"], ["--otel-format", "otlp"]])
def test_split_by_refuses_what_it_cannot_split(words: list[str], folder: Path, capfd: Out) -> None:
    (folder / "two.jsonl").write_text(json.dumps(otlp("a")).replace("gen_ai.conversation.id", "mine") + "\n{}\n")
    before = files(folder)
    more = SPLIT[:-2] if words[0] == "--split-by" else SPLIT
    assert said(capfd, *more, *words)[0] == 2
    assert files(folder) == before
    assert not (folder / "traces").exists()


def test_an_exported_trace_is_ingested_again_without_change(folder: Path, capfd: Out) -> None:
    said(capfd, "trace", "ingest", "--otel", "otlp.json", "--out", "v.jsonl", "--include-identifiers")
    assert said(capfd, "trace", "export", "--trace", "v.jsonl", "--format", "otel", "--out", "flat.jsonl")[0] == 0
    assert said(capfd, "trace", "export", "--trace", "v.jsonl")[1] == (folder / "flat.jsonl").read_text()
    said(capfd, "trace", "ingest", "--otel", "flat.jsonl", "--out", "w.jsonl", "--include-identifiers")
    assert (folder / "w.jsonl").read_bytes() == (folder / "v.jsonl").read_bytes()


def test_export_refuses_what_is_no_trace_and_overwrites_nothing(folder: Path, capfd: Out) -> None:
    (folder / "bad.jsonl").write_text(f"{json.dumps(META)}\n{{}}\n")
    code, out, err = said(capfd, "trace", "export", "--trace", "bad.jsonl", "--out", "flat.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("bad.jsonl:2: type:")
    assert not (folder / "flat.jsonl").exists()
    before = (folder / "own.jsonl").read_bytes()
    assert said(capfd, "trace", "export", "--trace", "own.jsonl", "--out", "own.jsonl", "--force")[0] == 2
    assert said(capfd, "trace", "export", "--trace", "own.jsonl", "--out", "otlp.json")[0] == 2
    assert (folder / "own.jsonl").read_bytes() == before


# call import, formats, audit ------------------------------------------------------------------------------------------


def test_an_imported_call_is_judged_as_the_export_is(folder: Path, capfd: Out) -> None:
    code, out, err = said(capfd, "call", "import", "chat.json", "--out", "deep/er")
    assert (code, err) == (0, "")
    assert out.startswith("openai_chat: 3 turns; 1 span, 1 tool call\n")
    assert files(folder / "deep/er") == {"transcript.json", "voice_trace.jsonl", "import-report.json"}
    written = ["--transcript", "deep/er/transcript.json", "--trace", "deep/er/voice_trace.jsonl"]
    for document in ("greeted.yaml", "found.yaml"):
        words = ["assert", "run", "--assertions", document, "--format", "json"]
        one, two = said(capfd, *words, "--call", "chat.json"), said(capfd, *words, *written)
        assert one[0] == two[0] == 0
        found, again = json.loads(one[1]), json.loads(two[1])
        assert found["results"] == again["results"]
        assert found["evidence"]["trace"] == again["evidence"]["trace"]


def test_an_import_report_tells_what_was_found_and_nothing_that_was_said(folder: Path, capfd: Out) -> None:
    said(capfd, "call", "import", "chat.json", "--out", "d")
    text = (folder / "d/import-report.json").read_text()
    report = json.loads(text)
    assert list(report) == ["format", "evidence", "written"]
    assert report["written"] == ["transcript.json", "voice_trace.jsonl", "import-report.json"]
    assert report["evidence"]["trace"]["calls"] == 1
    assert not [word for word in ("parcel", "P-7", "moving") if word in text]


def test_import_writes_nothing_over_other_files_unless_forced(folder: Path, capfd: Out) -> None:
    (folder / "d").mkdir()
    (folder / "d/voice_trace.jsonl").write_text("mine")
    code, out, err = said(capfd, "call", "import", "chat.json", "--out", "d")
    assert (code, out, err) == (2, "", "d/voice_trace.jsonl: exists already; --force overwrites it\n")
    assert files(folder / "d") == {"voice_trace.jsonl"}
    assert said(capfd, "call", "import", "chat.json", "--out", "d", "--force")[0] == 0
    assert len(load_trace_file("d/voice_trace.jsonl")[0]) == 1


def test_import_leaves_no_trace_of_another_call_beside_a_transcript(folder: Path, capfd: Out) -> None:
    said(capfd, "call", "import", "chat.json", "--out", "d")
    before = (folder / "d/transcript.json").read_bytes()
    code, _, err = said(capfd, "call", "import", "c.vtt", "--out", "d", "--force")
    assert code == 2
    assert "d/voice_trace.jsonl: is of another call" in err
    assert (folder / "d/transcript.json").read_bytes() == before


def test_import_does_not_write_over_what_it_reads(folder: Path, capfd: Out) -> None:
    (folder / "transcript.json").write_text(VTT)
    assert said(capfd, "call", "import", "transcript.json", "--out", ".", "--force")[0] == 2
    assert (folder / "transcript.json").read_text() == VTT


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ('{"messages": [{"role": "user", "content": 5}]}', "bad: messages[0].content: "),
        ('{"a": 1}', "--format NAME names the format"),
        ('{"messages": [', "bad:1:"),
    ],
)
def test_import_refuses_damage_and_writes_nothing(content: str, wanted: str, folder: Path, capfd: Out) -> None:
    (folder / "bad").write_text(content)
    code, out, err = said(capfd, "call", "import", "bad", "--out", "d")
    assert (code, out) == (2, "")
    assert wanted in err
    assert not (folder / "d").exists()


def test_roles_are_mapped_where_the_source_does_not_tell_them(folder: Path, capfd: Out) -> None:
    code, out, _ = said(capfd, "call", "import", "c.vtt", "--out", "d")
    assert code == 0
    assert "roles_unknown (2)" in out
    mapped = ["--map-role", "Anna=agent", "--map-role", "Ben=caller"]
    assert said(capfd, "call", "import", "c.vtt", "--out", "d", *mapped, "--force")[0] == 0
    assert [turn["role"] for turn in json.loads((folder / "d/transcript.json").read_text())] == ["agent", "caller"]


def test_a_call_can_come_from_standard_input(folder: Path) -> None:
    done = subprocess.run(
        [*HOTATO, "call", "import", "-", "--out", "d"],
        input=(folder / "chat.json").read_bytes(), capture_output=True, check=False, cwd=folder,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(files(folder / "d")) == 3


def test_every_format_is_listed_with_what_it_gives(capfd: Out) -> None:
    code, out, _ = said(capfd, "call", "formats", "--format", "json")
    listed = {one["name"]: one for one in json.loads(out)}
    assert code == 0
    assert list(listed) == importers.names()
    assert (listed["vapi"]["gives"], listed["srt"]["gives"]) == (["transcript", "trace"], ["transcript"])
    assert all(one["about"].endswith(".") for one in listed.values())
    text = said(capfd, "call", "formats")[1]
    assert [line.split()[0] for line in text.splitlines()] == importers.names()


def test_a_format_gives_what_it_says(folder: Path) -> None:
    for path in sorted((SHARED / "samples").rglob("*")):
        if path.is_file() and path.name != "SOURCE.txt":
            name = importers.format_of(path.name, path.read_bytes())
            try:
                made = importers.read_file(path) if name else None
            except ValueError:
                continue
            if made is not None:
                assert made.transcript is None or "transcript" in importers.gives(name), path
                assert made.spans is None or "trace" in importers.gives(name), path
    if not (SHARED / "samples").exists():
        pytest.skip("the shared samples are not beside this repository")


def test_an_audit_tells_what_is_missing(folder: Path, capfd: Out) -> None:
    CALLS = json.loads(json.dumps(CHAT))
    del CALLS["messages"][2]
    (folder / "open.json").write_text(json.dumps(CALLS))
    code, out, _ = said(capfd, "call", "audit", "open.json")
    assert code == 0
    assert out.splitlines()[:2] == ["open.json: transcript (openai_chat): 3 turns", "  turns without time: 3"]
    assert "  calls without result: 1\n" in out
    assert "call_unanswered (1): " in out
    assert "not recorded by the source: dtmf, http_exchange, termination\n" in out
    assert "parcel" not in out


def test_an_audit_reads_own_files_and_what_their_meta_line_says(folder: Path, capfd: Out) -> None:
    said(capfd, "call", "import", "chat.json", "--out", "d")
    words = ["call", "audit", "d/transcript.json", "d/voice_trace.jsonl", "chat.json", "own.jsonl", "--format", "json"]
    code, out, _ = said(capfd, *words)
    turns, spans, both, own = (report["evidence"] for report in json.loads(out)["files"])
    assert code == 0
    assert (list(turns), list(spans), list(own)) == (["transcript"], ["trace"], ["trace"])
    assert spans["trace"] == both["trace"]
    assert turns["transcript"]["turns"] == both["transcript"]["turns"]


def test_an_audit_reads_own_objects_whole(folder: Path, capfd: Out) -> None:
    (folder / "both.json").write_text(json.dumps({"transcript": OWN_TURNS, "spans": [OWN_SPAN]}))
    (folder / "spans.json").write_text(json.dumps({"spans": [OWN_SPAN]}))
    (folder / "turns.json").write_text(json.dumps({"segments": [{"text": "Hello."}]}))
    (folder / "empty.jsonl").write_text(f"{json.dumps(META)}\n")
    code, out, _ = said(capfd, "call", "audit", "both.json", "spans.json", "turns.json", "empty.jsonl")
    assert code == 0
    assert [line for line in out.splitlines() if not line.startswith(" ")] == [
        "both.json: transcript (hotato_bundle): 1 turn",
        "both.json: trace (hotato_bundle): 1 span, 1 tool call",
        "spans.json: trace (hotato_bundle): 1 span, 1 tool call",
        "turns.json: transcript (hotato): 1 turn",
        "empty.jsonl: trace (hotato): 0 spans, 0 tool calls",
    ]


def test_an_audit_goes_on_after_a_file_that_is_refused(folder: Path, capfd: Out) -> None:
    code, out, err = said(capfd, "call", "audit", "none.json", "own.json", "greeted.yaml")
    assert (code, err) == (2, "")
    first, second, third = out.splitlines()
    assert first.startswith("none.json: no such file")
    assert second == "own.json: transcript (hotato): 1 turn"
    assert third.startswith("greeted.yaml: of no format that is known")
    code, out, _ = said(capfd, "call", "audit", "none.json", "own.json", "--format", "json")
    answer = json.loads(out)
    assert (code, answer["ok"], answer["files"][0]["problems"][0]["code"]) == (2, False, "file_missing")


# assert run -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--call", "chat.json"], 0),
        (["--call", "chat.json", "--call-format", "openai_chat"], 0),
        (["--call", "x.json", "--map-role", "SPEAKER_00=agent"], 0),
        (["--call", "x.json", "--map-role", "SPEAKER_01=agent"], 1),
        (["--transcript", "own.json"], 0),
        (["--transcript", "x.json", "--map-role", "SPEAKER_00=agent"], 0),
        (["--transcript", "x.json", "--map-role", "SPEAKER_01=agent"], 1),
        (["--call", "otlp.json", "--transcript", "own.json"], 0),
    ],
)
def test_a_run_reads_calls_and_transcripts_of_any_format(words: list[str], code: int, folder: Path, capfd: Out) -> None:
    assert said(capfd, "assert", "run", "--assertions", "greeted.yaml", *words)[0] == code


def test_a_call_and_a_file_fill_each_other_up_and_never_overlap(folder: Path, capfd: Out) -> None:
    words = ["assert", "run", "--assertions", "found.yaml", "--format", "json"]
    code, out, _ = said(capfd, *words, "--call", "c.vtt", "--trace", "own.jsonl")
    assert code == 0
    assert {name: block["format"] for name, block in json.loads(out)["evidence"].items()} == {
        "transcript": "webvtt", "trace": "hotato"
    }  # fmt: skip
    for flag, path in (("--transcript", "own.json"), ("--trace", "own.jsonl")):
        code, out, _ = said(capfd, *words, "--call", "chat.json", flag, path)
        assert (code, json.loads(out)["problems"][0]["path"]) == (2, flag)


def test_a_speaker_that_nobody_knows_is_told_with_the_remedy(folder: Path, capfd: Out) -> None:
    words = ["assert", "run", "--assertions", "greeted.yaml", "--transcript"]
    code, _, err = said(capfd, *words, "c.vtt")
    assert (code, err.startswith("transcript: roles_unknown (2)"), "--map-role Anna=agent" in err) == (1, True, True)
    code, _, err = said(capfd, *words, "x.json")
    assert (code, "--map-role SPEAKER_00=agent" in err) == (1, True)
    code, _, err = said(capfd, *words, "own.json", "--map-role", "SPEAKER_7=agent")
    assert (code, "role_map_unused (1)" in err) == (0, True)
    assert said(capfd, *words, "own.json") == (0, said(capfd, *words, "own.json")[1], "")


REFUSED = {
    "--transcript chat.json": "openai_chat, which holds more than a transcript; --call FILE reads it",
    "--transcript otlp.json": "otlp, a trace; hotato trace ingest",
    "--transcript greeted.yaml": "greeted.yaml:1:1: not JSON",
    "--transcript odd.json": "as a file of speech-to-text it is of no format that is known",
    "--trace otlp.json": "otlp, not hotato.voice_trace.v1; hotato trace ingest --otel FILE",
    "--trace otlp.json.gz": "otlp, not hotato.voice_trace.v1; hotato trace ingest --otel FILE",
    "--trace chat.json": "openai_chat, not hotato.voice_trace.v1; --call FILE reads it",
    "--trace c.vtt": "webvtt, not hotato.voice_trace.v1; --transcript FILE reads it",
    "--trace log.jsonl": "openai_realtime, not hotato.voice_trace.v1; --call FILE reads it",
    "--trace odd.json": "hotato trace ingest --otel FILE --out voice_trace.jsonl makes one",
    "--trace nameless.jsonl": "nameless.jsonl:2: name: a tool call needs",
    "--call odd.json": "--call-format NAME names the format",
    "--call chat.json --call-format vpai": "--call-format: no format is named 'vpai' (did you mean 'vapi'?)",
    "--call chat.json --call-format retell": "holds nothing that retell is read for; without --call-format",
    "--call otlp.json --call-format zipkin": "otlp.json",
    "--call chat.json --call-id other": "--call-id names another call",
    "--call own.json --origin 5": "--origin says nothing of them",
    "--transcript own.json --origin 5": "--origin says nothing of them",
    "--call chat.json --origin soon": "--origin: must be a number of seconds",
    "--call chat.json --map-role A": "--map-role: needs LABEL=ROLE",
    "--call chat.json --map-role A=agnet": "(did you mean 'agent'?)",
    "--call chat.json --map-role A=agent --map-role A=caller": "maps 'A' twice",
    "--transcript own.json --call-format vapi": "--call-format: means nothing without --call",
    "--transcript own.json --call-id x": "--call-id: means nothing without --call",
    "--trace own.jsonl --map-role A=agent": "--map-role: means nothing without --call or --transcript",
    "--transcript own.json --capture-complete": "--capture-complete: means nothing without --call or --trace",
    "--call - --transcript -": "standard input can be read once",
    "--call chat.json --out chat.json": "names the same file as --call",
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_run_refuses_what_it_cannot_use_and_says_what_can(line: str, folder: Path, capfd: Out) -> None:
    (folder / "odd.json").write_text('{\n"a": {"b": 1}\n}')
    (folder / "otlp.json.gz").write_bytes(gzip.compress((folder / "otlp.json").read_bytes()))
    (folder / "nameless.jsonl").write_text(f'{json.dumps(META)}\n{{"type": "tool_call"}}\n')
    events = [{"type": "session.created"}, {"type": "response.done", "response": {"id": "r", "output": []}}]
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    before = files(folder)
    code, out, err = said(capfd, "assert", "run", "--assertions", "greeted.yaml", *line.split())
    assert (code, out) == (2, "")
    assert REFUSED[line] in err
    assert files(folder) == before


USAGE = {
    "call": "needs a command",
    "call imprt x --out d": "(did you mean 'import'?)",
    "call import x": "needs --out DIR",
    "call import --out d": "needs FILE",
    "call import a b --out d": "b: one argument too many",
    "call audit - -": "standard input can be read once",
    "call formats x": "one argument too many",
    "trace ingest --out v": "needs --otel FILE",
    "trace ingest --otel otlp.json": "needs --out FILE",
    "trace ingest --otel otlp.json --out -": "--out: names a file",
    "trace ingest --otel otlp.json --out otlp.json --force": "names the same file as --otel",
    "trace ingest --otel otlp.json --out d --split-by a --call-id x": "--split-by writes several",
    "trace ingest --otel - --out d --split-by a": "--split-by reads the file twice",
    "trace ingest --otel otlp.json --out own.json --split-by a": "own.json: not a folder",
    "trace ingest --otel otlp.json --out v --stack": "--stack: needs a value",
    "trace export --trace own.jsonl --format zipkin": "'zipkin' is not among otel",
    "trace export --trace own.jsonl --force": "means nothing without --out",
    "trace export --trace own.jsonl --out -": "standard output",
}


@pytest.mark.parametrize("line", USAGE)
def test_a_usage_error_is_2_and_writes_nothing(line: str, folder: Path, capfd: Out) -> None:
    before = files(folder)
    code, out, err = said(capfd, *line.split())
    assert (code, out) == (2, "")
    assert USAGE[line] in err
    assert files(folder) == before


EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"


@pytest.mark.parametrize("words", ["call audit evil.json", "call import evil.json --out d", "assert run --transcript"])
def test_a_source_cannot_steer_the_terminal(words: str, folder: Path, capfd: Out) -> None:
    segments = [{**segment, "speaker": EVIL} for segment in WHISPERX["segments"]]
    (folder / "evil.json").write_text(json.dumps({**WHISPERX, "segments": segments}))
    more = ["evil.json", "--assertions", "greeted.yaml"] if words.startswith("assert") else []
    _, out, err = said(capfd, *words.split(), *more)
    assert "roles_unknown" in out + err
    assert (out + err).replace("\n", "").isprintable()
    assert "\u202e" not in out + err


ABSENT = "version: 1\nassertions:\n  - {id: none, kind: handoff, absent: true}\n"


def test_what_a_source_does_not_record_is_inconclusive_unless_vouched_for(folder: Path, capfd: Out) -> None:
    (folder / "absent.yaml").write_text(ABSENT)
    source = {"format": "mine", "captures": {"handoff": False}}
    (folder / "v.jsonl").write_text(f"{json.dumps({**META, 'source': source})}\n{json.dumps(OWN_SPAN)}\n")
    words = ["assert", "run", "--assertions", "absent.yaml", "--trace", "v.jsonl", "--inconclusive-policy", "refuse"]
    assert said(capfd, *words)[0] == 2
    assert said(capfd, *words, "--capture-complete")[0] == 0


def test_an_escape_on_another_line_leaves_the_meta_line_its_say(folder: Path) -> None:
    meta = {**META, "source": {"format": "mine", "captures": {"handoff": False}}}
    odd = json.dumps({**OWN_SPAN, "result": "a:b"}).replace("a:b", "a\\u003ab")
    (folder / "v.jsonl").write_text(f"{json.dumps(meta)}\n{odd}\n")
    assert load_trace_file("v.jsonl")[1] == {"format": "mine", "captures": {"handoff": False}}


def test_plain_files_are_judged_without_any_importer(folder: Path) -> None:
    code = "import sys; from hotato.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    words = ["assert", "run", "--assertions", "found.yaml", "--transcript", "own.json", "--trace", "own.jsonl"]
    for more in ([], ["--map-role", "agent=caller"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, *more], cwd=folder, capture_output=True, text=True, check=False
        )
        found = {name for name in done.stderr.split() if name.startswith("hotato.importers")}
        assert not found if not more else not {"hotato.importers.vapi", "hotato.importers.webvtt"} & found


def test_the_cases_of_telemetry_and_vendors_come_out_as_practitioners_expect() -> None:
    runner, cases = SHARED / "tools" / "run_cases.py", SHARED / "cases" / "bugs"
    if not runner.exists():
        pytest.skip("the shared cases are not beside this repository")
    chosen = [
        path.parent.name
        for path in sorted(cases.glob("*/case.json"))
        if json.loads(path.read_text(encoding="utf-8"))["run"] in ("ingest+assert", "vendor")
    ]
    assert len(chosen) >= 7
    command = Path(sys.executable).parent / "hotato"
    done = subprocess.run(
        [sys.executable, str(runner), "--bin", str(command), *chosen], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{len(chosen)} passed, 0 failed\n")
