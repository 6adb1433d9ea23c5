"""Nothing private in what commands say: canaries are put wherever a call can hold data, and looked for in every output."""

from __future__ import annotations

import copy
import json
import logging
import random
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_ as A
from hotato import importers
from hotato.cli import _command, main
from hotato.errors import HotatoError
from hotato.importers import Options
from hotato.match.pii import find
from hotato.model.call import Turn

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT.parent / "shared" / "cases" / "pii" / "cases.jsonl"
SUITES = sorted((ROOT / "conformance" / "importers").glob("*/cases.yaml"))
Out = pytest.CaptureFixture[str]

CARD = "4929 7618 3350 8473"
CANARIES = {
    "card": CARD,
    "card in words": "four nine two nine, seven six one eight, three three five zero, eight four seven three",
    "ssn": "531-86-7294",
    "phone": "+1 415 736 2981",
    "mail": "zorblat.quixen@vexmailo.org",
    "mail in words": "zorblat dot quixen at vexmailo dot org",
}
SPEECH = "qwfpgjluy zxcdvkhm"  # what no detector knows, and nobody but the call may say all the same
KIND_FIELDS: list[dict[str, Any]] = [
    {"kind": "phrase", "regex": "never said"},
    {"kind": "phrase", "regex": ".", "absent": True},
    {"kind": "policy"},
    {"kind": "tool_call", "name": "pay", "args_subset": {"amount": 9}},
    {"kind": "tool_call", "require_order": ["never", "pay"]},
    {"kind": "tool_call", "name": "pay", "count": 7},
    {"kind": "tool_result", "name": "pay", "result_subset": {"status": "never"}},
    {"kind": "tool_error", "name": "pay", "error_matches": "never"},
    {"kind": "tool_error", "name": "pay", "absent": True},
    {"kind": "http_result", "method": "POST", "url_matches": "never", "status": 200},
    {"kind": "http_result", "method": "POST", "url_matches": ".", "status": 200, "response_subset": {"a": 1}},
    {"kind": "state", "resource": "account", "expect": {"plan": "never"}},
    {"kind": "state_change", "resource": "account", "field": "owner", "to": "never"},
    {"kind": "handoff", "to": "never"},
    {"kind": "handoff", "absent": True},
    {"kind": "dtmf", "digits": "0000"},
    {"kind": "termination", "reason": "never"},
    {"kind": "latency", "tool": "pay", "max_ms": 1},
    {"kind": "entity_accuracy", "reference": {"who": "never", "mail": "never"}},
    {"kind": "sequence", "steps": [{"tool": "pay"}, {"tool": "never"}]},
    {"kind": "count", "phrase": "never", "count": 4},
    {"kind": "outcome", "all_of": [{"tool_called": "never"}, {"phrase": "never"}, {"field_present": "never"}]},
]
PII = {"kind": "pii", "detectors": ["card_luhn", "email", "phone", "ssn"], "mode": "must_not_leak"}


def pieces(secret: str) -> set[str]:
    """Return what of a secret may occur nowhere: every run of five letters and digits, or of three words of many."""
    words = re.findall(r"[a-z]+", secret.lower())
    if len(words) > 6 and not any(char.isdigit() for char in secret):
        return {"".join(words[place : place + 3]) for place in range(len(words) - 2)}
    plain = "".join(char for char in secret.lower() if char.isalnum())
    return {plain[place : place + 5] for place in range(len(plain) - 4)}


def leaks(secret: str, text: str) -> list[str]:
    """Return the pieces of a secret that a text holds, however they are set off."""
    plain = "".join(char for char in text.lower() if char.isalnum())
    return sorted(piece for piece in pieces(secret) if piece in plain)


def call_of(secret: str) -> dict[str, Any]:
    """Return the files of a call that holds a secret in every place where a call can."""
    turns = [
        {"role": "agent", "text": "What is the number of your card, and your social security number, phone or mail?"},
        {"role": "caller", "text": f"It is {secret}."},
        {"role": f"caller {secret}", "text": f"{secret} and once more {secret}", "start": 5, "end": 6},
    ]
    arguments = {
        "who": secret,
        "note": f"said {secret}",
        secret: 1,
        "list": [secret],
        "deep": {"json": json.dumps({"x": secret})},
    }
    spans = [
        {"schema": "hotato.voice_trace.v1", "_meta": True, "call_id": secret},
        {"type": "tool_call", "name": "pay", "start_sec": 1, "end_sec": 2, "latency_ms": 1000, "arguments": arguments, "result": {"status": secret, "x": [secret]}},
        {"type": "tool_call", "name": "pay", "start_sec": 3, "error": {"message": f"no {secret}"}, "status": "error", "arguments": {"amount": secret}},
        {"type": "http_exchange", "method": "POST", "url": f"https://x.example/{secret}?a={secret}", "status_code": 500, "response": {"a": secret}},
        {"type": "handoff", "to": secret, "time_sec": 4},
        {"type": "dtmf", "digits": secret, "time_sec": 5},
        {"type": "termination", "reason": secret, "by": secret, "time_sec": 9},
    ]  # fmt: skip
    state = {"before": {"account": [{"owner": secret, "plan": secret}]}, "after": {"account": [{"owner": f"{secret} x", "plan": secret}]}}  # fmt: skip
    return {"t.json": turns, "v.jsonl": spans, "s.json": state}


