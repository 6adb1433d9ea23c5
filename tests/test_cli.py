"""The command line: exit codes, messages, hostile files, broken outputs, terminals, completion and what starting costs."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hotato import kinds, packs
from hotato.cli import _command, _frame, main
from hotato.cli._warnings import CODES, warnings
from hotato.cli.assert_schema import SCHEMAS
from hotato.match.regex import regex_can_match

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
REFUND = ROOT / "examples" / "refund"
HOTATO = [sys.executable, "-m", "hotato"]
TURNS = '[{"role": "agent", "text": "Hello there."}]'
DOCUMENT = "version: 1\nassertions:\n  - {id: greeted, kind: phrase, regex: hello}\n"
FAILING = DOCUMENT.replace("hello", "goodbye")
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
SGR = re.compile(rb"\x1b\[[0-9;]*m")  # colours and weights: all that a table may use


@pytest.fixture
def call(tmp_path: Path) -> Path:
    """Return a folder with a document that passes, one that fails, and a transcript."""
    (tmp_path / "a.yaml").write_text(DOCUMENT)
    (tmp_path / "fails.yaml").write_text(FAILING)
    (tmp_path / "t.json").write_text(TURNS)
    return tmp_path


def run(*words: str, cwd: Path = ROOT, **more: Any) -> subprocess.CompletedProcess[str]:
    more.setdefault("stdin", subprocess.DEVNULL)
    if "input" in more:
        del more["stdin"]
    return subprocess.run(
        [*HOTATO, *words], cwd=cwd, text=True, timeout=60, check=False, **{"capture_output": True, **more}
    )


def judge(folder: Path, *words: str, document: str = "a.yaml", **more: Any) -> subprocess.CompletedProcess[str]:
    return run("assert", "run", "--assertions", document, "--transcript", "t.json", *words, cwd=folder, **more)


# exit codes and errors ------------------------------------------------------------------------------------------------


def test_a_pass_is_0_and_a_fail_is_1(call: Path) -> None:
    passed, failed = judge(call), judge(call, document="fails.yaml")
    assert (passed.returncode, passed.stderr) == (0, "")
    assert passed.stdout.startswith("PASS ")
    assert (failed.returncode, failed.stderr) == (1, "")


@pytest.mark.parametrize(("policy", "code"), [("report", 0), ("fail", 1), ("refuse", 2)])
def test_the_policy_decides_what_missing_evidence_does(
    call: Path, capfd: pytest.CaptureFixture[str], policy: str, code: int
) -> None:
    words = ["assert", "run", "--assertions", str(call / "a.yaml"), "--inconclusive-policy", policy, "--format", "json"]
    assert main(words) == code
    envelope = json.loads(capfd.readouterr().out)
    assert (envelope["exit_code"], envelope["inconclusive_policy"]) == (code, policy)


def test_a_strict_run_fails_what_holds_of_nothing(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (call / "a.yaml").write_text(DOCUMENT.replace("hello", "hello, role: caller, absent: true"))
    words = ["assert", "run", "--assertions", str(call / "a.yaml"), "--transcript", str(call / "t.json")]
    assert main(words) == 0
    assert "(vacuous)" in capfd.readouterr().out
    assert main([*words, "--strict"]) == 1


USAGE = {
    "": "needs a command",
    "assert": "needs a command",
    "asert run": "(did you mean 'assert'?)",
    "lint": "(did you mean 'assert lint'?)",
    "assert rnu": "(did you mean 'run'?)",
    "--verison": "(did you mean '--version'?)",
    "assert run": "needs --assertions FILE or --pack NAME",
    "assert run --assertion a.yaml": "--assertion: no such flag (did you mean '--assertions'?)",
    "assert run --assert a.yaml": "--assert: no such flag",
    "assert run --assertions": "--assertions: needs a value",
    "assert run --assertions a --assertions b": "--assertions: given twice",
    "assert run --assertions a -- b": "b: one argument too many",
    "assert run --assertions a b": "b: one argument too many; a value stands after its flag, such as --assertions FILE",
    "completion bash b": "b: one argument too many; it takes SHELL and flags",
    "assert run --assertions=": "--assertions: an empty value",
    "assert run --assertions a --strict=yes": "--strict: takes no value",
    "assert run --assertions a --join-segments --no-join-segments": "together with its opposite",
    "assert run --assertions a --inconclusive-policy fial": "'fial' is not among report, fail, refuse (did you mean 'fail'?)",
    "assert run --assertions - --trace -": "standard input can be read once",
    "assert run --assertions a --out -": "--format json writes to standard output",
    "assert run --pack pi-leak": "(did you mean 'pii-leak'?)",
    "assert lint": "needs FILE",
    "assert lint - -": "standard input can be read once",
    "assert explain tool_cal": "(did you mean 'tool_call'?)",
    "assert schema envelop": "(did you mean 'envelope'?)",
    "assert packs nothing": "there are identity-verification-order",
    "assert init": "needs --from-trace FILE",
    "assert init --from-trace t --force": "means nothing without --out",
    "completion": "needs SHELL",
    "completion tcsh": "'tcsh' is not among bash, zsh, fish",
}


def test_checks_that_cannot_fail_are_told_where_they_are_run(call: Path) -> None:
    hollow = (
        "  - {id: any, kind: phrase, regex: '.*'}\n  - {id: odd, kind: phrase, regex: bye, role: agnet, absent: true}\n"
    )
    (call / "hollow.yaml").write_text(DOCUMENT + hollow)
    done = judge(call, document="hollow.yaml")
    assert done.returncode == 0
    assert [line.split(" ")[1] for line in done.stderr.splitlines()] == ["hollow.yaml:4:36:", "hollow.yaml:5:47:"]
    assert (judge(call, "--format", "json", document="hollow.yaml").stderr, judge(call).stderr) == ("", "")
    (call / "hollow.yaml").write_text(
        DOCUMENT + "".join(f"  - {{id: a{n}, kind: phrase, regex: a*}}\n" for n in range(9))
    )
    assert "4 more; hotato assert lint hollow.yaml tells all" in judge(call, document="hollow.yaml").stderr


def test_names_of_which_the_call_has_another_spelling_are_told(call: Path) -> None:
    checks = [
        "{id: a, kind: count, tool: isue_refund, count: 0}",
        "{id: b, kind: tool_call, never_before: {tool: issueRefund, until: verify}}",
        "{id: c, kind: tool_call, name: issue_refund_2, count: 0}",
        "{id: d, kind: claim, says: refund, requires: {tool: Issue_Refund, args_subset: {tool: isue_refund}}}",
        "{id: e, kind: sequence, steps: [{span_type: agent_dones}, {tool: verify}]}",
        "{id: f, kind: outcome, any_of: [{tool_called: verfiy}, {tool_called: lookup}]}",
        "{id: g, kind: tool_call, require_order: [verify, issue_refunds]}",
    ]
    (call / "a.yaml").write_text("version: 1\nassertions:\n" + "".join(f"  - {one}\n" for one in checks))
    spans = [{"type": "tool_call", "name": name} for name in ("verify", "issue_refund")] + [{"type": "agent_done"}]
    (call / "v.jsonl").write_text("".join(f"{json.dumps(span)}\n" for span in spans))
    told = [line.split("'")[1::2] for line in judge(call, "--trace", "v.jsonl").stderr.splitlines()]
    assert told == [
        ["a", "isue_refund", "issue_refund"],
        ["b", "issueRefund", "issue_refund"],
        ["d", "Issue_Refund", "issue_refund"],
        ["e", "agent_dones", "agent_done"],
        ["f", "verfiy", "verify"],
    ]


@pytest.mark.parametrize("line", USAGE)
def test_a_usage_error_is_2_and_says_what_is_wrong(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert USAGE[line] in err


@pytest.mark.parametrize("line", [line for line in USAGE if " -- " not in line])
def test_a_usage_error_is_one_json_object_where_json_is_asked_for(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*line.split(), "--format", "json"]) == 2
    out, err = capfd.readouterr()
    answer = json.loads(out)
    assert err == ""
    assert list(answer) == ["ok", "error_code", "message", "problems", "exit_code"]
    assert (answer["ok"], answer["exit_code"]) == (False, 2)
    assert list(answer["problems"][0]) == ["code", "file", "line", "column", "path", "message", "guess"]


def test_every_problem_of_every_file_is_told_at_once(call: Path) -> None:
    (call / "a.yaml").write_text("version: 2\nassertions:\n  - {id: a, kind: phrase, regx: x}\n")
    (call / "t.json").write_text('[{"role": "agent"},\n {"text": "x", "start": "1"}]')
    done = judge(call, "--trace", "none.jsonl", "--state", "none.json")
    places = [line.split(" ")[0] for line in done.stderr.splitlines()]
    assert done.returncode == 2
    assert places == [
        "a.yaml:1:10:", "a.yaml:3:5:", "a.yaml:3:27:", "t.json:1:2:", "t.json:2:2:", "none.jsonl:", "none.json:"
    ]  # fmt: skip


BOOM = """
import sys
from hotato.plan import run
def boom(*_): raise KeyError("Hello there.")
run._verdict = boom
from hotato.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_defect_is_3_names_the_assertion_and_repeats_nothing_of_the_call(call: Path) -> None:
    words = [sys.executable, "-c", BOOM, "assert", "run", "--assertions", "a.yaml", "--transcript", "t.json"]
    done = subprocess.run(words, cwd=call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "hotato: internal error while judging assertion 'greeted': KeyError\n"
    as_json = subprocess.run([*words, "--format=json"], cwd=call, capture_output=True, text=True, check=False)
    answer = json.loads(as_json.stdout)
    assert (as_json.returncode, as_json.stderr) == (3, "")
    assert (answer["error_code"], answer["exit_code"], answer["problems"]) == ("internal", 3, [])
    debug = subprocess.run([*words, "--debug"], cwd=call, capture_output=True, text=True, check=False)
    assert debug.returncode == 3
    assert "Traceback" in debug.stderr


def test_a_defect_outside_of_an_assertion_is_3(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packs, "names", lambda _: 1 / 0)
    assert main(["assert", "packs"]) == 3
    assert capfd.readouterr().err == "hotato: internal error: ZeroDivisionError; --debug shows where\n"


def test_an_interruption_is_130(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(packs, "names", interrupt)
    assert main(["assert", "packs"]) == 130
    assert capfd.readouterr() == ("", "")


# files ----------------------------------------------------------------------------------------------------------------


def _fifo(path: Path) -> None:
    os.mkfifo(path)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a missing file": (lambda path: None, "no such file"),
    "a folder": (Path.mkdir, "a folder, not a file"),
    "a named pipe": (_fifo, "not a regular file"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "a link to itself": (lambda path: path.symlink_to(path), "symbolic links"),
    "an empty file": (Path.touch, "empty"),
    "text that is no UTF-8": (
        lambda path: path.write_bytes(b'[{"role": "a",\n "text": "caf\xe9"}]'),
        ":2:14: not UTF-8",
    ),
    "UTF-16": (lambda path: path.write_bytes(TURNS.encode("utf-16")), "looks like UTF-16"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("flag", ["--assertions", "--transcript", "--trace", "--state"])
def test_a_file_that_cannot_be_used_is_refused(
    flag: str, name: str, call: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, said = HOSTILE[name]
    make(call / "x")
    words = {"--assertions": str(call / "a.yaml"), "--transcript": str(call / "t.json"), flag: str(call / "x")}
    assert main(["assert", "run", *(word for pair in words.items() for word in pair)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(str(call / "x"))
    assert said in err


def test_byte_order_marks_and_windows_line_ends_are_fine(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    windows = "\ufeff" + DOCUMENT.replace("\n", "\r\n")
    (call / "w.yaml").write_bytes(windows.encode())
    (call / "w.json").write_bytes(("\ufeff" + TURNS.replace(",", ",\r\n")).encode())
    assert main(["assert", "run", "--assertions", str(call / "w.yaml"), "--transcript", str(call / "w.json")]) == 0
    assert "1 pass" in capfd.readouterr().out


@pytest.mark.parametrize("flag", ["--assertions", "--transcript"])
def test_any_one_file_can_come_from_standard_input(flag: str, call: Path) -> None:
    files = {"--assertions": "a.yaml", "--transcript": "t.json"}
    text = (call / files[flag]).read_text()
    words = [word for pair in {**files, flag: "-"}.items() for word in pair]
    assert run("assert", "run", *words, cwd=call, input=text).returncode == 0


def test_a_trace_and_a_state_file_can_come_from_standard_input() -> None:
    words = {
        "--assertions": "assertions.yaml",
        "--transcript": "transcript.json",
        "--trace": "voice_trace.jsonl",
        "--state": "state.json",
    }
    whole = run("assert", "run", *(w for pair in words.items() for w in pair), cwd=REFUND)
    assert whole.returncode == 1
    for flag in ("--trace", "--state"):
        given = {**words, flag: "-"}
        with (REFUND / words[flag]).open() as file:
            done = run("assert", "run", *(w for pair in given.items() for w in pair), cwd=REFUND, stdin=file)
        assert (done.returncode, done.stdout) == (1, whole.stdout)


def test_a_closed_standard_input_is_refused(call: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m hotato assert run --assertions - --transcript t.json <&-",
        shell=True, cwd=call, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


# writing --------------------------------------------------------------------------------------------------------------


def test_the_envelope_is_written_whole_beside_the_text(call: Path) -> None:
    text = judge(call, "--out", "e.json")
    as_json = judge(call, "--format", "json")
    assert text.stdout.startswith("PASS ")
    assert (call / "e.json").read_text() == as_json.stdout
    assert sorted(path.name for path in call.iterdir()) == ["a.yaml", "e.json", "fails.yaml", "t.json"]


@pytest.mark.parametrize("out", ["a.yaml", "t.json", "./t.json", "none/e.json", "/dev/null", "."])
def test_an_envelope_is_not_written_over_evidence_or_where_it_cannot_be(
    out: str, call: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(call)
    assert main(["assert", "run", "--assertions", "a.yaml", "--transcript", "t.json", "--out", out]) == 2
    assert capfd.readouterr().out == ""
    assert ((call / "a.yaml").read_text(), (call / "t.json").read_text()) == (DOCUMENT, TURNS)
    assert Path("/dev/null").is_char_device()


def test_init_writes_once_and_overwrites_when_forced(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["assert", "init", "--from-trace", str(REFUND / "voice_trace.jsonl"), "--out", str(tmp_path / "a.yaml")]
    assert main(words) == 0
    (tmp_path / "a.yaml").write_text("mine")
    assert main(words) == 2
    assert (tmp_path / "a.yaml").read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert main(["assert", "lint", str(tmp_path / "a.yaml")]) == 0
    assert "--force overwrites it" in capfd.readouterr().err


@pytest.mark.parametrize(("document", "code"), [("a.yaml", 0), ("fails.yaml", 1)])
def test_a_reader_that_goes_away_leaves_the_verdict_standing(call: Path, document: str, code: int) -> None:
    words = ["assert", "run", "--assertions", document, "--transcript", "t.json", "--format", "json"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stream:
        done = subprocess.run([*HOTATO, *words], cwd=call, stdout=stream, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (code, b"")


def test_a_reader_that_goes_away_before_a_verdict_gives_141() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stream:
        done = subprocess.run([*HOTATO, "assert", "packs"], stdout=stream, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [[], ["--format", "json"], ["--trace", "none", "--format", "json"]])
def test_output_that_does_not_fit_is_3(call: Path, words: Sequence[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = judge(call, *words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (3, "hotato: standard output: no space left on device\n")


def test_closed_outputs_give_no_traceback(call: Path) -> None:
    line = f"{sys.executable} -m hotato assert run --assertions fails.yaml --transcript t.json"
    no_out = subprocess.run(f"{line} >&-", shell=True, cwd=call, capture_output=True, text=True, check=False)
    assert (no_out.returncode, no_out.stderr) == (3, "hotato: standard output is closed\n")
    no_err = subprocess.run(
        f"{line} --trace none 2>&-", shell=True, cwd=call, capture_output=True, text=True, check=False
    )
    assert (no_err.returncode, no_err.stdout) == (2, "")


def test_the_locale_changes_no_byte(call: Path) -> None:
    (call / "a.yaml").write_text(
        FAILING.replace("greeted,", "greeted, description: caf\u00e9, severity: \u00fcbel,"), encoding="utf-8"
    )
    plain = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    outputs = {
        judge(call, *words, env={**plain, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}).stdout
        for locale in ("C", "C.UTF-8")
        for words in [["--format", "json"]]
    }
    assert len(outputs) == 1


# terminals ------------------------------------------------------------------------------------------------------------


def on_terminal(words: Sequence[str], cwd: Path, **environment: str) -> tuple[int, bytes]:
    """Run hotato on a terminal of 80 columns; return its exit code and all that the terminal got."""
    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(cwd)
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
        os.execve(
            sys.executable, [*HOTATO, *words], {**kept, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment}
        )
    got, until = b"", time.monotonic() + 30
    while time.monotonic() < until:
        if select.select([descriptor], [], [], 0.1)[0]:
            try:
                piece = os.read(descriptor, 65536)
            except OSError:
                break
            if not piece:
                break
            got += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(descriptor)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), got


@pytest.mark.parametrize("columns", [40, 72, 200])
@pytest.mark.parametrize("line", ["--help", "assert --help", "assert run --help", "contract create --help"])
def test_help_fits_the_terminal_and_loses_no_word(
    columns: int, line: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, got = on_terminal(line.split(), tmp_path, COLUMNS=str(columns))
    shown = got.decode().replace("\r\n", "\n")
    wide = [text for text in shown.splitlines() if len(text) > columns]
    assert [text for text in wide if not re.match(r"  (cat|hotato) ", text)] == []  # an example is there to be copied
    assert main(line.split()) == code == 0
    assert shown.split() == capfd.readouterr().out.split()


def test_a_terminal_too_narrow_for_a_table_gets_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    main(["demo"])
    text = capfd.readouterr().out
    assert on_terminal(["demo"], tmp_path, COLUMNS="50") == (0, text.replace("\n", "\r\n").encode())
    assert on_terminal(["demo"], tmp_path, COLUMNS="90")[1] != text.replace("\n", "\r\n").encode()


EVIL = "\x1b]0;owned\x07\x1b[2J[red]x[/red]\u202e\x9b31m\u200b"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """Return a folder with evidence that tries to steer the terminal, and a document whose results show it."""
    span = {"type": "tool_call", "name": "t", "arguments": {"a": EVIL, EVIL: 1}, "result": {"b": EVIL}}
    (tmp_path / "trace.jsonl").write_text(json.dumps(span) + "\n")
    (tmp_path / "t.json").write_text(json.dumps([{"role": EVIL, "text": f"write to me@example.com {EVIL}"}]))
    (tmp_path / "s.json").write_text(json.dumps({"before": {"r": [{"v": EVIL}]}, "after": {"r": [{"v": f"{EVIL}2"}]}}))
    items = [
        {"id": "args", "kind": "tool_call", "name": "t", "args_subset": {"a": "[bold]plain[/bold]", EVIL: 2}},
        {"id": "result", "kind": "tool_result", "name": "t", "result_subset": {"b": EVIL[::-1]}},
        {"id": "mail", "kind": "pii", "detectors": ["email"], "mode": "must_not_leak"},
        {"id": "change", "kind": "state_change", "resource": "r", "field": "v", "to": "[link=x]y"},
        {"id": "state", "kind": "state", "resource": "r", "expect": {"v": EVIL}, "description": EVIL},
    ]
    (tmp_path / "a.json").write_text(json.dumps({"version": 1, "assertions": items}))
    return tmp_path


EVIL_WORDS = [
    "assert",
    "run",
    "--assertions",
    "a.json",
    "--transcript",
    "t.json",
    "--trace",
    "trace.jsonl",
    "--state",
    "s.json",
]


def test_a_call_cannot_steer_the_terminal(evil: Path) -> None:
    for environment in ({}, {"NO_COLOR": "1"}, {"TERM": "dumb"}):
        code, got = on_terminal(EVIL_WORDS, evil, **environment)
        shown = got.replace(b"\r\n", b"\n")
        assert code == 1
        assert b"args" in shown
        assert b"[red]x" in shown
        assert bool(SGR.search(shown)) is not bool(environment)
        assert not CONTROL.search(SGR.sub(b"", shown).replace(b"\n", b""))
        assert not re.search("[\u0080-\u009f\u200b\u202e]", shown.decode())


def test_a_piped_text_holds_no_control_character(evil: Path) -> None:
    done = run(*EVIL_WORDS, cwd=evil)
    assert done.returncode == 1
    assert not CONTROL.search(done.stdout.replace("\n", "").encode())
    assert "\u202e" not in done.stdout


def test_a_terminal_of_few_characters_gets_escapes(call: Path) -> None:
    (call / "a.yaml").write_text(DOCUMENT.replace("hello", "hello, role: caf\u00e9"), encoding="utf-8")
    words = ["assert", "run", "--assertions", "a.yaml", "--transcript", "t.json"]
    code, got = on_terminal(words, call, PYTHONIOENCODING="ascii")
    assert code == 1
    assert b"no caf\\xe9 turn" in got


@pytest.mark.parametrize("place", ["file", "flag", "command", "kind", "document", "lint"])
def test_what_was_typed_cannot_steer_the_terminal(place: str, evil: Path) -> None:
    name = EVIL.replace("/", "").replace("\0", "")
    (evil / name).write_text("version: 1\nassertions: 5\n")
    words = {
        "file": ["assert", "run", "--pack", "pii-leak", "--transcript", f"no{name}"],
        "flag": ["assert", "run", f"--{name}"],
        "command": [name],
        "kind": ["assert", "explain", name],
        "document": ["assert", "run", "--assertions", name],
        "lint": ["assert", "lint", name],
    }[place]
    code, got = on_terminal(words, evil)
    assert code == 2
    assert got
    assert not CONTROL.search(got.replace(b"\r\n", b""))
    assert not re.search("[\u0080-\u009f\u202e]", got.decode())


def test_a_terminal_gets_a_table_that_fits(evil: Path) -> None:
    code, got = on_terminal(["demo"], evil)
    assert code == 0
    assert SGR.search(got)
    table = [SGR.sub(b"", line).decode() for line in got.split(b"\r\n") if b"\xe2\x94\x80" in line]
    assert table
    assert all(len(line) <= 80 for line in table)


# lint, explain, packs, schema, demo -----------------------------------------------------------------------------------

WARNED = {
    "always_true": "- {id: a, kind: phrase, regex: x}\n- {id: b, kind: formula, expr: 0.6*a + 0.4*a >= 0}",
    "never_true": "- {id: a, kind: phrase, regex: x}\n- {id: b, kind: formula, expr: 0.4*a >= 0.5}",
    "duplicate_assertion": "- {id: a, kind: phrase, regex: x}\n- {id: b, kind: phrase, regex: x, tags: [y]}",
    "unknown_role": "- {id: a, kind: outcome, all_of: [{phrase: x, role: agnet}]}",
    "matches_everything": "- {id: a, kind: count, phrase: 'x*', count: {min: 1}}",
    "matches_nearly_everything": "- {id: a, kind: outcome, any_of: [{phrase: '.+'}]}",
    "never_judged": "- {id: a, kind: judge_rubric, criterion: polite}",
    "matches_nothing": "- {id: a, kind: phrase, regex: 'refund^'}",
    "plain_matcher": "- {id: a, kind: tool_call, name: t, args_subset: {x: {gt: 100}}, count: 0}",
    "matches_no_value": "- {id: a, kind: tool_result, name: t, result_subset: {x: {$gt: 5, $lte: 5}}}",
    "blank_edge": "- {id: a, kind: tool_call, name: 't ', count: 0}",
    "contradicts": "- {id: a, kind: tool_call, name: t, args_subset: {x: 1}}\n- {id: b, kind: count, tool: t, count: 0}",
}
SEVERAL = {
    "an id that waits for what is never judged": (
        (
            "- {id: a, kind: judge_rubric, criterion: x}\n- {id: b, kind: phrase, regex: x, when: a}\n"
            "- {id: c, kind: phrase, regex: y, when: b}"
        ),
        ["never_judged", "never_reached", "never_reached"],
    ),
    "an id that waits for two that exclude each other": (
        (
            "- {id: a, kind: phrase, regex: x}\n- {id: b, kind: phrase, regex: x, absent: true}\n"
            "- {id: c, kind: phrase, regex: y, when: [a, b]}"
        ),
        ["contradicts", "never_reached"],
    ),
    "an order that needs a tool which is forbidden": (
        "- {id: a, kind: tool_call, name: u, count: 0}\n- {id: b, kind: tool_call, require_order: [t, u]}",
        ["contradicts"],
    ),
    "counts without a number in common": (
        "- {id: a, kind: count, tool: t, count: {min: 3}}\n- {id: b, kind: tool_call, name: t, count: {max: 2}}",
        ["contradicts"],
    ),
    "opposites under conditions of their own": (
        (
            "- {id: p, kind: phrase, regex: p}\n- {id: q, kind: phrase, regex: q}\n"
            "- {id: a, kind: tool_call, name: t, when: p}\n- {id: b, kind: tool_call, name: t, count: 0, when: q}"
        ),
        [],
    ),
    "counts of what is said, and none of a tool": (
        "- {id: a, kind: count, phrase: x, count: 1}\n- {id: b, kind: count, phrase: y, count: 2}",
        [],
    ),
    "counts that allow none both": (
        "- {id: a, kind: count, tool: t, count: {max: 2}}\n- {id: b, kind: tool_call, name: t, count: 0}",
        [],
    ),
    "calls forbidden with some arguments alone": (
        "- {id: a, kind: tool_call, name: t}\n- {id: b, kind: tool_call, name: t, args_subset: {x: 1}, count: 0}",
        [],
    ),
}
QUIET = """
- {id: a, kind: phrase, regex: x, role: assistant}
- {id: b, kind: phrase, regex: x, role: caller}
- {id: c, kind: formula, expr: a and not b}
- {id: d, kind: formula, expr: 0.5*a + 0.5*b >= 0.5}
- {id: e, kind: tool_error, name: t, error_matches: timeout}
- {id: f, kind: tool_call, name: t, args_subset: {type: refund, name: ' Jo ', x: {$gte: 5, $lte: 5}, y: {gt: 1, other: 2}}}
- {id: g, kind: outcome, any_of: [{tool_called: t}, {phrase: ' now '}]}
- {id: h, kind: tool_call, name: u, args_subset: {day: {$gte: "2026-01-01", $lt: "2026-02-01"}}}
"""


@pytest.mark.parametrize("code", WARNED)
def test_a_warning_leaves_the_exit_code_alone_unless_strict(
    code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(f"version: 1\nassertions:\n{WARNED[code]}\n")
    assert [one.code for one in warnings(file.read_text(), str(file))] == [code]
    assert main(["assert", "lint", str(file)]) == 0
    assert main(["assert", "lint", "--strict", str(file)]) == 2
    assert "warning:" in capfd.readouterr().out
    assert main(["assert", "lint", "--strict", "--format", "json", str(file)]) == 2
    answer = json.loads(capfd.readouterr().out)
    assert (answer["ok"], answer["files"][0]["problems"]) == (False, [])
    assert answer["files"][0]["warnings"][0]["line"] >= 3


@pytest.mark.parametrize("name", SEVERAL)
def test_assertions_that_speak_against_one_another_are_told(name: str) -> None:
    text, codes = SEVERAL[name]
    assert [one.code for one in warnings(f"version: 1\nassertions:\n{text}\n", "a.yaml")] == codes


@pytest.mark.parametrize("source", ["a^", "(?:x)^y", "a$b", r"a\Zb", "(?!)", "(?:a^|(?!))", "(?:b$c)+"])
def test_a_pattern_that_no_text_matches_is_told(source: str) -> None:
    assert not regex_can_match(source)


@pytest.mark.parametrize(
    "source", ["^a$", "a*^b", "(?:a^|b)", r"a$\n", r"a$\s", "(?:a^)?b", "x(?m:^)y|z", r"\b$", "(?=$)"]
)
def test_a_pattern_that_a_text_may_match_is_not(source: str) -> None:
    assert regex_can_match(source)


@pytest.mark.parametrize(
    ("assertions", "place", "said"),
    [
        ("- {id: a, kind: phrase, regex: 'x*'}", (3, 34), "the pattern matches the empty text, and so every text"),
        (
            "- {id: a, kind: phrase, regex: ..}",
            (3, 34),
            "the pattern matches any text with two letters in a row, and so",
        ),
        (
            "- {id: a, kind: tool_call, name: t}\n  - {id: b, kind: count, tool: t, count: 0}",
            (4, 5),
            "cannot hold where 'a' does: t is never called, and there t is called at least 1 time",
        ),
        (
            "- {id: a, kind: count, tool: t, count: {min: 3, max: 4}}\n  - {id: b, kind: count, tool: t, count: {max: 2}}",
            (4, 5),
            "cannot hold where 'a' does: t is called at most 2 times, and there t is called 3 to 4 times",
        ),
    ],
)
def test_a_warning_says_what_is_meant_where_it_stands(assertions: str, place: tuple[int, int], said: str) -> None:
    (found,) = warnings(f"version: 1\nassertions:\n  {assertions}\n", "a.yaml")
    assert (found.line, found.column) == place
    assert found.message.partition(": ")[2].startswith(said)


def test_every_warning_has_a_case_and_is_listed() -> None:
    assert {*WARNED, *(code for _, codes in SEVERAL.values() for code in codes)} == set(CODES)
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert all(f"| `{code}` | {said} |" in page for code, said in CODES.items())


def test_an_ordinary_document_has_no_warning() -> None:
    assert warnings(f"version: 1\nassertions:{QUIET}", "a.yaml") == []


@pytest.mark.parametrize("name", packs.names("assertions"))
def test_a_bundled_pack_has_no_warning(name: str) -> None:
    assert warnings(packs.text("assertions", name), name) == []


def test_lint_goes_on_after_a_file_with_problems(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (call / "bad.yaml").write_text("version: 1\nassertions:\n  - {id: a, kind: phrase}\n")
    files = [str(call / name) for name in ("none.yaml", "bad.yaml", "a.yaml")]
    assert main(["assert", "lint", "--format", "json", *files]) == 2
    reports = json.loads(capfd.readouterr().out)["files"]
    assert [[one["code"] for one in report["problems"]] for report in reports] == [
        ["file_missing"],
        ["missing_field"],
        [],
    ]
    assert main(["assert", "lint", files[0], "--strict", files[2]]) == 2
    assert "1 assertion, no problem" in capfd.readouterr().out


@pytest.mark.parametrize("name", kinds.names())
def test_a_kind_is_explained_with_every_field_and_code(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    kind = kinds.get(name)
    assert main(["assert", "explain", name]) == 0
    text = capfd.readouterr().out
    assert all(f"\n  {field} " in text for field in kind.__struct_encode_fields__)
    assert all(f"\n  {code} " in text for code in kind.says)
    assert main(["assert", "explain", name, "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["kind"] == name


def test_the_listings_name_everything(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["assert", "explain"]) == 0
    assert all(f"  {name} " in capfd.readouterr().out for name in ["phrase"])
    assert main(["assert", "explain", "--format", "json"]) == 0
    assert {page["kind"] for page in json.loads(capfd.readouterr().out)} == set(kinds.names())
    assert main(["assert", "packs", "--format", "json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    assert {pack["name"] for pack in listed} == {*packs.names("assertions"), *packs.names("policy")}
    for name in (pack["name"] for pack in listed):
        assert main(["assert", "packs", name]) == 0
    for which, file in SCHEMAS.items():
        capfd.readouterr()
        assert main(["assert", "schema", which]) == 0
        assert capfd.readouterr().out == (ROOT / "src/hotato/schema" / file).read_text()


def test_the_demo_works_and_its_files_give_its_envelope(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--format", "json", "--out", str(tmp_path / "d")]) == 0
    shown = capfd.readouterr().out
    folder = tmp_path / "d"
    assert (folder / "envelope.json").read_text() == shown
    words = ["--assertions", "assertions.yaml", "--transcript", "transcript.json", "--trace", "voice_trace.jsonl"]
    done = run("assert", "run", *words, "--state", "state.json", "--format", "json", cwd=folder)
    assert (done.returncode, done.stdout) == (1, shown)
    (folder / "state.json").write_text("mine")
    assert main(["demo", "--out", str(folder)]) == 2
    assert (folder / "state.json").read_text() == "mine"
    assert main(["demo", "--out", str(folder), "--force"]) == 0


# the registry, help and completion ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", _command.names())
def test_a_command_says_what_it_does(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    module = import_module(f"hotato.cli.{name.replace(' ', '_')}")
    summary = (module.__doc__ or "").partition("\n")[0]
    assert _command.summary(name) == summary
    assert summary.endswith(".")
    assert main([*name.split(), "--help"]) == 0
    text = capfd.readouterr().out
    assert text.startswith(f"{summary}\n\nUsage: hotato {name}")
    assert f"\n  hotato {name}" in text.partition("For example:")[2]
    assert all(f"\n  {one.name}" in text for one in _command.parser_of(name).declared)
    assert max(map(len, text.splitlines())) <= 124


def test_the_examples_of_help_can_be_parsed() -> None:
    for name in _command.names():
        for line in re.findall(
            r"hotato ([^\n|>`<]*)",
            (_command.load(name).__doc__ or "").partition("For example:")[2].partition("\n\n")[0],
        ):
            words = shlex.split(line)
            found = _command.resolve(words[: next((i for i, w in enumerate(words) if w.startswith("-")), len(words))])
            _command.parser_of(found).read(words[len(found.split()) :])


def test_help_and_version_go_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["-h"], ["assert", "--help"], ["assert", "run", "--nonsense", "--help"], ["--version"]):
        assert main(words) == 0
        out, err = capfd.readouterr()
        assert out
        assert err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_names_everything_and_parses(
    shell: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = capfd.readouterr().out
    for name in _command.names():
        assert f'"{name}"' in script or f"'{name}'" in script
        for one in _command.parser_of(name).declared:
            assert not one.is_flag or one.name[2:] in script
    assert all(name in script for name in (*kinds.names(), *packs.names("assertions")))
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed, so its script was only read")
    (tmp_path / "script").write_text(script)
    assert subprocess.run([shell, "-n", str(tmp_path / "script")], check=False).returncode == 0


@pytest.mark.parametrize(
    ("line", "want", "never"),
    [
        ("", "assert", "lint"),
        ("assert ", "run", "demo"),
        ("assert run --", "--transcript", "--from-trace"),
        ("assert run --pack ", "pii-leak", "file.json"),
        ("assert run --transcript ", "file.json", "--trace"),
        ("assert run --inconclusive-policy re", "refuse", "fail"),
        ("assert explain tool_", "tool_call", "phrase"),
        ("assert lint f", "file.json", "demo"),
        ("completion ", "zsh", "assert"),
        ("assert run --transcript = f", "file.json", "--trace"),
        ("assert run --transcript =", "file.json", "--trace"),
        ("batch run --out ", "folder", "file.json"),
        ("contract verify f", "folder", "file.json"),
        ("batch sample --id ", "", "file.json"),
    ],
)
def test_bash_completes(line: str, want: str, never: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    main(["completion", "bash"])
    (tmp_path / "script").write_text(capfd.readouterr().out)
    (tmp_path / "file.json").touch()
    (tmp_path / "folder").mkdir()
    code = 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hotato; printf "%s\\n" "${COMPREPLY[@]}"'
    words = ["hotato", *line.split(" ")]
    done = subprocess.run(["bash", "-c", code, "_", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert want in [*done.stdout.split(), ""]
    assert never not in done.stdout.split()


def test_zsh_takes_each_operand_once_and_a_value_after_an_equals_sign(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main(["completion", "zsh"])
    script = capfd.readouterr().out
    assert "'1:BASE:_files' \\\n        '2:NEW:_files'" in script.partition('    "assert diff")\n      shift')[2]
    assert "'--out=[" in script
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed, so its script was only read")
    (tmp_path / "script").write_text(script)
    # outside of completion `_arguments` is a stand-in that holds each command's specs against each other
    code = """
      compdef() { :; }; _describe() { :; }; compadd() { :; }
      _arguments() {
        local -a places=(${(M)@:#[0-9]*}); places=(${places%%:*}); local -aU once=($places)
        (( $#places == $#once )) || print -r -- "$line: $places"
      }
      source ./script
      for line in ${(f)"$(<lines)"}; do words=(hotato ${(z)line} ''); CURRENT=${#words}; _hotato; done
    """
    (tmp_path / "lines").write_text("\n".join(_command.names()) + "\n")
    done = subprocess.run(["zsh", "-fc", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# what starting costs --------------------------------------------------------------------------------------------------

MODULES = "import sys\nfrom hotato.cli import main\nmain(sys.argv[1:])\nprint(*sorted(sys.modules), file=sys.stderr)"


def modules(*words: str, cwd: Path = ROOT) -> set[str]:
    done = subprocess.run([sys.executable, "-c", MODULES, *words], cwd=cwd, capture_output=True, text=True, check=False)
    return set(done.stderr.split())


def test_a_run_imports_only_what_it_needs(call: Path) -> None:
    (call / "a.json").write_text('{"version": 1, "assertions": [{"id": "a", "kind": "phrase", "regex": "hello"}]}')
    found = modules("assert", "run", "--assertions", "a.json", "--transcript", "t.json", cwd=call)
    assert "hotato.kinds.phrase" in found
    needless = {
        "yaml",
        "rich",
        "shutil",
        "typing_extensions",
        "dataclasses",
        "pathlib",
        "inspect",
        "subprocess",
        "asyncio",
    }
    assert not needless & found
    others = {"hotato.kinds.count", "hotato.state", "hotato.importers", "hotato.match.pii", "hotato.document.from_yaml"}
    assert not others & found
    assert [name for name in found if name.startswith("hotato.cli.") and "._" not in name] == ["hotato.cli.assert_run"]


def test_help_and_version_import_nothing_of_the_engine() -> None:
    for words in (["--version"], ["--help"], ["assert", "run", "--help"]):
        assert not {"msgspec", "yaml", "rich", "hotato.assert_"} & modules(*words)


def test_holding_back_an_import_leaves_no_trace() -> None:
    code = (
        "from hotato.cli import _frame; _frame.import_msgspec(); import sys; print('typing_extensions' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "False\n"
    before = sys.modules.get("typing_extensions")
    _frame.import_msgspec()
    assert sys.modules.get("typing_extensions") is before


# cases of practitioners -----------------------------------------------------------------------------------------------


def test_the_shared_cases_come_out_as_practitioners_expect() -> None:
    runner, folder = SHARED / "tools" / "run_cases.py", SHARED / "cases" / "bugs"
    if not runner.exists():
        pytest.skip("the shared cases are not beside this repository")
    cases = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))["run"] for path in folder.glob("*/case.json")
    }
    chosen = sorted(name for name, how in cases.items() if how in ("assert", "test-run"))
    assert len(chosen) > 40
    command = Path(sys.executable).parent / "hotato"
    done = subprocess.run(
        [sys.executable, str(runner), "--bin", str(command), *chosen], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{len(chosen)} passed, 0 failed\n")


# every command --------------------------------------------------------------------------------------------------------


def speaks_json(name: str) -> bool:
    return any(one.name == "--format" and "json" in one.choices for one in _command.parser_of(name).declared)


SPEAKS_JSON = [name for name in _command.names() if speaks_json(name)]
REFUSAL = ["ok", "error_code", "message", "problems", "exit_code"]


def of_files_that_are_gone(name: str) -> list[str]:
    """Return the words of a command that names a file that is not there wherever it has to name one."""
    words = [name]
    for one in _command.parser_of(name).declared:
        if one.required:
            value = one.choices[0] if one.choices else "out" if one.name == "--out" else "gone.json"
            words.append(f"{one.name}={value}" if one.is_flag else value)
    return " ".join(words).split()


def answered(words: Sequence[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, Any, str]:
    code = main(words)
    out, err = capfd.readouterr()
    return code, json.loads(out), err


def test_only_what_prints_or_reads_a_format_of_its_own_does_not_speak_json() -> None:
    assert set(_command.names()) - set(SPEAKS_JSON) == {"assert schema", "call import", "completion", "trace export"}


@pytest.mark.parametrize("name", SPEAKS_JSON)
def test_every_refusal_of_a_command_is_one_json_object(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gone = of_files_that_are_gone(name)
    for words in ([*name.split(), "--nope"], [*name.split(), *["x"] * 9], gone):
        if words == gone == name.split():
            continue  # it needs no file
        code, answer, err = answered([*words, "--format", "json"], capfd)
        assert (code, answer["ok"], answer["exit_code"], err) == (2, False, 2, ""), words
        if "files" in answer:  # each of them is told of
            assert [bool(file["problems"]) for file in answer["files"]] == [True] * len(words[len(name.split()) :])
        else:
            assert list(answer) == REFUSAL
            assert answer["problems"]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", _command.names())
def test_a_defect_of_a_command_is_3_and_no_word_of_what_it_read(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(args: Any) -> int:
        raise RuntimeError("zebra")

    monkeypatch.setattr(_command.load(name), "main", broken)
    words = of_files_that_are_gone(name)
    assert main(words) == 3
    out, err = capfd.readouterr()
    assert (out, "zebra" in err, "internal error" in err) == ("", False, True)
    if name in SPEAKS_JSON:
        code, answer, err = answered([*words, "--format", "json"], capfd)
        assert (code, answer["error_code"], answer["exit_code"], err) == (3, "internal", 3, "")
        assert "zebra" not in json.dumps(answer)


def test_who_looks_for_the_server_among_the_commands_is_told_its_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp"]) == 2
    assert "hotato-mcp" in capfd.readouterr().err
