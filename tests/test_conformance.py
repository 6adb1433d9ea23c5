"""The suite of conformance/, run against this engine."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from hotato import assert_, kinds
from hotato.kinds._kind import Check, Kind, Resources
from hotato.match.evidence import Evidence
from hotato.model import codec
from hotato.model.verdict import Verdict, breaks, holds
from hotato.state_adapter import MockStateAdapter
from hotato.testing import (
    Case,
    CaseCall,
    CaseError,
    build_call,
    check_kind,
    differences,
    load_suite,
    read_suite,
    run_case,
)

SUITE = Path(__file__).resolve().parent.parent / "conformance"
CASES = load_suite(SUITE / "kinds")
ACCEPTED = read_suite(SUITE / "documents" / "accepted.yaml")["accepted"]
ENVELOPES = sorted((SUITE / "envelopes").iterdir())
FILES = sorted([*SUITE.glob("kinds/*.yaml"), *SUITE.glob("documents/*.yaml")])
DOCUMENT_SCHEMA = assert_.__file__.rpartition("/")[0] + "/schema/assert-document.v1.json"

TICKS = count(1)


def document_errors(document: Any) -> list[str]:
    schema = json.loads(Path(DOCUMENT_SCHEMA).read_text(encoding="utf-8"))
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.name}")
def test_a_case_comes_out_as_it_says(case: Case) -> None:
    run_case(case)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["name"])
def test_an_accepted_document_comes_out_as_it_says(case: dict[str, Any]) -> None:
    call = build_call(msgspec.convert(case["call"], CaseCall))
    envelope = assert_.run_assertions(case["document"], call, case.get("policy"))
    expect = case["expect"]
    assert {r["id"]: r["status"] for r in envelope["results"]} == expect["results"]
    assert [r["id"] for r in envelope["results"]] == list(expect["results"])
    assert envelope["exit_code"] == expect["exit_code"]
    assert envelope["inconclusive_policy"] == expect.get("inconclusive_policy", envelope["inconclusive_policy"])
    found = {r["id"]: r for r in envelope["results"]}
    assert list(differences(expect.get("fields", {}), found)) == []


@pytest.mark.parametrize("folder", ENVELOPES, ids=lambda folder: folder.name)
def test_an_envelope_is_the_same_to_the_byte(folder: Path) -> None:
    def given(name: str) -> str | None:
        return str(folder / name) if (folder / name).is_file() else None

    state = given("state.json")
    context = assert_.build_context(
        transcript_path=given("transcript.json"),
        trace_path=given("voice_trace.jsonl"),
        state_adapter=MockStateAdapter(json.loads(Path(state).read_text(encoding="utf-8"))) if state else None,
    )
    envelope = assert_.run_assertions_from_file(str(folder / "assertions.yaml"), context)
    assert codec.encode(envelope, indent=2) + "\n" == (folder / "envelope.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_of_cases_has_the_published_shape(file: Path) -> None:
    schema = json.loads((SUITE / "schema.json").read_text(encoding="utf-8"))
    errors = [f"{e.json_path}: {e.message}" for e in Draft202012Validator(schema).iter_errors(read_suite(file))]
    assert errors == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.name}")
def test_the_document_schema_accepts_what_the_engine_accepts(case: Case) -> None:
    under_test = {"id": "a", "kind": case.kind, **case.assertion}
    assert document_errors({"version": 1, **case.document, "assertions": [*case.also, under_test]}) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"expect": {"status": "FAIL"}}, "status: expected"),
        ({"expect": {"status": "PASS", "code": "absent"}}, "code: expected"),
        ({"expect": {"status": "PASS", "exercised": 2}}, "exercised: expected 2, found 1"),
        ({"expect": {"status": "PASS", "vacuous": True}}, "vacuous: expected true, found false"),
        ({"expect": {"status": "PASS", "fields": {"turn": 3}}}, "turn: expected 3, found 0"),
        ({"expect": {"status": "PASS", "fields": {"hits": []}}}, "hits: expected [], found nothing"),
    ],
)
def test_a_wrong_expectation_is_told(wrong: dict[str, Any], said: str) -> None:
    case = {
        "name": "hello is said",
        "kind": "phrase",
        "call": {"transcript": [{"role": "agent", "text": "hello"}]},
        "assertion": {"regex": "hello"},
        **wrong,
    }
    with pytest.raises(CaseError) as caught:
        run_case(case)
    assert said in str(caught.value)


class Shout(Kind, frozen=True, kw_only=True, tag="shout"):
    """Somebody spoke in capitals; a kind that is not part of the house."""

    family = "core"
    reads = ("transcript",)
    says = {"loud": "turn {turn} is in capitals", "quiet": "no turn is in capitals"}

    def compile(self, resources: Resources) -> Check:
        def check(evidence: Evidence) -> Verdict:
            for turn in evidence.transcript.turns:
                if turn.text.isupper():
                    return holds("loud", exercised=1, turn=turn.index)
            return breaks("quiet")

        return check


def shouts(count: int, status: str = "PASS") -> list[dict[str, Any]]:
    text = "STOP" if status == "PASS" else "stop"
    call = {"transcript": [{"role": "caller", "text": text}]}
    code = "loud" if status == "PASS" else "quiet"
    return [
        {"name": f"{status} {n}", "call": call, "assertion": {}, "expect": {"status": status, "code": code}}
        for n in range(count)
    ]


def test_a_kind_from_elsewhere_is_judged_like_one_of_the_house() -> None:
    withheld = {"name": "no transcript", "assertion": {}, "expect": {"status": "INCONCLUSIVE"}}
    check_kind(Shout, [*shouts(10), *shouts(2, "FAIL"), withheld])
    assert "shout" not in kinds.names()
    with pytest.raises(KeyError):
        kinds.get("shout")


def test_a_kind_with_thin_cases_is_told_what_they_leave_out() -> None:
    with pytest.raises(CaseError) as caught:
        check_kind(Shout, shouts(2))
    for said in ("2 cases", "no case with the code 'quiet'", "no case that is FAIL", "no case that is INCONCLUSIVE"):
        assert said in str(caught.value)


class Gossip(Shout, frozen=True, kw_only=True, tag="gossip"):
    """A kind that repeats what was said."""

    says = {"loud": "somebody said {text}"}

    def compile(self, resources: Resources) -> Check:
        return lambda evidence: breaks("loud", text=evidence.transcript.turns[0].text)


def test_a_reason_that_repeats_the_call_is_told() -> None:
    call = {"transcript": [{"role": "caller", "text": "my card is lost"}]}
    case = {"name": "x", "call": call, "assertion": {}, "expect": {"status": "FAIL"}}
    with pytest.raises(CaseError, match="repeats words of the call: card, lost"):
        run_case(case, Gossip)


class Fickle(Shout, frozen=True, kw_only=True, tag="fickle"):
    """A kind that answers differently every time."""

    def compile(self, resources: Resources) -> Check:
        return lambda _: breaks("quiet", exercised=next(TICKS))


def test_a_verdict_that_changes_is_told() -> None:
    case = {"name": "x", "call": {"transcript": []}, "assertion": {}, "expect": {"status": "FAIL"}}
    with pytest.raises(CaseError, match="a second run gives other bytes"):
        run_case(case, Fickle)


class Loose(Shout, frozen=True, kw_only=True, tag="phrase"):
    """A kind whose result has a field that it never declared."""

    def compile(self, resources: Resources) -> Check:
        return lambda _: breaks("quiet", fields={"score": 1})


def test_a_result_outside_of_the_schema_is_told() -> None:
    case = {"name": "x", "call": {"transcript": []}, "assertion": {}, "expect": {"status": "FAIL"}}
    with pytest.raises(CaseError, match="not a valid envelope"):
        run_case(case, Loose)


@pytest.mark.parametrize(
    ("expected", "found", "said"),
    [
        ({"a": 1}, {"a": 1.0, "b": 2}, []),
        ({"a": 1}, {"a": True}, ["a: expected 1, found true"]),
        ({"a": True}, {"a": True}, []),
        ({"a": []}, {"a": {}}, ["a: expected [], found {}"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, []),
        ({"a": [1]}, {"a": [1, 2]}, ["a: expected [1], found [1, 2]"]),
        ({"a": {"b": None}}, {"a": {}}, ["a.b: expected null, found nothing"]),
    ],
    ids=str,
)
def test_an_expectation_is_a_subset_with_types(expected: Any, found: Any, said: list[str]) -> None:
    assert list(differences(expected, found)) == said


@pytest.mark.parametrize(
    "change",
    [
        {"name": "it should be found"},
        {"calls": {}},
        {"assertion": {"id": "b"}},
        {"call": {"trace": []}},
        {"expect": {}},
    ],
    ids=str,
)
def test_the_shape_of_cases_refuses_what_no_runner_reads(change: dict[str, Any]) -> None:
    case = {"name": "hello is found", "call": {}, "assertion": {"regex": "hello"}, "expect": {"status": "PASS"}}
    schema = Draft202012Validator(json.loads((SUITE / "schema.json").read_text(encoding="utf-8")))
    assert schema.is_valid({"kind": "phrase", "cases": [case]})
    assert not schema.is_valid({"kind": "phrase", "cases": [{**case, **change}]})
