"""Regexes: the same verdict as Python's `re` whichever way is taken, never long, and refused with a place where they must be."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from _laws import law
from hotato import assert_ as A
from hotato import packs
from hotato.cli._packs import regexes
from hotato.errors import EvidenceError, UsageError
from hotato.match import regex as regex_room
from hotato.match.regex import _linear as linear_room
from hotato.match.regex import compile_pattern, regex_common, regex_degree, regex_fault
from hotato.match.regex._bound import NEVER, WORK, longest
from hotato.match.regex._linear import MOST_STATES, Linear
from hotato.match.regex._parse import parse
from hotato.model import codec
from hotato.testing import Case, load_suite, run_case

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "cases" / "regex"
KIND_CASES = load_suite(ROOT / "conformance" / "kinds")
ENVELOPES = sorted((ROOT / "conformance" / "envelopes").iterdir())
MOST_SECONDS = 0.5  # of CPU, for one pattern over 20,000 repeats


def linear(source: str, flags: int = 0) -> Linear:
    tree, compiled = parse(source, flags)
    return Linear(tree, compiled.flags, source)


def shared(name: str) -> list[dict[str, Any]]:
    file = SHARED / name
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []


# --- never long -----------------------------------------------------------------------------------------------------

# pattern, what is repeated, what ends the text, whether there is a match
HOSTILE = [
    (r"^(b+)+$", "b", "?", False),
    (r"^(?:\w+ ?)*\.$", "well ", "!", False),
    (r"^(?:ha|h|a)*bye$", "ha", "!", False),
    (r"order.*paid.*sent.*signed", "order paid sent ", "", False),
    (r"(?s)order.*paid.*sent.*signed", "order paid sent\n", "", False),
    (r"([a-z]+[-_]?)+@shop", "q", "", False),
    (r"\b[\w.]+@[\w.]+\.org\b", "b.", "", False),
    (r"[ ,]+$", ", ", "x", False),
    (r"(?:.*,)*\s*(\S+)\s+end", ",", "", False),
    (r"^(?:b?){30}b{30}$", "b", "", False),
    (r"^(?=(?:\w+ ?)+$)ready", "ready ", "!", False),
    (r"(?<=b)(?:b+)+c", "b", "", False),
    (r"^(?:\w{1,8} ?){1,8}:", "a", "", False),
    (r"^(?:[^\W\d_]+')+$", "\u00e9", "1", False),
    (r"(?i)^(?:[s\u017f]+)+\d$", "\u017f", "!", False),
    (r"(?:b|bb)+c", "b", "c", True),
    (r"^(?:b|c|bc)*$", "bc", "", True),
]


@pytest.mark.parametrize(("source", "unit", "tail", "matches"), HOSTILE)
def test_what_would_hang_takes_linear_time(source: str, unit: str, tail: str, matches: bool) -> None:
    assert regex_fault(source) == ""
    pattern = compile_pattern(source)
    start = time.process_time()
    found = pattern.search(unit * 20_000 + tail)
    assert time.process_time() - start < MOST_SECONDS
    assert (found is not None) is matches


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize("case", shared("redos_cases.jsonl"), ids=lambda case: case["id"])
def test_a_shared_case_is_judged_or_refused(case: dict[str, Any]) -> None:
    fault = regex_fault(case["pattern"])
    if fault:
        assert "usage error" in case["expect"]
        return
    given = case["input"]
    pattern = compile_pattern(case["pattern"], case_sensitive="i" not in case["flags"], speech=False)
    for repeat in (given["repeat"], 20_000):
        text = given["prefix"] + given["pump"] * repeat + given["suffix"]
        start = time.process_time()
        found = pattern.search(text)
        assert time.process_time() - start < MOST_SECONDS
        if repeat == given["repeat"]:
            assert (found is None) is (case["expect"] == "no match")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize("case", shared("re2_diff_cases.jsonl"), ids=lambda case: case["id"])
def test_a_shared_pair_means_what_it_means_to_re(case: dict[str, Any]) -> None:
    if regex_fault(case["pattern"]):
        assert case["want"] == "usage error (exit 2)"
        return
    flags = re.IGNORECASE if "i" in case["flags"] else 0
    quick = compile_pattern(case["pattern"], case_sensitive=not flags, speech=False)
    for match in (linear(case["pattern"], flags).search(case["text"][:2000]), quick.search(case["text"])):
        if len(case["text"]) > 2000 and match is None:  # a count of 5000 takes long to search for by itself
            continue
        told = "no match" if match is None else f"match [{match.start()}, {match.end()}]"
        assert case["want"].startswith(told)


@pytest.mark.parametrize(
    ("source", "unit"), [(source, unit) for source, unit, _, _ in HOSTILE] + [(r"\w+ \w+ x", "a ")]
)
def test_re_is_quick_on_the_longest_text_it_is_given(source: str, unit: str) -> None:
    tree, compiled = parse(source, re.IGNORECASE)
    size = longest(tree, compiled.flags)
    if size > 0:
        start = time.process_time()
        compiled.search((unit * size)[: min(size, 100_000)])
        assert time.process_time() - start < MOST_SECONDS


@pytest.mark.parametrize(
    ("source", "degree"),
    [
        ("refund", 0), (r"\d{3}[- ]?\d{4}", 0), (r"(?:just |now )?sent", 0), ("refund.*card", 1), (r"\w+ \w+", 1),
        (r"(?:all |already )*done", 1), ("a.*b.*c", 2), (r"\s+$", 1), (r"(\w+\s?)*$", None), ("(?:a|ab)*c", None),
        ("(?:a*)*", None), (r"^(?:\w{1,9} ?){1,9}$", None), ("a.{0,200}b", 0), ("(?=.*a)b", 1), ("(?<!not )sure", 0),
    ],
)  # fmt: skip
def test_the_degree_of_a_pattern(source: str, degree: int | None) -> None:
    assert regex_degree(source) == degree


# --- what nearly every text matches -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "least"),
    [
        (".+", 1), (r"\w", 1), ("a|", 1), (r"^.+$", 1), (r"(?:^\s*)?\S+", 1), (r"\b\w+\b", 1), (r"\b.*", 1), ("(?i)[a-z]", 1),
        ("[^.?!]+", 1), (r"x|(\w)", 1), ("(?:[a-m]|[n-z])+", 1), (r"^.+\b", 1), (".{2,}", 2), (r"\w+?\w", 2), (r"\A..+\Z", 2),
        (".{3}", 0), (".*refund", 0), (r"\d", 0), (r"^\w+$", 0), ("^.$", 0), (r"\b[a-z]\b", 0), (r"\b[a-z]+\b", 0), ("(?!x).+", 0),
        (r"(\w)\1", 0), (r"\w++", 0), (r"(?>\w)", 0), ("[^x]", 0), ("[aeiou]", 0), (r"\S+ \S+", 0), ("(?:x|yz)", 0), (r"\B\w", 0),
        (r"(?:^)\w", 0), (".^", 0), ("$.", 0),
        (r"(\w)(.)", 2), (r"(?:\s*)\w", 1), ("(^.+$)", 1), (r"^.+$|x$", 1), ("^(?:..)+$", 0), ("(?:[a-m]{2}|[n-z]{2})", 0),
        ("(?:(?!x)a)+", 0), ("(?:ab|..)", 2), ("(?:[a-m]x?|[n-z])", 1), ("(?:(?!x)a)?.", 1), ("^.{1,9}$", 0), (r"\b.[a-z]*\b", 0), ("(.)?(?(1)a|b)", 0), ("(?<!x).", 0),
    ],
)  # fmt: skip
def test_with_how_many_letters_any_text_matches(source: str, least: int) -> None:
    assert regex_common(source) == least


def test_case_is_minded_where_it_is_not_ignored() -> None:
    assert (regex_common("[a-z]", case_sensitive=True), regex_common("[a-zA-Z]", case_sensitive=True)) == (0, 1)


_ATOM = st.sampled_from([".", r"\w", "[a-z]", "[^x]", "[a-z ]", r"\S", r"\W", "a", "ab", " ", "[A-Z0-9_]"])
_COMMON = st.recursive(
    st.tuples(_ATOM, st.sampled_from(["", "+", "*", "?", "+?", "{2}", "{1,2}", "{2,}"])).map("".join),
    lambda below: (
        st.lists(below, min_size=1, max_size=3).map("".join)
        | st.tuples(below, below).map("(?:{0[0]}|{0[1]})".format)
        | below.map("({})+".format)
        | below.map("(?:{})?".format)
    ),
    max_leaves=5,
)
_EDGE = st.sampled_from(["", "", "^", "$", r"\b", r"\A", r"\Z", r"\B"])
_PLAIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6)


@law(400)
@given(_EDGE, _COMMON, _EDGE, _PLAIN, st.text("abxYZ", min_size=2, max_size=2), _PLAIN, st.booleans())
@example("", "(?:.|ab)", "$", "", "ab", "", False)
def test_a_text_with_so_many_letters_is_matched(
    begin: str, middle: str, end: str, before: str, letters: str, after: str, minded: bool
) -> None:
    source = f"{begin}{middle}{end}"
    least = regex_common(source, case_sensitive=minded)
    if least:
        assert compile_pattern(source, case_sensitive=minded).search(f"{before}{letters[:least]}{after}")


REASONS: dict[str, str] = {}  # regex of a pack -> why its degree is above 1


def test_every_regex_of_a_pack_has_a_low_degree_or_a_reason() -> None:
    for sort in ("assertions", "policy"):
        for name in packs.names(sort):
            for source, degree in regexes(sort, name).items():
                assert (degree is not None and degree <= 1) or source in REASONS, f"{name}: {source}"


def test_a_text_is_refused_by_its_length_and_the_pattern_alone() -> None:
    source = "(?:a?){100}b{100}$"
    size = linear(source)._size
    assert linear(source).search("c" * (WORK // size - 1)) is None
    with pytest.raises(UsageError) as caught:
        linear(source).search("c" * (WORK // size))
    assert caught.value.problems[0].code == "regex_cost"


def test_a_refused_search_names_the_assertion_and_nothing_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_room, "WORK", 1000)
    document = {"version": 1, "assertions": [{"id": "calm", "kind": "phrase", "regex": "^(?:s|ss)+$", "absent": True}]}
    call = A.build_context(transcript=[{"role": "agent", "text": "secret " * 100}])
    with pytest.raises(EvidenceError) as caught:
        A.run_assertions(document, call)
    told = str(caught.value)
    assert "assertion 'calm'" in told
    assert "'^(?:s|ss)+$'" in told
    assert "secret" not in told


def test_dropping_states_changes_no_verdict() -> None:
    chance = random.Random(5)
    search = linear("[ab]*a[ab]{13}$")
    for _ in range(2):
        text = "".join(chance.choices("ab", k=20_000))
        assert (search.search(text) is not None) is (re.search("a[ab]{13}$", text) is not None)
    assert len(search.forwards._states) <= MOST_STATES


# --- the meaning of re ----------------------------------------------------------------------------------------------

LETTERS = "aabkKsSi1_ .-\n\x1c\u017f\u0131\u212a\u0130\u00df\u03c2\u03c3\u00e9\u0664\u00b2\xa0"
ATOM = st.sampled_from(
    ["a", "b", "ab", "k", "K", "s", "i", "1", " ", ".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[ab]", "[^a]", "[a-k]",
     r"[^\W\d]", r"[k\u017f]", "^", "$", r"\A", r"\Z", r"\b", r"\B", "\u017f", "\u0131", "\u00df", "\u03c3", "\u00e9", ""]
)  # fmt: skip
REPEATED = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{,2}", "*?", "+?", "??", "{1,2}?"])
OPENED = st.sampled_from(["(", "(?:", "(?i:", "(?-i:", "(?s:", "(?m:", "(?a:", "(?=", "(?!", "(?<=", "(?<!"])
TREE = st.recursive(
    ATOM,
    lambda inner: (
        st.builds("{}{}".format, ATOM, REPEATED)
        | st.builds("{}{})".format, OPENED, inner)
        | st.builds("(?:{}){}".format, inner, REPEATED)
        | st.builds("(?:{}|{})".format, inner, inner)
        | st.builds("{}{}".format, inner, inner)
    ),
    max_leaves=7,
).filter(lambda source: regex_fault(source) == "")


@law(600)
@given(
    TREE,
    st.lists(st.text(st.sampled_from(LETTERS), max_size=7), min_size=1, max_size=3),
    st.booleans(),
    st.integers(0, 2),
)
@example("(?a:\\W)", ["\u0130"], False, 0)
@example("\\B", [""], True, 0)
@example("(?:|a)*", ["aa"], True, 0)
@example("s$", ["s\n"], True, 0)
@example("(?<=(?=a)a)b", ["ab"], True, 1)
def test_every_way_gives_the_verdict_of_re(source: str, texts: list[str], case: bool, place: int) -> None:
    compiled = parse(source, 0 if case else re.IGNORECASE)[1]
    slow = linear(source, 0 if case else re.IGNORECASE)
    quick = compile_pattern(source, case_sensitive=case, speech=False)
    for text in texts:
        at = min(place, len(text))
        starts = [n for n in range(at, len(text) + 1) if compiled.match(text, n)]
        found, dispatched = slow.search(text, at), quick.search(text, at)
        assert (found is not None) is bool(starts)
        assert (dispatched is not None) is bool(starts)
        if found is not None:
            assert found.start() == starts[0]
        if "(?a:" not in source:  # on which search contradicts match
            assert (compiled.search(text, at) is not None) is bool(starts)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"refund of (?P<amount>\d+) (?P<unit>\w+)", "a refund of 42 dollars"), (r"(a+?)(a*)b", "xaaab"),
        (r"(?=(?P<ahead>\w+))\w", " hello"), (r"(?<=(?P<behind>\w\w))!", "so!"), (r"(?:(a)|(b))+", "ab"), (r"(a|ab)(c|bcd)?", "abcd"),
        (r"(?P<all>.*)(?P<last>\d)", "x 1 y 2 z"), (r"(a)?b", "b"), (r"((?:x|y)+?)(y*)$", "xyyxyy"), (r"(\w+) (?!not)(\w+)", "is not it is so"),
    ],
)  # fmt: skip
def test_span_and_groups_are_those_of_re(source: str, text: str) -> None:
    theirs, ours = re.search(source, text), linear(source).search(text)
    assert theirs is not None
    assert ours is not None
    assert (ours.start(), ours.end()) == theirs.span()
    assert [ours.group(n) for n in range(len(theirs.groups()) + 1)] == [theirs.group(), *theirs.groups()]
    assert {name: ours.group(name) for name in theirs.groupdict()} == theirs.groupdict()
    assert [ours.span(n) for n in range(len(theirs.groups()) + 1)] == [
        theirs.span(n) for n in range(len(theirs.groups()) + 1)
    ]


@pytest.fixture
def no_re(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search everything in linear time, and look for no needle first."""
    monkeypatch.setattr(regex_room, "longest", lambda tree, flags: NEVER)
    monkeypatch.setattr(regex_room, "facts", lambda tree, flags: ((), False))


