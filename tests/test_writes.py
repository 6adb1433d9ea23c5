"""Files that are written: whole or not at all, whatever call of the system fails, and whenever the process is killed."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hotato import rubric
from hotato.batch._query import Table
from hotato.cli import _command, demo, main
from hotato.context.writing import made_folder, placed, sweep, temporary_name, write_text, write_texts
from hotato.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "examples" / "refund"
SUITE = ROOT / "src" / "hotato" / "timing" / "suites" / "barge_in"
HOTATO = [sys.executable, "-m", "hotato"]
TURNS = [{"role": "agent", "text": "Hello.", "start": 0.0, "end": 1.0}]
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
ENVIRONS = tuple(COMMANDS)  # what is started anew for each environment; what follows would take too long
CALL = "--transcript t.json --trace v.jsonl"
SCORED = "one.hotato/contract.json one.hotato/audio/event.wav one.hotato/evidence/frames.jsonl"


def _add(words: str, *written: str) -> None:
    found = words.split()
    name = " ".join(found[:2]) if " ".join(found[:2]) in _command.names() else found[0]
    COMMANDS[name] = (found, [f"out/{one}" for one in written])


_add(f"shrink --assertions a.yaml {CALL} --id refund-went-through --out out/small --force",
     "small/transcript.json", "small/voice_trace.jsonl")  # fmt: skip
_add(
    "state snapshot --state s.json --resource orders --filter order_id=B-2093 --out out/before.json --force",
    "before.json",
)
_add("rubric run --rubrics r.json --transcript t.json --judge-model m --judge-record out/a.json --out out/r.json --force",
     "a.json", "r.json")  # fmt: skip
_add("rubric calibrate --labeled labeled --judge-replay answers.json --out out/c.json --force", "c.json")
_add("report --assertions e.json --out out/r.html --force", "r.html")
_add("contract pack kept/one.hotato --out out/one.zip --force", "one.zip")
_add("contract verify kept --out out/v.json", "v.json")
_add("run --stereo c.flac --out out/e.json --dump-frames out/f.jsonl", "f.jsonl", "e.json")
_add("verify --before early --after late --scenarios scenarios --out out/v.json", "v.json")
_add(
    "simulate s.yaml --out out/kept --force",
    *(f"kept/{name}.json" for name in ("transcript", "scenario", "conversation")),
)
COMMANDS["assert run --report"] = (
    [*COMMANDS["assert run"][0], "--report", "html=out/r.html", "--report", "junit=out/r.xml", "--force"],
    ["out/r.html", "out/r.xml", "out/e.json"],
)
_add("batch sample --results any --out out/b.jsonl --force", "b.jsonl")
_add("transcribe c.flac --out out/t.json --force", "t.json")
_add("test run test.json --transcript t.json --judge-model m --judge-record out/a.json --out out/call",
     "a.json", *(f"call/{name}.json" for name in ("transcript", "test", "result", "rubric", "conversation")))  # fmt: skip
_add("contract create --stereo c.flac --id one --out out/new", *(f"new/{name}" for name in SCORED.split()))
_add("contract unpack one.zip --out out/new", *(f"new/{name}" for name in SCORED.split()))
WHOLE = ("call import", "redact", "demo", "shrink", "contract create", "contract unpack")  # where the folder is new
FRESH = ("test run", "contract create", "contract unpack")  # these write over nothing
STAND_INS = ("batch sample", "transcribe")  # in these a stand-in is asked for what is written, which takes long to make
ELSEWHERE = {
    "batch run": "tests/test_batch_durable.py",
    "suite run": "tests/test_suite.py",
}
OLD = "what was there before\n"
Out = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the inputs of every command."""
    here = tmp_path_factory.mktemp("inputs")
    for name, source in (
        ("a.yaml", "assertions.yaml"),
        ("t.json", "transcript.json"),
        ("v.jsonl", "voice_trace.jsonl"),
        ("s.json", "state.json"),
    ):
        (here / name).write_bytes((REFUND / source).read_bytes())
    (here / "otlp.json").write_text(json.dumps(OTLP))
    (here / "call.srt").write_text(SRT)
    (here / "c.flac").write_bytes((SUITE / "backchannel-telephone.flac").read_bytes())
    human = {"id": "warm", "kind": "human_rubric", "criterion": "The agent sounds warm."}
    model = {"id": "polite", "kind": "judge_rubric", "criterion": "The agent stays polite."}
    (here / "r.json").write_text(json.dumps({"version": 1, "rubrics": [human]}))
    test = {
        "kind": "hotato.conversation-test", "version": 1, "id": "told", "agent": "any",
        "assertions": {"deterministic": [{"id": "said", "kind": "phrase", "regex": "refund"}], "rubric": [human]},
        "success": {"required": ["no_deterministic_fail"]},
    }  # fmt: skip
    (here / "test.json").write_text(json.dumps(test))
    (here / "labeled" / "one").mkdir(parents=True)
    (here / "labeled" / "rubrics.yaml").write_text(json.dumps({"version": 1, "rubrics": [model]}))
    (here / "labeled" / "one" / "labels.json").write_text('{"polite": "PASS"}')
    (here / "labeled" / "one" / "transcript.json").write_bytes((here / "t.json").read_bytes())
    (here / "answers.json").write_text(rubric.recording_text([rubric.Recorder(Nobody())]))
    for name, suffix in (("scenarios", "json"), ("early", "flac"), ("late", "flac")):
        (here / name).mkdir()
        (here / name / f"backchannel-telephone.{suffix}").write_bytes(
            (SUITE / f"backchannel-telephone.{suffix}").read_bytes()
        )
    words = f"assert run --assertions {here}/a.yaml --transcript {here}/t.json --out {here}/e.json"
    assert main(words.split()) == 1
    assert main(f"contract create --stereo {here}/c.flac --expect hold --id one --out {here}/kept".split()) == 0
    assert main(f"contract pack {here}/kept/one.hotato --out {here}/one.zip".split()) == 0
    assert main(f"scenario init --out {here}/s.yaml".split()) == 0
    return here


