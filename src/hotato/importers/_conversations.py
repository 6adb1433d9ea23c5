"""Which spans of a file are of one call: traces that share a conversation's id, or all where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hotato.importers._importer import Damage, Options
from hotato.importers._notes import Lost
from hotato.importers._payload import identifier
from hotato.importers._raw import Raw
from hotato.model.near import nearest

IDS = ("gen_ai.conversation.id", "conversation.id", "elevenlabs.conversation_id")
SESSION = "session.id"


def chosen(spans: list[Raw], options: Options, lost: Lost) -> tuple[list[Raw], str | None]:
    """Return the spans of one call and its id. Raise Damage where there are several calls and none is chosen.

    A trace belongs to the conversation that any of its spans names; a trace that names none goes with the only one.
    """
    found, sessions = by_trace(spans, IDS, (SESSION,))
    found = found or sessions
    groups = _joined(found)
    if options.call_id is not None:
        traces = next((group[1] for group in groups if options.call_id in group[0]), None)
        if traces is None:
            raise Damage((), _no_such(options.call_id, sorted(one for ids, _ in groups for one in ids)))
        kept = [span for span in spans if span.trace in traces]
        lost["other_calls_dropped"] += len(spans) - len(kept)
        return kept, options.call_id
    if len(groups) > 1:
        said = (
            f"holds {len(groups)} conversations; --call-id chooses one, --split-by gen_ai.conversation.id writes each"
        )
        raise Damage((), said)
    if not groups:
        lost["traces_joined"] += len({span.trace for span in spans}) > 1
        return spans, None
    ids = groups[0][0]
    return spans, next(iter(ids)) if len(ids) == 1 else None


def _no_such(wanted: str, ids: list[str]) -> str:
    near = nearest(wanted, ids)
    if near:
        guess = f" (did you mean '{near}'?)"
    else:
        guess = (
            f"; it names {len(ids)}, and --split-by gen_ai.conversation.id writes each" if ids else "; it names none"
        )
    return f"no conversation of the file has the id that --call-id names{guess}"


def by_trace(spans: list[Raw], *kinds: tuple[str, ...]) -> list[dict[str, set[str]]]:
    """Return the ids that the spans of each trace name, for each kind of id."""
    found: list[dict[str, set[str]]] = [{} for _ in kinds]
    wanted = frozenset(name for names in kinds for name in names)
    resources = {id(span.resource): span.resource for span in spans}
    telling = {key for key, resource in resources.items() if not wanted.isdisjoint(resource)}
    for span in spans:
        if wanted.isdisjoint(span.attrs) and (not telling or id(span.resource) not in telling):
            continue
        places: tuple[Mapping[str, Any], ...] = (span.attrs, span.resource)
        for names, by_id in zip(kinds, found, strict=True):
            told = next((one for place in places for name in names if (one := identifier(place.get(name)))), None)
            if told is not None:
                by_id.setdefault(span.trace, set()).add(told)
    return found


def _joined(found: dict[str, set[str]]) -> list[tuple[set[str], set[str]]]:
    """Return the groups of ids and traces that hang together, sorted."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while parents.setdefault(name, name) != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name

    for ids in found.values():
        first, *others = sorted(ids)
        for other in others:
            parents[root(other)] = root(first)
    groups: dict[str, tuple[set[str], set[str]]] = {}
    for trace, ids in found.items():
        group = groups.setdefault(root(next(iter(ids))), (set(), set()))
        group[0].update(ids)
        group[1].add(trace)
    return [groups[name] for name in sorted(groups)]
