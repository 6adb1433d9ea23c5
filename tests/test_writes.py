"""Files that are written: whole or not at all, whatever call of the system fails, and whenever the process is killed."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotato.cli import demo, main
from hotato.context.writing import made_folder, placed, sweep, temporary_name, write_text, write_texts
from hotato.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "examples" / "refund"
HOTATO = [sys.executable, "-m", "hotato"]
OTLP = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "0" * 31 + "1",
                            "spanId": "0" * 15 + "1",
                            "name": "execute_tool look_up",
                            "startTimeUnixNano": "1",
                            "endTimeUnixNano": "2",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "look_up"}},
                            ],
                        }
                    ]
                }
            ]
        }
    ]
}
SRT = "1\n00:00:01,000 --> 00:00:02,000\nSPEAKER: Hello there\n"

# what writes files: the words, the files it writes, and whether its --out is a folder that it may have to make
COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "assert run": (
        [
            "assert",
            "run",
            "--assertions",
            "a.yaml",
            "--transcript",
            "t.json",
            "--trace",
            "v.jsonl",
            "--out",
            "out/e.json",
        ],
        ["out/e.json"],
    ),
    "assert init": (["assert", "init", "--from-trace", "v.jsonl", "--out", "out/a.yaml", "--force"], ["out/a.yaml"]),
    "trace ingest": (["trace", "ingest", "--otel", "otlp.json", "--out", "out/v.jsonl", "--force"], ["out/v.jsonl"]),
    "trace export": (["trace", "export", "--trace", "v.jsonl", "--out", "out/b.jsonl", "--force"], ["out/b.jsonl"]),
    "call import": (
        ["call", "import", "call.srt", "--out", "out/call", "--force"],
        ["out/call/transcript.json", "out/call/import-report.json"],
    ),
    "redact": (
        ["redact", "--transcript", "t.json", "--trace", "v.jsonl", "--out", "out/shared", "--force"],
        ["out/shared/transcript.json", "out/shared/voice_trace.jsonl"],
    ),
    "demo": (
        ["demo", "--out", "out/demo", "--force"],
        [f"out/demo/{name}" for name in (*demo.FILES, "envelope.json")],
    ),
    "scenario init": (["scenario", "init", "--out", "out/s.yaml", "--force"], ["out/s.yaml"]),
}
OLD = "what was there before\n"
Out = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the inputs of every command, in which the test runs."""
    for name, source in (
        ("a.yaml", "assertions.yaml"),
        ("t.json", "transcript.json"),
        ("v.jsonl", "voice_trace.jsonl"),
    ):
        (tmp_path / name).write_bytes((REFUND / source).read_bytes())
    (tmp_path / "otlp.json").write_text(json.dumps(OTLP))
    (tmp_path / "call.srt").write_text(SRT)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b"folder"
        for path in sorted(folder.rglob("*"))
    }


def with_old(names: list[str]) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(OLD)


# every call of the system fails once ----------------------------------------------------------------------------------

PATCHED = (
    "open",
    "fsync",
    "replace",
    "link",
    "makedirs",
    "mkdir",
    "read",
    "close",
    "fchmod",
    "listdir",
    "lstat",
    "stat",
)


