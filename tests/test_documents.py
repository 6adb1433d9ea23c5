"""The document room: every refusal with its place, and the laws that reading holds to."""

from __future__ import annotations

import ast
import json
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato.cli import _command, main
from hotato.document import other
from hotato.document.codes import CODES
from hotato.document.explain import explain
from hotato.document.from_yaml import scan_yaml
from hotato.document.guess import Guesser, distance
from hotato.document.load import Document, load
from hotato.document.packs import load_pack
from hotato.document.reading import read, scan
from hotato.document.references import cycles, order
from hotato.document.scalars import ScalarError, resolve
from hotato.document.text import clean
from hotato.document.tree import Tree
from hotato.document.write import to_yaml
from hotato.errors import DocumentError, Problem
from hotato.model.limits import LIMITS
from hotato.plan.resources import Resources
from hotato.simulate import artifact, checks, scenario, suite

MAX_NODES = LIMITS["document_values"].default
ROOT = Path(__file__).resolve().parent.parent
REFUSED = read((ROOT / "conformance" / "documents" / "refused.yaml").read_text(encoding="utf-8"), "refused.yaml").value[
    "refused"
]
PHRASE = {"id": "a", "kind": "phrase", "regex": "hello"}

# Codes that a text of reasonable size cannot show, each with its test below; and those of writing a document.
OF_SIZE = {"too_large", "too_many_nodes", "too_many_problems"}
OF_OBJECTS = {"not_plain", "contains_itself"}
OF_WRITING = {"unwritable", "nothing_to_infer"}


def document(*assertions: dict[str, Any], **top: Any) -> dict[str, Any]:
    return {"version": 1, "assertions": list(assertions), **top}


def loaded(source: Any, *packs: Any) -> Document:
    return load(scan(source, "document") if isinstance(source, str) else source, Resources(), packs)


def problems_of(source: Any, *packs: Any) -> tuple[Problem, ...]:
    with pytest.raises(DocumentError) as caught:
        loaded(source, *packs)
    return caught.value.problems


def codes_of(source: Any) -> list[str]:
    return [problem.code for problem in problems_of(source)]


def load_case(case: dict[str, Any], read_text: Callable[[str, str], Tree] = scan) -> None:
    tree = read_text(case["text"], "document")
    if case.get("rule_pack"):
        load_pack(tree)
    else:
        load(tree, Resources(), [read_text(text, f"pack{n}") for n, text in enumerate(case.get("packs", ()), 1)])


def refuse(case: dict[str, Any], read_text: Callable[[str, str], Tree] = scan) -> tuple[Problem, ...]:
    with pytest.raises(DocumentError) as caught:
        load_case(case, read_text)
    return caught.value.problems


def scan_slowly(text: str, file: str) -> Tree:
    return scan_yaml(clean(text, file), file, yaml.SafeLoader)


# refusals as data


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_a_refused_document_reports_what_it_says(case: dict[str, Any]) -> None:
    found = refuse(case)
    assert [(p.code, p.line, p.column) for p in found] == [
        (p["code"], p["line"], p["column"]) for p in case["problems"]
    ]
    for problem, expected in zip(found, case["problems"], strict=True):
        assert problem.file == expected.get("file", "document")
        for name in ("path", "guess"):
            if name in expected:
                assert getattr(problem, name) == expected[name], name


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_a_problem_is_one_printable_line_with_a_listed_code(case: dict[str, Any]) -> None:
    for problem in refuse(case):
        assert problem.code in CODES
        assert str(problem).isprintable()
        assert problem.path or not problem.guess


def test_names_of_refused_documents_are_unique() -> None:
    names = [case["name"] for case in REFUSED]
    assert len(set(names)) == len(names) >= 60


def test_every_code_is_covered_by_a_refused_document() -> None:
    shown = {problem["code"] for case in REFUSED for problem in case["problems"]}
    assert shown <= set(CODES)
    assert set(CODES) - shown == OF_SIZE | OF_OBJECTS | OF_WRITING


def test_a_json_case_is_read_as_json() -> None:
    for case in REFUSED:
        assert (case.get("format", "yaml") == "json") == (case["text"].lstrip()[:1] in ("{", "["))


@pytest.mark.parametrize("folder", ["document", "kinds", "match"])
def test_every_code_in_the_source_is_listed(folder: str) -> None:
    found = set()
    for file in (ROOT / "src" / "hotato" / folder).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("_refuse", "_stop")
            ):
                found |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    assert found <= set(CODES)


