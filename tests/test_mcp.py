"""The server for coding agents, with the official SDK's own client over both transports."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx
import jsonschema
import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError, StdioServerParameters

from hotato import cli
from hotato.cli import _command
from hotato.cli.assert_schema import SCHEMAS, listed
from hotato.mcp import _prompts, _resources, _serve
from hotato.mcp._call import call
from hotato.mcp._folders import Folders, folders
from hotato.mcp._results import output_schema
from hotato.mcp._tools import arguments, input_schema, tools

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "examples" / "refund"
SUITE = ROOT / "src" / "hotato" / "timing" / "suites" / "barge_in"
PHRASE = "version: 1\nassertions:\n  - {id: greeted, kind: phrase, regex: 'refund'}\n"
TYPO = PHRASE.replace("regex", "regx")
OTEL = {
    "resourceSpans": [
        {
            "resource": {},
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "0af7651916cd43dd8448eb211c80319c",
                            "spanId": "b7ad6b7169203331",
                            "name": "execute_tool look_up",
                            "startTimeUnixNano": "1700000000000000000",
                            "endTimeUnixNano": "1700000001000000000",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "look_up"}},
                                {"key": "session.id", "value": {"stringValue": "call-1"}},
                            ],
                        }
                    ]
                }
            ],
        }
    ]
}
RUBRICS = "version: 1\nrubrics:\n  - {id: polite, kind: judge_rubric, criterion: The agent is polite.}\n"
HTTP_STATE = {
    "adapter": "http",
    "base_url": "https://crm.example.com",
    "egress_opt_in": True,
    "auth": {"type": "bearer", "token_env": "HOME"},
    "resources": {"orders": {"path_template": "/orders/{id}"}},
}
EVIDENCE = {"transcript": "transcript.json", "trace": "voice_trace.jsonl", "state": "state.json"}
# tool -> arguments of calls, one for each form of its result, and one that is refused
CALLS: dict[str, list[dict[str, Any]]] = {
    "assert_run": [
        {"assertions": "assertions.yaml", **EVIDENCE, "include_evidence": True, "out": "envelope.json", "force": True},
        {"document": PHRASE, "inconclusive_policy": "refuse", "join_segments": False},
        {"pack": ["pii-leak"], "transcript": "transcript.json", "report": {"junit": "j.xml", "md": "j.md"}, "force": True},
        {"document": TYPO, "transcript": "absent.json"},
    ],
    "assert_lint": [{"files": ["assertions.yaml"], "strict": True}, {"document": TYPO}, {"files": []}],
    "assert_explain": [{}, {"kind": "phrase"}, {"kind": "phrse"}],
    "assert_schema": [{}, *({"which": which} for which in SCHEMAS), {"which": "nothing"}],
    "assert_init": [
        {"from_trace": "voice_trace.jsonl"},
        {"from_trace": "voice_trace.jsonl", "out": "first.yaml", "force": True},
        {"good": "good"},
        {"good": "../elsewhere"},
        {"from_trace": "transcript.json"},
    ],
    "trace_ingest": [
        {"otel": "otel.json", "out": "t.jsonl", "force": True},
        {"otel": "otel.json", "out": "calls", "split_by": "session.id", "force": True},
        {"otel": "transcript.json", "out": "t.jsonl"},
    ],
    "call_import": [
        {"file": "transcript.json", "out": "call", "map_role": {"agent": "agent"}, "force": True},
        {"file": "transcript.json", "out": "call"},
    ],
    "timing_run": [{"stereo": "call.flac", "max_talk_over": 1.5, "set": {"window_sec": 2}}, {"stereo": "assertions.yaml"}],
    "rubric_run": [
        {"rubrics": "rubrics.yaml", "transcript": "transcript.json", "judge_replay": "answers.json", "gate": True},
        {"rubrics": "rubrics.yaml", "transcript": "transcript.json", "judge_model": "good"},
    ],
    "report_write": [
        {"assertions": "before.json", "transcript": "transcript.json", "out": "r.html", "force": True},
        {"envelope": {"schema": "assert.v0"}, "out": "r.html", "force": True},
    ],
}  # fmt: skip


def alone(work: Callable[[], Awaitable[None]]) -> None:
    """Run a coroutine in a thread of its own: the browser of other tests keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(anyio.run, work).result()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Return a folder with a call and one to write to, beside a folder that is neither."""
    root = tmp_path_factory.mktemp("mcp")
    shutil.copytree(REFUND, root / "in")
    (root / "in" / "good").mkdir()
    shutil.copy(REFUND / "voice_trace.jsonl", root / "in" / "good" / "one.jsonl")
    (root / "out").mkdir()
    (root / "elsewhere").mkdir()
    (root / "elsewhere" / "secret.json").write_text('[{"role": "agent", "text": "refund"}]')
    (root / "in" / "otel.json").write_text(json.dumps(OTEL))
    shutil.copy(SUITE / "correction.flac", root / "in" / "call.flac")
    (root / "in" / "rubrics.yaml").write_text(RUBRICS)
    kept = [{"provider": "example", "endpoint": "none", "model": "none", "answers": {}}]
    (root / "in" / "answers.json").write_text(json.dumps({"schema": "rubric.recording.v1", "judges": kept}))
    places = folders(str(root / "in"), str(root / "out"))
    before = ask(places, "assert_run", assertions="assertions.yaml", transcript="transcript.json")
    (root / "in" / "before.json").write_text(json.dumps(before))
    return places


def ask(places: Folders, name: str, **given: Any) -> dict[str, Any]:
    """Return what a tool gives, which is as it promises."""
    tool = tools()[name]
    outcome = call(tool, given, places)
    jsonschema.validate(outcome.value, output_schema(tool))
    assert outcome.is_refused == ("error_code" in outcome.value)
    return outcome.value


def codes(value: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in value["problems"]]


# over the protocol ----------------------------------------------------------------------------------------------------


def words(places: Folders, *more: str) -> list[str]:
    return ["-m", "hotato.mcp._serve", "--input-dir", places.reads, "--output-dir", places.writes, *more]


@pytest.fixture(scope="module")
def address(scene: Folders) -> Iterator[str]:
    """Return the address of a server that listens."""
    command = [sys.executable, *words(scene, "--transport", "http", "--port", "0")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            told = process.stderr.readline()
            yield told.removeprefix("hotato-mcp: ").strip()
        finally:
            process.terminate()
            process.wait(timeout=20)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_every_tool_returns_what_its_schema_promises(transport: str, scene: Folders, address: str) -> None:
    over: Any = address
    if transport == "stdio":
        over = StdioServerParameters(command=sys.executable, args=words(scene), cwd=scene.writes)
    # one client speaks as clients always have, the other as of the newest revision
    client = Client(over, mode="legacy" if transport == "stdio" else "auto", read_timeout_seconds=60)

    async def main() -> None:
        async with client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(listed) == set(CALLS) == set(tools())
            for name, calls in CALLS.items():
                given_forms = set[str]()
                for given in calls:
                    schema, results = listed[name].input_schema, listed[name].output_schema
                    assert results is not None
                    jsonschema.Draft202012Validator.check_schema(schema)
                    answer = await client.call_tool(name, given)
                    value = answer.structured_content
                    jsonschema.validate(value, results)
                    assert json.loads(answer.content[0].text) == value  # type: ignore[union-attr]
                    assert answer.is_error == ("error_code" in value), value
                    if not answer.is_error:
                        jsonschema.validate(given, schema)
                    assert scene.reads not in json.dumps(value)
                    given_forms |= forms(value, results)
                every = {str(place) for place in range(len(results["anyOf"]))}  # type: ignore[index]
                assert given_forms == every, f"{name}: a form of its result is in no call"

    alone(main)


def forms(value: Any, schema: dict[str, Any]) -> set[str]:
    return {
        str(place)
        for place, form in enumerate(schema["anyOf"])
        if jsonschema.Draft202012Validator(form).is_valid(value)
    }


def test_every_schema_is_named_where_it_is_asked_for() -> None:
    assert listed() in tools()["assert_schema"].about
    assert input_schema(tools()["assert_schema"])["properties"]["which"]["enum"] == list(SCHEMAS)
    names = ", ".join(f"`{name}`" for name in SCHEMAS)
    assert f"| the JSON Schema of {names} |" in (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert {f"{name}.json" for name in _resources._schemas()} == set(SCHEMAS.values())


def test_resources_and_prompts_are_read(scene: Folders, address: str) -> None:
    async def main() -> None:
        async with Client(address, read_timeout_seconds=60) as client:
            assert client.server_info is not None
            assert client.server_info.name == "hotato"
            listed = (await client.list_resources()).resources
            assert {"hotato://kinds", "hotato://kinds/phrase", "hotato://schema/assert.v1"} <= {r.uri for r in listed}
            for uri in ("hotato://kinds", "hotato://kinds/phrase", "hotato://schema/assert.v1", "hotato://formats"):
                content = (await client.read_resource(uri)).contents[0]
                assert len(content.text) > 200  # type: ignore[union-attr]
            templates = (await client.list_resource_templates()).resource_templates
            assert {t.uri_template for t in templates} == {_resources.KIND, _resources.SCHEMA}
            for uri in ("hotato://kinds/nothing", "hotato://schema/../../errors", "file:///etc/passwd"):
                with pytest.raises(MCPError):
                    await client.read_resource(uri)
            prompts = (await client.list_prompts()).prompts
            assert [prompt.name for prompt in prompts] == [prompt.name for prompt in _prompts.PROMPTS]
            told = await client.get_prompt("write_assertions", {"transcript": "transcript.json", "goal": "a refund"})
            text = told.messages[0].content.text  # type: ignore[union-attr]
            assert "- transcript: transcript.json\n- goal: a refund" in text
            assert "{given}" not in text
            with pytest.raises(MCPError):
                await client.get_prompt("nothing", {})
            with pytest.raises(MCPError):
                await client.call_tool("nothing", {})

    alone(main)


def test_a_page_in_a_browser_does_not_reach_a_server_on_loopback(address: str) -> None:
    base = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    port = re.search(r":(\d+)/", address)[1]  # type: ignore[index]
    for headers, status in (
        ({"host": f"evil.example:{port}"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"content-type": "text/plain"}, 400),
    ):
        assert httpx.post(address, headers={**base, **headers}, content=body).status_code == status


def test_a_token_is_asked_for_where_one_is_set(scene: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: started.append(self.config.app))
    monkeypatch.setenv("HOTATO_MCP_TOKEN", "one-two")
    assert _serve.main([*words(scene)[2:], "--transport", "http", "--port", "0"]) == 0
    (app,) = started

    async def status(*tokens: str) -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:1") as client:
            return (await client.post("/nothing", headers=[("authorization", token) for token in tokens])).status_code

    async def main() -> None:
        for tokens in ((), ("",), ("Bearer one",), ("one-two",), ("Bearer one-two", "Bearer one-two")):
            assert await status(*tokens) == 401
        assert await status("Bearer one-two") == 404

    alone(main)


# the command ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--transport", "http", "--host", "0.0.0.0"], "--allow-remote allows that"),
        (["--transport", "http", "--host", "192.0.2.7", "--allow-remote"], "HOTATO_MCP_TOKEN"),
        (["--port", "80"], "--transport http"),
        (["--transport", "http", "--port", "70000"], "0 to 65535"),
        (["--input-dir", "/nowhere"], "not a folder"),
        (["--inputdir", "."], "did you mean '--input-dir'?"),
        (["--transport", "sse"], "stdio, http"),
    ],
)
def test_a_server_that_cannot_be_as_told_does_not_start(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOTATO_MCP_TOKEN", raising=False)
    assert _serve.main(given) == 2
    assert said in capsys.readouterr().err


def test_an_interrupt_ends_a_server_that_waits_for_its_client(scene: Folders) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, *words(scene)], text=True, **pipes) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(line)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "hotato"
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 130
        finally:
            process.kill()


def test_without_its_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from hotato.mcp import run; run()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'hotato[mcp]'" in done.stderr


def test_the_environment_names_the_folders_and_help_names_every_flag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTATO_MCP_INPUT_DIR", str(tmp_path / "absent"))
    assert _serve.main([]) == 2
    assert "absent: not a folder" in capsys.readouterr().err
    assert _serve.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert [one.name for one in _serve.parser().declared if one.name not in text] == []


# what the command line says -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "command"),
    [
        (
            "assert_run",
            {"assertions": "assertions.yaml", **EVIDENCE},
            "assert run --assertions assertions.yaml --transcript transcript.json --trace voice_trace.jsonl --state state.json",
        ),
        ("assert_run", {"assertions": "absent.yaml"}, "assert run --assertions absent.yaml"),
        ("assert_run", {"assertions": "assertions.yaml", "trace": "state.json"}, "assert run --assertions assertions.yaml --trace state.json"),
        ("assert_lint", {"files": ["assertions.yaml", "state.json"]}, "assert lint assertions.yaml state.json"),
        ("assert_explain", {"kind": "tool_call"}, "assert explain tool_call"),
        ("assert_init", {"from_trace": "voice_trace.jsonl"}, "assert init --from-trace voice_trace.jsonl"),
        ("timing_run", {"stereo": "call.flac", "expect": "hold"}, "run --stereo call.flac --expect hold"),
    ],
)  # fmt: skip
def test_a_tool_says_what_its_command_says(
    name: str,
    given: dict[str, Any],
    command: str,
    scene: Folders,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(scene.reads)
    cli.main([*command.split(), "--format", "json"])
    assert ask(scene, name, **given) == json.loads(capsys.readouterr().out)


def test_every_flag_of_a_command_is_an_argument_or_is_left_out_on_purpose() -> None:
    left = {"limit", "watch"}
    for tool in tools().values():
        known = arguments(tool)
        flags = {one.dest for one in _command.parser_of(tool.command).declared}
        named = {tool.rename.get(flag, flag) for flag in flags - left - set(tool.leave)}
        assert {name for name in named if not name.startswith("no_")} == set(known)
        assert [one.name for one in known.values() if not one.schema["description"]] == []
        shown = json.dumps(input_schema(tool)).replace("hotato assert run --format json", "")
        assert "--" not in shown, tool.name


def test_every_file_that_a_tool_takes_is_confined() -> None:
    for tool in tools().values():
        for one in _command.parser_of(tool.command).declared:
            found = arguments(tool).get(tool.rename.get(one.dest, one.dest))
            is_path = one.metavar in ("FILE", "DIR", "FOLDER", "ENVELOPE", "PATH", "FORMAT=PATH") or one.name == "FILE"
            if found is not None and is_path:
                assert found.sort, f"{tool.name}: {found.name}"


OVERWRITES: dict[str, dict[str, Any]] = {
    "assert_run": {"document": PHRASE, "transcript": "transcript.json", "out": "kept"},
    "assert_init": {"from_trace": "voice_trace.jsonl", "out": "kept"},
    "trace_ingest": {"otel": "otel.json", "out": "kept"},
    "call_import": {"file": "transcript.json", "out": "kept.d"},
    "timing_run": {"stereo": "call.flac", "out": "kept", "dump_frames": "kept.d/transcript.json"},
    "report_write": {"assertions": "before.json", "out": "kept", "format": "md"},
    "rubric_run": {
        "rubrics": "rubrics.yaml",
        "transcript": "transcript.json",
        "judge_replay": "answers.json",
        "out": "kept",
    },
}


@pytest.mark.parametrize("name", [name for name, tool in tools().items() if tool.writes])
def test_a_file_that_is_there_is_written_over_with_force_only(name: str, scene: Folders) -> None:
    Path(scene.writes, "kept.d").mkdir(exist_ok=True)
    kept = Path(scene.writes, "kept"), Path(scene.writes, "kept.d", "transcript.json")
    for file in kept:
        file.write_text("mine")
    value = ask(scene, name, **OVERWRITES[name])
    assert set(codes(value)) == {"file_exists"}, value
    assert "force overwrites it" in value["message"]
    assert [file.read_text() for file in kept] == ["mine", "mine"]
    assert "error_code" not in ask(scene, name, **OVERWRITES[name], force=True)
    assert [file.read_text() for file in kept] != ["mine", "mine"]


def test_reports_beside_an_envelope_are_written_over_with_force_only(scene: Folders) -> None:
    given = {"document": PHRASE, "transcript": "transcript.json", "out": "beside.json", "report": {"md": "beside.md"}}
    assert ask(scene, "assert_run", **given)["exit_code"] == 0
    for file in ("beside.json", "beside.md"):
        Path(scene.writes, file).write_text("mine")
    assert codes(ask(scene, "assert_run", **given)) == ["file_exists"]
    Path(scene.writes, "beside.json").unlink()
    assert codes(ask(scene, "assert_run", **given)) == ["file_exists"]
    assert not Path(scene.writes, "beside.json").exists()
    assert ask(scene, "assert_run", **given, force=True)["exit_code"] == 0
    assert Path(scene.writes, "beside.md").read_text() != "mine"


def test_whether_a_file_outside_is_there_is_not_told(scene: Folders) -> None:
    said = [
        ask(scene, "assert_run", document=PHRASE, out=f"../elsewhere/{name}")["message"].replace(name, "")
        for name in ("secret.json", "absent.json")
    ]
    assert said[0] == said[1]


def test_no_answer_advises_what_a_client_cannot_do(scene: Folders) -> None:
    deep = "[" * 100 + "]" * 100
    for value in (ask(scene, "assert_lint", document=deep), ask(scene, "assert_run", document=deep)):
        assert "nested more than 64 deep" in json.dumps(value)
        assert "limit" not in json.dumps(value)


def test_arguments_that_do_not_fit_are_refused_all_at_once(scene: Folders) -> None:
    value = ask(
        scene,
        "assert_run",
        assertion="assertions.yaml",
        strict="yes",
        pack="pii-leak",
        origin=True,
        report=["a"],
        call="",
    )
    assert [(p["code"], p["path"], p["guess"]) for p in value["problems"]] == [
        ("argument", "assertion", "assertions"),
        ("argument", "strict", ""),
        ("argument", "pack", ""),
        ("argument", "origin", ""),
        ("argument", "report", ""),
        ("argument", "call", ""),
    ]
    assert value["exit_code"] == 2
    for one in ({}, {"document": PHRASE, "assertions": "assertions.yaml"}, {"document": PHRASE, "call_id": "1"}):
        assert codes(ask(scene, "assert_run", **one)) == ["argument"]
    assert codes(ask(scene, "assert_lint")) == ["argument"]
    assert codes(ask(scene, "report_write", out="r.html")) == ["argument"]


def test_a_refusal_speaks_of_arguments(scene: Folders) -> None:
    Path(scene.writes, "there.yaml").write_text("x")
    value = ask(scene, "assert_init", from_trace="voice_trace.jsonl", out="there.yaml")
    assert [(p["file"], p["message"]) for p in value["problems"]] == [
        ("there.yaml", "exists already; force overwrites it")
    ]
    (problem,) = ask(scene, "assert_run", document=PHRASE.replace("version: 1", "version: 2"))["problems"]
    assert (problem["code"], problem["file"], problem["line"]) == ("version", "document", 1)


# confinement ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", ["../elsewhere/secret.json", "{root}/elsewhere/secret.json", "link.json", "folder/secret.json", "nul\0"]
)
def test_a_file_outside_is_not_read(how: str, scene: Folders) -> None:
    root = Path(scene.reads).parent
    for name, target in (("link.json", "secret.json"), ("folder", "")):
        link = root / "in" / name
        if not link.is_symlink():
            link.symlink_to(root / "elsewhere" / target)
    path = how.replace("{root}", str(root))
    value = ask(scene, "assert_run", document=PHRASE, transcript=path)
    assert codes(value) == ["file_kind" if "\0" in how else "file_outside"]
    assert ask(scene, "assert_run", document=PHRASE, transcript="./sub/../transcript.json")["exit_code"] == 0


def test_a_file_that_a_file_names_is_confined_as_well(scene: Folders) -> None:
    root = Path(scene.reads).parent
    rules = "version: 1\nrules:\n  - {id: a, regex: 'x', must: never}\n"
    (root / "elsewhere" / "rules.yaml").write_text(rules)
    document = "version: 1\nassertions: [{id: a, kind: policy, pack_path: ../elsewhere/rules.yaml}]"
    value = ask(scene, "assert_run", document=document, transcript="transcript.json")
    assert codes(value) == ["file_outside"]
    (root / "in" / "mock.yaml").write_text("adapter: mock\npath: ../elsewhere/rows.json\n")
    (root / "elsewhere" / "rows.json").write_text('{"orders": [{"id": "1"}]}')
    found = ask(scene, "assert_run", document=PHRASE, state="mock.yaml")
    assert codes(found) == ["file_outside"]
    (root / "elsewhere" / "rows.db").write_bytes(b"SQLite format 3\0")
    (root / "in" / "sql.json").write_text(
        json.dumps({"adapter": "sql", "sqlite_path": "../elsewhere/rows.db", "resources": {"o": {"query": "SELECT 1"}}})
    )
    assert codes(ask(scene, "assert_run", document=PHRASE, state="sql.json")) == ["file_outside"]
    (root / "in" / "cases").mkdir(exist_ok=True)
    (root / "in" / "cases" / "one.json").unlink(missing_ok=True)
    (root / "in" / "cases" / "one.json").symlink_to(root / "elsewhere" / "secret.json")
    assert "file_outside" in codes(ask(scene, "timing_run", scenarios="cases", audio="cases"))


def test_nothing_is_written_outside(scene: Folders) -> None:
    root = Path(scene.reads).parent
    link = root / "out" / "away"
    if not link.is_symlink():
        link.symlink_to(root / "elsewhere")
    before = sorted(path.name for path in (root / "elsewhere").iterdir())
    for out in (
        "../elsewhere/x.yaml",
        f"{root}/elsewhere/x.yaml",
        "away/x.yaml",
        "away",
        f"{root}/in/x.yaml",
        "/dev/null",
    ):
        assert codes(ask(scene, "assert_init", from_trace="voice_trace.jsonl", out=out, force=True)) == ["file_outside"]
    value = ask(scene, "assert_run", document=PHRASE, transcript="transcript.json", report={"md": "../elsewhere/x.md"})
    assert codes(value) == ["file_outside"]
    assert codes(ask(scene, "call_import", file="transcript.json", out="away/call")) == ["file_outside"]
    assert sorted(path.name for path in (root / "elsewhere").iterdir()) == before
    assert not (root / "in" / "x.yaml").exists()


def test_a_system_elsewhere_is_asked_only_where_the_server_was_started_for_it(scene: Folders) -> None:
    Path(scene.reads, "http.json").write_text(json.dumps(HTTP_STATE))
    given = {"document": PHRASE, "transcript": "transcript.json", "state": "http.json"}
    assert codes(ask(scene, "assert_run", **given)) == ["egress"]
    allowed = Folders(reads=scene.reads, writes=scene.writes, network=True)
    assert ask(allowed, "assert_run", **given)["exit_code"] == 0  # no assertion asks it anything


def test_a_model_is_asked_only_where_the_server_was_started_for_it(scene: Folders) -> None:
    given = {"rubrics": "rubrics.yaml", "transcript": "transcript.json", "judge_model": "m"}
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        given["judge_url"] = f"http://127.0.0.1:{held.getsockname()[1]}"
        assert codes(ask(scene, "rubric_run", **given)) == ["egress"]
        allowed = Folders(reads=scene.reads, writes=scene.writes, network=True)
        (result,) = ask(allowed, "rubric_run", **given)["results"]
    assert result["code"] == "judge_unreachable"
    assert codes(ask(allowed, "rubric_run", **{**given, "judge_url": "https://judge.example.com/v1"})) == ["egress"]
    for name, value in (("judge_key_env", "HOME"), ("judge_egress_opt_in", True)):
        assert codes(ask(allowed, "rubric_run", **given, **{name: value})) == ["argument"]
    recorded = {"rubrics": "rubrics.yaml", "transcript": "transcript.json", "judge_replay": "../elsewhere/secret.json"}
    assert codes(ask(scene, "rubric_run", **recorded)) == ["file_outside"]


def test_what_people_say_asks_no_model(scene: Folders) -> None:
    warm = {"id": "warm", "kind": "human_rubric", "criterion": "The agent sounds warm."}
    polite = {"id": "polite", "kind": "judge_rubric", "criterion": "The agent is polite."}
    Path(scene.reads, "warm.json").write_text(json.dumps({"version": 1, "rubrics": [warm]}))
    given = {"rubrics": "warm.json", "transcript": "transcript.json"}
    (open_,) = ask(scene, "rubric_run", **given)["results"]
    assert open_["code"] == "person_needed"
    said = {
        "rubric": "warm",
        "input_sha256": open_["input_sha256"],
        "verdict": "PASS",
        "turns": [0],
        "by": "A",
        "at": "May",
    }
    Path(scene.reads, "said.json").write_text(json.dumps({"version": 1, "verdicts": [said]}))
    (result,) = ask(scene, "rubric_run", **given, human="said.json")["results"]
    assert (result["status"], result["code"]) == ("PASS", "person_judged")
    assert codes(ask(scene, "rubric_run", **given, human="../elsewhere/secret.json")) == ["file_outside"]
    assert codes(ask(scene, "rubric_run", **given, judge_model="m")) == ["egress"]
    Path(scene.reads, "both.json").write_text(json.dumps({"version": 1, "rubrics": [warm, polite]}))
    assert codes(ask(scene, "rubric_run", **{**given, "rubrics": "both.json"}, human="said.json")) == ["egress"]
    assert codes(ask(scene, "rubric_run", **{**given, "rubrics": "absent.json"})) == ["file_missing"]


# the process ----------------------------------------------------------------------------------------------------------


def test_streams_and_working_directory_are_as_before(scene: Folders, tmp_path: Path) -> None:
    before = sys.stdin, sys.stdout, sys.stderr, os.getcwd()
    ask(scene, "assert_run", document=PHRASE, transcript="transcript.json")
    ask(scene, "assert_run", document=TYPO)
    assert (sys.stdin, sys.stdout, sys.stderr, os.getcwd()) == before


def test_calls_at_once_do_not_meet(scene: Folders) -> None:
    documents = [PHRASE.replace("greeted", f"id-{n}") for n in range(16)]
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda text: ask(scene, "assert_run", document=text, transcript="transcript.json"), documents)
        )
    assert [value["results"][0]["id"] for value in found] == [f"id-{n}" for n in range(16)]
    assert threading.active_count() < 50


def test_a_defect_is_told_without_what_it_holds(scene: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    from hotato.cli import assert_lint

    def broken(_: Any) -> int:
        raise KeyError("4111 1111 1111 1111")

    monkeypatch.setattr(assert_lint, "main", broken)
    value = ask(scene, "assert_lint", document=PHRASE)
    assert value["message"] == "hotato: internal error: KeyError"
    assert (value["error_code"], value["exit_code"], value["problems"]) == ("internal", 3, [])


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(["../x", "/etc/passwd", "-", "--help", "call"]),
    st.lists(st.text(max_size=5), max_size=2), st.dictionaries(st.text(max_size=5), st.one_of(st.text(max_size=5), st.floats()), max_size=2),
)  # fmt: skip


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_arguments_do_more_than_be_refused(scene: Folders, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(set(tools()) - {"timing_run"})))
    names = sorted(input_schema(tools()[name])["properties"])
    given_ = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), _VALUES, max_size=4))
    value = ask(scene, name, **given_)
    assert value.get("error_code") != "internal", value
    assert sorted(path.name for path in Path(scene.reads).parent.iterdir()) == ["elsewhere", "in", "out"]


def test_a_file_called_as_standard_input_is_a_file(scene: Folders) -> None:
    shutil.copy(REFUND / "transcript.json", Path(scene.reads, "-"))
    assert ask(scene, "assert_run", document=PHRASE, transcript="-")["results"][0]["status"] == "PASS"
    Path(scene.reads, "--strict").write_text(TYPO)
    assert ask(scene, "assert_lint", files=["--strict"])["files"][0]["assertions"] == 0


# pages ----------------------------------------------------------------------------------------------------------------


def test_the_page_for_agents_shows_what_happens(tmp_path: Path) -> None:
    import test_docs

    test_docs.test_a_page_shows_what_happens(ROOT / "AGENTS.md", tmp_path)


def test_the_page_names_every_tool_and_starts_the_server_as_it_can_be_started(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE))
    assert named == set(tools())
    blocks = re.findall(r"^```(?:json|text)\n([{[].*?)^```$", text, re.MULTILINE | re.DOTALL)
    values = [json.loads(block) if block[0] == "{" else tomllib.loads(block) for block in blocks]
    settings_ = ("mcpServers", "servers", "mcp_servers")
    servers = [value[name] for value in values for name in settings_ if name in value]
    assert len(servers) == 3
    for found in servers:
        assert found["hotato"]["command"] == "hotato-mcp"
        args = _serve.parser().read(found["hotato"]["args"])
        assert args.input_dir
        assert args.output_dir
    refusal = next(value for value in values if "ok" in value)
    places = folders(str(tmp_path), str(tmp_path))
    document = "version: 1\nassertions:\n  - {id: greeted, kind: phrase, regx: hello, regex: hello}\n"
    found_problem = ask(places, "assert_lint", document=document)["files"][0]["problems"]
    said = call(tools()["assert_run"], {"document": document}, places).value
    assert said == refusal
    assert found_problem == refusal["problems"]
