"""Two runs compared: which change is which, what makes the exit code 1, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato import assert_ as A
from hotato import report
from hotato.cli import main
from hotato.report.compare import CHANGES

STATUSES = ("PASS", "FAIL", "INCONCLUSIVE", "VACUOUS", None)


def result(ident: str, status: str, **more: Any) -> dict[str, Any]:
    if status == "VACUOUS":
        more, status = {"vacuous": True, **more}, "PASS"
    return {"id": ident, "kind": "phrase", "status": status, "deterministic": True, "code": "c", **more}


def envelope(*results: dict[str, Any]) -> dict[str, Any]:
    return A.envelope_from_results(results)


def changes(before: str | None, after: str | None, **more: Any) -> set[str]:
    """Return what one assertion falls under that has one status in the base run and another in the new one."""
    base = envelope(*([result("a", before)] if before else []))
    new = envelope(*([result("a", after, **more)] if after else []))
    return {name for name, found in report.compare_runs(base, new).items() if found}


TABLE = {
    ("PASS", "FAIL"): {"newly_failing"},
    ("INCONCLUSIVE", "FAIL"): {"newly_failing"},
    ("VACUOUS", "FAIL"): {"newly_failing"},
    (None, "FAIL"): {"newly_failing", "added"},
    ("FAIL", "FAIL"): {"still_failing"},
    ("FAIL", "PASS"): {"fixed"},
    ("FAIL", "VACUOUS"): {"fixed", "newly_vacuous"},
    ("FAIL", "INCONCLUSIVE"): {"newly_inconclusive"},
    ("PASS", "INCONCLUSIVE"): {"newly_inconclusive"},
    (None, "INCONCLUSIVE"): {"newly_inconclusive", "added"},
    ("INCONCLUSIVE", "INCONCLUSIVE"): set(),
    ("INCONCLUSIVE", "PASS"): {"newly_conclusive"},
    ("PASS", "PASS"): set(),
    ("PASS", "VACUOUS"): {"newly_vacuous", "changed_evidence"},
    ("VACUOUS", "VACUOUS"): set(),
    ("VACUOUS", "PASS"): {"changed_evidence"},
    (None, "PASS"): {"added"},
    ("FAIL", None): {"removed"},
    ("PASS", None): {"removed"},
}


@pytest.mark.parametrize("pair", TABLE, ids=lambda pair: f"{pair[0]} to {pair[1]}")
def test_a_change_is_what_it_is(pair: tuple[str | None, str | None]) -> None:
    assert changes(*pair) == TABLE[pair]


@pytest.mark.parametrize("field", ["turn", "exercised", "measured_ms", "span_ids", "code"])
def test_the_same_verdict_on_other_evidence_is_told(field: str) -> None:
    value: Any = {"span_ids": ["s_3"], "code": "other"}.get(field, 3)
    assert changes("PASS", "PASS", **{field: value}) == {"changed_evidence"}
    assert changes("FAIL", "FAIL", **{field: value}) == {"changed_evidence", "still_failing"}


@pytest.mark.parametrize("field", ["severity", "description", "dimension"])
def test_what_the_document_says_beside_is_no_evidence(field: str) -> None:
    assert changes("PASS", "PASS", **{field: "policy"}) == set()


def test_an_envelope_compared_with_itself_fails_as_before() -> None:
    same = envelope(*(result(f"a{n}", status) for n, status in enumerate(STATUSES[:4])))
    found = {name: len(rows) for name, rows in report.compare_runs(same, same).items()}
    assert found == {**dict.fromkeys(CHANGES, 0), "still_failing": 1}


@settings(derandomize=True, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.sampled_from(STATUSES)), max_size=8))
def test_every_assertion_of_either_run_is_counted_where_it_belongs(pairs: list[tuple[str | None, str | None]]) -> None:
    base = envelope(*(result(f"a{n}", before) for n, (before, _) in enumerate(pairs) if before))
    new = envelope(*(result(f"a{n}", after) for n, (_, after) in enumerate(pairs) if after))
    found = {name: {row["id"] for row in rows} for name, rows in report.compare_runs(base, new).items()}
    failing = {f"a{n}" for n, (_, after) in enumerate(pairs) if after == "FAIL"}
    open_ = {f"a{n}" for n, (_, after) in enumerate(pairs) if after == "INCONCLUSIVE"}
    were_open = {f"a{n}" for n, (before, _) in enumerate(pairs) if before == "INCONCLUSIVE"}
    assert found["newly_failing"] | found["still_failing"] == failing
    assert not found["newly_failing"] & found["still_failing"]
    assert found["newly_inconclusive"] == open_ - were_open
    assert found["added"] == {f"a{n}" for n, (before, after) in enumerate(pairs) if after and not before}
    assert found["removed"] == {f"a{n}" for n, (before, after) in enumerate(pairs) if before and not after}


# the command ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with the files of two runs."""
    monkeypatch.chdir(tmp_path)
    write(
        "base.json",
        envelope(result("a", "PASS"), result("b", "FAIL"), result("c", "PASS", turn=1), result("d", "PASS")),
    )
    write(
        "new.json",
        envelope(
            result("a", "FAIL", reason="not said"),
            result("b", "PASS"),
            result("c", "PASS", turn=2),
            result("e", "INCONCLUSIVE"),
        ),
    )
    return tmp_path


def write(name: str, *values: Any) -> None:
    Path(name).write_text("".join(json.dumps(value) + "\n" for value in values))