# what is accepted


def test_a_document_keeps_its_order_and_settings() -> None:
    made = loaded(
        "version: 1\nx-owner: {team: [1, null]}\ninconclusive_policy: fail\nstrict: true\njoin_segments: false\nassertions:\n"
        "  - {id: c, kind: phrase, regex: c, when: [a, b, a], x-note: 1}\n"
        "  - {id: a, kind: phrase, regex: a, role: null}\n"
        "  - {id: b, kind: formula, expr: a}\n"
    )
    assert [spec.id for spec in made.specs] == ["c", "a", "b"]
    assert made.order == (1, 2, 0)
    assert made.when == (("a", "b"), (), ())
    assert (made.inconclusive_policy, made.strict, made.join_segments) == ("fail", True, False)


def test_settings_that_are_not_made_are_none() -> None:
    made = loaded(document(PHRASE))
    assert (made.inconclusive_policy, made.strict, made.join_segments) == (None, None, None)


def test_assertions_of_packs_follow_and_may_be_referred_to() -> None:
    pack = document({**PHRASE, "id": "packed"}, {**PHRASE, "id": "back", "when": "own"})
    made = loaded(document({**PHRASE, "id": "own", "when": "packed"}), pack)
    assert [spec.id for spec in made.specs] == ["own", "packed", "back"]
    assert made.order == (1, 0, 2)


def test_problems_of_document_and_packs_come_sorted_by_file() -> None:
    own = scan("version: 1\nassertions: [{id: a, kind: phrase}]\n", "b.yaml")
    pack = scan("version: 1\nassertions: [{id: a, kind: phrase, regex: a}, {id: 5}]\n", "a.yaml")
    with pytest.raises(DocumentError) as caught:
        load(own, Resources(), [pack])
    places = [(p.file, p.line, p.column) for p in caught.value.problems]
    assert places == sorted(places)
    assert {p.file for p in caught.value.problems} == {"a.yaml", "b.yaml"}


def test_a_rule_pack_is_read() -> None:
    rule = {"id": "r", "type": "banned", "regex": "a", "x-why": 1}
    pack = load_pack({"name": "mine", "version": "1", "rules": [rule], "x-more": 2})
    assert (pack.name, [r.id for r in pack.rules]) == ("mine", ["r"])


# texts

YAML_VALUES = [
    ("no", "no"), ("on", "on"), ("y", "y"), ("12:30", "12:30"), ("2024-01-31", "2024-01-31"), ("~", None), ("null", None),
    ("true", True), ("FALSE", False), ("1", 1), ("-0", 0), ("+7", 7), ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("-1.5E-3", -0.0015),
    ("1_a", "1_a"), ("1.2.3", "1.2.3"), ("0x", "0x"), ("08-15", "08-15"), ("-", None), ("+", "+"), ("nan", "nan"), ("=", "="), ("_1", "_1"),
    ("9" * 19, int("9" * 19)), ("'017'", "017"), ("'\\d'", "\\d"), ('"\\u00e9"', "\u00e9"), ("'it''s'", "it's"), ("1-2", "1-2"),
    ("a#b", "a#b"), ("a # b", "a"), ("[a, {b: c}]", ["a", {"b": "c"}]), ("{}", {}), ("|\n  a\n  b", "a\nb\n"), (">-\n  a\n  b", "a b"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "value"), [pair for pair in YAML_VALUES if pair[0] != "-"])
def test_yaml_is_read_by_the_core_schema(written: str, value: Any) -> None:
    found = read(f"key: {written}\n").value["key"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text", ["1_000", "0_1", "00", "-01", "+0o7", "0XFF", "0B1", "1.e5", "-.Inf", ".NaN", "1_0.0", "1.0_0", "012e3"]
)
def test_a_plain_scalar_that_versions_read_differently_is_refused(text: str) -> None:
    with pytest.raises(ScalarError) as caught:
        resolve(text)
    assert caught.value.code == "ambiguous_scalar"


@given(st.text("0123456789_.+-eExXoObBaAfFinN", min_size=1, max_size=8))
def test_a_plain_scalar_that_two_versions_read_as_different_numbers_is_refused(text: str) -> None:
    """PyYAML resolves by YAML 1.1: where it sees a number, so do we, the same one, or refuse."""
    try:
        old = yaml.safe_load(text)
        new = resolve(text)
    except (ScalarError, yaml.YAMLError, ValueError):
        return
    if type(old) in (int, float) and ":" not in text:
        assert new == old


