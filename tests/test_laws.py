"""Laws that hold of every document and every call, tried on many made up at random, the same ones every time."""

from __future__ import annotations

import json
import operator
import re
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hotato import assert_
from hotato.match import formula
from hotato.match.closest import assign
from hotato.match.regex import Pattern, compile_pattern
from hotato.match.text import fold, fold_pattern
from hotato.match.turns import Lane, Transcript
from hotato.match.values import Expected, is_matcher, same
from hotato.model import codec
from hotato.model.call import Turn
from hotato.state_adapter import MockStateAdapter


def law(examples: int) -> settings:
    quiet = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    return settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=quiet)


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


@law(150)
@given(st.data(), ANY, st.lists(SPAN, max_size=6), st.lists(TURN, max_size=5))
def test_the_order_of_the_file_changes_no_status(data: Any, document: dict[str, Any], spans: Any, turns: Any) -> None:
    spans = [{**span, "start_sec": place} for place, span in enumerate(spans)]
    turns = [{**turn, "start": place, "end": place + 1} for place, turn in enumerate(turns)]
    mixed = {"spans": data.draw(st.permutations(spans)), "transcript": data.draw(st.permutations(turns))}

    def statuses(call: dict[str, Any]) -> list[tuple[str, str]]:
        return [(r["status"], r["code"]) for r in run(document, call)["results"]]

    assert statuses(mixed) == statuses({"spans": spans, "transcript": turns})


@law(60)
@given(ANY, CALL)
def test_what_was_not_supplied_is_never_a_failure_nor_a_pass(document: dict[str, Any], call: dict[str, Any]) -> None:
    statuses = {r["id"]: r["status"] for r in run(document, {})["results"]}
    assert set(statuses.values()) == {"INCONCLUSIVE"}


# --- the forms of a document --------------------------------------------------------------------------------------

TRICKY = st.sampled_from(
    ["no", "yes", "on", "~", "null", "true", "1", "1.0", "1_000", "0x1f", "1e3", "12:30", "2026-01-05", "", " a ", "- b",
     "#c", "a: b", "'", '"', "\\b", "%", "@", "&x", "*x", "!y", "|", ">", "?", "{", "]", ",", "=", "<<", ".inf", ".nan", "a\nb",
     "a\n", "\ta", "e\u0301", "\u2028", "\xa0", "\U0001f600", "\ufeff", "\x7f", "x" * 90 + " " + "y" * 90]
)  # fmt: skip
TEXTS = TRICKY | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    TEXTS | NUMBERS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def plain(value: Any) -> bool:
    """Say whether a value holds no key that begins like a matcher, and no two keys that mean the same."""
    if isinstance(value, dict):
        return not any(key.startswith("$") for key in value) and all(map(plain, value.values()))
    return not isinstance(value, list) or all(map(plain, value))


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


# --- values -------------------------------------------------------------------------------------------------------

NEAR = st.recursive(
    st.sampled_from([0, 1, 1.0, True, False, None, "1", "", "\u00e9", "e\u0301", "\u212b", "\u00c5"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "\u00e9", "e\u0301"]), inner, max_size=1)
    ),
    max_leaves=4,
)


@law(300)
@given(NEAR, NEAR, NEAR)
@example(1, 1.0, True)
@example("\u212b", "\u00c5", "A\u030a")
def test_equality_is_an_equivalence_that_keeps_types_apart(a: Any, b: Any, c: Any) -> None:
    assert same(a, a)
    assert same(a, b) is same(b, a)
    assert not (same(a, b) and same(b, c)) or same(a, c)
    if same(a, b):
        assert isinstance(a, bool) is isinstance(b, bool)
        assert isinstance(a, str) is isinstance(b, str)
        assert (a is None) is (b is None)


@law(300)
@given(VALUES.filter(plain), VALUES)
def test_a_value_is_what_is_expected_exactly_where_nothing_differs(wanted: Any, got: Any) -> None:
    for value in (wanted, got):
        expected = Expected(wanted)
        assert expected.matches(value) is (expected.differences(value) == [])
    assert Expected(wanted).matches(wanted)
    assert Expected(wanted).matches(json.loads(codec.encode(wanted)))


@law(200)
@given(NEAR, NEAR)
def test_matchers_of_equality_agree_with_equality(a: Any, b: Any) -> None:
    equal = same(a, b)
    assert Expected({"$eq": a}).matches(b) is equal
    assert Expected({"$ne": a}).matches(b) is not equal
    assert Expected({"$not": {"$eq": a}}).matches(b) is not equal
    if not isinstance(a, (dict, list)):
        assert Expected(a).matches(b) is equal
    assert Expected({"$in": [a]}).matches(b) is Expected(a).matches(b)
    assert Expected({"$nin": [a]}).matches(b) is not Expected(a).matches(b)
    assert Expected({"$all_of": [a, {"$exists": True}]}).matches(b) is Expected(a).matches(b)
    assert not Expected({"k": {"$ne": a}}).matches({})


