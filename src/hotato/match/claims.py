"""Claims of a call beside the deeds that they rest on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from hotato.match.backing import BACKED, CUT, NO_CLOCK, NONE, UNCLEAR, UNKNOWN, Deed, Deeds, Found
from hotato.match.events import Event, Name, Subset, alike, candidates, event_faults, faulting
from hotato.match.evidence import Evidence
from hotato.match.gaps import MOST_SHOWN, last_second, named
from hotato.match.matchers import value_faults
from hotato.match.paths import MISSING, at
from hotato.match.records import Unreadable, filter_faults, read
from hotato.match.regex import Match, Pattern
from hotato.match.said import said_test
from hotato.match.spans import HANDOFF, HTTP_EXCHANGE, TOOL_CALL, Trace, exchange, target
from hotato.match.timeline import Moment
from hotato.match.values import Expected
from hotato.model.call import Span, Turn, span_id
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled

SAID_DIFFERS = "said_differs"
SOURCES = ("transcript", "trace")
_ONWARD = 4  # turns, the one of a claim among them, over which a number that begins in it may run
_UNKNOWN = (UNKNOWN, NO_CLOCK, CUT, UNCLEAR, "unreadable")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record of the system of record, as the `state` kind asks for it."""

    resource: Name
    expect: Subset
    filters: dict[str, Any] = msgspec.field(default_factory=dict)