def test_places_are_those_of_values_and_keys() -> None:
    tree = read("a:\n  - b: 1\n    c: [x, {d: y}]\n")
    assert tree.position(()) == (1, 1)
    assert tree.position(("a",), key=True) == (1, 1)
    assert tree.position(("a", 0)) == (2, 5)
    assert tree.position(("a", 0, "c", 1, "d")) == (3, 16)
    assert tree.position(("a", 0, "c", 1, "d"), key=True) == (3, 13)
    assert tree.position(("a", 0, "c", 9)) == (3, 8)
    assert tree.position(("a", 0, "z", "y"), key=True) == (2, 5)
    assert tree.position(("a", "b")) == (2, 3)


def test_places_in_json_are_found_by_the_second_scan() -> None:
    tree = read('{"a": [1,\n  {"b:": "x, y", "\\u0063": null}], "d": {}, "e": []}')
    assert tree.position(("a",)) == (1, 7)
    assert tree.position(("a",), key=True) == (1, 2)
    assert tree.position(("a", 1, "b:")) == (2, 10)
    assert tree.position(("a", 1, "c"), key=True) == (2, 18)
    assert tree.position(("a", 1, "c")) == (2, 28)
    assert tree.position(("d",)) == (2, 41)
    assert tree.position(("e", 0)) == (2, 50)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4), st.sampled_from([None, 1, 4]))
def test_every_value_of_a_json_text_has_the_place_where_it_stands(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    tree, lines = read(text), text.split("\n")

    def walk(inner: Any, where: tuple[str | int, ...]) -> None:
        line, column = tree.position(where)
        found, _ = json.JSONDecoder().raw_decode("\n".join(lines[line - 1 :])[column - 1 :])
        assert found == inner
        for key, item in (
            inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        ):
            walk(item, (*where, key))

    walk(value, ())


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"),
    min_size=1,
    max_size=12,
)
SPECS = st.fixed_dictionaries(
    {"kind": st.just("phrase"), "regex": st.sampled_from(["a", "b+", r"\d+ [x-z]", "caf\u00e9", "it's"])},
    optional={
        "role": WORDS,
        "absent": st.booleans(),
        "position": st.sampled_from(["any", "first", "last"]),
        "tags": st.lists(WORDS, max_size=3),
        "description": WORDS,
        "x-free": JSON_VALUES,
    },
)


@given(st.lists(SPECS, min_size=1, max_size=4))
def test_json_yaml_and_mapping_forms_of_a_document_are_equal(assertions: list[dict[str, Any]]) -> None:
    for place, assertion in enumerate(assertions):
        assertion["id"] = f"a{place}"
        assertion.pop("x-free", None)
    source = document(*assertions)
    as_yaml = to_yaml(source)  # quotes what the core schema of YAML 1.2 reads as a number, such as 0E0
    assert loaded(json.dumps(source)) == loaded(as_yaml) == loaded(source)


def only_refuses(read_it: Callable[[], Any]) -> bool:
    """Read, and say whether that went well or ended in a DocumentError that can be shown; let all else through."""
    try:
        read_it()
    except DocumentError as error:
        return bool(error.problems) and all(str(problem).isprintable() for problem in error.problems)
    return True


@given(
    st.text(max_size=60)
    | st.text("-[]{}:,&*!|>'\"%@`#?~ \n\t<ab01.\\u", max_size=60)
    | st.binary(max_size=60).map(lambda b: b.decode("latin-1"))
)
def test_any_text_is_a_document_or_a_document_error(text: str) -> None:
    assert only_refuses(lambda: loaded(text))
    assert only_refuses(lambda: load_pack(scan(text)))


@given(
    st.dictionaries(
        st.sampled_from(["version", "assertions", "strict", "x-a", "vers"]),
        JSON_VALUES | st.just(1) | st.lists(st.dictionaries(st.sampled_from(["id", "kind", "regex", "when", "expr", "count", "all_of"]), JSON_VALUES | st.sampled_from(["a", "b", "phrase", "formula", "count", "outcome"]), max_size=5), max_size=3),
        max_size=5,
    )
)  # fmt: skip
def test_any_mapping_is_a_document_or_a_document_error(source: dict[str, Any]) -> None:
    assert only_refuses(lambda: loaded(source))


