"""A failing call is reduced to the least of it that fails the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from _laws import law
from hotato import assert_ as A
from hotato.cli import main
from hotato.context import written
from hotato.errors import StateAdapterError, UsageError
from hotato.model.call import Span
from hotato.probe.shrink import Shrunk, _ordered, shrink
from hotato.probe.shrink_fields import paths, pruned
from hotato.probe.shrink_files import files
from hotato.probe.shrink_least import least
from hotato.state_adapter import MockStateAdapter

SAID = [
    {"role": "caller", "text": "A table for two, please.", "start": 0.5, "end": 2.4},
    {"role": "agent", "text": "Let me see.", "start": 2.9, "end": 4.2},
    {"role": "agent", "text": "You are booked.", "start": 7.1, "end": 9.0, "words": [{"word": "You", "start": 7.1, "end": 9.0}]},
    {"role": "caller", "text": "Lovely.", "start": 9.4, "end": 10.2},
]  # fmt: skip
DONE = [
    {"type": "tool_call", "name": "look", "start_sec": 2.5, "end_sec": 2.8, "result": {"free": 1}},
    {"type": "tool_call", "name": "book", "start_sec": 4.4, "end_sec": 6.0, "arguments": {"for": {"guests": 2, "at": 7}}, "error": "full"},
    {"type": "dtmf", "digit": "5", "time_sec": 9.5},
]  # fmt: skip
CLAIM = {"id": "true", "kind": "claim", "says": "you are booked", "requires": {"tool": "book"}}


def document(*assertions: dict[str, Any]) -> A.Plan:
    return A.compile_assertions({"version": 1, "assertions": list(assertions)})


def shrunk(*assertions: dict[str, Any], of: str = "", said: Any = SAID, done: Any = DONE, **more: Any) -> Shrunk:
    call = A.build_context(transcript=said, spans=done, **more)
    return shrink(document(*assertions), call, of or assertions[-1]["id"])


def test_of_a_false_claim_the_claim_and_the_call_that_failed_remain() -> None:
    found = shrunk(CLAIM)
    assert (found.turns, found.spans, found.result["code"], found.is_least) == ((2,), (1,), "failed", True)
    assert (found.of_turns, found.of_spans) == (4, 3)
    (turn,), (span,) = found.call.transcript or (), found.call.spans or ()
    assert (turn.text, turn.words) == ("You are booked.", ())
    assert span.data == {**{name: DONE[1][name] for name in ("type", "name", "start_sec", "end_sec")}, "error": "full"}


def test_a_field_that_the_result_shows_remains() -> None:
    wrong = {"id": "at", "kind": "tool_call", "name": "book", "args_subset": {"for": {"at": 8}}}
    found = shrunk(wrong)
    assert (found.turns, found.spans) == ((), (1,))
    assert (found.call.spans or ())[0].data["arguments"] == {"for": {"at": 7}}
    assert "error" not in (found.call.spans or ())[0].data


def test_the_words_of_a_turn_remain_where_the_result_rests_on_their_times() -> None:
    words = [{"word": "booked", "start": 1.0, "end": 1.5}, {"word": "later", "start": 6.0, "end": 7.0}]
    said = [{"role": "agent", "text": "booked later", "start": 1.0, "end": 7.0, "words": words}]
    claim = {"id": "c", "kind": "claim", "says": "booked", "requires": {"tool": "book"}}
    done = [{"type": "tool_call", "name": "book", "start_sec": 3.0, "end_sec": 4.0}]
    with_words = shrunk(claim, said=said, done=done)
    assert with_words.result["code"] == "only_later"
    assert with_words.call.transcript is not None
    assert len(with_words.call.transcript[0].words) == 2


def test_what_is_missing_leaves_nothing() -> None:
    found = shrunk({"id": "never", "kind": "tool_call", "name": "pay"})
    assert (found.turns, found.spans, found.call.transcript, found.call.spans) == ((), (), (), ())


def test_evidence_that_was_not_supplied_is_not_made() -> None:
    found = shrunk({"id": "never", "kind": "tool_call", "name": "pay"}, said=None)
    assert (found.of_turns, found.call.transcript, found.call.spans) == (None, None, ())
    assert list(files(document({"id": "never", "kind": "tool_call", "name": "pay"}), found, MockStateAdapter)) == [
        "voice_trace.jsonl"
    ]


def test_of_a_transcript_alone_no_trace_is_made() -> None:
    check = {"id": "said", "kind": "phrase", "regex": "lovely", "absent": True}
    found = shrunk(check, done=None)
    assert (found.turns, found.of_spans, found.call.spans) == ((3,), None, None)
    assert list(files(document(check), found, MockStateAdapter)) == ["transcript.json"]


def test_what_is_written_has_the_times_that_there_are_and_no_others() -> None:
    words = [{"word": "booked", "start": 1.0, "end": 1.5}, {"word": "later", "start": 6.0, "end": 7.0}]
    said = [{"role": "agent", "text": "booked later", "start": 1.0, "end": 7.0, "words": words}]
    done = [{"type": "tool_call", "name": "book", "start_sec": 3.0, "end_sec": 4.0}]
    claim = {"id": "c", "kind": "claim", "says": "booked", "requires": {"tool": "book"}}
    texts = files(document(claim), shrunk(claim, said=said, done=done), MockStateAdapter)
    assert json.loads(texts["transcript.json"]) == [
        {"role": "agent", "text": "booked later", "start": 1.0, "end": 7.0, "words": words}
    ]
    assert json.loads(texts["voice_trace.jsonl"].splitlines()[1]) == done[0]
    none = {"id": "never", "kind": "tool_call", "name": "book", "count": 0}
    found = shrunk(none, said=None, done=[{"type": "tool_call", "name": "book"}])
    (_, line) = files(document(none), found, MockStateAdapter)["voice_trace.jsonl"].splitlines()
    assert json.loads(line) == {"type": "tool_call", "name": "book"}


def test_a_span_that_its_source_timed_otherwise_is_written_with_its_times() -> None:
    data = {"type": "tool_call", "name": "book"}
    timed = Span(index=0, type="tool_call", name="book", start=3.0, end=4.0, data=data)
    assert written._span(timed) == {**data, "start_sec": 3.0, "end_sec": 4.0}
    moment = Span(index=0, type="tool_call", name="book", start=3.0, end=None, data={**data, "time_sec": 3.0})
    assert written._span(moment) == {**data, "time_sec": 3.0}


def test_what_a_source_records_is_written_by_name_and_each_record_once() -> None:
    paid = {"kind": "state", "resource": "orders", "expect": {"status": "paid"}}
    checks = [
        {"id": "a", "filters": {"id": 1}, **paid},
        {"id": "b", "filters": {"status": "open"}, **paid},
        {"id": "either", "kind": "formula", "expr": "a or b"},
    ]
    system = MockStateAdapter({"orders": [{"id": 1, "status": "open"}, {"id": 2, "status": "new"}]})
    captures = {"tool_call": True, "dtmf": False, "arguments": True}
    found = shrunk(*checks, state_adapter=system, sources={"trace": {"captures": captures}})
    texts = files(document(*checks), found, MockStateAdapter)
    assert texts["state.json"] == json.dumps({"orders": [{"id": 1, "status": "open"}]}, indent=2) + "\n"
    assert list(json.loads(texts["voice_trace.jsonl"])["source"]["captures"]) == ["arguments", "dtmf", "tool_call"]


def test_neighbours_in_time_are_left_out_together() -> None:
    ordered = _ordered(A.build_context(transcript=SAID, spans=DONE))
    assert [type(one).__name__[0] + str(one.index) for one in ordered] == ["T0", "S0", "T1", "S1", "T2", "T3", "S2"]
    bare = A.build_context(transcript=[{"role": "agent", "text": "Hello."}], spans=DONE)
    assert [type(one).__name__[0] + str(one.index) for one in _ordered(bare)] == ["T0", "S0", "S1", "S2"]


def test_what_can_be_left_out_only_after_another_is_left_out() -> None:
    found = least([0, 1, 2], lambda kept: 2 in kept and not (1 in kept and 0 not in kept), 100)
    assert (found.kept, found.is_least) == ([2], True)


def test_a_field_inside_another_can_go_whatever_its_name() -> None:
    data = {"type": "tool_call", "name": "book", "arguments": {"name": "Ann", "type": {"seq": 1}}, "seq": 4}
    inside = [("arguments", "name"), ("arguments", "type"), ("arguments", "type", "seq")]
    assert list(paths(data)) == [("arguments",), *inside]
    assert pruned(data, [("arguments",)]) == {"type": "tool_call", "name": "book", "arguments": {}, "seq": 4}


def test_what_a_formula_reads_keeps_its_status() -> None:
    looked = {"id": "looked", "kind": "tool_call", "name": "look"}
    found = shrunk(looked, CLAIM, {"id": "both", "kind": "formula", "expr": "looked and true"})
    assert (found.turns, found.spans) == ((2,), (0, 1))


def test_a_precondition_goes_on_to_pass() -> None:
    keyed = {"id": "keyed", "kind": "dtmf", "digits": "5"}
    found = shrunk(keyed, {**CLAIM, "when": "keyed"})
    assert found.spans == (1, 2)


@pytest.mark.parametrize("status", ["PASS", "INCONCLUSIVE"])
def test_what_does_not_fail_is_refused(status: str) -> None:
    name, spans = ("look", DONE) if status == "PASS" else ("pay", None)
    with pytest.raises(UsageError, match=f"'a' is {status} on this call"):
        shrunk({"id": "a", "kind": "tool_call", "name": name}, done=spans)


def test_an_id_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        shrunk(CLAIM, of="ture")
    assert [(one.code, one.guess) for one in caught.value.problems] == [("unknown_reference", "true")]


class Counted:
    """A system of record that counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
        del resource
        self.asked += 1
        return {"id": filters.get("id"), "status": "open", "holder": "somebody"}