@law(200)
@given(st.dictionaries(TEXTS, VALUES, max_size=3).filter(plain), TEXTS, VALUES)
def test_a_further_key_never_breaks_a_subset_and_a_missing_one_always_does(
    wanted: dict[str, Any], key: str, value: Any
) -> None:
    assume(key not in wanted and not any(same(key, other) for other in wanted))
    assert Expected(wanted).matches({key: value, **wanted})
    assume(not is_matcher({key: value}) and plain({key: value}))
    assert not Expected({**wanted, key: value}).matches(wanted)


# --- the closest --------------------------------------------------------------------------------------------------


@law(250)
@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_the_pairing_has_the_least_total_cost(rows: int, columns: int, data: Any) -> None:
    cost = st.integers(0, 6) | st.just(1 << 40)
    costs = data.draw(st.lists(st.lists(cost, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    found = assign(costs)
    taken = [column for column in found if column is not None]
    assert len(taken) == len(set(taken)) == min(rows, columns)
    total = sum(costs[row][column] for row, column in enumerate(found) if column is not None)
    if rows <= columns:
        best = min(sum(costs[r][c] for r, c in enumerate(way)) for way in permutations(range(columns), rows))
    else:
        best = min(sum(costs[r][c] for c, r in enumerate(way)) for way in permutations(range(rows), columns))
    assert total == best


# --- formulas -----------------------------------------------------------------------------------------------------

IDS = ("a", "b.c", "d-e", "not_f", "and", "2x")
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "==": operator.eq
}  # fmt: skip
DECIMAL = st.sampled_from(["0", "1", "2", "0.1", ".1", "0.2", "0.3", "0.30", "0.7", "00.5", "1.0", "0.8", "0.9", "10"])
REF = st.sampled_from(IDS)
SUM = st.tuples(
    st.just("sum"),
    st.lists(st.tuples(st.none() | DECIMAL, REF), min_size=1, max_size=3),
    st.sampled_from(list(COMPARE)),
    DECIMAL,
)
TREE = st.recursive(
    st.tuples(st.just("id"), REF) | SUM,
    lambda inner: (
        st.tuples(st.just("not"), inner)
        | st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3))
    ),
    max_leaves=8,
)
BINDS = {"or": 0, "and": 1, "not": 2, "id": 3, "sum": 3}


def spelt(ref: str) -> str:
    return f'"{ref}"' if ref in ("and", "2x") else ref


def written(tree: Any, blank: str, around: int = 0) -> str:
    """Return the expression with no more parentheses than it needs."""
    op = tree[0]
    if op == "id":
        text = spelt(tree[1])
    elif op == "sum":
        terms = [spelt(ref) if weight is None else f"{weight}{blank}*{blank}{spelt(ref)}" for weight, ref in tree[1]]
        text = " + ".join(terms) + f"{blank}{tree[2]}{blank}{tree[3]}"
    elif op == "not":
        text = "not " + written(tree[1], blank, 2)
    else:
        text = f" {op} ".join(written(part, blank, BINDS[op] + 1) for part in tree[1])
    return f"({blank}{text}{blank})" if BINDS[op] < around else text


def truth(tree: Any, passed: frozenset[str]) -> bool:
    op = tree[0]
    if op == "id":
        return tree[1] in passed
    if op == "sum":
        total = sum((Fraction(weight or "1") for weight, ref in tree[1] if ref in passed), Fraction(0))
        return COMPARE[tree[2]](total, Fraction(tree[3]))
    if op == "not":
        return not truth(tree[1], passed)
    return (all if op == "and" else any)(truth(part, passed) for part in tree[1])


@law(300)
@given(TREE, st.sampled_from(["", " ", "\n "]), st.sets(REF))
def test_a_formula_is_what_exact_fractions_say(tree: Any, blank: str, passed: set[str]) -> None:
    text = written(tree, blank)
    assert formula.parse(text).holds(frozenset(passed)) is truth(tree, frozenset(passed)), text


# --- patterns -----------------------------------------------------------------------------------------------------