@pytest.mark.parametrize(
    "case",
    [c for c in REFUSED if c.get("format", "yaml") == "yaml"],
    ids=lambda case: case["name"],
)
def test_the_python_parser_refuses_the_same(case: dict[str, Any]) -> None:
    expected = [(p["code"], p["line"], p["column"]) for p in case["problems"]]
    found = [(p.code, p.line, p.column) for p in refuse(case, scan_slowly)]
    if "surrogate" in case["name"]:
        assert [f[0] for f in found] == ["bad_character"]
    elif expected[0][0] == "yaml_syntax":  # the two parsers notice at different characters
        assert [f[:2] for f in found] == [e[:2] for e in expected]
    else:
        assert found == expected


@given(st.lists(SPECS, min_size=1, max_size=3))
def test_the_python_parser_reads_the_same(assertions: list[dict[str, Any]]) -> None:
    text = yaml.safe_dump(document(*assertions), allow_unicode=True)
    try:
        fast = scan(text)
    except DocumentError:
        return
    assert fast.value == scan_slowly(text, "").value


# hostile texts

HOSTILE = {
    "nested lists": ("x: " + "[" * 100_000, "too_deep"),
    "nested JSON lists": ("[" * 100_000, "too_deep"),
    "nested JSON mappings": ('{"a":' * 100_000, "too_deep"),
    "nested dashes": ("- " * 100_000, "too_deep"),
    "nested block mappings": ("\n".join("  " * n + "a:" for n in range(500)), "too_deep"),
    "an unclosed double quote": ('a: "' + "x" * 1_000_000, "yaml_syntax"),
    "an unclosed single quote": ("a: '" + "x" * 1_000_000, "yaml_syntax"),
    "an unclosed JSON text": ('{"a": "' + "\\\\" * 500_000, "json_syntax"),
    "billion laughs": (
        "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [{', '.join(['*a'] * 9)}]\n" for n in range(30)),
        "yaml_anchor",
    ),
    "a 5000-digit integer": ("version: " + "9" * 5000, "number"),
    "a 5000-digit JSON integer": ('{"version": ' + "9" * 5000 + "}", "number"),
    "a key many times": ("a: 1\n" * 20_000, "duplicate_key"),
    "a wall of colons": ("a:" * 50_000, "yaml_syntax"),
    "too long a text": ("a" * (LIMITS["document_bytes"].default + 1), "too_large"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_refused_soon(name: str) -> None:
    text, code = HOSTILE[name]
    began = time.perf_counter()
    assert code in codes_of(text)
    assert time.perf_counter() - began < 10


@pytest.mark.parametrize(
    "text", ["x-list: [" + "1," * (MAX_NODES + 1) + "1]", '{"x-list": [' + "1," * (MAX_NODES + 1) + "1]}"]
)
def test_more_values_than_the_limit_are_refused(text: str) -> None:
    assert codes_of(text) == ["too_many_nodes"]


def test_the_limit_on_values_counts_alike_in_both_forms() -> None:
    inner = {f"k{n}": 1 for n in range(MAX_NODES - 2)}
    for text in (json.dumps({"x": inner}), "x:\n" + "".join(f"  {key}: 1\n" for key in inner)):
        assert len(scan(text).value["x"]) == MAX_NODES - 2


def test_problems_beyond_a_thousand_are_counted() -> None:
    found = problems_of(document(*[{}] * 600))
    assert len(found) == 1001
    assert (found[-1].code, found[-1].message) == ("too_many_problems", "200 more problems are not listed")


def test_a_big_integer_of_json_is_kept() -> None:
    assert read('{"a": ' + "9" * 400 + "}").value["a"] == int("9" * 400)


# mappings


class Odd:
    def __repr__(self) -> str:
        raise AssertionError("an object handed in is never printed")


NOT_PLAIN: list[tuple[Any, str]] = [
    (math.nan, "number"), (math.inf, "number"), ({1}, "not_plain"), (b"a", "not_plain"), (Odd(), "not_plain"), (1j, "not_plain"),
    ({1: "a"}, "key_not_text"), ({None: "a"}, "key_not_text"), ("\ud800", "bad_character"), ({"\ud800": 1}, "bad_character"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "code"), NOT_PLAIN, ids=lambda pair: type(pair).__name__)
def test_a_value_that_has_no_json_form_is_refused_with_its_path(value: Any, code: str) -> None:
    (problem,) = problems_of(document({**PHRASE, "x-a": [0, value]}))
    assert problem.code == code
    assert problem.path.startswith("assertions[0].x-a[1]")
    assert (problem.line, problem.column) == (0, 0)


def test_a_value_that_contains_itself_is_refused() -> None:
    inner: list[Any] = []
    inner.append([inner])
    (problem,) = problems_of(document(PHRASE, **{"x-a": inner}))
    assert (problem.code, problem.path) == ("contains_itself", "x-a[0][0]")


def test_a_mapping_nested_too_deep_is_refused() -> None:
    inner: Any = 1
    for _ in range(100_000):
        inner = [inner]
    assert codes_of(document(PHRASE, **{"x-a": inner})) == ["too_deep"]


def test_a_mapping_of_shared_parts_does_not_explode() -> None:
    inner: Any = [1, 1]
    for _ in range(40):
        inner = [inner, inner]
    assert codes_of(document(PHRASE, **{"x-a": inner})) == ["too_many_nodes"]


def test_tuples_and_other_mappings_are_read_as_lists_and_mappings() -> None:
    source = MappingProxyType({"version": 1, "assertions": (OrderedDict(PHRASE, tags=("x",)),)})
    assert loaded(source).specs[0].tags == ("x",)


def test_a_document_does_not_share_values_with_the_mapping_it_was_made_from() -> None:
    subset = {"amount": 5}
    made = loaded(document({"id": "a", "kind": "tool_call", "name": "t", "args_subset": subset}))
    subset["amount"] = 6
    assert made.specs[0].args_subset == {"amount": 5}


def test_problems_of_a_mapping_have_paths_and_the_file_given() -> None:
    with pytest.raises(DocumentError) as caught:
        load(document({**PHRASE, "regexp": "a"}), Resources(), file="made.py")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.path, problem.guess) == ("made.py", 0, "assertions[0].regexp", "regex")