def written(folder: Path, secret: str, *, with_pii: bool) -> None:
    for name, value in call_of(secret).items():
        lines = value if name.endswith("l") else [value]
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assertions = [{"id": f"a{n}", **fields} for n, fields in enumerate([*([PII] if with_pii else []), *KIND_FIELDS])]
    (folder / "a.json").write_text(json.dumps({"version": 1, "assertions": assertions}))


def outputs(
    folder: Path, capfd: Out, caplog: pytest.LogCaptureFixture, commands: list[str]
) -> Iterator[tuple[str, str]]:
    """Run commands; yield all that each says, warnings and log records included, and what it writes into `out`."""
    for line in commands:
        caplog.clear()
        with warnings.catch_warnings(record=True) as warned, caplog.at_level(logging.DEBUG):
            warnings.simplefilter("always")
            code = main(line.split())
        out, err = capfd.readouterr()
        assert code in (0, 1, 2), f"{line}: {err}"
        files = [path.read_text() for path in sorted(folder.glob("out*")) if path.is_file()]
        for path in folder.glob("out*"):
            path.unlink()
        yield line, "\n".join([out, err, caplog.text, *(str(w.message) for w in warned), *files])


RUN = "assert run --assertions a.json --transcript t.json --trace v.jsonl --state s.json"


def commands() -> list[str]:
    """Return every way of judging and of telling about a call: each format on the screen and each report."""
    declared = {one.name: one for one in _command.parser_of("assert run").declared}
    found = [f"{RUN} --format {name} --debug" for name in declared["--format"].choices]
    found.append(f"{RUN} --out out.json --strict")
    if "--report" in declared:
        names = re.findall(r"\w+", declared["--report"].help.partition("(")[2])
        found += [f"{RUN} --report {name}=out.{name}" for name in names]
    return [*found, "call audit t.json v.jsonl", "call audit t.json v.jsonl --format json", "assert lint a.json"]


@pytest.mark.parametrize("name", CANARIES)
def test_what_a_detector_finds_is_in_no_output(
    name: str, tmp_path: Path, capfd: Out, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, CANARIES[name], with_pii=True)
    for line, said in outputs(tmp_path, capfd, caplog, commands()):
        assert said.strip(), line
        assert leaks(CANARIES[name], said) == [], line


def reasons(envelope: dict[str, Any]) -> str:
    """Return all of an envelope but what shows recorded values on purpose: the closest call, a change, the transcript."""
    shown = ("closest", "delta", "redacted_transcript")
    results = [{k: v for k, v in result.items() if k not in shown} for result in envelope["results"]]
    return json.dumps({**envelope, "results": results})


@pytest.mark.parametrize("secret", [SPEECH, CARD, "hunter2hunter3"])
def test_no_reason_repeats_what_was_said_or_passed(
    secret: str, tmp_path: Path, capfd: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, secret, with_pii=False)
    assert main([*RUN.split(), "--format", "json"]) == 1
    envelope = json.loads(capfd.readouterr().out)
    assert len([r for r in envelope["results"] if r["status"] == "FAIL"]) > 15
    assert leaks(secret, reasons(envelope)) == []


# damaged evidence ------------------------------------------------------------------------------------------------------

DAMAGED = {
    "a text that is an object": ("t.json", lambda s: json.dumps([{"role": "agent", "text": {s: s}}])),
    "a role that is a list": ("t.json", lambda s: json.dumps([{"role": [s], "text": s}])),
    "a time that is a text": ("t.json", lambda s: json.dumps([{"role": s, "text": s, "start": s}])),
    "a cut file": ("t.json", lambda s: json.dumps([{"role": "agent", "text": s}])[:-4]),
    "a key that stands twice": ("t.json", lambda s: f'[{{"role": "agent", "text": "{s}", "{s}": 1, "{s}": 2}}]'),
    "no JSON": ("t.json", lambda s: s),
    "a file of one text": ("t.json", json.dumps),
    "an object of another sort": ("t.json", lambda s: json.dumps({s: s})),
    "more after the end": ("t.json", lambda s: f"[]\n{s}"),
    "no number": ("t.json", lambda s: f'[{{"role": "{s}", "text": "{s}", "start": NaN}}]'),
    "a control character": ("t.json", lambda s: f'[{{"role": "agent", "text": "{s}\x01"}}]'),
    "a span without a type": ("v.jsonl", lambda s: json.dumps({"name": s, s: s})),
    "a span whose name is a list": ("v.jsonl", lambda s: json.dumps({"type": "tool_call", "name": [s]})),
    "a span whose time is a text": ("v.jsonl", lambda s: json.dumps({"type": s, "name": s, "start_sec": s})),
    "a span with odd attributes": ("v.jsonl", lambda s: json.dumps({"type": s, "attributes": s})),
    "a cut line": ("v.jsonl", lambda s: json.dumps({"type": "x", "a": s}) + "\n" + json.dumps({"type": s})[:-2]),
    "a line that is no JSON": ("v.jsonl", lambda s: f"{s}\n{s}"),
    "another schema": ("v.jsonl", lambda s: json.dumps({"_meta": True, "schema": s, "source": s})),
    "a state that is a text": ("s.json", json.dumps),
    "a state of texts": ("s.json", lambda s: json.dumps({"account": s})),
    "a state of rows that are none": ("s.json", lambda s: json.dumps({"before": {"account": [s]}, "after": {"account": s}})),
    "a state that is cut": ("s.json", lambda s: json.dumps({"account": [{s: s}]})[:-3]),
    "a state in YAML that is none": ("s.json", lambda s: f"account: [{s}: {s}: {s}\n  - {s}"),
}  # fmt: skip


