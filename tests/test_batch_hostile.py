"""Many calls as strangers hand them in: odd columns, odd folders, gates that prove nothing, and a run in its own input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from hotato import assert_ as A  # noqa: E402
from hotato import batch  # noqa: E402
from hotato.batch import _sources  # noqa: E402
from hotato.cli import main  # noqa: E402
from hotato.errors import EvidenceError, UsageError  # noqa: E402

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


# what is found -------------------------------------------------------------------------------------------------------


def test_linked_folders_are_read_and_what_would_count_twice_is_refused(place: Path) -> None:
    (place / "calls" / "may").mkdir(parents=True)
    (place / "elsewhere").mkdir()
    (place / "calls" / "may" / "a.jsonl").write_text(lines(1))
    (place / "elsewhere" / "b.jsonl").write_text(lines(2))
    (place / "calls" / "june").symlink_to(place / "elsewhere")
    assert judged(place, "out", "calls")["calls"]["judged"] == 2
    for target in (place / "elsewhere", place / "calls", place / "calls" / "may"):
        again = place / "calls" / "july"
        again.symlink_to(target)
        with pytest.raises(EvidenceError, match="by way of a link: its calls would count twice"):
            judged(place, "twice", "calls")
        again.unlink()
    (place / "calls" / "gone.jsonl").symlink_to(place / "nowhere")
    with pytest.raises(EvidenceError, match="gone"):
        judged(place, "twice", "calls")
    assert not (place / "twice").exists()


def test_a_glob_that_matches_folders_takes_what_is_in_them(place: Path) -> None:
    for name in ("day/a/1.jsonl", "day/b/c/2.jsonl", "day/3.jsonl", "day/.hidden/4.jsonl"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(lines(int(Path(name).stem)))
    for calls, count in (("day/*", 3), ("day/**", 3), ("day/[ab]", 2), ("day/**/*.jsonl", 3), ("day/*.jsonl", 1)):
        assert judged(place, "out", calls, force=True)["calls"]["judged"] == count


_AS_NOBODY = """
import os, sys
from hotato.batch import _sources
from hotato.errors import EvidenceError
if os.getuid() == 0:
    os.setuid(65534)
try:
    print(_sources.find(sys.argv[1]))
except EvidenceError as error:
    print("refused:", error)
