"""Laws that hold of every document and every call, tried on many made up at random, the same ones every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from _laws import TEXTS, VALUES, law, plain
from hotato import assert_
from hotato.model import codec
from hotato.state_adapter import MockStateAdapter

SCHEMA = Path(assert_.__file__).with_name("schema").joinpath("assert.v1.json")
VALID = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))

# --- calls and documents ------------------------------------------------------------------------------------------

TOOLS = st.sampled_from(["lookup", "refund", "verify"])
SMALL = st.sampled_from([0, 1, 2.0, 2, "1", "x", True, None])
DATA = st.dictionaries(st.sampled_from(["a", "b", "c"]), SMALL, max_size=3)
WANTED = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    SMALL | st.sampled_from([{"$gte": 1}, {"$exists": False}, {"$ne": "x"}]),
    min_size=1,
)
WORDS = st.lists(st.sampled_from(["hello", "refund", "your", "balance", "is", "nine"]), min_size=1, max_size=4)

SPAN = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("tool_call"), "name": TOOLS, "arguments": DATA},
        optional={
            "result": DATA,
            "error": st.sampled_from(["declined", ""]),
            "latency_ms": st.sampled_from([0, 10, 500, -1]),
        },
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("http_exchange"),
            "method": st.sampled_from(["GET", "post"]),
            "url": st.sampled_from(["/v1/refunds", "/v1/slots"]),
            "status_code": st.sampled_from([200, "201", 500]),
        },
        optional={"response": DATA},
    ),
    st.fixed_dictionaries({"type": st.just("handoff"), "to": st.sampled_from(["sales", "billing"])}),
    st.fixed_dictionaries({"type": st.just("dtmf"), "digits": st.sampled_from(["1", "2", "12"])}),
    st.fixed_dictionaries({"type": st.just("hangup"), "reason": st.sampled_from(["goodbye", "error"])}),
)
TURN = st.fixed_dictionaries({"role": st.sampled_from(["agent", "caller"]), "text": WORDS.map(" ".join)})
ROWS = st.lists(DATA, max_size=2)
CALL = st.fixed_dictionaries(
    {},
    optional={
        "transcript": st.lists(TURN, max_size=5),
        "spans": st.lists(SPAN, max_size=7),
        "timing": st.sampled_from([{}, {"gap": 0.2}, {"gap": 9}]),
        "state": st.fixed_dictionaries({"before": ROWS, "after": ROWS}),
    },
)
COUNT = st.sampled_from([0, 1, 2, {"min": 1}, {"max": 1}, {"min": 1, "max": 2}])


def asserts(kind: str, optional: dict[str, Any] | None = None, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    made = {name: value if isinstance(value, st.SearchStrategy) else st.just(value) for name, value in fields.items()}
    return st.fixed_dictionaries({"kind": st.just(kind), **made}, optional=optional or {})


ORDERS = st.lists(TOOLS, min_size=1, max_size=3)
STEPS = st.lists(
    st.sampled_from([{"tool": "lookup"}, {"tool": "refund"}, {"span_type": "handoff"}]), min_size=1, max_size=3
)
PHRASE = st.sampled_from(["hello", "your balance", "refund$", "nine|is"])
ROLE = {"role": st.sampled_from(["agent", "caller"])}
TRACE_KINDS = [
    asserts("tool_call", {"args_subset": WANTED, "count": COUNT}, name=TOOLS),
    asserts("tool_call", require_order=ORDERS),
    asserts("tool_call", never_before=st.sampled_from([{"tool": "refund", "until": "verify"}])),
    asserts("tool_result", {"result_subset": WANTED}, name=TOOLS),
    asserts("tool_error", {"absent": st.booleans(), "error_matches": st.just("decl")}, name=TOOLS),
    asserts(
        "http_result",
        {"response_subset": WANTED},
        method=st.sampled_from(["GET", "POST"]),
        url_matches="refunds$",
        status=st.sampled_from([200, [200, 201]]),
    ),
    asserts("handoff", {"to": st.just("billing"), "absent": st.booleans()}),
    asserts("dtmf", {"absent": st.booleans()}, digits=st.sampled_from(["1", "12", "21"])),
    asserts("termination", {"absent": st.booleans()}, reason="goodbye"),
    asserts("entity_accuracy", {"require": st.sampled_from(["all", "any"])}, reference={"a": "1", "b": "x"}),
    asserts("sequence", steps=STEPS),
    asserts("count", tool=TOOLS, count=COUNT),
    asserts("latency", {"percentile": st.sampled_from([1, 50, 100])}, tool=TOOLS, max_ms=10),
]
OTHER_KINDS = [
    asserts("phrase", {"absent": st.booleans(), "position": st.sampled_from(["first", "last"]), **ROLE}, regex=PHRASE),
    asserts("order", ROLE, before="hello", after="balance"),
    asserts("count", ROLE, phrase=PHRASE, count=COUNT),
    asserts("pii", detectors=["ssn"], mode="must_not_leak"),
    asserts("policy"),
    asserts("outcome", any_of=[{"tool_called": "refund"}, {"phrase": "refund"}]),
    asserts("outcome", all_of=[{"tool_called": "refund"}, {"field_present": "gap"}]),
    asserts("latency", field="gap", max=0.5),
    asserts("state", {"filters": DATA}, resource="rows", expect=WANTED),
    asserts("state_change", {"to": SMALL}, resource="rows", field="a", changed=st.booleans()),
    asserts("judge_rubric"),
]


@st.composite
def documents(draw: st.DrawFn, pool: list[Any], linked: bool = True) -> dict[str, Any]:
    """Assertions `id_0`, `id_1` ... and, where linked, formulas and preconditions over earlier ones."""
    made = draw(st.lists(st.one_of(pool), min_size=1, max_size=6))
    for place, assertion in enumerate(made):
        assertion["id"] = f"id_{place}"
        if linked and place and draw(st.booleans()):
            assertion["when"] = f"id_{draw(st.integers(0, place - 1))}"
    if linked:
        first, last = made[0]["id"], made[-1]["id"]
        expr = draw(st.sampled_from([f"{first} and not {last}", f"0.5*{first} + 0.5*{last} >= 0.5"]))
        made.append({"id": "id_f", "kind": "formula", "expr": expr})
    return {"version": 1, "strict": draw(st.booleans()), "assertions": made}


ANY = documents([*TRACE_KINDS, *OTHER_KINDS])


def run(document: Any, call: dict[str, Any]) -> dict[str, Any]:
    given_ = dict(call)
    state = given_.pop("state", None)
    adapter = None if state is None else MockStateAdapter({when: {"rows": rows} for when, rows in state.items()})
    return assert_.run_assertions(document, assert_.build_context(**given_, state_adapter=adapter))


def by_id(envelope: dict[str, Any]) -> dict[str, str]:
    return {result["id"]: codec.encode(result) for result in envelope["results"]}


@law(120)
@given(ANY, CALL)
def test_the_same_input_gives_the_same_bytes(document: dict[str, Any], call: dict[str, Any]) -> None:
    once = codec.encode(run(document, call))
    assert codec.encode(run(json.loads(codec.encode(document)), json.loads(codec.encode(call)))) == once


@law(60)
@given(ANY, CALL, st.sampled_from(["report", "fail", "refuse"]))
def test_every_envelope_is_valid_by_the_published_schema(
    document: dict[str, Any], call: dict[str, Any], policy: str
) -> None:
    envelope = run({**document, "inconclusive_policy": policy}, call)
    assert [error.message for error in VALID.iter_errors(json.loads(codec.encode(envelope)))] == []


@law(60)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.lists(st.integers(0, 4), min_size=2, max_size=4),
    st.randoms(use_true_random=False),
)
def test_a_tie_between_explanations_is_settled_by_neither_order_nor_ids(
    called: list[int], wanted: list[int], chance: Any
) -> None:
    call = {"spans": [{"type": "tool_call", "name": "pay", "arguments": {"n": n, "m": n % 2}} for n in called]}
    asserted = [
        {"id": f"id_{place}", "kind": "tool_call", "name": "pay", "args_subset": {"n": n, "m": 7}}
        for place, n in enumerate(wanted)
    ]
    before = {r["id"]: r["closest"] for r in run({"version": 1, "assertions": asserted}, call)["results"]}
    names = [a["id"] for a in asserted]
    chance.shuffle(names)
    other = [{**a, "id": name} for a, name in zip(asserted, names, strict=True)]
    chance.shuffle(other)
    after = {r["id"]: r["closest"] for r in run({"version": 1, "assertions": other}, call)["results"]}
    assert [after[name] for name in names] == [before[a["id"]] for a in asserted]


@law(200)
@given(st.data(), ANY, CALL)
def test_the_order_of_assertions_changes_no_result(data: Any, document: dict[str, Any], call: dict[str, Any]) -> None:
    shuffled = data.draw(st.permutations(document["assertions"]))
    other = run({**document, "assertions": shuffled}, call)
    assert by_id(other) == by_id(run(document, call))
    assert [r["id"] for r in other["results"]] == [a["id"] for a in shuffled]


@law(120)
@given(st.data(), ANY, CALL)
def test_renaming_ids_changes_nothing_but_ids(data: Any, document: dict[str, Any], call: dict[str, Any]) -> None:
    ids = [assertion["id"] for assertion in document["assertions"]]
    new = data.draw(st.permutations([f"nn.{place}" for place in range(len(ids))]))

    def renamed(value: Any) -> Any:
        text = codec.encode(value)
        for old, name in zip(ids, new, strict=True):
            text = text.replace(old, name)
        return json.loads(text)

    assert renamed(run(document, call)) == run(renamed(document), call)


def told(envelope: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results without what counts how much evidence there was."""
    dropped = ("exercised", "vacuous", "reason")
    return [{key: value for key, value in r.items() if key not in dropped} for r in envelope["results"]]


