"""Transcripts and traces: what is read, what is refused and where, and that no input does anything else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato.assert_ import build_context, evaluate_assertion, load_spans_file, load_transcript_file
from hotato.context.files import read_text, write_text
from hotato.document.reading import read
from hotato.errors import EvidenceError, UsageError
from hotato.model import codec
from hotato.model.limits import limit

FOLDER = Path(__file__).resolve().parent.parent / "conformance" / "evidence"


def cases(name: str) -> list[Any]:
    text = (FOLDER / f"{name}.yaml").read_text("utf-8")
    return [pytest.param(case, id=case["name"]) for case in read(text, name).value["cases"]]


def load(case: dict[str, Any], folder: Path) -> Any:
    file = folder / "evidence"
    file.write_bytes(case["text"].encode("utf-8"))
    return (load_transcript_file if case["reads"] == "transcript" else load_spans_file)(file)


@pytest.mark.parametrize("case", cases("accepted"))
def test_evidence_is_read_as_stated(case: dict[str, Any], tmp_path: Path) -> None:
    found = load(case, tmp_path)
    if case["reads"] == "transcript":
        assert [[t.index, t.role, t.text, t.start, t.end] for t in found] == case["is"]
    else:
        assert [[s.index, s.type, s.name, s.start, s.end] for s in found] == case["is"]


@pytest.mark.parametrize("case", cases("refused"))
def test_evidence_is_refused_with_every_problem_in_its_place(case: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(EvidenceError) as refused:
        load(case, tmp_path)
    problems = refused.value.problems
    assert [p.code for p in problems] == [wanted["code"] for wanted in case["problems"]]
    for problem, wanted in zip(problems, case["problems"], strict=True):
        assert {name: getattr(problem, name) for name in wanted} == wanted
        assert problem.file == str(tmp_path / "evidence")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1]))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_what_json_writes_the_codec_reads(value: Any, indent: int | None) -> None:
    assert codec.decode(json.dumps(value, indent=indent)) == value
    assert codec.decode(json.dumps(value, ensure_ascii=False)) == value
    assert codec.decode(codec.encode(value)) == value


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", 'x":y', "\\u003a", "c:"]), st.text(':"\\ \n', max_size=5)), max_size=5
    )
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_the_codec_finds_every_duplicate_key(pairs: list[tuple[str, str]]) -> None:
    text = "{" + ", ".join(f"{json.dumps(k)} : {json.dumps(v)}" for k, v in pairs) + "}"
    tight = text.replace('" : ', '":')
    for written in (text, tight):
        if len(dict(pairs)) == len(pairs):
            assert codec.decode(written) == dict(pairs)
        else:
            with pytest.raises(codec.JsonError) as refused:
                codec.decode(written)
            assert refused.value.code == "json_duplicate_key"


@given(st.text(max_size=200) | st.text('[]{}",:\\truefalsn 0123456789.eE+-\n', max_size=120))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_no_text_does_more_than_be_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzzed"
    file.write_bytes(text.encode("utf-8"))
    for reader in (load_transcript_file, load_spans_file):
        try:
            reader(file)
        except EvidenceError as refused:
            assert refused.problems  # noqa: PT017  # being refused is one of two right outcomes


@given(JSON)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_value_does_more_than_be_refused(value: Any) -> None:
    for given_ in ({"transcript": value}, {"spans": value}, {"transcript": [value]}, {"spans": [value]}):
        try:
            build_context(**given_)
        except EvidenceError as refused:
            assert refused.problems  # noqa: PT017  # being refused is one of two right outcomes


def test_an_input_given_both_ways_is_refused() -> None:
    with pytest.raises(ValueError, match="not both"):
        build_context(transcript=[], transcript_path="t.json")
    with pytest.raises(ValueError, match="not both"):
        build_context(spans=[], trace_path="t.jsonl")


def test_what_was_not_supplied_is_none_and_what_is_empty_is_empty() -> None:
    assert build_context().transcript is None
    assert build_context().spans is None
    assert build_context(transcript=[], spans=[]).transcript == ()
    assert build_context(transcript=[], spans=[]).spans == ()


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        read_text(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("name", "code"),
    [("folder", "file_kind"), ("none", "file_missing"), ("loop", "file_unreadable"), ("a\0b", "file_kind")],
)
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UsageError) as refused:
        read_text(f"{tmp_path}/{name}")
    assert refused.value.problems[0].code == code


def test_bytes_that_are_no_text_are_refused_at_their_place(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"one\ntwo caf\xe9 three")
    with pytest.raises(UsageError) as refused:
        read_text(tmp_path / "latin")
    problem = refused.value.problems[0]
    assert (problem.code, problem.line, problem.column) == ("file_encoding", 2, 8)


def test_a_file_larger_than_allowed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b" " * 101)
    with pytest.raises(UsageError, match="larger than"):
        read_text(tmp_path / "large", most=100)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    write_text(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "new \ud800")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.json"]
    with pytest.raises(UsageError, match="exists already"):
        write_text(target, "new", overwrite=False)
    with pytest.raises(UsageError, match="cannot be written"):
        write_text(tmp_path / "none" / "out.json", "new")


def test_mappings_and_sequences_of_any_type_are_read_as_json_has_them() -> None:
    arguments = MappingProxyType({"sizes": (1, 2), "ship": MappingProxyType({"city": "Leeds"})})
    ctx = build_context(spans=[MappingProxyType({"type": "tool_call", "name": "order", "arguments": arguments})])
    for subset in ({"ship": {"city": "Leeds"}}, {"sizes": [1, 2]}):
        check = {"id": "a", "kind": "tool_call", "name": "order", "args_subset": subset, "count": 0}
        assert evaluate_assertion(check, ctx)["status"] == "FAIL"


def test_an_object_without_a_json_form_matches_nothing_and_breaks_nothing() -> None:
    ctx = build_context(spans=[{"type": "tool_call", "name": "order", "arguments": {"at": object(), "n": 10**400}}])
    check = {"id": "a", "kind": "tool_call", "name": "order", "args_subset": {"at": {"$exists": True}}}
    assert evaluate_assertion(check, ctx)["status"] == "PASS"


@pytest.mark.parametrize(
    "pair", [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ('{"a":[', "]}")], ids=lambda pair: pair[0]
)
@pytest.mark.parametrize("odd", ["", '"}", ', '"[[{", '], ids=["plain", "closed in text", "opened in text"])
def test_depth_is_bounded_whatever_the_brackets_and_the_strings(pair: tuple[str, str], odd: str) -> None:
    levels = sum(pair[0].count(bracket) for bracket in "[{")
    for times in range(60 // levels, 70 // levels):
        text = f"[{odd}{pair[0] * times}1{pair[1] * times}]"
        if 1 + times * levels <= limit("depth"):
            assert codec.decode(text) == json.loads(text)
        else:
            with pytest.raises(codec.JsonError, match="nested more than 64 deep"):
                codec.decode(text)


@pytest.mark.parametrize(
    ("roles", "count", "told"),
    [
        (["agnet", "agent", "caller"], 1, "'agnet' (nearly 'agent'); --map-role agnet=agent"),
        (["agente", "cliente", "agente"], 2, "--map-role agente=agent"),
        (["custmer", "bot"], 1, "--map-role custmer=caller"),
        (["S1", "S2"], 2, "no turn is of the agent or of the caller"),
        (["agent", "agent_2", "user1", "system", "supervisor", "human_agent"], 0, ""),
        ([], 0, ""),
    ],
)
def test_roles_that_are_nearly_a_party_are_told(roles: list[str], count: int, told: str) -> None:
    call = build_context(transcript=[{"role": role, "text": "Hello."} for role in roles])
    notes = call.audit["transcript"].get("notes", [])
    assert [(note["code"], note["count"]) for note in notes] == ([("roles_unknown", count)] if count else [])
    assert told in (notes[0]["message"] if notes else "")


def test_what_ends_before_it_starts_is_counted() -> None:
    turn = {"role": "agent", "text": "Hello."}
    call = build_context(
        transcript=[{**turn, "start": 2, "end": 1}, {**turn, "start": 1, "end": 1}, turn, {**turn, "end": 3}],
        spans=[{"type": "llm", "start_sec": 5, "end_sec": 4.5}, {"type": "llm", "time_sec": 5}],
    )
    assert (
        call.audit["transcript"]["turns_ending_before_start"] == call.audit["trace"]["spans_ending_before_start"] == 1
    )