def row(call: Any, *results: dict[str, Any]) -> dict[str, Any]:
    return {"call_id": call, "envelope": envelope(*results)}


def diff(*words: str) -> int:
    return main(["assert", "diff", *words])


def test_a_diff_tells_each_change_and_the_newly_failing_first(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert diff("base.json", "new.json") == 1
    assert capfd.readouterr().out == (
        "newly failing:\n  a  phrase  PASS -> FAIL\n    not said\n\n"
        "newly inconclusive:\n  e  phrase  absent -> INCONCLUSIVE\n\n"
        "fixed:\n  b  phrase  FAIL -> PASS\n\n"
        "the same verdict on other evidence:\n  c  phrase  PASS -> PASS (changed: turn)\n\n"
        "only in the new run:\n  e  phrase  absent -> INCONCLUSIVE\n\n"
        "only in the base run:\n  d  phrase  PASS -> absent\n\n"
        "against base: 1 newly failing, 1 newly inconclusive, 1 fixed, 1 the same verdict on other evidence, "
        "1 only in the new run, 1 only in the base run\n"
        "exit 1\n"
    )


def test_only_what_newly_fails_is_an_exit_code_of_1_unless_more_is_asked(runs: Path) -> None:
    assert diff("new.json", "base.json") == 1  # b fails again
    write("still.json", envelope(result("b", "FAIL"), result("x", "INCONCLUSIVE")))
    assert diff("base.json", "still.json") == 0
    assert diff("base.json", "still.json", "--fail-on", "removed") == 1
    assert diff("base.json", "still.json", "--fail-on", "fixed", "--fail-on", "newly-inconclusive") == 1
    assert diff("base.json", "still.json", "--fail-on", "still-failing") == 1
    assert diff("base.json", "new.json", "--fail-on", "still-failing") == 0


def test_every_change_can_be_failed_on(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in CHANGES:
        assert diff("base.json", "base.json", "--fail-on", name.replace("_", "-")) == int(name == "still_failing")
    assert diff("base.json", "base.json", "--fail-on", "newly-faling") == 2
    assert "(did you mean 'newly-failing'?)" in capfd.readouterr().err


def test_a_diff_as_json_is_that_of_the_facade(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert diff("base.json", "new.json", "--format", "json") == 1
    read = [json.loads(Path(name).read_text()) for name in ("base.json", "new.json")]
    assert json.loads(capfd.readouterr().out) == {**report.compare_runs(*read), "exit_code": 1}


def test_a_diff_as_markdown_is_a_table(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert diff("base.json", "new.json", "--format", "md") == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "# Compared with the base run"
    assert "| newly failing | `a` | `phrase` | PASS to FAIL | `code, reason` |".replace("code, ", "") in lines


def test_calls_are_compared_by_their_id(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(
        "base.jsonl", row("one", result("a", "PASS")), row("two", result("a", "FAIL")), row("gone", result("a", "PASS"))
    )
    write("new.jsonl", row("two", result("a", "FAIL")), row("one", result("a", "FAIL")))
    assert diff("base.jsonl", "new.jsonl", "--format", "json") == 1
    out = json.loads(capfd.readouterr().out)
    assert [(r["call_id"], r["id"]) for r in out["newly_failing"]] == [("one", "a")]
    assert [(r["call_id"], r["id"]) for r in out["still_failing"]] == [("two", "a")]
    assert [(r["call_id"], r["id"]) for r in out["removed"]] == [("gone", "a")]
    diff("base.jsonl", "new.jsonl")
    assert "  one: a  phrase  PASS -> FAIL\n" in capfd.readouterr().out


OTHER_STATUS: dict[str, Any] = json.loads(json.dumps(row("y", result("a", "PASS"))).replace('"PASS"', '"OK"'))
BAD: dict[str, tuple[list[Any], str]] = {
    "twice": ([envelope(result("a", "PASS"), result("a", "FAIL"))], "an id that stands twice"),
    "green": ([{**envelope(result("a", "FAIL")), "exit_code": 0}], "exit_code: not an assert.v1 envelope"),
    "call twice": ([row("x", result("a", "PASS")), row("x", result("a", "PASS"))], "bad:2: call_id: a call that an earlier"),
    "no row": ([row("x", result("a", "PASS")), [1]], "bad:2: a line of many calls is"),
    "no id": ([row("", result("a", "PASS"))], "not an assert.v1 envelope"),
    "number as id": ([row(1, result("a", "PASS"))], "not an assert.v1 envelope"),
    "bad row": ([row("x", result("a", "PASS")), OTHER_STATUS], "bad:2: results[0].status"),
    "two envelopes": ([envelope(), envelope()], "more follows the first JSON value"),
    "one for many": ([row("x", result("a", "PASS"))], "many calls, where base.json is of one"),
    "nothing": ([], "not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_compared_is_refused(name: str, runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    values, said = BAD[name]
    if name == "bad row":
        values[1]["envelope"]["summary"]["deterministic"]["pass"] = 1
    write("bad", *values)
    assert diff("base.json", "bad") == 2
    captured = capfd.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_both_files_are_refused_at_once(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert diff("gone.json", "gone-too.json") == 2
    assert [line.partition(":")[0] for line in capfd.readouterr().err.splitlines()] == ["gone.json", "gone-too.json"]
    assert diff("-", "-") == 2
