"""Changes of what a system of record holds, and of what was measured on a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from hotato.errors import StateAdapterError
from hotato.model import codec
from hotato.model.call import Call, StateAdapter
from hotato.probe.mutate_call import Change, with_value, without
from hotato.probe.mutate_done import leaves, others
from hotato.probe.mutate_words import Words


class Asked(msgspec.Struct, frozen=True):
    """A question to the system of record, and its answer: a record, None for none, or what kept it from answering."""

    resource: str
    filters: dict[str, Any]
    answer: Any


class Recorded:
    """A system of record that is asked each question once, whatever the answer; `asked` holds the questions in order."""

    def __init__(self, adapter: StateAdapter) -> None:
        self.asked: dict[str, Asked] = {}
        self._adapter = adapter

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
        """Return the record. Raise StateAdapterError where the system could not be read."""
        key = key_of(resource, filters)
        if key not in self.asked:
            try:
                answer: Any = self._adapter.query(resource, **filters)
            except StateAdapterError as error:
                answer = error
            except Exception as error:  # an adapter may be anybody's code
                answer = StateAdapterError(f"the adapter raised {type(error).__name__}")
            self.asked[key] = Asked(resource, filters, answer)
        found = self.asked[key].answer
        if isinstance(found, StateAdapterError):
            raise found
        return found  # type: ignore[no-any-return]  # what an adapter answers, which is checked where it is read


class _Altered:
    """A system of record that answers one question otherwise."""

    def __init__(self, adapter: StateAdapter, key: str, answer: dict[str, Any] | None) -> None:
        self._adapter, self._key, self._answer = adapter, key, answer

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
        """Return the record, or what stands in its place."""
        return self._answer if key_of(resource, filters) == self._key else self._adapter.query(resource, **filters)


def key_of(resource: str, filters: Mapping[str, Any]) -> str:
    """Return a question as text; equal questions have equal texts."""
    return repr((resource, sorted((name, type(value).__name__, repr(value)) for name, value in filters.items())))


def of_records(recorded: Recorded, words: Words) -> Iterator[Change]:
    """Yield every change of the records that were read."""

    def change(what: str, key: str, answer: dict[str, Any] | None) -> Change:
        altered = _Altered(recorded, key, answer)
        return Change(what, ("state",), lambda call: replace(call, state_adapter=altered, state_evidence=[]))

    for key, asked in list(recorded.asked.items()):
        record = asked.answer
        if asked.filters.get("when") == "after":
            before = recorded.asked.get(key_of(asked.resource, {**asked.filters, "when": "before"}))
            if before is not None and not isinstance(before.answer, StateAdapterError):
                yield change("record_unchanged", key, before.answer)
        if record is None:
            made = {**words.records.get(asked.resource, {})}
            made |= {name: value for name, value in asked.filters.items() if name != "when"}
            yield change("record_added", key, made)
        elif isinstance(record, Mapping):
            whole = dict(record)
            yield change("record_dropped", key, None)
            for path, leaf in leaves(whole):
                if not path:
                    continue
                name = next((step for step in reversed(path) if isinstance(step, str)), "")
                yield change("record_field_dropped", key, without(whole, path))
                for other in others(leaf, words.values.get(name, ())):
                    yield change("record_changed", key, with_value(whole, path, other))


def of_timing(call: Call) -> Iterator[Change]:
    """Yield every change of what was measured."""

    def change(what: str, timing: Any) -> Change:
        return Change(what, ("timing",), lambda call: replace(call, timing=timing, state_evidence=[]))

    whole = dict(call.timing or {})
    for path, leaf in leaves(whole):
        if path and type(leaf) in (int, float):
            yield change("timing_changed", with_value(whole, path, min(leaf * 10 + 100_000, codec.LARGEST)))
            yield change("timing_changed", with_value(whole, path, 0))
            yield change("timing_dropped", with_value(whole, path, None))
        elif path and type(leaf) is bool:
            yield change("timing_changed", with_value(whole, path, not leaf))
