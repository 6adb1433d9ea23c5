"""Many calls: rows, engines, gates, and that nothing of it hangs on who does which piece in which order."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
zstandard = pytest.importorskip("zstandard")

from hotato import assert_ as A  # noqa: E402
from hotato import batch  # noqa: E402
from hotato.batch._interval import interval  # noqa: E402
from hotato.errors import DocumentError, EvidenceError, UsageError  # noqa: E402

DOCUMENT = {
    "version": 1,
    "assertions": [
        {"id": "greets", "kind": "phrase", "regex": "good morning", "role": "agent", "dimension": "conversation"},
        {"id": "looked-up", "kind": "tool_call", "name": "lookup"},
        {"id": "fast", "kind": "latency", "tool": "lookup", "max_ms": 900},
        {"id": "stored", "kind": "state", "resource": "orders", "expect": {"status": "done"}, "when": "looked-up"},
    ],
}
FILES = ("results.parquet", "summary.json", "report.html", "envelopes.jsonl.zst")


def call(number: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "call_id": f"c{number}",
        "transcript": [{"role": "agent", "text": "Good morning" if number % 7 else "Hello", "start": 1.0, "end": 2.0}],
        "spans": [{"type": "tool_call", "name": "lookup", "latency_ms": 500 + number, "start_sec": 3.0}],
        "state": {"orders": [{"id": number, "status": "done" if number % 11 else "open"}]},
        "expected": "not evidence",
    }
    if number % 10 == 3:
        del row["spans"]
    return row


def lines(count: int = 60) -> list[bytes]:
    found = [json.dumps(call(number)).encode() for number in range(count)]
    found[5:5] = [b"", b'{"call_id": "torn", "transc', b"[]", b'{"call_id": "empty"}', b'{"a": 1, "a": 2}', b"\xff"]
    return [*found, b'{"call_id": 7, "transcript": [{"role": "agent"}]}']


def snapshot(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "doc.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "calls.jsonl").write_bytes(b"\n".join(lines()) + b"\n")
    return tmp_path


def judged(place: Path, out: str, calls: str = "calls.jsonl", **given: Any) -> dict[str, Any]:
    given = {"workers": 1, "max_errors": 100, "envelopes": True, **given}
    return batch.run(place / "doc.json", str(place / calls), place / out, **given)


def rows(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "results.parquet").to_pylist()
    return found


def envelopes(folder: Path) -> Iterator[dict[str, Any]]:
    raw = (folder / "envelopes.jsonl.zst").read_bytes()
    text = zstandard.ZstdDecompressor().decompressobj().decompress(raw)
    yield from (json.loads(line) for line in text.splitlines())


def test_every_call_gives_the_results_that_it_gives_alone(place: Path) -> None:
    made = judged(place, "out")
    plan = A.compile_assertions(DOCUMENT)
    found = {one["call_id"]: one["envelope"] for one in envelopes(place / "out")}
    table = rows(place / "out")
    for number in range(60):
        row = call(number)
        from hotato.state_adapter import MockStateAdapter

        ctx = A.build_context(
            transcript=row["transcript"], spans=row.get("spans"), state_adapter=MockStateAdapter(row["state"])
        )
        alone = A.judge_call(plan, ctx)
        assert found[f"c{number}"] == alone
        mine = [one for one in table if one["call_id"] == f"c{number}"]
        assert [(one["assertion_id"], one["kind"], one["status"], one["code"]) for one in mine] == [
            (one["id"], one["kind"], one["status"], one["code"]) for one in alone["results"]
        ]
        assert [one["exercised"] for one in mine] == [one.get("exercised") for one in alone["results"]]
        assert [one["measured_ms"] for one in mine] == [one.get("measured_ms") for one in alone["results"]]
    assert made["calls"]["judged"] == 60
    assert made["exit_code"] == 1


def test_a_call_that_cannot_be_read_is_a_row_with_its_code(place: Path) -> None:
    made = judged(place, "out")
    wrong = [(one["call_id"], one["code"]) for one in rows(place / "out") if one["status"] == "ERROR"]
    at = [number for number, byte in enumerate((place / "calls.jsonl").read_bytes()) if byte == 10]
    named = {f"calls.jsonl@{at[place] + 1}": code for place, code in ((5, "json_syntax"), (6, "call"))}
    assert dict(wrong) == {
        **named,
        f"calls.jsonl@{at[8] + 1}": "json_duplicate_key",
        f"calls.jsonl@{at[9] + 1}": "file_encoding",
        "empty": "call",
        "7": "turn",
    }
    assert made["errors"] == {"call": 2, "file_encoding": 1, "json_duplicate_key": 1, "json_syntax": 1, "turn": 1}
    assert made["calls"] == {
        "total": 66, "judged": 60, "failed": made["calls"]["failed"], "errors": 6, "by_exit_code": made["calls"]["by_exit_code"],
    }  # fmt: skip


def test_calls_are_numbered_in_the_order_of_the_input_and_errors_have_a_number_too(place: Path) -> None:
    judged(place, "out", batch_bytes=700)
    table = rows(place / "out")
    numbers = [one["call"] for one in table]
    assert numbers == sorted(numbers)
    assert sorted(set(numbers)) == list(range(66))
    by_id: dict[str, set[int]] = {}
    for one in table:
        by_id.setdefault(one["call_id"], set()).add(one["call"])
    assert all(len(found) == 1 for found in by_id.values())


def test_results_are_the_same_bytes_for_any_size_of_pieces_and_any_packing(place: Path) -> None:
    judged(place, "out")
    whole = snapshot(place / "out")
    assert set(whole) == set(FILES)
    for size in (120, 5000):
        judged(place, f"by-{size}", batch_bytes=size)
        assert snapshot(place / f"by-{size}") == whole
    raw = (place / "calls.jsonl").read_bytes()
    for name, packed in (("gz", gzip.compress(raw, mtime=0)), ("zst", zstandard.compress(raw))):
        (place / name).mkdir()
        (place / name / "calls.jsonl").write_bytes(packed)
        judged(place, f"of-{name}", f"{name}/calls.jsonl", batch_bytes=700)
        found = snapshot(place / f"of-{name}")
        assert {n: found[n] for n in FILES if n != "summary.json"} == {
            n: whole[n] for n in FILES if n != "summary.json"
        }


def test_workers_and_the_order_in_which_they_finish_change_nothing(place: Path) -> None:
    judged(place, "one", batch_bytes=1500)
    judged(place, "two", batch_bytes=1500, workers=2)
    assert snapshot(place / "two") == snapshot(place / "one")


def test_pieces_that_arrive_backwards_give_the_same_bytes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hotato.batch import _local, _work

    judged(place, "out", batch_bytes=1500)
    monkeypatch.setattr(
        _local, "run", lambda spec, pieces, engine: ((n, _work.work(spec, p)) for n, p in reversed(list(pieces)))
    )
    judged(place, "back", batch_bytes=1500)
    assert snapshot(place / "back") == snapshot(place / "out")


def test_parquet_with_text_or_nested_columns_gives_what_lines_give(place: Path) -> None:
    made = [call(number) for number in range(60)]
    text = [{"call_id": one["call_id"], "call": json.dumps(one)} for one in made]
    parts = [
        {name: one[name] if name == "call_id" else json.dumps(one.get(name)) for name in ("call_id", "transcript", "spans", "state")}
        for one in made
    ]  # fmt: skip
    nested = [{**part, "transcript": one["transcript"]} for part, one in zip(parts, made, strict=True)]
    found = []
    for name, given in (("text", text), ("parts", parts), ("nested", nested)):
        (place / name).mkdir()
        pq.write_table(pa.Table.from_pylist(given), place / name / "calls.parquet", row_group_size=17)
        judged(place, f"out-{name}", f"{name}/calls.parquet")
        found.append(snapshot(place / f"out-{name}"))
        del found[-1]["summary.json"]
    assert found[0] == found[1] == found[2]
    assert len(rows(place / "out-text")) == 240


def test_files_of_a_call_each_are_named_by_their_path_and_a_damaged_one_is_an_error(place: Path) -> None:
    (place / "in" / "deep").mkdir(parents=True)
    (place / "in" / ".hidden").mkdir()
    (place / "in" / ".hidden" / "x.json").write_text("[]")
    (place / "in" / "a.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v agent>Good morning\n")
    (place / "in" / "deep" / "b.json").write_text("{nothing}")
    made = judged(place, "out", "in")
    found = rows(place / "out")
    assert [one["call_id"] for one in found] == ["a.vtt"] * 4 + ["deep/b.json"]
    assert found[0]["status"] == "PASS"
    assert found[-1]["status"] == "ERROR"
    assert made["inputs"]["files"] == 2


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_packed_file_that_is_broken_off_is_told_of_after_what_could_be_read(place: Path, name: str) -> None:
    raw = b"".join(json.dumps(call(number)).encode() + b"\n" for number in range(3000))
    packed = gzip.compress(raw) if name == "gzip" else zstandard.compress(raw)
    (place / "torn.jsonl.x").write_bytes(packed[: len(packed) * 3 // 4])
    made = judged(place, "out", "torn.jsonl.x", envelopes=False)
    assert made["calls"]["judged"] > 100
    assert made["errors"][name] == 1
    assert rows(place / "out")[-1]["code"] == name


def test_a_line_that_is_too_long_is_an_error_and_the_next_is_judged(place: Path) -> None:
    from hotato.model.limits import limits

    with (place / "calls.jsonl").open("wb") as stream:
        stream.write(json.dumps({**call(0), "pad": "x" * 9000}).encode() + b"\n" + json.dumps(call(1)).encode())
    with limits(line_bytes=5000):
        made = judged(place, "out", batch_bytes=100)
    assert made["errors"] == {"file_too_large": 1}
    assert made["calls"]["judged"] == 1


def test_the_exit_code_follows_policy_errors_and_gates(place: Path) -> None:
    good = [json.dumps({**call(1), "call_id": f"g{n}"}).encode() for n in range(50)]

    def code(rows: list[bytes], **given: Any) -> int:
        (place / "x.jsonl").write_bytes(b"\n".join(rows) + b"\n")
        return int(judged(place, "x", "x.jsonl", force=True, envelopes=False, **given)["exit_code"])

    assert code(good) == 0
    assert code([*good, b"{"], max_errors=0) == 2
    assert code([*good, b"{"], max_errors=1) == 0
    assert code([b"", b"  "], kind="lines") == 2  # nothing was judged
    failing = [*good, json.dumps(call(7)).encode()]
    assert code(failing) == 1
    assert code(failing, min_pass_rate={"greets": 0.8}) == 0
    assert code(failing, min_pass_rate={"greets": 0.99}) == 1
    assert code(good, min_pass_rate={"greets": 0.99}) == 1  # fifty passes do not show it
    assert code([*good, json.dumps(call(13)).encode()], inconclusive_policy="refuse") == 2
    with pytest.raises(DocumentError, match="no assertion has the id 'greet'"):
        code(good, min_pass_rate={"greet": 0.9})


def test_a_pass_over_nothing_is_no_part_of_a_rate(place: Path) -> None:
    document = {"version": 1, "assertions": [{"id": "clean", "kind": "phrase", "regex": "x", "absent": True}]}
    (place / "doc.json").write_text(json.dumps(document))
    (place / "calls.jsonl").write_bytes(b'{"call_id": "a", "transcript": []}\n' * 30)
    made = judged(place, "out", min_pass_rate={"clean": 0.1})
    assert made["checks"][0]["vacuous"] == 30
    assert made["checks"][0]["pass_rate"] is None
    assert made["exit_code"] == 1


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(0, 10, 0.0, 0.308497), (5, 10, 0.187086, 0.812914), (990, 1000, 0.981687, 0.995194), (0, 0, 0.0, 1.0), (1, 1, 0.025, 1.0)],
)  # fmt: skip
def test_the_interval_is_exact(passed: int, of: int, low: float, high: float) -> None:
    assert interval(passed, of) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))


def test_judge_gives_a_row_a_call_and_assertion_and_raises_for_no_call() -> None:
    plan = A.compile_assertions(DOCUMENT)
    given = pa.RecordBatch.from_pylist(
        [{"call_id": "a", "call": json.dumps(call(1))}, {"call_id": None, "call": "{"}, {"call_id": "c", "call": None}]
    )
    found = batch.judge(plan, given)
    assert found.schema == batch.SCHEMA
    assert found.column("status").to_pylist() == ["PASS"] * 4 + ["ERROR"] * 2
    assert found.column("call_id").to_pylist() == ["c1"] * 4 + ["row@1", "c"]
    assert found.column("evidence").to_pylist()[:2] == [["t_0"], ["s_0"]]
    assert batch.judge(plan, given.slice(0, 0)).num_rows == 0


def test_a_defect_of_a_kind_is_a_row_and_exit_3(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hotato.batch import _judge
    from hotato.errors import InternalError

    def broken(*_: object, **__: object) -> list[dict[str, Any]]:
        raise InternalError("broken", "greets")

    monkeypatch.setattr(_judge, "findings", broken)
    made = judged(place, "out", envelopes=False)
    assert made["errors"]["internal"] == 60
    assert made["exit_code"] == 3


def test_state_as_databases_are_written_is_read_as_rows_with_a_key() -> None:
    from hotato.batch._record import state_of

    made = state_of({"before": {"users": {"u1": {"a": 1}}}, "after": {"users": {"u1": {"a": 2}}, "log": ["x"]}})
    assert made.query("users", key="u1", when="before") == {"key": "u1", "record": {"a": 1}}
    assert made.query("users", key="u1") == {"key": "u1", "record": {"a": 2}}
    assert made.query("log", when="before") is None
    assert made.query("log", key=0) == {"key": 0, "record": "x"}
    with pytest.raises(EvidenceError):
        state_of([])


def test_an_input_that_is_not_there_is_refused_before_anything_is_written(place: Path) -> None:
    for name in ("none.jsonl", "*.none"):
        with pytest.raises(EvidenceError):
            judged(place, "out", name)
    with pytest.raises(UsageError):
        judged(place, "doc.json")  # a file where the folder goes
    (place / "none").mkdir()
    with pytest.raises(EvidenceError, match="no file"):
        judged(place, "out", "none")
    assert not (place / "out").exists()


def test_the_index_counts_all_calls_and_lists_those_that_fail_most(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hotato.batch import _rows

    monkeypatch.setattr(_rows, "MOST_CALLS", 10)
    judged(place, "out", envelopes=False)
    page = (place / "out" / "report.html").read_text()
    assert "over 60 calls" in page
    assert "and 50 more" in page
    assert '<th scope="row">c0</th>' in page  # which fails twice
    assert '<th scope="row">c1</th>' not in page


def test_a_run_of_many_calls_takes_the_memory_of_a_run_of_few(place: Path) -> None:
    code = (
        "import resource, sys; from hotato import batch;"
        f"batch.run({str(place / 'doc.json')!r}, sys.argv[1], sys.argv[2], workers=1, batch_bytes=100_000);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    check = {"id": "greets", "kind": "phrase", "regex": "good"}
    (place / "doc.json").write_text(json.dumps({"version": 1, "assertions": [check]}))
    line = b'{"call_id": "c%d", "transcript": [{"role": "agent", "text": "' + b"good morning to you " * 20 + b'"}]}\n'
    for count in (1000, 10_000):
        with (place / f"{count}.jsonl").open("wb") as stream:
            stream.writelines(line % number for number in range(count))
        done = subprocess.run(
            [sys.executable, "-c", code, str(place / f"{count}.jsonl"), str(place / f"out{count}")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 16 * 1024, peaks  # KB, where the calls as values are as large


def test_a_run_warns_of_checks_that_cannot_fail(place: Path) -> None:
    hollow = {"version": 1, "assertions": [{"id": "any", "kind": "phrase", "regex": ".*"}]}
    (place / "doc.json").write_text(json.dumps(hollow))
    words = [
        "batch",
        "run",
        "--assertions",
        "doc.json",
        "--calls",
        "calls.jsonl",
        "--max-errors",
        "100",
        "--workers",
        "1",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "hotato", *words, "--out", "out"], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.stderr.startswith("warning: ")
    assert "assertions[0].regex: assertion 'any': the pattern matches the empty text" in done.stderr