@pytest.mark.parametrize("source", [None, 5, "text", [PHRASE]])
def test_what_is_no_mapping_is_refused(source: Any) -> None:
    with pytest.raises(DocumentError) as caught:
        load(Tree(source) if isinstance(source, str) else source, Resources())
    assert [p.code for p in caught.value.problems] == ["wrong_type"]


def test_long_values_are_not_repeated() -> None:
    (problem,) = problems_of(document({**PHRASE, "position": "secret" * 100}))
    assert len(problem.message) < 150


# explain


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    a: Annotated[int, msgspec.Meta(ge=0, lt=3)]
    b: Annotated[str, msgspec.Meta(min_length=1)] | None = None


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    many: list[Inner]
    number: float = 0.0
    either: int | list[int] | Inner = 0
    table: Annotated[dict[str, int], msgspec.Meta(max_length=1)] = {}


FIELDS = st.dictionaries(
    st.sampled_from(["many", "number", "either", "table", "a", "b", "tabel"]), st.deferred(lambda: ANY), max_size=4
)
ANY = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.just(1.5)
    | st.sampled_from(["", "x"])
    | st.lists(FIELDS | st.integers(0, 2), max_size=2)
    | FIELDS
)


@given(FIELDS)
@settings(max_examples=300)
def test_explain_finds_a_fault_exactly_where_the_decoder_refuses(value: dict[str, Any]) -> None:
    try:
        msgspec.convert(value, Outer, strict=True)
        refused = False
    except msgspec.ValidationError:
        refused = True
    assert bool(list(explain(Outer, value))) == refused


# guesses and references


@pytest.mark.parametrize(
    ("found", "guess"),
    [
        ("regexp", "regex"),
        ("Role", "role"),
        ("case-sensitive", "case_sensitive"),
        ("aftre", "after"),
        ("x", ""),
        ("colour", ""),
        ("r" * 70, ""),
    ],
)
def test_a_guess_is_the_nearest_word(found: str, guess: str) -> None:
    assert Guesser().nearest(found, ("after", "case_sensitive", "regex", "role")) == guess


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_the_distance_of_words_is_symmetric_and_zero_only_for_equals(a: str, b: str) -> None:
    assert distance(a, b) == distance(b, a) <= max(len(a), len(b))
    assert (distance(a, b) == 0) == (a == b)


GRAPHS = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3, unique=True), min_size=n, max_size=n)
)


