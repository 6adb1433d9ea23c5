"""Laws of matching: values, pairings, formulas and patterns, tried on many made up at random, the same ones every time."""

from __future__ import annotations

import json
import operator
import re
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any
from unicodedata import normalize

from hypothesis import assume, example, given
from hypothesis import strategies as st

from _laws import TEXTS, VALUES, law, plain
from hotato.match import formula
from hotato.match.closest import assign
from hotato.match.regex import Pattern, compile_pattern, regex_fault
from hotato.match.text import fold, fold_pattern
from hotato.match.turns import Lane, Transcript
from hotato.match.values import Expected, is_matcher, same
from hotato.model import codec
from hotato.model.call import Turn

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
    if isinstance(a, str) and isinstance(b, str):
        assert same(a, b) is (normalize("NFC", a) == normalize("NFC", b))
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
    for matcher in ({"$ne": a}, {"$nin": [a]}, {"$not": a}, {"$eq": a}, {"$in": [a]}):
        assert not Expected({"k": matcher}).matches({})


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
    "ab|a b", "a(?:b|k)?", "(?:is|i)s?", "ab?", "[ak]b|ss", "a\nb", r"k\nk|b", "(?P<q>a|k)s", "s|ss|k", r"\bi", r"s\b", "s[^k]k", r"a\Wb", r"(?:a\s)+b", "(?:k|s)(?:i|s)", "ist|kis", "a{,2}b", r"[^\w]", r"(?<=\n)a", "a(?=\n)",
]  # fmt: skip


def legal(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(fold_pattern(source))
    except (re.error, OverflowError):
        return False
    return not regex_fault(source)


PATTERN = st.one_of(
    st.sampled_from(WHOLE).filter(legal),
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


@law(2000)
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