LETTERS = "aabskiKSI1 .-'" + "\u017f\u0131\u212a\u0130\u00df\u1e9e\u03c2\u03c3\u03a3\u00e9\u0301\u2019\u2013\xa0\x1c\n"
SPOKEN = st.lists(
    st.tuples(st.sampled_from(["agent", "caller"]), st.text(st.sampled_from(LETTERS), max_size=6)), max_size=5
)
PIECES = [
    "a", "b", "ab", "a b", "k", "K", "s", "S", "ss", "is", "ki", "sk", "1", ".", r"\.", "-", "'", " ", r"\s", r"\S", r"\W", r"\w",
    r"\d", r"\D", "[^a]", "[^ab]", "[a-k]", r"[\s\S]", r"[^\S]", "a*", "a+", "b?", "k{2}", "a{0,2}", ".*", ".+?", "^", "$", r"\A",
    r"\Z", r"\b", r"\B", "(?<=a)", "(?<!a)", "(?<=\\s)", "(?=b)", "(?!b)", "(?=$)", "(?<!^)", "(a|b)", "(?:a|)", "(?:is|k)", "(?i:S)",
    "(?-i:K)", "(?s:.)", "(?m:^)", "(?a:\\w)", "(?>a|ab)", "a++", "(?:s|\u017f)", "\u017f", "\u0131", "\u0130", "\u212a", "\u00df",
    "\u03c2", "\u03c3", "\u00e9", "e\u0301", "\u2019", "\u2013", r"\x41", r"\u017f", r"\n", "[\\n]", "(a)?(?(1)b|s)",
]  # fmt: skip
WHOLE = [
    "", "(?i)is", "(?s)a.b", "(?m)^b$", "(?x) a b # c", r"(?a)\w+", r"(.)\1", r"(?P<q>a).*(?P=q)", "a|^b", "^$", r"^\s*$", "a.b|k",
    r"\bi", r"s\b", "s[^k]k", r"a\Wb", r"(?:a\s)+b", "(?:k|s)(?:i|s)", "ist|kis", "a{,2}b", r"[^\w]", r"(?<=\n)a", "a(?=\n)",
]  # fmt: skip


def legal(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(fold_pattern(source))
    except (re.error, OverflowError):
        return False
    return True


PATTERN = st.one_of(
    st.sampled_from(WHOLE),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join).filter(legal),
    st.lists(st.sampled_from(PIECES), min_size=2, max_size=3).map("|".join).filter(legal),
)


def lane_of(spoken: list[tuple[str, str]], role: str | None, join: bool) -> Lane:
    turns = tuple(Turn(index, who, fold(text)) for index, (who, text) in enumerate(spoken))
    return Transcript(turns, join).lane(role)


def naive(lane: Lane, compiled: re.Pattern[str]) -> list[int]:
    """Return the turns in which a match starts, of the turn alone or of its whole utterance, one position at a time."""
    found = []
    for utterance in lane.utterances:
        whole, place = " ".join(turn.text for turn in utterance), 0
        for turn in utterance:
            after = place + len(turn.text) + 1
            starts = (compiled.match(whole, at) is not None for at in range(place, min(after, len(whole) + 1)))
            if compiled.search(turn.text) is not None or any(starts):
                found.append(turn.index)
            place = after
    return found


@law(2500)
@given(SPOKEN, PATTERN, st.booleans(), st.booleans(), st.sampled_from([None, "agent"]))
@example([("agent", "\u0130stanbul")], "ist", False, True, None)
@example([("agent", "mi\u017fs")], "miss", False, True, None)
@example([("agent", "a"), ("caller", "b"), ("caller", "ab")], r"a\sb|b", False, True, None)
def test_the_quick_ways_of_searching_find_what_the_slow_one_finds(
    spoken: list[tuple[str, str]], source: str, case: bool, join: bool, role: str | None
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(fold_pattern(source), 0 if case else re.IGNORECASE)
    pattern = compile_pattern(source, case_sensitive=case)
    slow = naive(lane_of(spoken, role, join), compiled)
    lane = lane_of(spoken, role, join)
    first = lane.first(pattern)
    assert [turn.index for turn in lane.matching(pattern)] == slow
    assert (None if first is None else first.index) == (slow[0] if slow else None)
    assert lane.count(pattern) == len(slow)


@law(400)
@given(SPOKEN, PATTERN, st.booleans())
def test_what_a_pattern_says_of_itself_changes_no_answer(
    spoken: list[tuple[str, str]], source: str, join: bool
) -> None:
    quick = compile_pattern(source)
    blunt = Pattern(source, quick.search)
    lane = lane_of(spoken, None, join)
    assert [t.index for t in lane.matching(quick)] == [t.index for t in lane.matching(blunt)]
