"""From a file of rubrics to checked rubrics, or every problem in it with its place.

A file of rubrics is `version: 1` and `rubrics: [...]`. An assertions document is read as well: its rubrics are taken, all
else in it is left to the deterministic lane.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.from_mapping import tree_of
from hotato.document.other import is_other
from hotato.document.problems import Problems, Where
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError
from hotato.model.fault import Fault

KINDS = ("judge_rubric", "human_rubric")
_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_MOST_VOTES = 15

Text = Annotated[str, msgspec.Meta(min_length=1)]
Source = Literal["transcript", "tool_trace"]
Occasion = Literal["fail", "disagreement", "confidence_below_threshold"]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every part of a rubric refuses what it does not know."""


class Examples(_Strict, frozen=True, kw_only=True):
    """What would pass, and what would fail, in words."""

    passes: Annotated[tuple[Text, ...], msgspec.Meta(max_length=20)] = msgspec.field(default=(), name="pass")
    fails: Annotated[tuple[Text, ...], msgspec.Meta(max_length=20)] = msgspec.field(default=(), name="fail")


class Evaluation(_Strict, frozen=True, kw_only=True):
    """How a model is asked.

    - `model`: which one; the command line's comes first.
    - `repetitions`: how often it is asked, each time with another seed. One verdict that differs makes it INCONCLUSIVE.
    - `confidence_required`: the least confidence, 0 to 1, that every answer must state.
    """

    model: Text | None = None
    repetitions: Annotated[int, msgspec.Meta(ge=1, le=_MOST_VOTES)] = 1
    aggregation: Literal["unanimous_or_inconclusive"] = "unanimous_or_inconclusive"
    confidence_required: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5


class Review(_Strict, frozen=True, kw_only=True):
    """On what occasions a person has to look as well."""

    human_required_on: tuple[Occasion, ...] = ()


class Rubric(_Strict, frozen=True, kw_only=True):
    """A criterion that a model or a person judges. The last four fields are those of any assertion, and only ride along."""

    id: str
    kind: Literal["judge_rubric", "human_rubric"]
    criterion: Text
    dimension: Literal["outcome", "policy", "conversation", "speech", "reliability"] | None = None
    evidence: Annotated[tuple[Source, ...], msgspec.Meta(min_length=1)] = ("transcript",)
    examples: Examples = Examples()
    evaluation: Evaluation = Evaluation()
    review: Review = Review()
    severity: str | None = None
    tags: tuple[str, ...] = ()
    description: str | None = None
    when: str | tuple[str, ...] | None = None


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Any
    rubrics: list[Any]


def load_file(path: str) -> tuple[Rubric, ...]:
    """Return the rubrics of a file, YAML or JSON. Raise DocumentError with everything that is wrong in it."""
    return load(scan(read_text(path, most=MOST_CONFIG, error=DocumentError), path))


def load(source: Tree | Mapping[str, Any]) -> tuple[Rubric, ...]:
    """Return the rubrics of a tree or a mapping, in its order. Raise DocumentError with everything that is wrong in it."""
    tree = source if isinstance(source, Tree) else tree_of(source, "rubrics")
    problems = Problems()
    problems.take(tree.problems)
    found: list[Rubric] = []
    for where, value in _items(tree, problems):
        rubric = _rubric(tree, where, value, problems)
        if rubric is not None:
            found.append(rubric)
    _check_ids(tree, problems)
    problems.raise_any()
    if not found:
        problems.add(tree, (), Fault((), "no_rubrics", "no rubric: nothing would be judged"))
        problems.raise_any()
    return tuple(found)


def _items(tree: Tree, problems: Problems) -> Iterator[tuple[Where, Any]]:
    """Yield place and value of each rubric."""
    from hotato.document.explain import explain, found

    head = tree.value
    holds_some = type(head) is dict and ("rubrics" in head or type(head.get("assertions")) is list)
    if not holds_some and is_other(problems, tree, "rubrics"):
        return
    if type(head) is not dict or not {"rubrics", "assertions"} & head.keys():
        there = f"{found(head)} with neither 'rubrics' nor 'assertions'" if type(head) is dict else found(head)
        said = f"a mapping with version and rubrics, or an assertions document, is wanted; found {there}"
        problems.add(tree, (), Fault((), "wrong_type", said))
        return
    if type(head.get("version", 1)) is not int or head.get("version", 1) != 1:
        said = f"must be the integer 1; found {found(head['version'])}"
        problems.add(tree, (), Fault(("version",), "version", said))
    if "rubrics" in head:
        own = {name: value for name, value in head.items() if not name.startswith("x-")}
        for fault in explain(_Head, own):
            problems.add(tree, (), fault)
        listed = own["rubrics"]
        yield from ((("rubrics", place), value) for place, value in enumerate(listed if type(listed) is list else ()))
        return
    from hotato import kinds

    known = kinds.names()
    listed = head["assertions"]
    if type(listed) is not list:
        said = f"must be a list; found {found(listed)}"
        problems.add(tree, (), Fault(("assertions",), "wrong_type", said))
        return
    for place, value in enumerate(listed):
        kind = value.get("kind") if type(value) is dict else None
        if kind in KINDS:
            yield ("assertions", place), value
        elif type(kind) is not str or kind not in known:  # it may be a rubric whose kind is misspelt
            word = kind if type(kind) is str else ""
            fault = Fault(("kind",), "unknown_kind", "no kind of assertion has this name", word, tuple(known))
            problems.add(tree, ("assertions", place), fault)


def _rubric(tree: Tree, where: Where, value: Any, problems: Problems) -> Rubric | None:
    """Return a rubric, or None and what is wrong with it."""
    from hotato.document.explain import explain, found

    if type(value) is not dict:
        problems.add(tree, where, Fault((), "wrong_type", f"a rubric is a mapping; found {found(value)}"))
        return None
    own = {name: inner for name, inner in value.items() if not name.startswith("x-")}
    owner = f"rubric '{own['id']}'" if type(own.get("id")) is str else ""
    faults = list(explain(Rubric, own))
    for fault in faults:
        problems.add(tree, where, fault, owner)
    if type(own.get("id")) is str and not _ID.fullmatch(own["id"]):
        said = "an id is 1 to 128 ASCII letters, digits, '.', '_' and '-'"
        problems.add(tree, where, Fault(("id",), "bad_id", said))
    if type(own.get("criterion")) is str and own["criterion"] and not own["criterion"].strip():
        problems.add(tree, where, Fault(("criterion",), "length", "must not be blank"), owner)
    return None if faults else msgspec.convert(own, Rubric, strict=True)


def _check_ids(tree: Tree, problems: Problems) -> None:
    """Refuse an id that stands twice, in the rubrics or in the assertions beside them."""
    head = tree.value if type(tree.value) is dict else {}
    name = "rubrics" if "rubrics" in head else "assertions"
    seen: set[str] = set()
    for place, value in enumerate(head[name] if type(head.get(name)) is list else ()):
        ident = value.get("id") if type(value) is dict else None
        if type(ident) is not str:
            continue
        if ident.lower() in seen:
            said = f"the id '{ident}' is already used"
            problems.add(tree, (name, place), Fault(("id",), "duplicate_id", said))
        seen.add(ident.lower())