TIME = st.none() | st.integers(-5, 50)


@law(120)
@given(documents(TRACE_KINDS), st.lists(st.tuples(SPAN, TIME), max_size=6), TIME)
def test_an_unrelated_span_changes_no_verdict(
    document: dict[str, Any], timed: list[tuple[dict[str, Any], Any]], time: Any
) -> None:
    document = {**document, "strict": False}
    spans = [{**span, "start_sec": start} for span, start in timed]
    stranger = {"type": "note", "name": "refund", "start_sec": time, "text": "hello"}
    call = {"spans": spans}
    assert told(run(document, {"spans": [*spans, stranger]})) == told(run(document, call))
    statuses = [r["status"] for r in run(document, call)["results"]]
    assert [r["status"] for r in run(document, {"spans": [stranger, *spans]})["results"]] == statuses


SENSITIVE = [
    {"kind": "tool_call", "require_order": ["verify", "refund"]},
    {"kind": "tool_call", "require_order": ["lookup", "lookup", "verify"]},
    {"kind": "tool_call", "never_before": {"tool": "refund", "until": "verify"}},
    {"kind": "sequence", "steps": [{"span_type": "handoff"}, {"tool": "lookup"}]},
    {"kind": "sequence", "steps": [{"tool": "lookup"}, {"span_type": "dtmf"}]},
    {"kind": "dtmf", "digits": "12"},
    {"kind": "dtmf", "digits": "21", "absent": True},
    {"kind": "entity_accuracy", "reference": {"a": "1"}},
    {"kind": "order", "before": "hello", "after": "balance"},
    {"kind": "order", "before": "nine", "after": "your", "role": "agent"},
    {"kind": "phrase", "regex": "hello", "position": "first"},
    {"kind": "phrase", "regex": "refund", "position": "last", "role": "agent"},
    {"kind": "phrase", "regex": "is your|refund hello"},
    {"kind": "count", "phrase": "hello", "count": 1},
    {"kind": "latency", "tool": "lookup", "max_ms": 10, "percentile": 50},
]


