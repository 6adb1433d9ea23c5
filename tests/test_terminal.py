"""What a call holds can neither steer a terminal nor pass for a line of ours, whichever command tells of it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from hotato.plan.text import safe

HOTATO = [sys.executable, "-m", "hotato"]
# a title, the clipboard, a link; moving, clearing; C1; DEL; both directions of writing; what has no width; a line of ours
EVIL = (
    "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b]8;;https://x.example\x1b\\\x1b[2J\x1b[1A\x9b31m\x9d0;t\x9c\x08\x7f\r"
    "\u202e\u2066\u200b\u200d\u2060\ufeff\u2028\u2029\u0085\nPASS  everything"
)
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
SGR = re.compile(rb"\x1b\[[0-9;]*m")  # colours and weights: all that a table may use
NAME = EVIL.replace("/", "").replace("\n", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with evidence that tries to steer the terminal from every field."""
    spans = [
        {"schema": "hotato.voice_trace.v1", "_meta": True, "call_id": EVIL, "source": {"format": EVIL, "notes": [{"code": EVIL, "message": EVIL}]}},
        {"type": "tool_call", "name": EVIL, "arguments": {EVIL: EVIL}, "result": {EVIL: EVIL}, "error": EVIL},
        {"type": "http_exchange", "method": EVIL, "url": EVIL, "status_code": 500, "response": {EVIL: EVIL}},
        {"type": EVIL, "to": EVIL},
    ]  # fmt: skip
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans))
    (tmp_path / "t.json").write_text(json.dumps([{"role": EVIL, "text": f"mail me@vexmailo.org {EVIL}"}]))
    (tmp_path / "bad.json").write_text(json.dumps([{"role": EVIL, "text": 5, EVIL: EVIL}]))
    (tmp_path / "bad.jsonl").write_text(json.dumps({"type": EVIL, "start_sec": EVIL}) + "\n")
    (tmp_path / "w.json").write_text(json.dumps({"segments": [{"speaker": EVIL, "start": 0, "end": 1, "text": "hi", "words": []}], "language": EVIL}))  # fmt: skip
    (tmp_path / NAME).write_text(json.dumps([{"role": "agent", "text": 5}]))
    items = [
        {"id": "call", "kind": "tool_call", "name": EVIL, "args_subset": {EVIL: "x"}},
        {"id": EVIL.replace("\n", ""), "kind": "http_result", "method": "GET", "url_matches": "x", "status": 200},
        {"id": "mail", "kind": "pii", "detectors": ["email"], "mode": "must_not_leak"},
        {"id": "said", "kind": "phrase", "regex": "never", "role": EVIL, "description": EVIL},
    ]
    (tmp_path / "a.json").write_text(json.dumps({"version": 1, "assertions": items}))
    return tmp_path


def on_terminal(words: list[str], cwd: Path, **around: str) -> tuple[int, bytes]:
    """Run hotato on a terminal; return its exit code and all that the terminal got."""
    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(cwd)
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
        os.execve(sys.executable, [*HOTATO, *words], {**kept, "TERM": "xterm-256color", "PYTHONUTF8": "1", **around})
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


def harmless(said: bytes) -> None:
    """Check that lines hold nothing but characters that are seen, and that none of them was written by a call."""
    text = SGR.sub(b"", said).replace(b"\r\n", b"\n").decode()
    assert not CONTROL.search(text.replace("\n", "").replace("\t", "").encode())
    hidden = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp")} - {"\n", "\t"}
    assert hidden == set()
    assert not re.search(r"^PASS  everything", text, re.MULTILINE)


LINES = [
    "assert run --assertions a.json --transcript t.json --trace v.jsonl",
    "assert run --assertions a.json --transcript t.json --trace v.jsonl --format json",
    "assert run --assertions a.json --transcript bad.json --trace bad.jsonl",
    "assert lint a.json",
    "call audit t.json v.jsonl w.json bad.json",
    "call audit t.json v.jsonl --format json",
    "call import w.json --out d --force",
    "redact --transcript t.json --trace v.jsonl --out e --force",
    "redact --transcript NAME --out f",
    "redact --transcript t.json --out NAME.json --field NAME --force",
    "assert init --from-trace v.jsonl",
    "trace ingest --otel NAME --out g",
]


@pytest.mark.parametrize("line", LINES)
def test_no_command_hands_a_call_the_terminal(line: str, folder: Path) -> None:
    words = [word.replace("NAME", NAME) for word in line.split()]
    code, got = on_terminal(words, folder)
    assert code in (0, 1, 2)
    assert got
    harmless(got)


@pytest.mark.parametrize("line", LINES[:3])
def test_a_pipe_gets_the_same_care_and_no_colour(line: str, folder: Path) -> None:
    words = line.split()
    done = subprocess.run([*HOTATO, *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode in (1, 2)
    assert b"\x1b" not in done.stdout + done.stderr
    harmless(done.stdout)
    harmless(done.stderr)
    if "json" in words:
        assert done.stdout.isascii()
    code, got = on_terminal(words, folder, NO_COLOR="1")
    assert code == done.returncode
    assert b"\x1b" not in got


def test_every_character_that_cannot_be_seen_is_spelt() -> None:
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            assert safe(f"a{char}b") != f"a{char}b"
            assert safe(f"a{char}b").isprintable()