"""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no modes here")
def test_a_folder_that_cannot_be_read_is_refused_and_never_passed_over(tmp_path_factory: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as made:  # those of pytest are closed to others
        place = Path(made)
        place.chmod(0o755)
        (place / "calls" / "shut").mkdir(parents=True)
        (place / "calls" / "a.jsonl").write_text(lines(1))
        (place / "calls" / "shut" / "b.jsonl").write_text(lines(2))
        (place / "calls" / "shut").chmod(0)
        globs = (
            "calls/*/*.jsonl",
            "calls/*/b.jsonl",
            "calls/shut/*.jsonl",
            "c*/**/*.jsonl",
            "c*/*/**",
            "calls/shut/b*",
        )
        (place / "links").mkdir()
        (place / "links" / "a").symlink_to(place / "nowhere")
        (place / "links" / "day").symlink_to(place / "calls" / "shut" / "day")
        for calls in ("links/d*/*.jsonl", "links/*/*.jsonl"):
            done = subprocess.run(
                [sys.executable, "-c", _AS_NOBODY, str(place / calls)], capture_output=True, text=True, check=True
            )
            assert "links/day: permission denied" in done.stdout
        for calls in ("calls", "calls/*", "calls/**", "calls/**/*.jsonl", *globs):
            words = [sys.executable, "-c", _AS_NOBODY, str(place / calls)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            assert done.stdout.startswith("refused: "), (calls, done)
            assert "shut: permission denied" in done.stdout
        (place / "calls" / "shut").chmod(0o755)


def test_a_run_inside_of_its_own_input_does_not_read_its_own_files(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "day").mkdir()
    (place / "day" / "a.jsonl").write_text(lines(1, 2))
    monkeypatch.chdir(place / "day")
    for out in ("results", "."):
        words = ["batch", "run", "--assertions", "../doc.json", "--calls", ".", "--out", out, "--workers", "1"]
        for more in ([], ["--force"]):
            assert main([*words, *more, "--format", "json"]) == 0
            assert json.loads(capsys.readouterr().out)["calls"]["total"] == 2
        assert main(["batch", "resume", out, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["calls"]["total"] == 2
        for path in (place / "day" / out).iterdir():
            if path.name != "a.jsonl" and path.is_file():
                path.unlink()
    (place / "day" / "summary.json").write_text("{}")
    with pytest.raises(EvidenceError, match="those of the run itself"):
        batch.run("../doc.json", "summary.json", ".", force=True)


# what is refused -----------------------------------------------------------------------------------------------------


def test_a_run_that_is_refused_leaves_nothing_and_takes_nothing_away(place: Path) -> None:
    (place / "good.jsonl").write_text(lines(1))
    judged(place, "out", "good.jsonl")
    before = {path.name: path.read_bytes() for path in (place / "out").iterdir()}
    (place / "bad.jsonl").symlink_to(place / "nowhere")
    for given in ({"force": True}, {"force": True, "kind": "call"}):
        with pytest.raises(EvidenceError):
            judged(place, "out", "*.jsonl", **given)
    assert {path.name: path.read_bytes() for path in (place / "out").iterdir()} == before
    with pytest.raises(EvidenceError):
        judged(place, "new/deep", "*.jsonl")
    assert not (place / "new").exists()


def test_a_run_that_is_stopped_before_it_begins_says_so(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    (place / "good.jsonl").write_text(lines(1))
    monkeypatch.setattr(_sources, "survey", stopped)
    words = ["--assertions", str(place / "doc.json"), "--calls", str(place / "good.jsonl")]
    assert main(["batch", "run", *words, "--out", str(place / "out")]) not in (0, 1, 2)
    assert "it had not begun, and nothing was written" in capsys.readouterr().err
    assert not (place / "out").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": "locl"}, "did you mean 'local'"), ({"engine": "_sources"}, "must be local, dask, ray"),
        ({"kind": "line"}, "did you mean 'lines'"), ({"workers": -1}, "at least 0"), ({"batch_bytes": 0}, "at least 1"),
        ({"max_errors": -1}, "at least 0"), ({"max_errors": 0.5}, "whole number"), ({"workers": True}, "whole number"),
        ({"min_pass_rate": {"greets": float("nan")}}, "above 0 and below 1"),
        ({"min_pass_rate": {"greets": 1}}, "never reaches 1"), ({"min_pass_rate": {"greets": 0.0}}, "above 0"),
        ({"min_pass_rate": {"greets": "0.9"}}, "above 0"), ({"min_pass_rate": {"greet": 0.9}}, "did you mean 'greets'"),
    ],
)  # fmt: skip
def test_what_a_run_cannot_do_is_refused_before_it_begins(place: Path, given: dict[str, Any], said: str) -> None:
    (place / "good.jsonl").write_text(lines(1))
    with pytest.raises(UsageError, match=said):
        judged(place, "out", "good.jsonl", **given)
    assert not (place / "out").exists()


@pytest.mark.parametrize("rate", ["0", "1", "1.0", "0.0", "1.5", "nan", "-0.5", "1e-3"])
def test_a_rate_that_no_lower_bound_can_break_or_keep_is_refused(
    place: Path, capsys: pytest.CaptureFixture[str], rate: str
) -> None:
    words = ["--assertions", str(place / "doc.json"), "--calls", str(place), "--out", str(place / "out")]
    assert main(["batch", "run", *words, "--min-pass-rate", f"greets={rate}"]) == 2
    assert "--min-pass-rate" in capsys.readouterr().err
    assert main(["batch", "run", *words[:2], "--calls", "", *words[4:]]) == 2
    assert "--calls: is empty" in capsys.readouterr().err


def test_input_that_changes_while_it_is_judged_is_refused_though_it_be_of_the_same_size(place: Path) -> None:
    class Changing:
        def begin(self, total: int, done: int, calls: int) -> None:
            pass

        def add(self, size: int, calls: int, failed: int, errors: int) -> None:
            (place / "good.jsonl").write_text(lines(1, 2).replace("morning", "evening"))

    (place / "good.jsonl").write_text(lines(1, 2))
    with pytest.raises(EvidenceError, match="has changed since the run began: its SHA-256 was"):
        judged(place, "out", "good.jsonl", watcher=Changing())
    assert not (place / "out" / "summary.json").exists()
    with pytest.raises(EvidenceError, match="has changed since the run began"):
        batch.resume(place / "out", workers=1)


def test_a_packed_file_that_is_replaced_is_read_anew_by_the_same_process(place: Path) -> None:
    import gzip

    for numbers, count in (((1,), 1), ((1, 2), 2), ((3, 4), 2)):
        (place / "calls.jsonl.gz").write_bytes(gzip.compress(lines(*numbers).encode()))
        assert judged(place, "out", "calls.jsonl.gz", force=True)["calls"]["judged"] == count
        assert rows(place / "out")[0]["call_id"] == f"c{numbers[0]}"


def test_a_cluster_that_does_not_answer_is_told(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    from hotato.batch import _dask

    monkeypatch.setattr(_dask, "ANSWERED", 1)
    (place / "good.jsonl").write_text(lines(1))
    words = ["--assertions", str(place / "doc.json"), "--calls", str(place / "good.jsonl"), "--out", str(place / "out")]
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        assert main(["batch", "run", *words, "--engine", "dask", "--address", address, "--force"]) == 2
        assert f"no Dask scheduler answers at {address}" in capsys.readouterr().err


def test_lines_tables_and_files_of_a_call_each_are_judged_in_one_run(place: Path) -> None:
    mixed, whole = place / "mixed", A.compile_assertions(json.dumps(DOCUMENT))
    mixed.mkdir()
    for number, name in enumerate(("a.json", "b.jsonl", "c.json", "d.parquet", "e.jsonl", "f.json", "g.json")):
        one = call(number)
        if name.endswith(".json"):
            (mixed / name).write_text(json.dumps(one["transcript"]))
        elif name.endswith(".jsonl"):
            (mixed / name).write_text(lines(number, number + 10))
        else:
            pq.write_table(pa.table({"call_id": ["c3"], "call": [json.dumps(one)]}), mixed / name)
    for size in (1, 50, 1 << 20):
        made = judged(place, "out", "mixed", force=True, batch_bytes=size)
        assert (made["calls"]["total"], made["calls"]["errors"]) == (9, 0)
        found = list(dict.fromkeys(row["call_id"] for row in rows(place / "out")))
        assert found == ["a.json", "c1", "c11", "c.json", "c3", "c4", "c14", "f.json", "g.json"]
        assert len(rows(place / "out")) == 9 * len(whole.nodes)


def test_input_that_unpacks_to_more_than_allowed_and_lines_that_are_said_to_be_lines(place: Path) -> None:
    import gzip

    from hotato.model.limits import limits

    (place / "calls.jsonl.gz").write_bytes(gzip.compress(lines(1, 2, 3).encode()))
    with limits(unpacked_bytes=100), pytest.raises(EvidenceError, match="unpacks to more than"):
        judged(place, "out", "calls.jsonl.gz")
    (place / "odd.jsonl").write_text('{"call_id": "a"}\n')
    made = judged(place, "out", "odd.jsonl", kind="lines")
    assert (made["calls"]["total"], made["errors"]) == (1, {"call": 1})


UNRECORDED = {
    "call_id": "c0",
    "spans": [],
    "source": {"format": "mine", "captures": {"tool_call": False, "sound": True}},
}
NEVER = {"version": 1, "assertions": [{"id": "never", "kind": "tool_call", "name": "refund", "count": 0}]}


def test_what_a_row_says_of_its_source_counts_in_lines_in_tables_and_as_bytes(place: Path) -> None:
    (place / "doc.json").write_text(json.dumps(NEVER))
    plain = {"call_id": "c1", "spans": [], "source": "a corpus", "more": {"a": 1}}
    (place / "c.jsonl").write_text(f"{json.dumps(UNRECORDED)}\n{json.dumps(plain)}\n")
    columns = {name: [json.dumps(one[name]) for one in (UNRECORDED, plain)] for name in ("spans", "source")}
    pq.write_table(pa.table({"call_id": ["c0", "c1"], **columns}), place / "text.parquet")
    pq.write_table(pa.table({"call": [UNRECORDED, {**UNRECORDED, "source": None}]}), place / "whole.parquet")
    pq.write_table(pa.table({"call_id": ["c1"], "spans": ["[]"], "source": ["a corpus"]}), place / "named.parquet")
    for calls in ("c.jsonl", "text.parquet", "whole.parquet", "named.parquet"):
        judged(place, calls[:4], calls)
        found = ["PASS"] if calls == "named.parquet" else ["INCONCLUSIVE", "PASS"]
        assert [row["status"] for row in rows(place / calls[:4])] == found, calls
    plan = A.compile_assertions(NEVER)
    envelope = json.loads(A.judge_bytes(plan, json.dumps(UNRECORDED).encode()))
    assert envelope["results"][0]["code"] == "not_captured"
    assert envelope["evidence"]["trace"]["captures"] == {"tool_call": False}


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("span", [{"type": "tool_call", "name": "refund"}], "span"),
        ("transcripts", [], "transcripts"),
        ("sources", {"captures": {"tool_call": False}}, "sources"),
        ("source", {"capture": {"tool_call": False}}, "source.capture"),
        ("source", {"captures": {"tool_call": "no"}}, "source"),
    ],
)
def test_what_a_row_says_under_a_misspelt_name_is_refused(place: Path, name: str, value: Any, path: str) -> None:
    row = {"call_id": "c0", "timing": {"events": []}, name: value}
    with pytest.raises(EvidenceError) as refused:
        A.judge_bytes(A.compile_assertions(NEVER), json.dumps(row).encode())
    assert refused.value.problems[0].path == path
    (place / "c.jsonl").write_text(f"{json.dumps(row)}\n{lines(1)}")
    judged(place, "out", "c.jsonl")
    assert next(row["status"] for row in rows(place / "out")) == "ERROR"


def test_a_column_under_a_misspelt_name_is_refused(place: Path) -> None:
    spans = json.dumps(call(0)["spans"])
    pq.write_table(pa.table({"call_id": ["c0"], "transcript": ["[]"], "span": [spans]}), place / "c.parquet")
    assert judged(place, "out", "c.parquet")["exit_code"] == 2
    assert [row["status"] for row in rows(place / "out")] == ["ERROR"]
    pq.write_table(pa.table({"call_id": ["c0"], "spans": [spans], "span": ["x"]}), place / "d.parquet")
    judged(place, "two", "d.parquet")
    assert [row["status"] for row in rows(place / "two")] == ["INCONCLUSIVE", "PASS"]


def test_a_page_without_a_failure_tells_an_exit_code_that_missing_evidence_decides(place: Path) -> None:
    (place / "calls.jsonl").write_text(json.dumps({key: call(1)[key] for key in ("call_id", "transcript")}) + "\n")
    for policy, code in (("report", 0), ("fail", 1)):
        made = judged(place, policy, "calls.jsonl", inconclusive_policy=policy)
        assert (made["exit_code"], made["calls"]["failed"]) == (code, 0)
        assert f'<h1 dir="auto">1 call: 0 failed; exit code {code}</h1>' in (place / policy / "report.html").read_text()