class Nobody:
    """A judge that is never asked."""

    provider, endpoint, model = "example", "none", "m"

    def ask(self, question: Any) -> rubric.Answer:
        raise NotImplementedError


@pytest.fixture
def folder(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the inputs of every command, in which the test runs."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hotato.transcribe.transcribe", lambda *_, **__: {"segments": TURNS})
    monkeypatch.setattr("hotato.batch._query.ask", lambda *_, **__: Table(("call",), [(0,)]))
    monkeypatch.setattr("hotato.batch._query.envelopes_of", lambda *_: [b"{}\n" * 40])
    return tmp_path


def test_every_command_that_writes_is_here_or_is_killed_elsewhere() -> None:
    writes = {
        name
        for name in _command.names()
        for one in _command.parser_of(name).declared
        if one.name in ("--out", "--report", "--judge-record", "--dump-frames")
    }
    assert writes == {*COMMANDS, *ELSEWHERE} - {"assert run --report"}
    for path in ELSEWHERE.values():
        assert "kill" in (ROOT / path).read_text()


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b"folder"
        for path in sorted(folder.rglob("*"))
    }


def with_old(names: list[str]) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(OLD)


def restored(folder: Path, before: dict[str, bytes], *, strays: bool = True) -> None:
    """Have in a folder what was in it before; without `strays`, temporary files stay, and the folders that are there."""
    for name in sorted(files(folder).keys() - before.keys(), reverse=True):
        if not strays and (".tmp" in name or ".old" in name or (folder / name).is_dir()):
            continue
        (folder / name).rmdir() if (folder / name).is_dir() else (folder / name).unlink()
    for name, content in before.items():
        if content != b"folder" and (not (folder / name).exists() or (folder / name).read_bytes() != content):
            (folder / name).write_bytes(content)


# every call of the system fails once ----------------------------------------------------------------------------------