def test_a_system_of_record_is_asked_each_question_once_and_its_records_are_written() -> None:
    asks = [
        {"id": f"s{n}", "kind": "state", "resource": "orders", "filters": {"id": n}, "expect": {"status": "paid"}}
        for n in (1, 2)
    ]
    system = Counted()
    found = shrunk(*asks, of="s2", state_adapter=system)
    texts = files(document(*asks), found, MockStateAdapter)
    assert system.asked == 1
    assert json.loads(texts["state.json"]) == {"orders": [{"id": 2, "status": "open", "holder": "somebody"}]}


class Silent:
    """A system of record that cannot be reached, and counts how often that was tried."""

    def __init__(self) -> None:
        self.asked = 0

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
        del resource, filters
        self.asked += 1
        raise StateAdapterError("no answer")


def test_a_system_of_record_that_does_not_answer_leaves_nothing_to_shrink() -> None:
    paid = {"id": "paid", "kind": "state", "resource": "orders", "filters": {"id": 1}, "expect": {"status": "paid"}}
    system = Silent()
    with pytest.raises(UsageError, match="'again' is INCONCLUSIVE on this call"):
        shrunk(paid, {**paid, "id": "again"}, state_adapter=system)
    assert system.asked == 1


def test_whatever_is_left_to_try_less_might_do() -> None:
    whole = shrunk(CLAIM)
    plan, call = document(CLAIM), A.build_context(transcript=SAID, spans=DONE)
    for most in range(whole.tries):
        found = shrink(plan, call, "true", most_tries=most)
        assert (found.tries, found.is_least) == (most, False)
    assert shrink(plan, call, "true", most_tries=whole.tries).is_least