@law(150)
@given(
    st.lists(SPAN, min_size=2, max_size=7),
    st.lists(TURN, min_size=2, max_size=5),
    st.sampled_from(["start_sec", "time_sec"]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_file_changes_no_status(spans: Any, turns: Any, clock: str, chance: Any) -> None:
    document = {"version": 1, "assertions": [{"id": f"id_{n}", **made} for n, made in enumerate(SENSITIVE)]}
    spans = [{**span, clock: place} for place, span in enumerate(spans)]
    turns = [{**turn, "start": place, "end": place + 1} for place, turn in enumerate(turns)]

    def statuses(call: dict[str, Any]) -> list[tuple[str, str]]:
        return [(r["status"], r["code"]) for r in run(document, call)["results"]]

    before = statuses({"spans": list(spans), "transcript": list(turns)})
    chance.shuffle(spans)
    chance.shuffle(turns)
    assert statuses({"spans": spans, "transcript": turns}) == before


@law(60)
@given(ANY, CALL)
def test_what_was_not_supplied_is_never_a_failure_nor_a_pass(document: dict[str, Any], call: dict[str, Any]) -> None:
    statuses = {r["id"]: r["status"] for r in run(document, {})["results"]}
    assert set(statuses.values()) == {"INCONCLUSIVE"}


@law(300)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3).filter(plain), st.booleans())
def test_json_and_yaml_forms_of_a_document_agree(wanted: dict[str, Any], met: bool) -> None:
    document = {"version": 1, "assertions": [{"id": "a", "kind": "tool_call", "name": "t", "args_subset": wanted}]}
    call = {"spans": [{"type": "tool_call", "name": "t", "arguments": wanted if met else {}}]}
    mapping = codec.encode(run(document, call))
    as_json, as_yaml = codec.encode(document), assert_.render_assertions_yaml(document)
    assert codec.encode(assert_.parse_assertions_yaml(as_json)) == as_json
    assert codec.encode(assert_.parse_assertions_yaml(as_yaml)) == as_json
    assert codec.encode(run(as_json, call)) == mapping
    assert codec.encode(run(as_yaml, call)) == mapping
    assert json.loads(mapping)["results"][0]["status"] == ("PASS" if met else "FAIL")