PATCHED = (
    "open",
    "fsync",
    "replace",
    "rename",
    "chmod",
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
        in_place = builtins.open

        def plainly(path: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
            if sys._getframe(1).f_globals.get("__name__", "").startswith("hotato.") and "x" in mode:
                self.count("open")
                return Stream(in_place(path, mode, *more, **named), self)
            return in_place(path, mode, *more, **named)

        monkeypatch.setattr(builtins, "open", plainly)

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

    def readinto(self, piece: Any) -> int:
        self.failing.count("read")
        return int(self.stream.readinto(piece))

    def write(self, piece: bytes) -> int:
        self.failing.count("write")
        return int(self.stream.write(piece))

    def flush(self) -> None:
        self.failing.count("flush")
        self.stream.flush()

    def close(self) -> None:
        self.stream.close()
        self.failing.count("close")


def new_or_over(new: Sequence[str]) -> pytest.MarkDecorator:
    """Run a test of each command over files that are there, and of the commands `new` where none are."""
    cases = [
        pytest.param(command, has_old, id=f"{command}-{'over' if has_old else 'new'}")
        for command in COMMANDS
        for has_old in (False, True)
        if (command not in FRESH if has_old else command in new)
    ]
    return pytest.mark.parametrize(("command", "has_old"), cases)


@new_or_over(tuple(COMMANDS))
def test_any_call_of_the_system_may_fail_and_nothing_is_half_written(
    command: str, has_old: bool, folder: Path, capfd: Out
) -> None:
    words, written = COMMANDS[command]
    if has_old:
        with_old(written)
    before = files(folder / "out")
    failed: set[str] = set()
    for number in range(1, 200):
        with pytest.MonkeyPatch.context() as patch:
            failing = Failing(patch, number)
            code = main(words)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        if not failing.name:
            break
        if code == 3 and command == "demo" and failing.name in ("read", "close"):
            assert (
                files(folder / "out") == before
            )  # a file of hotato itself that cannot be read is a broken installation
        elif command == "contract verify" and code == 2 and "REFUSED" in out:  # a bundle that cannot be read is told
            assert json.loads(Path("out/v.json").read_text())["summary"]["unverified"] == 1
            failed.add(failing.name)
            restored(folder / "out", before)
        elif code == 2:
            assert files(folder / "out") == before, f"call {number}, {failing.name}"
            assert "no space left" in err or "cannot be" in err
            failed.add(failing.name)
        else:  # what failed was not needed: the way to an older file, the look for what others left behind
            assert code in (0, 1)
            let_be = ("fsync", "listdir", "link", "open", "lstat", "stat", "close")
            assert failing.name in let_be or command == "assert run --report", failing.name  # lines are not told then
            assert all(Path(name).read_bytes() != OLD.encode() for name in written)
            restored(folder / "out", before)
    else:
        pytest.fail("the command never got through")
    assert {"open", "write", "fsync", "close"} <= failed
    assert {"replace", "rename"} & failed
    # what these read lies inside the package, or is not read where there is a stand-in
    assert "read" in failed or command in ("demo", "scenario init", *STAND_INS)
    assert code in (0, 1)
    assert all(Path(name).exists() and Path(name).read_bytes() != OLD.encode() for name in written)
    assert {name for name in files(folder / "out") if ".tmp" in name or ".old" in name} == set()


# disks that are full, folders that cannot be written -------------------------------------------------------------------


def apart(words: list[str], first: Callable[[], object], stdout: int | None = None) -> tuple[int, str, str]:
    """Run a command in a process of its own, `first` before it; return its exit code and what it wrote.

    `stdout` is a descriptor in place of its standard output.
    """
    pipes = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.dup2(pipes[0][1] if stdout is None else stdout, 1)
            os.dup2(pipes[1][1], 2)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
            first()
            code = main(words)
        finally:
            os._exit(code)
    said = []
    for reading, writing in pipes:
        os.close(writing)
        with open(reading, encoding="utf-8") as stream:
            said.append(stream.read())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said[0], said[1]


def small_files() -> None:
    """Have no file grow beyond 64 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@new_or_over(FRESH)
def test_a_file_that_grows_too_large_leaves_what_was_there(command: str, has_old: bool, folder: Path) -> None:
    words, written = COMMANDS[command]
    if has_old:
        with_old(written)
    before = files(folder / "out")
    code, out, err = apart(words, small_files)
    assert (code, out) == (2, ""), err
    assert "cannot be written: file too large" in err
    assert files(folder / "out") == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"report"}))  # which prints nothing beside a file
def test_a_report_that_does_not_fit_is_3(command: str, folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = apart(COMMANDS[command][0], lambda: None, full.fileno())
    assert code == 3
    assert err.endswith("hotato: standard output: no space left on device\n")
    assert "Traceback" not in err


OVER = (
    "assert init --from-trace v.jsonl --out v.jsonl --force",
    "assert init --good labeled --out labeled/a.yaml",
    "state snapshot --state s.json --resource orders --out s.json --force",
    "state snapshot --state sql.json --resource orders --out books.db --force",
    "transcribe c.flac --out c.flac --force",
    "contract pack kept/one.hotato --out kept/one.hotato/contract.json --force",
    "contract pack kept/one.hotato --out kept/one.hotato/one.zip",
    "contract verify kept --out kept/one.hotato/contract.json",
    "verify --before early --after late --scenarios scenarios --out early/backchannel-telephone.flac",
    "verify --before early --after late --scenarios scenarios --out scenarios/v.json",
    "run --scenarios scenarios --audio early --out early/backchannel-telephone.flac",
    "run --scenarios scenarios --audio early --out scenarios/backchannel-telephone.json",
    "run --stereo c.flac --dump-frames c.flac",
    "rubric run --rubrics r.json --transcript t.json --judge-model m --out t.json --force",
    "rubric calibrate --labeled labeled --judge-model m --out labeled/rubrics.yaml --force",
    "rubric calibrate --labeled labeled --judge-model m --out c.json --judge-record labeled/one/labels.json --force",
    "rubric calibrate --labeled labeled --judge-replay answers.json --out answers.json --force",
    "test run test.json --transcript t.json --judge-model m --judge-record out/x --out out/x",
    "test run test.json --transcript t.json --judge-model m --judge-record test.json",
    "report --assertions e.json --out e.json --force",
    "trace export --trace v.jsonl --out v.jsonl --force",
    "shrink --assertions a.yaml --transcript transcript.json --trace v.jsonl --id refund-went-through --out . --force",
    "simulate s.yaml --out s.yaml --force",
)


SAID = (
    "names the same file as",
    "lies in the folder of",
    "would write over the file",
    "exists already",
    "cannot be made",
)


@pytest.mark.parametrize("words", OVER)
def test_no_command_writes_over_what_it_reads(words: str, folder: Path, capfd: Out) -> None:
    (folder / "sql.json").write_text(
        '{"adapter": "sql", "sqlite_path": "books.db", "resources": {"orders": {"query": "SELECT 1"}}}'
    )
    (folder / "books.db").write_bytes(b"")
    (folder / "transcript.json").write_bytes((folder / "t.json").read_bytes())
    before = files(folder)
    assert main(words.split()) == 2
    assert files(folder) == before
    said = capfd.readouterr().err
    assert any(one in said for one in SAID), said


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


CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def ended(folder: Path, number: int) -> None:
    """End this process at the n-th change of what a folder holds, whoever makes it: a file that is opened then is empty."""
    left, inside = number, False

    def hear(event: str, given: tuple[Any, ...]) -> None:
        nonlocal left, inside
        opens = event == "open" and isinstance(given[0], str) and given[2] & WRITES
        if inside or not (opens or event in CHANGES) or not os.path.abspath(given[0]).startswith(str(folder)):
            return
        left -= 2 if opens else 1
        if left <= 0:
            if opens and left < 0:
                inside = True
                with contextlib.suppress(OSError):
                    os.open(given[0], given[2] | os.O_TRUNC)
            os._exit(9)

    sys.addaudithook(hear)


@new_or_over((*FRESH, *WHOLE, "assert run"))
def test_a_command_killed_at_any_write_leaves_the_old_or_the_new(
    command: str, has_old: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is waited for, and a kill loses nothing of what was written
    words, written = COMMANDS[command]
    before, beside = files(folder / "out"), files(folder)
    assert apart(words, lambda: None)[0] in (0, 1)
    new = {name: Path(name).read_bytes() for name in written}
    left: set[str] = set()
    for number in range(1, 200):
        restored(folder / "out", before, strays=not has_old)  # else the last run sweeps them up
        if has_old:
            with_old(written)
        code, _, err = apart(words, lambda: ended(folder, number))  # noqa: B023  # it is called at once
        there = {name: Path(name).read_bytes() if Path(name).exists() else None for name in written}
        olds = {name for name, content in there.items() if content == (OLD.encode() if has_old else None)}
        news = {name for name, content in there.items() if content == new[name]}
        sealed = {written[-1]} if command == "simulate" and there[written[-1]] is None else set()
        assert olds | news | sealed == set(written), f"{number}: neither old nor new"
        assert not sealed or len(written) > 1
        left |= {"old"} if olds == set(written) else {"new"} if news == set(written) else {"some"}
        if code != 9:
            assert (code in (0, 1), news) == (True, set(written)), err
            break
    else:
        pytest.fail("the command never got through")
    assert left - {"some"} == {"old", "new"}
    assert "some" not in left or has_old or command not in WHOLE
    assert {name for name in files(folder / "out") if ".tmp" in name or ".old" in name} == set()
    restored(folder / "out", before)
    assert files(folder) == beside


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
        for words, written in (COMMANDS[name] for name in ENVIRONS):
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