@pytest.mark.usefixtures("no_re")
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in KIND_CASES
        if case.kind in ("phrase", "policy", "order", "claim", "outcome", "count", "tool_call")
    ],
    ids=lambda case: f"{case.kind}: {case.name}",
)
def test_a_case_comes_out_the_same_without_re(case: Case) -> None:
    run_case(case)


@pytest.mark.usefixtures("no_re")
@pytest.mark.parametrize("folder", ENVELOPES, ids=lambda folder: folder.name)
def test_an_envelope_is_the_same_to_the_byte_without_re(folder: Path) -> None:
    from hotato.state_adapter import MockStateAdapter

    state = folder / "state.json"
    call = A.build_context(
        transcript_path=folder / "transcript.json" if (folder / "transcript.json").is_file() else None,
        trace_path=folder / "voice_trace.jsonl" if (folder / "voice_trace.jsonl").is_file() else None,
        state_adapter=MockStateAdapter(json.loads(state.read_text(encoding="utf-8"))) if state.is_file() else None,
    )
    envelope = A.run_assertions_from_file(folder / "assertions.yaml", call)
    assert codec.encode(envelope, indent=2) + "\n" == (folder / "envelope.json").read_text(encoding="utf-8")


def test_a_long_turn_has_the_verdict_of_a_short_one() -> None:
    document = {
        "version": 1,
        "assertions": [
            {"id": "words", "kind": "phrase", "regex": r"^(?:\w+ ?)+$"},
            {"id": "across", "kind": "count", "phrase": "refund.*paid.*card.*sent", "count": 1},
        ],
    }
    for padding in ("", "well " * 2000):
        turns = [{"role": "agent", "text": f"{padding}refund paid"}, {"role": "agent", "text": "card sent"}]
        envelope = A.run_assertions(document, A.build_context(transcript=turns))
        assert [(r["status"], r.get("turn"), r.get("observed")) for r in envelope["results"]] == [
            ("PASS", 0, None), ("PASS", None, 1)
        ]  # fmt: skip


