"""What is wrong with a scenario beyond its types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from hotato.model.fault import Fault
from hotato.simulate.documents import plain
from hotato.simulate.fill import names
from hotato.simulate.scenario import Acts, Branch, Change, Line, Scenario

Where = tuple[str | int, ...]
_FILLED = ("says", "tools", "http", "handoffs", "greeting", "state")
MOST_RUNS = 100_000


def faults(scenario: Scenario) -> Iterator[Fault]:
    """Yield everything that is wrong."""
    pauses = scenario.caller.behavior.pause_ms
    if pauses.min > pauses.max:
        said = f"at least {pauses.min} and at most {pauses.max} ms allow no pause"
        yield Fault(("caller", "behavior", "pause_ms"), "bound", said)
    environment = scenario.environment
    if environment.snr_db is not None and environment.noise == "clean" and not scenario.variation_matrix.noise:
        said = "'snr_db' means nothing without noise"
        yield Fault(("environment", "snr_db"), "needless_field", said)
    for name in sorted(set(scenario.facts) & set(scenario.variables)):
        yield Fault(("variables", name), "duplicate_id", f"'{name}' is a fact already")
    yield from _matrix(scenario)
    known = {*scenario.facts, *scenario.variables}
    yield from _script(scenario.caller.script, ("caller", "script"), known)
    is_leaf = not scenario.branches
    yield from _acts(scenario.agent_mock, len(scenario.caller.script), ("agent_mock",), known, is_leaf)
    resources = None if scenario.agent_mock.state is None else set(scenario.agent_mock.state)
    yield from _changes(scenario.agent_mock, ("agent_mock",), resources)
    yield from _branches(scenario.branches, ("branches",), known, resources)


def _matrix(scenario: Scenario) -> Iterator[Fault]:
    matrix = scenario.variation_matrix
    runs = matrix.repetitions
    for name in ("speaking_rate", "noise", "locale"):
        values: Sequence[Any] = getattr(matrix, name) or ()
        runs *= max(1, len(values))
        for place, value in enumerate(values):
            if value in values[:place]:
                yield Fault(("variation_matrix", name, place), "duplicate_item", f"{value} is listed twice")
    if runs > MOST_RUNS:
        yield Fault(("variation_matrix",), "range", f"{runs} runs; at most {MOST_RUNS} are made of one scenario")


def _branches(
    branches: Sequence[Branch], where: Where, known: set[str], resources: set[str] | None, depth: int = 1
) -> Iterator[Fault]:
    if depth > 20:
        yield Fault(where, "too_deep", "branches are nested at most 20 deep")
        return
    first: dict[str, int] = {}
    for place, branch in enumerate(branches):
        here = (*where, place)
        if first.setdefault(branch.id, place) != place:
            said = f"the id is already used by branch {first[branch.id] + 1} beside it"
            yield Fault((*here, "id"), "duplicate_id", said)
        inside = known | set(branch.variables)
        yield from _script(branch.script, (*here, "script"), inside)
        is_leaf = not branch.branches
        yield from _acts(branch.agent_mock, len(branch.script), (*here, "agent_mock"), inside, is_leaf)
        yield from _changes(branch.agent_mock, (*here, "agent_mock"), resources)
        yield from _branches(branch.branches, (*here, "branches"), inside, resources, depth + 1)


def _script(script: Sequence[Line], where: Where, known: set[str]) -> Iterator[Fault]:
    for place, line in enumerate(script):
        if line.say is None and line.press is None:
            yield Fault((*where, place), "missing_field", "a line needs 'say' or 'press'")
        if line.interrupts and line.say is None:
            yield Fault((*where, place, "interrupts"), "needless_field", "'interrupts' means nothing without 'say'")
        if line.interrupts and line.pause_ms is not None:
            said = "a line that interrupts does not wait"
            yield Fault((*where, place, "pause_ms"), "exclusive_fields", said)
    yield from _names([{"say": line.say} for line in script], where, known)


def _acts(acts: Acts, lines: int, where: Where, known: set[str], is_leaf: bool) -> Iterator[Fault]:
    if len(acts.says) > lines:
        said = f"answer {lines + 1} has no line of the caller to answer; the script has {lines}"
        yield Fault((*where, "says", lines), "length", said)
    for name in ("tools", "http", "handoffs"):
        for place, act in enumerate(getattr(acts, name)):
            if act.turn is not None and act.turn > lines:
                said = f"the caller's script has {lines} lines"
                yield Fault((*where, name, place, "turn"), "range", said)
    if acts.termination is not None and not is_leaf:
        said = "branches go on from here; a call ends where none does"
        yield Fault((*where, "termination"), "needless_field", said)
    for place, tool in enumerate(acts.tools):
        if tool.error is not msgspec.UNSET:
            if tool.result is not msgspec.UNSET:
                said = "give result or error; a tool that went wrong has no result"
                yield Fault((*where, "tools", place, "result"), "exclusive_fields", said)
            if tool.changes:
                said = "a tool that went wrong changes nothing"
                yield Fault((*where, "tools", place, "changes"), "exclusive_fields", said)
    value = plain(acts)
    yield from _names({name: value[name] for name in _FILLED if name in value}, where, known)


def _changes(acts: Acts, where: Where, resources: set[str] | None) -> Iterator[Fault]:
    for place, tool in enumerate(acts.tools):
        for number, change in enumerate(tool.changes):
            here = (*where, "tools", place, "changes", number)
            yield from _change(change, here)
            if resources is None:
                said = "there is no state to change: give agent_mock.state"
                yield Fault(here, "missing_field", said)
            elif change.resource not in resources:
                said = f"the state has no resource '{change.resource}'"
                known = tuple(sorted(resources))
                yield Fault((*here, "resource"), "state", said, found=change.resource, allowed=known)


def _change(change: Change, where: Where) -> Iterator[Fault]:
    if (change.set is None) == (change.add is None):
        yield Fault(where, "exclusive_fields", "a change needs exactly one of 'set' and 'add'")
    if change.set is not None and change.where is None:
        yield Fault(where, "missing_field", "'set' needs 'where': which rows")
    if change.add is not None and change.where is not None:
        yield Fault((*where, "where"), "needless_field", "'where' means nothing without 'set'")


def _names(value: Any, where: Where, known: set[str]) -> Iterator[Fault]:
    for name, inside in names(value):
        if name not in known:
            said = f"'{{{name}}}' is no fact and no variable; double the braces to mean them"
            yield Fault((*where, *inside), "variable", said, found=name, allowed=tuple(sorted(known)))
