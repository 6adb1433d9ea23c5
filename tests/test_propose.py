"""Assertions proposed from calls hold on every good call, pass of nothing on none, and tell nothing private."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _laws import law
from hotato import assert_ as A
from hotato.cli import main
from hotato.errors import UsageError
from hotato.probe.propose import Proposal, propose
from hotato.probe.propose_calls import rounded_up
from hotato.probe.propose_text import to_json, to_text

CORPORA = Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"
NAMES = ["Quentin", "Rosalind", "Sylvester", "Theodora"]


def parts(number: int, *, fails: bool = False, blind: bool = False) -> tuple[list[Any], list[Any]]:
    """Return the turns and spans of a call of a restaurant: `fails` where nothing is booked, `blind` without a search."""
    name = NAMES[number % 4]
    said = [
        ("agent", "Thanks for calling the harbour grill, this call is recorded for training."),
        ("caller", f"Hi, {name} here, a table for the two of us. My card is 4111 1111 1111 1111."),
        ("agent", f"Sure {name}, let me look what is free, one of {number + 3}."),
        ("agent", "Good news, you are booked." if number % 2 else "All done, you are booked for tonight."),
        ("caller", "Lovely."),
        ("agent", "Is there anything else I can do for you?"),
    ]
    times = (0.5, 5, 8, 14, 17, 18 + number / 10)
    turns = [
        {"role": role, "text": text, "start": t, "end": t + 0.5} for (role, text), t in zip(said, times, strict=True)
    ]
    done = {"result": {"status": "ok"}} if not fails else {"error": "full"}
    spans = [
        {"type": "tool_call", "name": "find_table", "start_sec": 9.5, "end_sec": 10.1, "arguments": {"day": f"2026-05-0{number + 1}", "guests": number + 2}},
        {"type": "tool_call", "name": "book_table", "start_sec": 11, "end_sec": 12, "arguments": {"table": f"T{number}", "name": name}, **done},
        {"type": "termination", "reason": "caller_hangup", "time_sec": 20},
    ]  # fmt: skip
    return turns, spans[1:] if blind else spans


def call(number: int, **how: bool) -> A.Context:
    turns, spans = parts(number, **how)
    return A.build_context(transcript=turns, spans=spans)


GOOD = [call(number) for number in range(4)]
BAD = [call(2, fails=True), call(1, blind=True), call(3, fails=True)]


def by_id(found: Proposal) -> dict[str, dict[str, Any]]:
    return {one.assertion["id"]: one.assertion for one in found.proposed}


def text_of(found: Proposal) -> str:
    return to_text(found, [f"good-{n}" for n in range(found.good)], [f"bad-{n}" for n in range(found.bad)])


def test_what_every_good_call_shows_is_proposed() -> None:
    found = by_id(propose(GOOD, BAD))
    assert found["find_table-called-once"]["count"] == 1
    assert found["tools-in-order"]["require_order"] == ["find_table", "book_table"]
    shape = {"day": {"$regex": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}, "guests": {"$type": "integer"}}
    assert found["find_table-arguments"]["args_subset"] == {"$not": shape}
    assert found["book_table-claim-are-booked"]["requires"] == {"tool": "book_table"}
    assert found["find_table-latency"]["max_ms"] == 900
    assert found["answers-in-time"]["max_gap_sec"] == rounded_up(2.5 * 1.5)
    assert found["ended-reason"]["reason"] == "caller_hangup"
    assert found["says-for-calling-the-harbour-grill"]["position"] == "first"
    assert "say-do.booking" in found


def test_what_fails_most_bad_calls_comes_first_and_says_where() -> None:
    found = propose(GOOD, BAD)
    counts = [len(one.catches) for one in found.proposed]
    assert counts == sorted(counts, reverse=True)
    claim = next(one for one in found.proposed if one.assertion["id"] == "book_table-claim-are-booked")
    assert [(one.call, one.code, one.where) for one in claim.catches] == [
        (0, "failed", "turn 3"),
        (2, "failed", "turn 3"),
    ]
    assert (
        "# shown by 4 of 4 good calls; fails 2 of 3 bad calls: bad-0 (failed, turn 3), bad-2 (failed, turn 3)\n"
        in text_of(found)
    )
    assert "# Of the bad calls 3 of 3 fail it.\n" in text_of(found)


def test_what_most_good_calls_show_is_told_and_not_proposed() -> None:
    good = [*GOOD, call(0), call(1, blind=True)]
    found = propose(good)
    assert "find_table-called" not in by_id(found)
    assert ("find_table-called", 5, [(5, "not_called")]) in [
        (one.id, one.held, [(fail.call, fail.code) for fail in one.fails]) for one in found.near
    ]
    assert "#   find_table-called: 5 of 6 good calls; not good-5 (not_called)\n" in text_of(found)


def test_partial_adds_what_only_some_good_calls_show() -> None:
    good = [*GOOD, call(1, blind=True)]
    strict, partial = by_id(propose(good)), by_id(propose(good, partial=True))
    assert set(strict) < set(partial)
    assert "find_table-no-error" in set(partial) - set(strict)


def test_a_tool_that_only_bad_calls_call_is_proposed_as_never_called() -> None:
    bad = A.build_context(spans=[{"type": "tool_call", "name": "wipe"}])
    found = propose(GOOD, [bad])
    assert by_id(found)["wipe-not-called"]["count"] == 0


def test_personal_data_that_only_a_bad_call_tells_is_proposed_as_absent() -> None:
    bad = A.build_context(transcript=[{"role": "agent", "text": "your card is 4111 1111 1111 1111"}], spans=[])
    found = by_id(propose(GOOD, [bad]))
    assert found["no-card_luhn-said"] == {
        "id": "no-card_luhn-said", "kind": "pii", "detectors": ["card_luhn"], "mode": "must_not_leak", "role": "agent",
    }  # fmt: skip
    assert not [one for one in by_id(propose(GOOD, BAD)) if one.startswith("no-card")]


def test_nothing_of_one_caller_stands_in_the_document() -> None:
    for good in (GOOD, [GOOD[0]] * 5, [GOOD[0], GOOD[1], GOOD[0]]):
        found = propose(good, BAD, partial=True)
        said = json.dumps(found.document).lower()
        for private in (*(name.lower() for name in NAMES), "2026-05", "4111", '"t0', "us.", "card is"):
            assert private not in said
        phrases = [
            one.get("regex", "") + one.get("says", "")
            for one in found.document["assertions"]
            if one["id"][:6] != "say-do"
        ]
        assert not [char for phrase in phrases for char in phrase.replace("{1,3}", "") if char.isdigit()]


def test_of_two_calls_no_phrase_is_proposed() -> None:
    assert not {"phrase", "claim"} & {one["kind"] for one in by_id(propose(GOOD[:2])).values()}


def test_a_label_that_holds_a_number_is_not_kept() -> None:
    spans = [{"type": "handoff", "to": "+49 30 123456"}, {"type": "termination", "reason": "line 7"}]
    found = by_id(propose([A.build_context(spans=spans)] * 2))
    assert found == {"handed-off": {"id": "handed-off", "kind": "handoff"}}


def test_calls_without_anything_in_common_are_refused() -> None:
    for good in ([A.build_context(transcript=[], spans=[])], [A.build_context()], []):
        with pytest.raises(UsageError, match="nothing to propose") as caught:
            propose(good)
        assert [one.code for one in caught.value.problems] == ["nothing_to_infer"]


@pytest.mark.parametrize(
    ("number", "rounded"), [(0, 0), (0.031, 0.031), (0.0311, 0.032), (2.31, 2.4), (99.1, 100), (700.0, 700), (701, 710)]
)
def test_bounds_are_rounded_up(number: float, rounded: float) -> None:
    assert rounded_up(number) == rounded


TIME = st.one_of(st.none(), st.integers(0, 9))
WORDS = st.lists(
    st.sampled_from(["i", "have", "booked", "it", "your", "search", "is", "done", "Anna", "42", "four", "now"]),
    max_size=9,
)
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["agent", "caller"]), "text": WORDS.map(" ".join), "start": TIME, "end": TIME}
)
VALUE = st.one_of(
    st.integers(0, 3), st.floats(0, 3), st.booleans(), st.none(), st.sampled_from(["x", "2026-01-02", "7", "a@b"])
)
SPAN = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("tool_call"),
            "name": st.sampled_from(["book", "search it", "$not", "a" * 140]),
            "start_sec": TIME,
            "end_sec": TIME,
            "arguments": st.one_of(
                st.dictionaries(st.sampled_from(["a", "b", "$x", "9"]), VALUE, max_size=3), st.just("text")
            ),
            "error": st.sampled_from([None, None, "no"]),
        }
    ),
    st.fixed_dictionaries({"type": st.just("handoff"), "to": st.sampled_from(["sales", "+49"]), "time_sec": TIME}),
    st.fixed_dictionaries({"type": st.just("termination"), "reason": st.sampled_from(["done", None])}),
)
CALL = st.builds(
    lambda said, done: A.build_context(transcript=said, spans=done),
    st.one_of(st.none(), st.lists(TURN, max_size=4)),
    st.one_of(st.none(), st.lists(SPAN, max_size=4)),
)


def check(found: Proposal, good: list[A.Context], bad: list[A.Context], *, partial: bool) -> None:
    """Read the text as anybody would, and judge every call by it."""
    text = text_of(found)
    assert A.parse_assertions_yaml(text) == found.document
    plan = A.compile_assertions(text)
    shown = dict.fromkeys(by_id(found), 0)
    for one in good:
        for result in A.judge_call(plan, one)["results"]:
            assert result["status"] == "PASS"
            assert partial or not result.get("vacuous")
            shown[result["id"]] += not result.get("vacuous")
    assert min(shown.values()) >= min(2, len(good))
    judged = [{r["id"] for r in A.judge_call(plan, one)["results"] if r["status"] == "FAIL"} for one in bad]
    for one in found.proposed:
        assert [c.call for c in one.catches] == [n for n, ids in enumerate(judged) if one.assertion["id"] in ids]


@law(80)
@given(st.lists(CALL, min_size=1, max_size=4), st.lists(CALL, max_size=2), st.booleans())
def test_a_proposal_loads_and_holds_on_every_good_call(good: list[Any], bad: list[Any], partial: bool) -> None:
    try:
        found = propose(good, bad, partial=partial)
    except UsageError:
        return
    check(found, good, bad, partial=partial)
    assert propose(good, bad, partial=partial) == found


@pytest.mark.parametrize(
    ("corpus", "domain", "least"), [("star", "trivia", 3), ("taubench", "airline", 15), ("eva", "airline", 2)]
)
def test_proposals_from_the_calls_of_others_hold_on_them(corpus: str, domain: str, least: int) -> None:
    if not CORPORA.is_dir():
        pytest.skip(f"there is no folder {CORPORA}")
    sides: dict[bool, list[A.Context]] = {True: [], False: []}
    with gzip.open(CORPORA / f"{corpus}.jsonl.gz", "rt", encoding="utf-8") as file:
        for record in map(json.loads, file):
            side = sides[record["expected"].get("verdict", "pass") in ("pass", "complete")]
            if record["domain"] == domain and len(side) < 25:
                side.append(A.build_context(transcript=record["transcript"], spans=record["spans"]))
    good, bad = sides[True], sides[False]
    found = propose(good, bad, partial=True)
    assert len(found.proposed) >= least
    check(found, good, bad, partial=True)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder, calls in {"good": [parts(n) for n in range(4)], "bad": [parts(2, fails=True)]}.items():
        Path(folder).mkdir()
        for number, (turns, spans) in enumerate(calls):
            name = f"{folder}/+4930123456-{number}"
            if number == 0:  # as hotato writes it, the others as one file
                Path(name).mkdir()
                Path(name, "transcript.json").write_text(json.dumps(turns))
                Path(name, "voice_trace.jsonl").write_text("".join(f"{json.dumps(span)}\n" for span in spans))
            else:
                Path(f"{name}.json").write_text(json.dumps({"transcript": turns, "spans": spans}))
    return tmp_path


RUN = ["assert", "init", "--good", "good"]


def test_the_command_reads_folders_and_writes_a_document(scene: Path, capsys: Any) -> None:
    Path("good/.hidden").write_text("no call")
    assert main([*RUN, "--bad", "bad", "--out", "a.yaml"]) == 0
    assert capsys.readouterr().out == f"wrote a.yaml: {len(propose(GOOD, [call(2, fails=True)]).proposed)} assertions\n"
    text = Path("a.yaml").read_text()
    assert "bad call: +#-0 (failed, turn 3)" in text
    assert "4930" not in text
    for folder, code in (("good", 0), ("bad", 1)):
        where = f"{folder}/+4930123456-0"
        evidence = ["--transcript", f"{where}/transcript.json", "--trace", f"{where}/voice_trace.jsonl"]
        assert main(["assert", "run", "--assertions", "a.yaml", "--strict", *evidence]) == code
    assert main([*RUN, "--out", "a.yaml"]) == 2
    assert main(["assert", "lint", "a.yaml"]) == 0


def test_the_command_answers_programs(scene: Path, capsys: Any) -> None:
    assert main([*RUN, "--bad", "bad", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["good"], told["bad"]) == ("hotato.proposal.v1", 4, 1)
    assert [one["id"] for one in told["proposed"]] == [one["id"] for one in told["document"]["assertions"]]
    first = told["proposed"][0]["catches"][0]
    assert (first["call"], first["file"]) == (0, "+#-0")
    assert to_json(propose(GOOD, [call(2, fails=True)]), "abcd", "x")["document"] == told["document"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "needs --from-trace FILE or --good DIR"),
        (["--good", "good", "--from-trace", "x"], "--good: goes without --from-trace"),
        (["--from-trace", "x", "--bad", "bad"], "--bad: means nothing without --good"),
        (["--from-trace", "x", "--partial"], "--partial: means nothing without --good"),
        (["--good", "absent"], "--good names a folder of calls"),
        (["--good", "empty"], "no call in the folder of --good"),
        (["--good", "broken"], "broken/one.json"),
        (["--good", "good", "--force"], "--force: means nothing without --out"),
    ],
)
def test_the_command_refuses_what_it_cannot_use(scene: Path, capsys: Any, words: list[str], said: str) -> None:
    Path("empty").mkdir()
    Path("broken/two").mkdir(parents=True)
    Path("broken/one.json").write_text("{")
    assert main(["assert", "init", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    if "broken" in words:
        assert "broken/two: neither transcript.json nor voice_trace.jsonl is in it" in error