@given(GRAPHS)
def test_a_graph_has_an_order_or_a_cycle(graph: list[list[int]]) -> None:
    graph = [[needed for needed in edges if needed != place] for place, edges in enumerate(graph)]
    found, rings = order(graph), cycles(graph)
    assert (found is None) == bool(rings)
    if found is not None:
        assert sorted(found) == list(range(len(graph)))
        assert all(found.index(needed) < found.index(place) for place, edges in enumerate(graph) for needed in edges)
    for ring in rings:
        assert len(ring) > 1
        assert all(b in graph[a] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))


def test_the_order_is_that_of_the_document_wherever_nothing_refers_forward() -> None:
    assert order([[], [0], [], [1, 2]]) == (0, 1, 2, 3)
    assert order([[2], [], []]) == (2, 0, 1)
    assert order([[2, 1], [], []]) == (1, 2, 0)


def test_a_chain_of_ten_thousand_is_ordinary_and_a_ring_is_named_in_short() -> None:
    chain = [{**PHRASE, "id": f"a{n}", "when": f"a{n + 1}"} for n in range(10_000)]
    made = loaded(document(*chain, {**PHRASE, "id": "a10000"}))
    assert made.order == tuple(range(10_000, -1, -1))
    (problem,) = problems_of(document(*chain, {**PHRASE, "id": "a10000", "when": "a0"}))
    assert problem.code == "reference_cycle"
    assert problem.message.endswith("a19 -> (9981 more) -> a0")


def test_ten_thousand_unknown_references_are_guessed_in_bounded_work() -> None:
    began = time.perf_counter()
    found = problems_of(document(*[{**PHRASE, "id": f"assertion-{n}", "when": f"asertion-{n}"} for n in range(3_000)]))
    assert len(found) == 1001
    assert found[0].guess == "assertion-0"
    assert time.perf_counter() - began < 10


DOCUMENTS = {
    "hotato simulate": "kind: hotato.scenario\nversion: 1\n",
    "hotato test run": "kind: hotato.conversation-test\nversion: 1\nassertions: {deterministic: []}\n",
    "hotato suite run": "kind: hotato.suite\nversion: 1\n",
    "hotato assert run --assertions": "version: 1\nassertions:\n  - {id: a, kind: phrase, regex: refund}\n",
    "hotato rubric run --rubrics": "version: 1\nrubrics:\n  - {id: a, kind: judge_rubric, criterion: polite}\n",
}
PLAYED = ("hotato simulate", "hotato test run", "hotato suite run")  # what `scenario validate` takes
TAKE = {
    "hotato simulate": [["simulate", "x.yaml"], ["scenario", "validate", "x.yaml"]],
    "hotato test run": [["test", "run", "x.yaml"], ["scenario", "validate", "x.yaml"]],
    "hotato suite run": [["suite", "run", "x.yaml"], ["scenario", "validate", "x.yaml"]],
    "hotato assert run --assertions": [["assert", "run", "--assertions", "x.yaml"], ["assert", "lint", "x.yaml"]],
    "hotato rubric run --rubrics": [
        ["rubric", "run", "--rubrics", "x.yaml", "--transcript", "t.json", "--judge-model", "m"]
    ],
}


@pytest.mark.parametrize("command", TAKE)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_of_another_kind_is_named_with_the_command_that_takes_it(
    command: str, document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(DOCUMENTS[document], encoding="utf-8")
    Path("t.json").write_text('[{"role": "agent", "text": "refund"}]', encoding="utf-8")
    for words in TAKE[command]:
        given = [*words, "--transcript", "t.json"] if words[:2] == ["assert", "run"] else words
        code = main(given)
        told = "".join(capsys.readouterr())
        is_own = document == command or (words[0] == "scenario" and document in PLAYED)
        is_own = is_own or (words[0] == "rubric" and document == "hotato assert run --assertions")
        assert ("it is for" in told) is not is_own, told
        if not is_own:
            assert code == 2
            assert told.startswith("x.yaml:"), told
            assert f"it is for '{document} x.yaml'" in told


def test_the_kinds_of_documents_are_those_that_are_read() -> None:
    assert {scenario.KIND, checks.KIND, suite.KIND, artifact.KIND, *other._LISTS} == set(other._TOLD)
    for _, command in other._TOLD.values():
        name, _, flag = command.removeprefix("hotato ").partition(" --")
        declared = _command.parser_of(name).declared
        assert any(one.name == f"--{flag}" if flag else not one.is_flag for one in declared)
