"""Nothing lost: a run that is killed anywhere ends as one that was not, and what was changed meanwhile is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")

from hotato import batch
from hotato.batch import _local, _work
from hotato.context import writing
from hotato.errors import DocumentError, EvidenceError, UsageError
from hotato.runs import journal

DOCUMENT = {"version": 1, "assertions": [{"id": "greets", "kind": "phrase", "regex": "good", "role": "agent"}]}
FILES = ("results.parquet", "summary.json", "report.html", "envelopes.jsonl.zst")
COUNT, BYTES = 40, 700  # calls, and bytes of a piece: seven pieces or so


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "doc.json").write_text(json.dumps(DOCUMENT))
    with (tmp_path / "calls.jsonl").open("w") as stream:
        for number in range(COUNT):
            turns = [{"role": "agent", "text": "good day" if number % 3 else "hello"}]
            stream.write(json.dumps({"call_id": f"c{number}", "transcript": turns}) + "\n")
        stream.write("{torn\n")
    return tmp_path


def run(place: Path, out: str, **given: Any) -> dict[str, Any]:
    given = {"workers": 1, "max_errors": 1, "envelopes": True, "batch_bytes": BYTES, **given}
    return batch.run(place / "doc.json", str(place / "calls.jsonl"), place / out, **given)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def stopped(place: Path, out: str, after: int = 3) -> Path:
    """Begin a run that is killed after so many pieces."""

    def few(spec: bytes, pieces: Iterator[tuple[int, bytes]], engine: object) -> Iterator[tuple[int, bytes]]:
        for number, piece in pieces:
            if number >= after:
                raise Killed
            yield number, _work.work(spec, piece)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_local, "run", few)
        with pytest.raises(Killed):
            run(place, out)
    return place / out


def test_a_run_killed_at_any_write_ends_with_the_bytes_of_one_that_was_not(place: Path) -> None:
    run(place, "whole")
    whole = snapshot(place / "whole")
    put, writes = journal.Journal._put, 0
    at = 0
    while True:
        at += 1
        count = 0

        def torn(self: Any, name: str, stream: Any, raw: bytes, at: int = at) -> None:
            nonlocal count
            count += 1
            if count == at:
                put(self, name, stream, raw[: len(raw) * 2 // 3])
                raise Killed
            put(self, name, stream, raw)

        out = f"killed-{at}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(journal.Journal, "_put", torn)
            try:
                run(place, out)
            except Killed:
                writes += 1
            else:
                break
        if at == 1:  # not even the first line is whole: there is nothing to go on with, and nothing in the way
            with pytest.raises(UsageError, match="no run has begun here"):
                batch.resume(place / out, workers=1)
            run(place, out)
        else:
            batch.resume(place / out, workers=1)
        assert snapshot(place / out) == whole, at
        assert sorted(os.listdir(place / out)) == sorted([*FILES, "journal.jsonl", "lock"])
    assert writes >= 12


def test_a_run_killed_while_it_writes_its_files_ends_with_the_same_bytes(place: Path) -> None:
    run(place, "whole")
    whole = snapshot(place / "whole")
    real = os.replace
    for at in range(1, 5):
        count = 0

        def killing(source: Any, target: Any, at: int = at) -> None:
            nonlocal count
            count += 1
            if count == at:
                raise Killed
            real(source, target)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "replace", killing)
            with pytest.raises(Killed):
                run(place, f"killed-{at}")
        assert not (place / f"killed-{at}" / "summary.json").exists()
        batch.resume(place / f"killed-{at}", workers=1)
        assert snapshot(place / f"killed-{at}") == whole


def test_what_is_done_is_not_judged_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = stopped(place, "out", after=3)
    assert batch.status(out)["state"] == "stopped"
    assert batch.status(out)["pieces_done"] == 3
    did: list[int] = []
    real = _local.run

    def watched(spec: bytes, pieces: Iterator[tuple[int, bytes]], engine: Any) -> Iterator[tuple[int, bytes]]:
        for number, outcome in real(spec, pieces, engine):
            did.append(number)
            yield number, outcome

    monkeypatch.setattr(_local, "run", watched)
    batch.resume(out, workers=1)
    assert did == list(range(3, batch.status(out)["pieces"]))
    assert batch.status(out)["state"] == "finished"


def test_a_finished_run_is_resumed_to_what_it_was(place: Path) -> None:
    made = run(place, "out")
    before = snapshot(place / "out")
    (place / "out" / "journal.data").write_bytes(b"left over")
    assert batch.resume(place / "out") == made
    assert snapshot(place / "out") == before
    assert sorted(os.listdir(place / "out")) == sorted([*FILES, "journal.jsonl", "lock"])


COMMAND = [sys.executable, "-m", "hotato", "batch"]


def begun(place: Path, out: Path, workers: int) -> subprocess.Popen[bytes]:
    """Begin a run of many pieces in a process of its own, and wait until some of them are done."""
    with (place / "calls.jsonl").open("w") as stream:
        for number in range(3000):
            turns = [{"role": "agent", "text": "good day to you"}] * 20
            stream.write(json.dumps({"call_id": f"c{number}", "transcript": turns}) + "\n")
    given = ["--assertions", place / "doc.json", "--calls", place / "calls.jsonl", "--out", out]
    process = subprocess.Popen(
        [*COMMAND, "run", *map(str, given), "--batch-size", "15KB", "--workers", str(workers)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    limit = time.monotonic() + 60
    while time.monotonic() < limit and process.poll() is None:
        if (out / "journal.jsonl").exists() and (out / "journal.jsonl").read_bytes().count(b"\n") > 5:
            break
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGKILL, 2), (signal.SIGINT, 1)])
def test_a_process_that_is_sent_a_signal_leaves_a_run_that_can_be_resumed(
    place: Path, number: signal.Signals, workers: int
) -> None:
    out = place / "out"
    process = begun(place, out, workers)
    if number == signal.SIGKILL:  # two runs on one folder: the second refuses
        with pytest.raises(UsageError, match=f"another run, process {process.pid}, works"):
            batch.resume(out, workers=1)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    if number != signal.SIGKILL:
        assert b"stopped after" in said
        assert f"hotato batch resume {out} goes on".encode() in said
        return
    at = batch.status(out)
    assert at["state"] == "stopped"
    assert 0 < at["pieces_done"] < at["pieces"]
    made = batch.resume(out, workers=1)
    assert made["calls"] == {
        "total": 3000,
        "judged": 3000,
        "failed": 0,
        "errors": 0,
        "by_exit_code": {"0": 3000, "1": 0, "2": 0},
    }


def edited(out: Path, edit: Any) -> None:
    lines = (out / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (out / "journal.jsonl").write_bytes(b"".join(edit(lines)))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            lambda n: [*n[:2], n[2].replace(b'"calls":', b'"calls":1'), *n[3:]],
            "journal.jsonl:3: this line is not as it",
        ),
        (lambda n: [*n[:3], n[2], *n[3:]], "journal.jsonl:4: this line repeats an earlier one"),
        (lambda n: [n[0], n[2], n[1], *n[3:]], "journal.jsonl:2: this line is out of its order"),
        (lambda n: [n[0], *n[2:]], "journal.jsonl:2: this line is out of its order"),
        (lambda n: [n[0][:-20] + b"\n", *n[1:]], "journal.jsonl:1: this line is not as it"),
        (lambda n: [n[0], b"\n", *n[1:]], "journal.jsonl:2: this line is not as it"),
        (lambda n: [], "no run has begun here"),
    ],
)
def test_a_journal_that_was_changed_is_refused_with_the_line(place: Path, edit: Any, said: str) -> None:
    out = stopped(place, "out")
    edited(out, edit)
    with pytest.raises(UsageError, match=said):
        batch.resume(out, workers=1)


@pytest.mark.parametrize(
    "edit",
    [
        lambda n: [*n[:-1], n[-1][:-9]],
        lambda n: [*n, n[-1][:-1]],
        lambda n: [*n, b'{"line":'],
        lambda n: n[:-1],
        lambda n: [*n[:-1], n[-1][:-9] + b"\n"],
    ],
)
def test_a_last_line_that_is_torn_or_gone_is_judged_again(place: Path, edit: Any) -> None:
    run(place, "whole")
    out = stopped(place, "out")
    edited(out, edit)
    batch.resume(out, workers=1)
    assert snapshot(out) == snapshot(place / "whole")


def test_results_that_were_changed_are_refused_and_those_that_are_gone_are_judged_again(place: Path) -> None:
    run(place, "whole")
    out = stopped(place, "out")
    raw = (out / "journal.data").read_bytes()
    (out / "journal.data").write_bytes(raw[:-5])
    batch.resume(out, workers=1)
    assert snapshot(out) == snapshot(place / "whole")
    other = stopped(place, "other")
    (other / "journal.data").write_bytes(b"x" + raw[1:])
    with pytest.raises(UsageError, match="not those that the journal speaks of"):
        batch.resume(other, workers=1)


def test_a_changed_input_document_or_version_is_refused_with_both_hashes(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    out = stopped(place, "out")
    calls, document = (place / "calls.jsonl").read_bytes(), (place / "doc.json").read_bytes()
    changed = calls[:-4] + b"RN\n" + calls[-1:]
    (place / "calls.jsonl").write_bytes(changed)
    hashes = f"was {hashlib.sha256(calls).hexdigest()} and is {hashlib.sha256(changed).hexdigest()}"
    with pytest.raises(EvidenceError, match=hashes):
        batch.resume(out, workers=1)
    (place / "calls.jsonl").write_bytes(calls)
    (place / "doc.json").write_bytes(document.replace(b"good", b"bad"))
    with pytest.raises(DocumentError, match=f"was {hashlib.sha256(document).hexdigest()} and is"):
        batch.resume(out, workers=1)
    (place / "doc.json").write_bytes(document)
    monkeypatch.setattr("hotato.batch._run.__version__", "99")
    with pytest.raises(UsageError, match="and this is 99"):
        batch.resume(out, workers=1)
    monkeypatch.undo()
    os.utime(place / "calls.jsonl", (0, 0))  # touched is not changed
    assert batch.resume(out, workers=1)["calls"]["judged"] == COUNT


def test_a_rule_pack_beside_the_document_is_part_of_it(place: Path) -> None:
    pack = "name: house\nversion: '1'\nrules:\n- {id: no-darn, type: banned, regex: darn}\n"
    (place / "house.yaml").write_text(pack)
    document = {"version": 1, "assertions": [{"id": "p", "kind": "policy", "pack_path": "house.yaml"}]}
    (place / "doc.json").write_text(json.dumps(document))
    out = stopped(place, "out")
    (place / "house.yaml").write_text(pack.replace("darn", "drat"))
    with pytest.raises(DocumentError, match="has changed since the run began"):
        batch.resume(out, workers=1)


def test_an_input_that_came_or_went_is_refused(place: Path) -> None:
    (place / "in").mkdir()
    (place / "calls.jsonl").rename(place / "in" / "a.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_local, "run", lambda *_: (_ for _ in [0] if (_ for _ in ()).throw(Killed())))
        with pytest.raises(Killed):
            batch.run(place / "doc.json", str(place / "in"), place / "out", workers=1)
    (place / "in" / "b.jsonl").write_bytes(b"")
    with pytest.raises(EvidenceError, match="was not there when the run began"):
        batch.resume(place / "out", workers=1)
    (place / "in" / "a.jsonl").rename(place / "in" / "b.jsonl")
    with pytest.raises(EvidenceError, match="is gone"):
        batch.resume(place / "out", workers=1)


def test_an_input_that_shrinks_while_it_is_read_is_refused(place: Path) -> None:
    def shrinking(spec: bytes, pieces: Iterator[tuple[int, bytes]], engine: object) -> Iterator[tuple[int, bytes]]:
        for number, piece in pieces:
            if number == 2:
                os.truncate(place / "calls.jsonl", 900)
            yield number, _work.work(spec, piece)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_local, "run", shrinking)
        with pytest.raises(EvidenceError, match="has 900 bytes, and had"):
            run(place, "out")


def test_a_folder_with_a_run_is_not_written_over_without_force(place: Path) -> None:
    run(place, "out")
    (place / "out" / "mine.txt").write_text("kept")
    before = snapshot(place / "out")
    with pytest.raises(UsageError, match="--force starts anew"):
        run(place, "out", max_errors=0)
    assert snapshot(place / "out") == before
    run(place, "out", force=True)
    assert snapshot(place / "out") == before
    assert (place / "out" / "mine.txt").read_text() == "kept"


@pytest.mark.parametrize("name", ["results.parquet", "summary.json", "journal.jsonl", "lock"])
def test_a_folder_or_a_link_where_a_file_goes_is_left_alone(place: Path, name: str) -> None:
    for kind in ("folder", "link"):
        out = place / kind
        out.mkdir()
        if kind == "folder":
            (out / name).mkdir()
        else:
            (place / "target").write_text("mine")
            (out / name).symlink_to(place / "target")
        with pytest.raises(UsageError):
            run(place, kind, force=True)
        assert kind == "folder" or (place / "target").read_text() == "mine"


def test_a_disk_that_is_full_is_told_with_the_path_and_the_run_goes_on_later(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    run(place, "whole")
    code = (
        "import resource, signal, sys; from hotato import batch;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000));"
        f"batch.run({str(place / 'doc.json')!r}, {str(place / 'calls.jsonl')!r}, {str(place / 'out')!r},"
        f" workers=1, max_errors=1, envelopes=True, batch_bytes={BYTES})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "journal.data: cannot be written: file too large" in done.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 3000
    batch.resume(place / "out", workers=1)
    assert snapshot(place / "out") == snapshot(place / "whole")


def test_a_folder_that_vanishes_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    real = writing.placed

    def vanishing(path: str) -> Any:
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        return real(path)

    monkeypatch.setattr("hotato.batch._finish.placed", vanishing)
    with pytest.raises(UsageError, match="cannot be written: no such file or directory"):
        run(place, "out")


def test_a_clock_that_is_set_back_and_another_time_zone_change_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(place, "whole")
    clock = iter(range(10_000, 0, -1))
    monkeypatch.setattr(journal.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        run(place, "out")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert snapshot(place / "out") == snapshot(place / "whole")


def test_nobody_reads_the_output_and_the_files_are_whole(place: Path) -> None:
    run(place, "whole", envelopes=False)
    for number, close in enumerate(("2>&-", "| head -c 0", "> /dev/full")):
        out = place / f"out{number}"
        words = f"{' '.join(COMMAND)} run --assertions {place}/doc.json --calls {place}/calls.jsonl --out {out}"
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {words} --max-errors 1 --workers 1 --batch-size {BYTES} {close}"],
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == (3 if close == "> /dev/full" else 1), done.stderr
        assert b"Traceback" not in done.stderr
        assert (out / "results.parquet").read_bytes() == (place / "whole" / "results.parquet").read_bytes()
        assert (out / "summary.json").read_bytes() == (place / "whole" / "summary.json").read_bytes()


def test_a_worker_that_dies_is_replaced_and_a_piece_that_kills_it_every_time_is_named(place: Path) -> None:
    """The pool is real; what it runs kills its process once, or always."""
    code = """
import os, sys, types
from hotato.batch import _local
from hotato.runs import processes
def deadly(spec, piece):
    mark = piece.decode()
    if spec == b"always" and mark.endswith("2") or not os.path.exists(mark) and not mark.endswith("2"):
        open(mark, "w").close()
        os._exit(9)
    return b"done"
if __name__ == "__main__":
    _local.work, processes.TRIES = deadly, 2
    found = {}
    try:
        how = types.SimpleNamespace(workers=2)
        pieces = iter([(n, os.path.join(sys.argv[1], f"mark{n}").encode()) for n in (1, 2)])
        found.update(_local.run(sys.argv[2].encode(), pieces, how))
        print(sorted(found))
    except Exception as error:
        print(error)
"""
    (place / "deadly.py").write_text(code)
    said = [
        subprocess.run(
            [sys.executable, place / "deadly.py", place, word], capture_output=True, text=True, check=True
        ).stdout
        for word in ("once", "always")
    ]
    assert said[0] == "[1, 2]\n"
    assert "piece 2 of the input ended its process 2 times" in said[1]