class Need(Event, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a claim requires: an event of the trace, or a record."""

    state: Record | None = None


def need_faults(need: Need, *path: str | int) -> Iterator[Fault]:
    """Yield what is wrong with a requirement beyond its types."""
    if need.state is None:
        yield from event_faults(need, *path)
        if need.source == "transcript":
            yield Fault(
                path, "exclusive_fields", "what was said proves nothing: require a tool, http, handoff or state"
            )
        return
    others = [name for name in Event.__struct_fields__ if getattr(need, name) is not None]
    if others:
        yield Fault((*path, others[0]), "exclusive_fields", f"'{others[0]}' means nothing beside state")
    yield from value_faults(need.state.expect, (*path, "state", "expect"))
    for fault in filter_faults(need.state.filters):
        yield Fault((*path, "state", *fault.where), fault.code, fault.message)


def _deeds(need: Need, pattern: Callable[..., Pattern]) -> Callable[[Evidence], Deeds]:
    """Return what gives every deed of a call that claims may rest on, and how each came out; found once in a call."""
    if need.is_call or need.http is not None:
        need = msgspec.structs.replace(need, outcome=need.outcome or ("success" if need.status is None else None))
    chosen, fault = candidates(need, pattern), faulting(need)

    def find(evidence: Evidence) -> Deeds:
        trace, timeline = evidence.trace, evidence.timeline(SOURCES)
        moment = timeline.of_span
        return Deeds(timeline, [Deed(moment(s), fault(trace, s), s) for s in chosen(trace)], last_second(timeline))

    key = alike(need, SOURCES)
    return lambda evidence: evidence.once(key, lambda: find(evidence))


def capture_faults(capture: Mapping[str, str] | None, source: str) -> Iterator[Fault]:
    """Yield the captured groups that the regex does not have."""
    try:
        groups = tuple(re.compile(source).groupindex) if capture else ()
    except re.error:  # told where the regex is checked
        return
    for group in capture or ():
        if group not in groups:
            said = f"the regex has no group named '{group}'; write (?P<{group}>...)"
            yield Fault(("capture", group), "capture", said, group, groups)


def captured(trace: Trace, span: Span, path: str) -> Any:
    """Return the field of a deed that a captured group has to equal: `arguments.amount`, `result.id`, `status`, `to`."""
    whole: dict[str, Any] = {"name": span.name}
    if span.type == TOOL_CALL:
        whole |= {"arguments": trace.arguments(span), "result": trace.result(span)}
    elif span.type == HTTP_EXCHANGE:
        whole |= exchange(span)
    elif span.type == HANDOFF:
        whole |= {"to": target(span)}
    found = at(whole, path)
    return at(span.data, path) if found is MISSING else found


class Judged(msgspec.Struct, frozen=True):
    """How each claim came out, and what was done and never told; `open` holds deeds of which that is not known."""

    claims: list[tuple[Moment, Found]]
    untold: list[Deed] = []
    open: list[Deed] = []
    deeds: int = 0
    cause: str = ""


Judging = Callable[[Evidence, list[Moment]], Judged]


class Terms(msgspec.Struct, frozen=True):
    """How claims are to be backed: by what, when (`before`, `after`, `ever`), how long before or after, and with what fields.

    `told` asks of each deed that a claim comes after it. `language` is that of captured words, None for English.
    """

    need: Need
    by: str
    most: float | None
    capture: Mapping[str, str] | None
    told: bool
    language: str | None = None


def of_trace(terms: Terms, pattern: Pattern, patterns: Callable[..., Pattern]) -> Judging:
    """Return what judges the claims of a pattern by the trace."""
    by, most = terms.by, terms.most
    find, comparing = _deeds(terms.need, patterns), _comparing(terms.language)

    def judge(evidence: Evidence, claims: list[Moment]) -> Judged:
        known = find(evidence)
        found = []
        for claim in claims:
            judging = _judge(evidence, claim, terms.capture, pattern, comparing)
            if by == "ever":
                found.append((claim, known.ever(judging)))
            else:
                found.append((claim, (known.before if by == "before" else known.after)(claim, most, judging)))
        untold, unknown = _untold(evidence, known.all, claims) if terms.told else ([], [])
        return Judged(found, untold, unknown, len(known.all))

    return judge


Compare = Callable[[Any], bool | None]


def _judge(
    evidence: Evidence,
    claim: Moment,
    capture: Mapping[str, str] | None,
    pattern: Pattern,
    comparing: Callable[[str, int, int], Compare],
) -> Callable[[Deed], str]:
    if not capture:
        return lambda deed: deed.fault
    text, match = _said(evidence, claim, pattern)
    spans = {group: (-1, -1) if match is None else match.span(group) for group in capture}
    tests = [(comparing(text, *spans[group]), path) for group, path in capture.items()]

    def judge(deed: Deed) -> str:
        if deed.fault:
            return deed.fault
        same = [test(captured(evidence.trace, deed.span, path)) for test, path in tests]
        return SAID_DIFFERS if False in same else UNCLEAR if None in same else ""

    return judge


def _said(evidence: Evidence, claim: Moment, pattern: Pattern) -> tuple[str, Match | None]:
    """Return the match of a claim, and the text that it lies in: its turn and what the speaker says next."""
    transcript = evidence.transcript
    utterance, place = evidence.once("utterance of a turn", lambda: _places(transcript.utterances))[claim.index]
    turn = utterance[place]
    match = pattern.search(turn.text)
    if match is not None:
        return " ".join(one.text for one in utterance[place : place + _ONWARD]), match
    text = " ".join(one.text for one in utterance[place:])  # it runs over a cut of the speaker's own words
    return text, pattern.search(text)


def _places(utterances: list[list[Turn]]) -> dict[int, tuple[list[Turn], int]]:
    return {turn.index: (row, place) for row in utterances for place, turn in enumerate(row)}


def _comparing(language: str | None) -> Callable[[str, int, int], Compare]:
    """Return what compares the part of a text between two places with recorded values; -1 is no part, and equals none."""
    if language is None:
        return lambda text, start, end: partial(says_the_same, None if start < 0 else text[start:end])
    from hotato.match.captured import is_said, part  # loads only where a language is named
    from hotato.match.spoken import language as table_of

    table = table_of(language)

    def comparing(text: str, start: int, end: int) -> Compare:
        if start < 0:
            return lambda value: False  # noqa: ARG005
        said = part(text, start, end, table)
        return lambda value: is_said(said, value, table)

    return comparing


def _untold(evidence: Evidence, done: Sequence[Deed], claims: list[Moment]) -> tuple[list[Deed], list[Deed]]:
    """Return the deeds that went well and after which nothing was claimed, and those of which that is not known."""
    well = [deed for deed in done if not deed.fault]
    if not claims:
        return well, []
    told = [(deed, evidence.timeline(SOURCES).done_before(deed.moment, claims[-1])) for deed in well]
    return [deed for deed, is_told in told if is_told is False], [deed for deed, is_told in told if is_told is None]


def of_record(record: Record) -> Judging:
    """Return what judges claims by the system of record, which is asked once a call."""
    expected = Expected(record.expect, dotted=True)

    def judge(evidence: Evidence, claims: list[Moment]) -> Judged:
        if not claims:
            return Judged([])
        found = read(evidence, record.resource, record.filters)
        if isinstance(found, Unreadable):
            return Judged([(claims[0], Found("unreadable"))], cause=found.cause)
        code = NONE if found is None else BACKED if expected.matches(found) else "record_differs"
        return Judged([(claim, Found(code)) for claim in claims])

    return judge


def verdict(judged: Judged, facts: Mapping[str, Any]) -> Verdict:
    """Return what claims come to: what is false before what is not known."""
    count, told = len(judged.claims), {**facts, "count": len(judged.claims), "cause": judged.cause}
    wrong = [pair for pair in judged.claims if pair[1].code not in (BACKED, *_UNKNOWN)]
    if wrong:
        claim, found = wrong[0]
        return breaks(found.code, exercised=count, fields=_shown(wrong), wrong=len(wrong), turn=claim.index, **told)
    if judged.untold:
        shown = named([deed.moment for deed in judged.untold])
        told |= {"wrong": len(judged.untold), "count": judged.deeds}
        return breaks("unclaimed", exercised=judged.deeds, fields=shown, **told)
    unknown = [pair for pair in judged.claims if pair[1].code in _UNKNOWN]
    if unknown:
        claim, found = unknown[0]
        return unsettled(found.code, fields=_shown(unknown), turn=claim.index, **told)
    if judged.open:
        return unsettled(
            "order_unknown", fields=named([deed.moment for deed in judged.open]), turn="of the claim", **told
        )
    if not count:
        return holds("no_claim", exercised=0, **told)
    return holds("backed", exercised=count, fields=_shown(judged.claims), **told)


def _shown(pairs: list[tuple[Moment, Found]]) -> dict[str, Any]:
    rows = []
    for claim, found in pairs[:MOST_SHOWN]:
        row: dict[str, Any] = {"turn": claim.index, "code": found.code}
        if found.deed is not None:
            row["span_id"] = span_id(found.deed.span.index)
        rows.append(row)
    moments = [claim for claim, _ in pairs] + [found.deed.moment for _, found in pairs if found.deed is not None]
    return {"claims": rows, **named(moments)}


def says_the_same(said: str | None, value: Any) -> bool:
    """Say whether words of a call and a recorded value are the same, in figures or in words; English is read."""
    if said is None or type(value) not in (str, int, float):
        return False
    if said_test("$spoken", value)(said):
        return True
    return type(value) is not str and said_test("$money", value)(said)