def test_importing_loads_no_machine() -> None:
    code = "import sys, hotato.assert_; print([m for m in sys.modules if m.startswith('hotato.match.regex._')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not re.search("_linear|_program|_marks|re2", done.stdout)


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (r"(\w+) \1", "a back-reference at character 7"),
        (r"(?P<w>a)\\(?P=w)", "a back-reference at character 11"),
        (r"[\1](a)\1", "a back-reference at character 8"),
        (r"(a)?(?(1)b|c)", "a condition on a group at character 5"),
        ("x(?>a+)b", "an atomic group at character 2"),
        (r"\++a++", "a possessive repeat at character 5"),
        ("[a++]b{2}+", "a possessive repeat at character 7"),
        ("\u2019\u2019(", "at character 3"),
        ("e\u0301\\u2019(a", "at character 9"),
        ("(?:(?:a{100}){100}){3}", "come to 30"),
        ("(" * 101 + "a" + ")" * 101, "more than 100 deep"),
        ("(?<=a|bc)d", "look-behind requires fixed-width"),
        ("a" * 10_001, "at most 10000 are read"),
        ("a\x08", "a backspace character"),
    ],
)
def test_a_pattern_is_refused_with_its_place(source: str, told: str) -> None:
    assert told in regex_fault(source)


@pytest.mark.parametrize(
    "source",
    ["a?" * 5000, "(?:a?)" * 1600, "(" * 90 + "a" + ")" * 90, "(?:x+x+)+" * 900, "\u2019" * 9999 + "(", "(?=a)" * 1900],
)
def test_checking_a_pattern_takes_no_time(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start = time.process_time()
        if not regex_fault(source):
            compile_pattern(source)
        assert time.process_time() - start < 4 * MOST_SECONDS