class Failing:
    """Makes the n-th call fail that commands make to read and write files, with an error of the kind that disks make."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        self.left, self.name = number, ""
        for name in PATCHED:
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))
        fdopen = os.fdopen

        def opened(descriptor: int, *more: Any, **named: Any) -> Any:
            return Stream(fdopen(descriptor, *more, **named), self)

        monkeypatch.setattr(os, "fdopen", opened)

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if caller.startswith("hotato.") and (name != "listdir" or caller == "hotato.context.writing"):
                self.count(name)  # but for the look into folders of the package itself
            return real(*args, **named)

        return call

    def count(self, name: str) -> None:
        self.left -= 1
        if self.left == 0:
            self.name = name
            raise OSError(errno.EIO if name == "read" else errno.ENOSPC, os.strerror(errno.ENOSPC))


class Stream:
    """A file whose reads, writes, flushes and closing are counted."""

    def __init__(self, stream: Any, failing: Failing) -> None:
        self.stream, self.failing = stream, failing

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def read(self, *args: int) -> bytes:
        self.failing.count("read")
        return bytes(self.stream.read(*args))

    def write(self, piece: bytes) -> int:
        self.failing.count("write")
        return int(self.stream.write(piece))

    def flush(self) -> None:
        self.failing.count("flush")
        self.stream.flush()

    def close(self) -> None:
        self.stream.close()
        self.failing.count("close")


@pytest.mark.parametrize("has_old", [False, True], ids=["new", "over"])
@pytest.mark.parametrize("command", COMMANDS)
def test_any_call_of_the_system_may_fail_and_nothing_is_half_written(
    command: str, has_old: bool, folder: Path, capfd: Out
) -> None:
    words, written = COMMANDS[command]
    if has_old:
        with_old(written)
    before = files(folder)
    failed: set[str] = set()
    for number in range(1, 200):
        with pytest.MonkeyPatch.context() as patch:
            failing = Failing(patch, number)
            code = main(words)
        err = capfd.readouterr().err
        assert "Traceback" not in err
        if not failing.name:
            break
        if code == 3 and command == "demo" and failing.name in ("read", "close"):
            assert files(folder) == before  # a file of hotato itself that cannot be read is a broken installation
        elif code == 2:
            assert files(folder) == before, f"call {number}, {failing.name}"
            assert "no space left" in err or "cannot be" in err
            failed.add(failing.name)
        else:  # what failed was not needed: the way to an older file, the look for what others left behind
            assert code in (0, 1)
            assert failing.name in ("fsync", "listdir", "link", "open", "lstat", "stat", "close"), failing.name
            assert all(Path(name).read_text() != OLD for name in written)
            for name in files(folder).keys() - before.keys():
                if (folder / name).is_file():
                    (folder / name).unlink()
            for name in sorted(files(folder).keys() - before.keys(), reverse=True):
                (folder / name).rmdir()
            if has_old:
                with_old(written)
    else:
        pytest.fail("the command never got through")
    assert {"open", "write", "fsync", "replace", "close"} <= failed
    assert "read" in failed or command in ("demo", "scenario init")  # what these read lies inside the package
    assert code in (0, 1)
    assert all(Path(name).exists() and Path(name).read_text() != OLD for name in written)
    assert {name for name in files(folder) if ".tmp" in name or ".old" in name} == set()


# disks that are full, folders that cannot be written -------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_grows_too_large_leaves_the_old_one(command: str, folder: Path) -> None:
    words, written = COMMANDS[command]
    with_old(written)
    before = files(folder)

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    done = subprocess.run([*HOTATO, *words], cwd=folder, capture_output=True, text=True, check=False, preexec_fn=small)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written: file too large" in done.stderr
    assert files(folder) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_report_that_does_not_fit_is_3(command: str, folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*HOTATO, *COMMANDS[command][0]], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert done.stderr.endswith("hotato: standard output: no space left on device\n")
    assert "Traceback" not in done.stderr


TARGETS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (Path.mkdir, "not a regular file"),
    "a link": (lambda path: path.symlink_to(path.parent / "mine"), "a symbolic link, which is not written through"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "a symbolic link, which is not written through"),
    "a link to a device": (lambda path: path.symlink_to("/dev/full"), "not a regular file"),
    "a pipe": (os.mkfifo, "not a regular file"),
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_that_is_no_regular_file_is_refused(target: str, tmp_path: Path) -> None:
    make, said = TARGETS[target]
    (tmp_path / "mine").write_text(OLD)
    make(tmp_path / "out")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(UsageError, match=said):
        write_text(tmp_path / "out", "new")
    with pytest.raises(UsageError, match=said), placed(tmp_path / "out"):
        pytest.fail("there is nothing to write to")
    assert (tmp_path / "mine").read_text() == OLD
    assert sorted(os.listdir(tmp_path)) == before


def test_a_folder_that_is_missing_is_told_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or directory"):
        write_text(tmp_path / "missing" / "out", "new")
    assert os.listdir(tmp_path) == []


def test_a_folder_made_for_files_goes_when_they_cannot_be_written(tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"

    def write() -> None:
        with made_folder(str(inside)):
            assert inside.is_dir()
            write_text(inside / "missing" / "out", "new")

    with pytest.raises(UsageError):
        write()
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be made"), made_folder(str(tmp_path / "file" / "b")):
        pass


def test_a_file_that_is_written_over_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "out").write_text(OLD)
    (tmp_path / "out").chmod(0o640)
    write_text(tmp_path / "out", "new")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640
    assert (tmp_path / "out").read_text() == "new"


def test_a_file_written_piece_by_piece_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text(OLD)
    out.chmod(0o640)

    def stopped(error: Exception) -> None:
        with placed(out) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(ZeroDivisionError):
        stopped(ZeroDivisionError())
    with pytest.raises(UsageError, match="out: cannot be written: input/output error"):
        stopped(OSError(errno.EIO, "Input/output error"))
    with pytest.raises(UsageError, match="exists already"), placed(out, overwrite=False):
        pytest.fail("the file would be written over")
    assert (out.read_text(), os.listdir(tmp_path)) == (OLD, ["out"])
    with placed(out) as stream:
        stream.write(b"new")
        assert out.read_text() == OLD
        with placed(out) as other:  # another one of this process, on its way to the same place
            other.write(b"other")
    assert (out.read_text(), os.listdir(tmp_path)) == ("new", ["out"])
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


def test_several_files_are_written_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ac":
        (tmp_path / name).write_text(OLD)
    real = os.replace

    def replace(source: str, place: str) -> None:
        if place.endswith("c") and source.endswith(".tmp"):
            raise OSError(errno.EIO, "input/output error")
        real(source, place)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(UsageError, match="c: cannot be written"):
        write_texts({str(tmp_path / name): "new" for name in "abc"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": OLD, "c": OLD}


# killed at any moment --------------------------------------------------------------------------------------------------


def test_what_a_killed_process_left_behind_is_swept_up(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    target = str(tmp_path / "out")
    stray = temporary_name(target).replace(f".{os.getpid()}-", f".{gone.pid}-")
    others = [
        temporary_name(target).replace(f".{os.getpid()}-", ".1-"),  # of a process that is there
        str(tmp_path / f".other.{gone.pid}-0.tmp"),
        str(tmp_path / f".out.{gone.pid}-0.tmp.txt"),
        str(tmp_path / "out.tmp"),
    ]
    for name in (stray, stray.replace(".tmp", ".old"), *others):
        Path(name).write_text("torn")
    os.mkdir(stray.replace("-0.tmp", "-1.tmp"))
    sweep(target)
    assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, others))
    write_text(target, "new")
    assert Path(target).read_text() == "new"


def test_a_name_as_long_as_names_can_be_is_written(tmp_path: Path) -> None:
    for name in ("x" * 255, "\u00e9" * 127):
        write_text(tmp_path / name, "new")
        assert os.listdir(tmp_path) == [name]
        (tmp_path / name).unlink()


WRITER = """
import sys
from hotato.context.writing import write_texts
print("ready", flush=True)
number = 0
while True:
    number += 1
    write_texts({name: f"{number}\\n" * 4000 for name in sys.argv[1:]})