def test_a_search_that_is_given_up_says_so_and_still_fails() -> None:
    call = A.build_context(transcript=SAID * 20, spans=DONE)
    found = shrink(document(CLAIM), call, "true", most_tries=5)
    assert (found.is_least, found.tries, found.result["status"]) == (False, 5, "FAIL")


@law(200)
@given(st.sets(st.integers(0, 40), max_size=6), st.integers(0, 41))
def test_of_a_list_exactly_what_is_needed_remains(needed: set[int], length: int) -> None:
    needed = {one for one in needed if one < length}
    found = least(range(length), lambda kept: needed <= set(kept), 10_000)
    assert (found.kept, found.is_least) == (sorted(needed), True)


TIME = st.one_of(st.none(), st.integers(0, 9))
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["agent", "caller"]), "text": st.sampled_from(["done", "hm", "card 4111"]), "start": TIME}
)
SPAN = st.fixed_dictionaries(
    {
        "type": st.just("tool_call"),
        "name": st.sampled_from(["do", "ask"]),
        "start_sec": TIME,
        "arguments": st.dictionaries(st.sampled_from("ab"), st.integers(0, 2)),
        "error": st.sampled_from([None, "no"]),
    }
)
CHECKS: list[dict[str, Any]] = [
    {"id": "claim", "kind": "claim", "says": "done", "requires": {"tool": "do"}},
    {"id": "quiet", "kind": "phrase", "regex": "[0-9]{4}", "absent": True},
    {"id": "args", "kind": "tool_call", "name": "do", "args_subset": {"a": 3}},
    {"id": "few", "kind": "count", "tool": "ask", "count": {"max": 1}},
    {"id": "order", "kind": "tool_call", "never_before": {"tool": "do", "until": "ask"}},
    {"id": "any", "kind": "formula", "expr": "claim or quiet"},
]


