"""Verdicts that people gave of human rubrics: read from a file, and held against the call that is judged.

Each names the sha256 of what the person judged. It counts for that evidence and that criterion alone: of another call, or
of a criterion that was reworded, it is no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.from_mapping import tree_of
from hotato.document.problems import Problems
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError
from hotato.model.codec import encode
from hotato.model.fault import Fault
from hotato.rubric import prompt
from hotato.rubric.answer import masked
from hotato.rubric.document import Rubric, Text
from hotato.rubric.judging import NOTHING, unasked
from hotato.rubric.prompt import Shown
from hotato.rubric.says import INCONCLUSIVE

Position = Annotated[int, msgspec.Meta(ge=0)]
Span = Annotated[str, msgspec.Meta(pattern=r"^s_[0-9]+\Z")]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Verdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one person says of one call by one rubric.

    - `rubric`: the id of a human_rubric. `input_sha256`: what was judged, as a result of `hotato rubric run` tells it.
    - `verdict`: PASS or FAIL. `turns`, `spans`: what it rests on, one at least. `rationale`: why, in words.
    - `by`, `at`: who gave it and when, as they are to be shown.
    """

    rubric: Text
    input_sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    verdict: Literal["PASS", "FAIL"]
    by: Name
    at: Name
    turns: tuple[Position, ...] = ()
    spans: tuple[Span, ...] = ()
    rationale: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Any
    verdicts: Annotated[list[Verdict], msgspec.Meta(min_length=1)]


def load_verdicts(source: str | Mapping[str, Any], rubrics: Sequence[Rubric]) -> tuple[Verdict, ...]:
    """Return the verdicts of a file, YAML or JSON, or of a mapping. Raise DocumentError with everything that is wrong in it.

    `rubrics` are those that are run: a verdict by another one, or by one that a model judges, is refused.
    """
    if isinstance(source, str):
        tree = scan(read_text(source, most=MOST_CONFIG, error=DocumentError), source)
    else:
        tree = tree_of(source, "verdicts")
    problems = Problems()
    problems.take(tree.problems)
    made = _converted(tree, problems)
    if made is not None:
        for fault in _faults(made.verdicts, {one.id: one.kind for one in rubrics}):
            problems.add(tree, (), fault)
    problems.raise_any()
    assert made is not None
    return tuple(made.verdicts)


def _converted(tree: Tree, problems: Problems) -> _File | None:
    """Return a file's verdicts, or None and what is wrong with their types."""
    from hotato.document.explain import explain, found

    if type(tree.value) is not dict:
        said = f"a mapping with version and verdicts is wanted; found {found(tree.value)}"
        problems.add(tree, (), Fault((), "wrong_type", said))
        return None
    own = {name: value for name, value in tree.value.items() if not name.startswith("x-")}
    if "version" in own and (type(own["version"]) is not int or own["version"] != 1):
        said = f"must be the integer 1; found {found(own['version'])}"
        problems.add(tree, (), Fault(("version",), "version", said))
    try:
        return msgspec.convert(own, _File, strict=True)
    except msgspec.ValidationError as error:
        for fault in list(explain(_File, own)) or [Fault((), "wrong_type", str(error))]:
            problems.add(tree, (), fault)
    return None


def _faults(verdicts: Sequence[Verdict], kinds: Mapping[str, str]) -> Iterator[Fault]:
    seen: set[tuple[str, str, str]] = set()
    for place, one in enumerate(verdicts):
        where, allowed = ("verdicts", place), tuple(sorted(name for name in kinds if kinds[name] == "human_rubric"))
        if one.rubric not in kinds:
            said = f"no rubric that is run has the id '{one.rubric[:128]}'"
            yield Fault((*where, "rubric"), "unknown_reference", said, one.rubric, allowed)
        elif one.rubric not in allowed:
            said = f"'{one.rubric}' is a judge_rubric: a model judges it, and a person's verdict does not take that one's place"
            yield Fault((*where, "rubric"), "wrong_value", said)
        if not one.turns and not one.spans:
            yield Fault(where, "missing_field", "needs turns or spans: what the verdict rests on")
        for name in ("by", "at"):
            if not getattr(one, name).strip():
                yield Fault((*where, name), "length", "must not be blank")
        key = (one.rubric, one.input_sha256, " ".join(one.by.casefold().split()))
        if key in seen:
            yield Fault((*where, "by"), "duplicate_item", "this person gave a verdict of the same evidence already")
        seen.add(key)


def input_sha256(rubric: Rubric, evidence: Shown) -> str:
    """Return the hash of what a person judges: the criterion with its examples, and the evidence that the rubric names."""
    return sha256(encode([rubric.kind, prompt.user_text(rubric, evidence)]).encode()).hexdigest()


def judged(rubric: Rubric, evidence: Shown, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return what people say of a call, as `judging.judgement` has it: their verdict where all of them say the same."""
    given = [one for one in verdicts if one.rubric == rubric.id]
    here = [one for one in given if one.input_sha256 == input_sha256(rubric, evidence)]
    if not here:
        return unasked("person_judged_other" if given else "person_needed")
    here.sort(key=lambda one: (one.by, one.at))
    is_cited = [evidence.turns.issuperset(one.turns) and evidence.spans.issuperset(one.spans) for one in here]
    disagreement = len({one.verdict for one in here}) > 1
    code = "persons_disagree" if disagreement else "person_judged" if all(is_cited) else "citation_unknown"
    turns = sorted({turn for one in here for turn in one.turns} & evidence.turns)
    spans = sorted({span for one in here for span in one.spans} & evidence.spans, key=lambda span: int(span[2:]))
    return {
        **NOTHING,
        "status": here[0].verdict if code == "person_judged" else INCONCLUSIVE,
        "code": code,
        "rationale": masked(" ".join(one.rationale for one in here if one.rationale)),
        "citations": [*({"turn": turn} for turn in turns), *({"span_id": span} for span in spans)],
        "votes": [_vote(one, is_there) for one, is_there in zip(here, is_cited, strict=True)],
        "disagreement": disagreement,
    }


def _vote(one: Verdict, is_cited: bool) -> dict[str, Any]:
    return {
        "verdict": one.verdict,
        "status": one.verdict if is_cited else INCONCLUSIVE,
        "code": "person_judged" if is_cited else "citation_unknown",
        "confidence": None,
        "by": one.by,
        "at": one.at,
    }