"""


def test_a_process_killed_at_any_moment_leaves_whole_files(tmp_path: Path) -> None:
    chance = random.Random(7)
    targets = [str(tmp_path / name) for name in ("a", "b")]
    for _ in range(12):
        with subprocess.Popen([sys.executable, "-c", WRITER, *targets], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.random() * 0.03)
            writer.send_signal(signal.SIGKILL)
        for target in targets:
            lines = Path(target).read_text().splitlines() if os.path.exists(target) else ["none"] * 4000
            assert len(lines) == 4000
            assert len(set(lines)) == 1
    write_texts(dict.fromkeys(targets, "last\n"))
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


class Killing(Failing):
    """Ends the process right before the n-th call that commands make to read and write files, as a kill does."""

    def count(self, name: str) -> None:
        self.left -= 1
        if self.left == 0:
            os._exit(9)


def killed(words: list[str], number: int) -> int:
    """Run a command in a process of its own that is killed before its n-th call; return its exit code, 9 where it was."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # open as long as the process is there
            with pytest.MonkeyPatch.context() as patch:
                Killing(patch, number)
                code = main(words)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("has_audio", [False, True], ids=["silent", "spoken"])
def test_a_simulation_killed_at_any_step_is_whole_or_no_conversation(
    has_audio: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    from msgspec.structs import replace

    from hotato.cli import simulate as command

    monkeypatch.setattr(command, "_spoken", lambda _, call: replace(call, audio=b"RIFF" + str(call.variant).encode()))
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is waited for, and a kill loses nothing of what was written
    monkeypatch.chdir(tmp_path)
    assert main(["scenario", "init", "--out", "s.yaml"]) == 0
    words = ["simulate", "s.yaml", "--out", "call", "--force", *(["--audio"] if has_audio else [])]
    seen = set()
    for number in range(1, 200):
        assert main([*words, "--seed", "1"]) == 0
        before = Path("call/conversation.json").read_bytes()
        code = killed([*words, "--seed", "2"], number)
        there = Path("call/conversation.json")
        now = "none" if not there.exists() else "old" if there.read_bytes() == before else "new"
        told = main(["conversation", "verify", "call"])
        assert told in (0, 2), f"call {number}: a write that did not end is told as a change"
        assert told == 0 or now == "none" or list(Path("call").glob(".*")), number
        seen.add((told, now))
        assert main([*words, "--seed", "3"]) == 0
        assert main(["conversation", "verify", "call"]) == 0
        assert not list(Path("call").glob(".*"))
        if code == 0:
            break
    else:
        pytest.fail("the command never got through")
    assert seen == {(0, "old"), (2, "old"), (2, "none"), (2, "new"), (0, "new")}
    capsys.readouterr()


# what surrounds the process changes no byte -----------------------------------------------------------------------------


def test_hash_seed_locale_and_time_zone_change_no_byte(folder: Path) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LC_") and name != "LANG"}
    seen = set()
    for seed, locale, zone in (
        ("0", "C", "UTC"),
        ("1", "C.UTF-8", "Asia/Kathmandu"),
        ("random", "de_DE.UTF-8", "America/St_Johns"),
    ):
        around = {**plain, "PYTHONHASHSEED": seed, "LC_ALL": locale, "LANG": locale, "TZ": zone}
        got = []
        for words, written in COMMANDS.values():
            done = subprocess.run([*HOTATO, *words], cwd=folder, env=around, capture_output=True, check=False)
            assert done.returncode in (0, 1)
            got += [done.stdout, done.stderr, *(Path(name).read_bytes() for name in written)]
        seen.add(b"\0".join(got))
    assert len(seen) == 1


def test_a_stream_in_memory_takes_what_a_command_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(COMMANDS["redact"][0]) == 0
    assert stream.getvalue().startswith("wrote ")
