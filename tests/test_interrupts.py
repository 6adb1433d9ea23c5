"""Commands that are told to stop, or whose reader goes away: nothing half written, no traceback, an exit code that says so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "examples" / "refund"
HOTATO = [sys.executable, "-m", "hotato"]
OLD = "what was there before\n"

# Runs a command, and sends a signal to it at its n-th call of those that write; says on descriptor 3 when it was sent.
SENT = """
import os, sys
which, number, *words = sys.argv[1:]
left = int(number)
def at(name, real):
    def call(*args, **named):
        global left
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if not caller.startswith("hotato.context.writing"):
            return real(*args, **named)
        for moment in ("before", "after"):
            left -= 1
            if left == 0:
                os.write(3, b"sent")
                os.kill(os.getpid(), int(which))
            if moment == "before":
                done = real(*args, **named)
        return done
    return call
for name in ("open", "fsync", "replace", "link"):
    setattr(os, name, at(name, getattr(os, name)))
sys.argv = ["hotato", *words]
from hotato.cli import run
run()
"""
WRITERS = {
    "assert run": (
        ["assert", "run", "--assertions", "a.yaml", "--transcript", "t.json", "--trace", "v.jsonl", "--out", "e.json"],
        ["e.json"],
    ),
    "call import": (
        ["call", "import", "call.srt", "--out", "call", "--force"],
        ["call/transcript.json", "call/import-report.json"],
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a document, a transcript and a trace."""
    for name, source in (
        ("a.yaml", "assertions.yaml"),
        ("t.json", "transcript.json"),
        ("v.jsonl", "voice_trace.jsonl"),
    ):
        (tmp_path / name).write_bytes((REFUND / source).read_bytes())
    (tmp_path / "call.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nSPEAKER: Hello there\n")
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def sent(number: int, which: signal.Signals, words: list[str], folder: Path) -> tuple[bool, int, str, str]:
    """Run a command that gets a signal; return whether it got it, its exit code and its outputs."""
    reading, writing = os.pipe()
    script = f'exec 3>&{writing}; exec "$@"'
    done = subprocess.run(
        ["bash", "-c", script, "-", sys.executable, "-c", SENT, str(int(which)), str(number), *words],
        cwd=folder, capture_output=True, text=True, check=False, pass_fds=(writing,), timeout=60,
    )  # fmt: skip
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        return stream.read() == b"sent", done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "which"),
    [("assert run", signal.SIGINT), ("call import", signal.SIGTERM), ("call import", signal.SIGKILL)],
)
def test_a_signal_while_files_are_written_leaves_the_old_ones_or_the_new(
    command: str, which: signal.Signals, folder: Path
) -> None:
    words, written = WRITERS[command]
    got, code, *_ = sent(10_000, which, words, folder)
    assert (got, code) in ((False, 0), (False, 1))
    new = [(folder / name).read_bytes() for name in written]
    stopped = 0
    for number in range(1, 100):
        for name in written:
            (folder / name).write_text(OLD)
        got, code, out, err = sent(number, which, words, folder)
        now = [(folder / name).read_bytes() for name in written]
        strays = [name for name in files(folder) if ".tmp" in name or ".old" in name]
        if not got:
            break
        stopped += 1
        assert err == ""
        assert out == "" or now == new, number
        assert all(text in (OLD.encode(), fresh) for text, fresh in zip(now, new, strict=True)), number
        if which != signal.SIGKILL:
            assert code == 128 + which
            assert now in ([OLD.encode()] * len(new), new), number
            assert strays == [], number
        else:
            assert code == -which
    assert stopped >= 6
    assert (now, strays) == (new, [])  # the run that gets through sweeps up what the killed ones left


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_waits_for_input_stops_when_it_is_told(which: signal.Signals, folder: Path) -> None:
    words = ["assert", "run", "--assertions", "a.yaml", "--transcript", "-", "--out", "e.json"]
    before = files(folder)
    with subprocess.Popen(
        [*HOTATO, *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as waiting:
        wait_until_it_reads(waiting.pid)
        waiting.send_signal(which)
        assert waiting.stdout is not None
        assert waiting.stderr is not None
        out, err = waiting.stdout.read(), waiting.stderr.read()
    assert (waiting.returncode, out, err) == (128 + which, b"", b"")
    assert files(folder) == before


def test_an_ignored_signal_stays_ignored(folder: Path) -> None:
    words = ["assert", "run", "--assertions", "a.yaml", "--transcript", "-", "--trace", "v.jsonl"]
    with subprocess.Popen(
        ["bash", "-c", 'trap "" INT; exec "$@"', "-", *HOTATO, *words],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as waiting:  # fmt: skip
        wait_until_it_reads(waiting.pid)
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate((folder / "t.json").read_bytes(), timeout=30)
    assert (waiting.returncode, err) == (1, b"")
    assert b"exit 1" in out


def wait_until_it_reads(process: int) -> None:
    """Return when a process waits for standard input; where the system does not tell, after a while."""
    until = time.monotonic() + 20
    told = Path(f"/proc/{process}/wchan")
    while time.monotonic() < until:
        time.sleep(0.02)
        try:
            if "pipe" in told.read_text():
                return
            syscall = Path(f"/proc/{process}/syscall").read_text().split()
        except OSError:
            time.sleep(1)
            return
        if syscall[:2] == ["0", "0x0"]:  # read(0, ...)
            return


PIPED = {
    "assert run --assertions a.yaml --transcript t.json --trace v.jsonl": 1,
    "assert run --assertions a.yaml --transcript t.json --trace v.jsonl --format json": 1,
    "assert lint a.yaml": 0,
    "call audit t.json v.jsonl": 0,
    "assert explain": 141,
    "assert schema": 141,
    "assert init --from-trace v.jsonl": 141,
    "trace export --trace v.jsonl": 141,
    "redact --transcript t.json --out shared.json": 141,
    "--help": 141,
}


@pytest.mark.parametrize("line", PIPED)
def test_a_reader_that_has_gone_gets_no_traceback(line: str, folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stream:
        done = subprocess.run(
            [*HOTATO, *line.split()], cwd=folder, stdout=stream, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (PIPED[line], "")
    if "shared.json" in line:  # the file was written before the report of it
        assert json.loads((folder / "shared.json").read_text())


@pytest.mark.parametrize(
    "line", ["assert run --assertions none.yaml", "redact --transcript none.json --out x", "nothing"]
)
def test_errors_that_nobody_reads_leave_the_exit_code(line: str, folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stream:
        done = subprocess.run([*HOTATO, *line.split()], cwd=folder, stdout=subprocess.PIPE, stderr=stream, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