@pytest.mark.parametrize("secret", [CARD, SPEECH])
@pytest.mark.parametrize("name", DAMAGED)
def test_an_error_never_repeats_what_evidence_holds(
    name: str,
    secret: str,
    tmp_path: Path,
    capfd: Out,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, secret, with_pii=True)
    file, make = DAMAGED[name]
    (tmp_path / file).write_text(make(secret))
    lines = [f"{RUN} --debug", f"{RUN} --format json"]
    if file != "s.json":
        flag = "--transcript" if file == "t.json" else "--trace"
        lines += [f"call audit {file} --debug", f"call import {file} --out d", f"redact {flag} {file} --out out.json"]
        lines += [f"trace ingest --otel {file} --out out.jsonl", f"assert init --from-trace {file}"]
    for line, said in outputs(tmp_path, capfd, caplog, lines):
        if "d" in line.split() and (tmp_path / "d").exists():
            continue  # it could be read, and what was imported is the call itself
        if "out.json" in line and "wrote" in said:
            continue
        assert leaks(secret, said) == [], line


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if type(value) in (dict, list):
        for key, inner in value.items() if type(value) is dict else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return made


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.parent.name)
def test_an_importer_never_repeats_what_a_file_holds(suite: Path) -> None:
    chance = random.Random(suite.parent.name)
    file = A.parse_assertions_yaml(suite.read_text(encoding="utf-8"))
    for case in chance.sample(file["cases"], min(6, len(file["cases"]))):
        lines = case.get("lines")
        value = case.get("input") if lines is None else lines
        if type(value) not in (dict, list):
            continue
        paths = list(leaves(value))
        for path in chance.sample(paths, min(8, len(paths))):
            if path:
                _import(
                    replaced(value, path, chance.choice([CARD, {CARD: CARD}, [CARD]])),
                    file["format"],
                    lines is not None,
                )


def _import(value: Any, name: str, are_lines: bool) -> None:
    text = "".join(json.dumps(line) + "\n" for line in value) if are_lines else json.dumps(value)
    try:
        said = " ".join(note.message for note in importers.read_raw("f", text.encode(), name, Options()).notes)
    except HotatoError as error:
        said = str(error)
    assert leaks(CARD, said) == []


# every case there is ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this repository")
def test_no_case_of_personal_data_shows_in_a_result() -> None:
    """What is found is masked in results and text; what is not found is for the detectors' own tests."""
    names = sorted({"card_luhn", "email", "phone", "ssn"})
    plan = {"id": "a", "kind": "pii", "detectors": names, "mode": "must_not_leak"}
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        turns = case.get("turns") or [{"role": case["role"], "text": case["text"]}]
        spans = [{"type": "tool_call", "name": "t", "arguments": {"x": turn["text"]}} for turn in turns]
        want = {"id": "b", "kind": "tool_call", "name": "t", "args_subset": {"x": "y"}}
        context = A.build_context(transcript=turns, spans=spans)
        envelope = A.run_assertions({"version": 1, "assertions": [plan, want]}, context)
        said = json.dumps(envelope) + A.render_run_text(envelope)
        for hit in find([Turn(n, turn["role"], turn["text"]) for n, turn in enumerate(turns)]):
            secret = " ".join(turns[turn]["text"][start:end] for turn, start, end in hit.spans)
            whole = "".join(char for char in secret.lower() if char.isalnum())
            if len(whole) >= 7:
                assert whole not in "".join(char for char in said.lower() if char.isalnum()), case["id"]


def test_a_number_that_only_the_turns_tell_is_in_no_explanation() -> None:
    turns = [{"role": "caller", "text": "My social security number is 531867294."}]
    spans = [
        {"type": "tool_call", "name": "t", "arguments": {"x": "531867294", "y": 531867294, "z": ["a-531867294-b"]}}
    ]
    want = {"id": "b", "kind": "tool_call", "name": "t", "args_subset": {"x": "n", "y": 1, "z": ["n"]}}
    envelope = A.run_assertions(
        {"version": 1, "assertions": [{"id": "a", **PII}, want]}, A.build_context(transcript=turns, spans=spans)
    )
    assert [result["status"] for result in envelope["results"]] == ["FAIL", "FAIL"]
    assert envelope["results"][1]["closest"]["differences"]
    assert leaks("531867294", json.dumps(envelope)) == []
