"""Claims beside deeds on the conversations of real people, and laws of the timeline."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _laws import law
from hotato import assert_ as A
from hotato.context.trace import spans
from hotato.context.transcript import turns
from hotato.match.timeline import Timeline

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "corpora"
TABLES = {
    "star": {"caught": 77, "passed": 4205, "calls": 2257, "unlabelled": {"FAIL": 5, "PASS": 40}},
    "sgd": {"caught": 5016, "passed": 5016, "calls": 3707, "unlabelled": {}},
}


@pytest.mark.parametrize("name", TABLES)
def test_every_false_claim_is_found_and_no_true_one_is_flagged(name: str) -> None:
    sys.path.insert(0, str(EXAMPLES))
    try:
        corpus, say_do = import_module("corpus"), import_module("say_do")
    finally:
        sys.path.remove(str(EXAMPLES))
    if not corpus.CORPORA.is_dir():
        pytest.skip(corpus.ABSENT.format(folder=corpus.CORPORA))
    table = getattr(say_do, name)(corpus.CORPORA)
    found = {"caught": table.counts["caught"], "passed": table.counts["passed"], "calls": table.calls}
    assert table.wrong == []
    assert {**found, "unlabelled": dict(table.unlabelled)} == TABLES[name]


TIME = st.one_of(st.none(), st.integers(0, 20))
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["agent", "caller"]), "text": st.sampled_from(["done", "hm"]), "start": TIME}
)
CALL = st.fixed_dictionaries(
    {"type": st.just("tool_call"), "name": st.just("do"), "start_sec": TIME, "error": st.sampled_from([None, "no"])}
)
CLAIM = {"id": "c", "kind": "claim", "says": "done", "requires": {"tool": "do"}}


@law(150)
@given(st.lists(TURN, max_size=6), st.lists(CALL, max_size=6))
def test_what_came_first_is_told_the_same_from_both_sides(said: list[Any], done: list[Any]) -> None:
    made, spans_ = turns(said), spans(done)
    timeline = Timeline(made, spans_)
    moments = [*map(timeline.of_turn, made), *map(timeline.of_span, spans_)]
    for one in moments:
        for other in moments:
            there, back = timeline.comes_before(one, other), timeline.comes_before(other, one)
            assert (there, back) in ((None, None), (True, False), (False, True))
            if one is not other and one.source == other.source:
                assert there is not None


@law(150)
@given(st.lists(TURN, min_size=1, max_size=5), st.lists(CALL, max_size=5), st.randoms(use_true_random=False))
def test_with_times_the_order_of_the_file_changes_no_claim(said: list[Any], done: list[Any], chance: Any) -> None:
    said = [{**turn, "start": 2 * place} for place, turn in enumerate(said)]
    done = [{**call, "start_sec": 2 * place + 1} for place, call in enumerate(done)]
    status = judged(said, done)
    chance.shuffle(said)
    chance.shuffle(done)
    assert judged(said, done) == status


@law(150)
@given(st.lists(TURN, min_size=1, max_size=5), st.lists(CALL, max_size=5))
def test_a_known_order_only_settles_what_an_unknown_one_leaves_open(said: list[Any], done: list[Any]) -> None:
    bare = judged([{**turn, "start": None} for turn in said], [{**call, "start_sec": None} for call in done])
    if bare == "INCONCLUSIVE":
        return
    timed = [{**turn, "start": 2 * place} for place, turn in enumerate(said)]
    for shift in (-11, 1, 5, 11):
        assert judged(timed, [{**call, "start_sec": 2 * place + shift} for place, call in enumerate(done)]) == bare


def judged(said: list[Any], done: list[Any]) -> str:
    document = {"version": 1, "assertions": [CLAIM]}
    return str(A.run_assertions(document, A.build_context(transcript=said, spans=done))["results"][0]["status"])