@law(120)
@given(st.lists(TURN, max_size=8), st.lists(SPAN, max_size=8), st.sampled_from(CHECKS))
def test_what_remains_fails_the_same_way_and_nothing_more_can_go(said: Any, done: Any, check: dict[str, Any]) -> None:
    plan, call = document(*CHECKS), A.build_context(transcript=said, spans=done)
    before = {result["id"]: result for result in A.judge_call(plan, call)["results"]}[check["id"]]
    assume(before["status"] == "FAIL")
    found = shrink(plan, call, check["id"])
    assert (found.result["code"], found.is_least) == (before["code"], True)
    assert shrink(plan, call, check["id"]) == found
    texts = files(plan, found, MockStateAdapter)
    turns, spans = json.loads(texts["transcript.json"]), texts["voice_trace.jsonl"].splitlines()[1:]
    assert (len(turns), len(spans)) == (len(found.turns), len(found.spans))

    def signs(kept: Any, left: Any) -> list[tuple[str, str]]:
        results = A.judge_call(plan, A.build_context(transcript=kept, spans=left))["results"]
        wanted = (check["id"], *(("claim", "quiet") if check["id"] == "any" else ()))
        return [(one["status"], one["code"]) for one in results if one["id"] in wanted]

    records = [json.loads(span) for span in spans]
    whole = signs(turns, records)
    for place in range(len(turns)):
        assert signs(turns[:place] + turns[place + 1 :], records) != whole
    for place in range(len(records)):
        assert signs(turns, records[:place] + records[place + 1 :]) != whole


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(json.dumps({"version": 1, "assertions": [CLAIM]}))
    Path("said.json").write_text(json.dumps(SAID))
    Path("done.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in DONE))
    return tmp_path


RUN = ["shrink", "--assertions", "a.json", "--transcript", "said.json", "--trace", "done.jsonl", "--id"]


def test_the_command_writes_what_remains_and_tells_nothing_of_what_was_said(scene: Path, capsys: Any) -> None:
    assert main([*RUN, "true", "--out", "small"]) == 0
    out = capsys.readouterr().out
    assert "1 of 4 turns: 2\n1 of 3 spans: s_1\n" in out
    assert "booked" not in out
    assert "full" not in out
    files_ = ["--transcript", "small/transcript.json", "--trace", "small/voice_trace.jsonl"]
    assert main(["assert", "run", "--assertions", "a.json", *files_]) == 1
    written = sorted((path.name, path.read_bytes()) for path in Path("small").iterdir())
    assert main([*RUN, "true", "--out", "small", "--force"]) == 0
    assert sorted((path.name, path.read_bytes()) for path in Path("small").iterdir()) == written


def test_the_command_answers_programs(scene: Path, capsys: Any) -> None:
    assert main([*RUN, "true", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "hotato.shrink.v1"
    assert (told["turns"], told["spans"]) == ({"before": 4, "kept": [2]}, {"before": 3, "kept": [1]})
    assert (told["fields"], told["least"], told["written"]) == ({"before": 6, "after": 1}, True, [])


def test_the_command_overwrites_neither_files_nor_what_it_reads(scene: Path, capsys: Any) -> None:
    Path("small").mkdir()
    Path("small/transcript.json").write_text("[]")
    assert main([*RUN, "true", "--out", "small"]) == 2
    assert Path("small/transcript.json").read_text() == "[]"
    assert not Path("small/voice_trace.jsonl").exists()
    Path("small/voice_trace.jsonl").write_text(Path("done.jsonl").read_text())
    run = [*RUN[:-3], "--trace", "small/voice_trace.jsonl", "--id", "true"]
    assert main([*run, "--out", "small", "--force"]) == 2
    assert "would write over the file of --trace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["true", "--force"], "--force: means nothing without --out"),
        (["ture"], "did you mean 'true'?"),
        (["true", "--call-id", "7"], "--call-id: means nothing without --call"),
    ],
)
def test_the_command_refuses_what_it_cannot_use(scene: Path, capsys: Any, words: list[str], said: str) -> None:
    assert main([*RUN, *words]) == 2
    assert said in capsys.readouterr().err
