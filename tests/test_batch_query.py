"""Asking about the results of many calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from hotato import batch
from hotato.cli import main

DOCUMENT = {
    "version": 1,
    "assertions": [
        {"id": "greets", "kind": "phrase", "regex": "good", "role": "agent"},
        {"id": "thanks", "kind": "phrase", "regex": "thank", "role": "agent"},
    ],
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "doc.json").write_text(json.dumps(DOCUMENT))
    for name, every in (("old", 10), ("new", 4)):
        rows = [
            {"call_id": f"c{n}", "transcript": [{"role": "agent", "text": "good" if n % every else "bad"}]}
            for n in range(40)
        ]
        rows.insert(3, {"call_id": "torn"})
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        given: dict[str, Any] = {"workers": 1, "max_errors": 1, "envelopes": name == "new"}
        batch.run(tmp_path / "doc.json", str(tmp_path / f"{name}.jsonl"), tmp_path / name, **given)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> list[dict[str, Any]]:
    assert main(["batch", *map(str, words), "--format", "json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["batch", *map(str, words)]) == 2
    return capsys.readouterr().err


def test_a_query_is_answered_over_both_runs(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select status, count(*) as n from results group by status order by status"
    assert answer(capsys, "query", query, "--results", place / "new") == [
        {"status": "ERROR", "n": 1},
        {"status": "FAIL", "n": 50},
        {"status": "PASS", "n": 30},
    ]
    query = "select count(*) as n from results r join base b using (call_id, assertion_id) where r.status <> b.status"
    assert answer(capsys, "query", query, "--results", place / "new", "--base", place / "old") == [{"n": 10}]
    assert (
        main(["batch", "query", "select call_id, exercised from results limit 1", "--results", str(place / "new")]) == 0
    )
    assert capsys.readouterr().out == "call_id  exercised\nc0               1\n"


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_text('{place}/doc.json')",
        "select * from read_parquet('{place}/old/results.parquet')",
        "copy results to '{place}/stolen.csv'",
        "attach '{place}/x.db'",
        "install httpfs",
        "set enable_external_access = true",
        "copy (select 1) to '{place}/new/results.parquet' (use_tmp_file false)",
        "explain analyze copy (select 1) to '{place}/x.csv'",
        "create table more as select * from results",
        "select 1; select 2",
        ";",
        "/* nothing */",
        "select * from place",
        "selec",
        "select * from nowhere",
    ],
)
def test_a_query_reads_the_results_and_nothing_else(
    place: Path, capsys: pytest.CaptureFixture[str], query: str
) -> None:
    before = sorted(place.rglob("*"))
    assert refused(capsys, "query", query.format(place=place), "--results", place / "new").startswith("query: ")
    assert sorted(place.rglob("*")) == before


def test_the_assertion_that_fails_most_comes_first(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "top", "--results", place / "new")
    assert [(one["assertion_id"], one["fail"], one["failure_rate"]) for one in found] == [
        ("thanks", 40, 1.0),
        ("greets", 10, 0.25),
    ]
    since = answer(capsys, "top", "--results", place / "new", "--base", place / "old", "--n", 1)
    assert [(one["assertion_id"], one["newly_failing"], one["no_longer_failing"]) for one in since] == [
        ("greets", 8, 2)
    ]


def test_a_sample_is_the_same_every_time_and_its_envelopes_are_those_of_its_calls(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("sample", "--results", place / "new", "--id", "greets", "--n", 4)
    found = answer(capsys, *words, "--out", place / "review.jsonl")
    assert found == answer(capsys, *words)
    assert found != answer(capsys, *words, "--seed", "1")
    lines = [json.loads(line) for line in (place / "review.jsonl").read_text().splitlines()]
    assert sorted(one["call_id"] for one in lines) == sorted(one["call_id"] for one in found)
    assert {one["envelope"]["results"][0]["status"] for one in lines} == {"FAIL"}
    assert answer(capsys, "sample", "--results", place / "new", "--status", "ERROR") == [
        {"call": 3, "call_id": "torn", "assertions": None, "codes": ["call"]}
    ]
    assert "exists already" in refused(capsys, *words, "--out", place / "review.jsonl")
    assert "has no envelopes" in refused(capsys, "sample", "--results", place / "old", "--out", place / "x.jsonl")


def test_results_that_are_not_there_are_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no results are there" in refused(capsys, "top", "--results", place / "none")
    assert "no results are there" in refused(capsys, "top", "--results", place / "new", "--base", place / "none")


def test_a_query_may_end_in_a_semicolon_and_be_of_any_form_that_selects(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for query in ("select count(*) as n from results;", "with r as (from results) select count(*) as n from r -- all"):
        assert answer(capsys, "query", query, "--results", place / "new") == [{"n": 81}]
    assert len(answer(capsys, "query", "describe results", "--results", place / "new")) > 5


def test_columns_of_one_name_are_refused_where_one_would_be_lost(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = ("query", "select status, code as status from results limit 1", "--results", place / "new")
    assert main(["batch", *map(str, query)]) == 0
    assert capsys.readouterr().out.split()[:2] == ["status", "status"]
    assert main(["batch", *map(str, query), "--format", "json"]) == 2
    assert "two columns are named status" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["it's", "b[1]", "a*", "q?", 'x"y', "{z}", "%2e"])
def test_a_folder_of_results_may_have_any_name(place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (place / "new").rename(place / name)
    assert answer(capsys, "query", "select count(*) as n from results", "--results", place / name) == [{"n": 81}]
    assert len(answer(capsys, "top", "--results", place / name, "--base", place / "old")) == 2
    assert len(answer(capsys, "sample", "--results", place / name, "--out", place / "review.jsonl", "--n", 3)) == 3


def test_results_that_are_no_parquet_are_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = place / "new" / "results.parquet"
    whole = results.read_bytes()
    for damaged in (b"", b"PAR1", whole[:-5], b"{}", whole[: len(whole) // 2]):
        results.write_bytes(damaged)
        assert "no Parquet that can be read" in refused(capsys, "top", "--results", place / "new")
    for at in range(4, len(whole) - 8, 97):
        results.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        assert main(["batch", "top", "--results", str(place / "new")]) in (0, 2)


def test_an_id_of_a_sample_is_one_that_results_have(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = ("sample", "--results", place / "new")
    assert "did you mean 'greets'?" in refused(capsys, *sample, "--id", "greet")
    assert "--id" in refused(capsys, *sample, "--id", "greets", "--status", "ERROR")


def test_a_sample_of_envelopes_that_are_broken_off_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    envelopes = place / "new" / "envelopes.jsonl.zst"
    whole = envelopes.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:-4]):
        envelopes.write_bytes(damaged)
        words = ("sample", "--results", place / "new", "--status", "PASS", "--n", 40, "--out", place / "review.jsonl")
        assert "is broken off or damaged" in refused(capsys, *words)
        assert not (place / "review.jsonl").exists()


def test_calls_that_share_an_id_are_counted_once_each_against_another_run(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ran(out: str, *texts: str) -> Path:
        rows = [{"call_id": "same", "transcript": [{"role": "agent", "text": text}]} for text in texts]
        (place / f"{out}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        batch.run(place / "doc.json", str(place / f"{out}.jsonl"), place / out, workers=1)
        return place / out

    def moved(now: Path, base: Path) -> list[int]:
        found = answer(capsys, "top", "--results", now, "--base", base)
        return next(
            [one["newly_failing"], one["no_longer_failing"]] for one in found if one["assertion_id"] == "greets"
        )

    passed, failed = ran("passed", "good", "good", "good"), ran("failed", "bad", "bad")
    assert moved(failed, passed) == [2, 0]
    assert moved(passed, failed) == [0, 3]
    assert moved(failed, ran("mixed", "good", "bad")) == [0, 0]
