"""Many calls as strangers hand them in: odd columns, odd folders, gates that prove nothing, and a run in its own input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from hotato import assert_ as A  # noqa: E402
from hotato import batch  # noqa: E402

DOCUMENT = {
    "version": 1,
    "assertions": [
        {"id": "greets", "kind": "phrase", "regex": "good morning", "role": "agent"},
        {"id": "looked-up", "kind": "tool_call", "name": "lookup"},
    ],
}
SIZE = len(DOCUMENT["assertions"])  # type: ignore[arg-type]


def call(number: int) -> dict[str, Any]:
    spans = [{"type": "tool_call", "name": "lookup", "latency_ms": 500}]
    return {"call_id": f"c{number}", "transcript": [{"role": "agent", "text": "Good morning"}], "spans": spans}


def lines(*numbers: int) -> str:
    return "".join(json.dumps(call(number)) + "\n" for number in numbers)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "doc.json").write_text(json.dumps(DOCUMENT))
    return tmp_path


def judged(place: Path, out: str, calls: str, **given: Any) -> dict[str, Any]:
    given = {"workers": 1, "max_errors": 100, **given}
    return batch.run(place / "doc.json", str(place / calls), place / out, **given)


def rows(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "results.parquet").to_pylist()
    return found


def test_a_cell_of_parquet_that_cannot_be_read_is_one_error_and_the_rows_beside_it_are_judged(place: Path) -> None:
    texts = [json.dumps(call(number)).encode() for number in range(3)]
    bad = [texts[0], texts[1].replace(b"morning", b"\xff"), texts[2]]
    ids, unread = ["c0", "c1", "c2"], [b"c0", b"\xff", b"c2"]
    late = [[{"role": "agent", "text": "x", "start": at}] for at in (None, 2**62, None)]
    turns = pa.list_(pa.struct([("role", pa.string()), ("text", pa.string()), ("start", pa.timestamp("us"))]))
    tables = {
        "text": pa.table({"call_id": ids, "call": text(bad)}),
        "id": pa.table({"call_id": text(unread), "call": text(texts)}),
        "time": pa.table({"call_id": ids, "transcript": pa.array(late, turns)}),
    }
    codes = {"text": "file_encoding", "id": "file_encoding", "time": "parquet"}
    for name, table in tables.items():
        pq.write_table(table, place / f"{name}.parquet")
        made = judged(place, f"out-{name}", f"{name}.parquet")
        assert (made["calls"]["total"], made["calls"]["judged"], made["errors"]) == (3, 2, {codes[name]: 1})
        assert [row["call_id"] for row in rows(place / f"out-{name}")][:SIZE] == ["c0"] * SIZE


def text(values: list[bytes]) -> pa.Array:
    """Return a column that says it is text, whatever its bytes are."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values).buffers())


def test_a_call_may_be_nested_in_one_column_and_a_column_that_is_there_twice_is_no_call(place: Path) -> None:
    made = [call(number) for number in range(1, 3)]
    ids, texts = pa.array(["c1", "c2"]), pa.array([json.dumps(one) for one in made])
    whole = pa.RecordBatch.from_arrays([ids, texts], names=["call_id", "call"])
    nested = pa.RecordBatch.from_pylist([{"call_id": one["call_id"], "call": one} for one in made])
    twice = pa.RecordBatch.from_arrays([ids, texts, texts], names=["call_id", "call", "call"])
    number = pa.RecordBatch.from_pylist([{"call_id": "c1", "call": 7}])
    plan = A.compile_assertions(json.dumps(DOCUMENT))
    assert batch.judge(plan, nested).equals(batch.judge(plan, whole))
    assert [(row["call_id"], row["code"]) for row in batch.judge(plan, twice).to_pylist()] == [
        ("c1", "parquet"),
        ("c2", "parquet"),
    ]
    assert batch.judge(plan, number).column("code").to_pylist() == ["call"]


def test_lines_of_which_only_timing_is_known_are_calls(place: Path) -> None:
    (place / "timed.jsonl").write_text('{"call_id": "a", "timing": {}}\n{"call_id": "b", "timing": {}}\n')
    assert judged(place, "out", "timed.jsonl")["calls"]["judged"] == 2


def test_a_run_that_judged_nothing_is_refused_however_many_errors_are_allowed(place: Path) -> None:
    (place / "bad.jsonl").write_text('{"call_id": "a", "transcript": 1}\n')
    made = judged(place, "out", "bad.jsonl", max_errors=5)
    assert (made["gates"][0]["kept"], made["exit_code"]) == (True, 2)
