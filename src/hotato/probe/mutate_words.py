"""What a document speaks of: the tools, patterns, events and values that a change can bring into a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from hotato.kinds import tag
from hotato.match.spans import DTMF, HANDOFF, HTTP_EXCHANGE, TOOL_CALL
from hotato.model.pack import Pack
from hotato.plan.compile import Plan
from hotato.probe.mutate_pattern import example

_MOST_VALUES = 4  # of one field
Packs = Callable[[str | None, str | None], Pack]  # a rule pack by name, or by the path of its file
_SUBSETS = {
    "args_subset": "arguments",
    "result_subset": "result",
    "reference": "arguments",
    "response_subset": "response",
}


class Words(msgspec.Struct, frozen=True):
    """What a document speaks of.

    `said` are (role or "", text), `turned` (role or "", what has to be said later, what earlier); `patterns` the regexes that are looked for in speech, with whether case counts; `done`
    are spans without times; `values` are those that fields of each name are compared with; `records` what each resource
    should hold; `most` is one more than the largest count that is asserted.
    """

    said: tuple[tuple[str, str], ...]
    turned: tuple[tuple[str, str, str], ...]
    patterns: tuple[tuple[str, bool], ...]
    done: tuple[dict[str, Any], ...]
    values: dict[str, list[Any]]
    records: dict[str, dict[str, Any]]
    most: int


def words_of(plan: Plan, pack: Packs) -> Words:
    """Return what the document of a plan speaks of, in its order, nothing twice."""
    heard: dict[tuple[str, str, bool], None] = {}
    done: dict[bytes, dict[str, Any]] = {}
    values: dict[str, list[Any]] = {}
    records: dict[str, dict[str, Any]] = {}
    orders: list[dict[str, Any]] = []
    most = 1
    for node in plan.nodes:
        if node.spec is None:
            continue
        spec = msgspec.to_builtins(node.spec)
        kind = tag(type(node.spec))
        orders += [spec] if kind == "order" else []
        for regex, role, case in (*_speech(spec), *_rules(kind, spec, pack)):
            heard.setdefault((regex, role, case))
        for span in _events(kind, spec):
            done.setdefault(msgspec.json.encode(span, order="deterministic"), span)
        for subset in _subsets(spec):
            _collect(subset, "", values)
        for wanted in _records(spec):
            _collect(wanted["expect"], "", values)
            records.setdefault(str(wanted["resource"]), _nested(plain(wanted["expect"])))
        _collect(
            {key: spec[key] for key in ("from", "to") if "field" in spec and key in spec},
            "",
            values,
            of=spec.get("field"),
        )
        most = max([most, *(bound + 1 for bound in _bounds(spec) if bound < 1000)])
    texts: dict[tuple[str, bool], str | None] = {
        (regex, case): example(regex, case_sensitive=case) for regex, _, case in heard
    }
    said: dict[tuple[str, str], None] = {}
    for regex, role, case in heard:
        text = texts[regex, case]
        if text is not None:
            said.setdefault((role, text))
    turned = []
    for spec in orders:
        then, first = (texts[spec[name], bool(spec.get("case_sensitive"))] for name in ("after", "before"))
        if then is not None and first is not None:
            turned.append((str(spec.get("role") or ""), then, first))
    return Words(tuple(said), tuple(turned), tuple(texts), tuple(done.values()), values, records, most)


def plain(expected: Any) -> Any:
    """Return a value that satisfies an expected one, as far as one is easily found."""
    if isinstance(expected, dict):
        if any(key.startswith("$") for key in expected):
            return _satisfying(*next(iter(expected.items())))
        return {key: plain(item) for key, item in expected.items()}
    return [plain(item) for item in expected] if isinstance(expected, list) else expected


def _satisfying(operator: str, value: Any) -> Any:
    if operator == "$regex" and isinstance(value, str):
        return example(value) or value
    if operator in ("$in", "$any_of", "$all_of") and isinstance(value, list) and value:
        return plain(value[0])
    if operator in ("$gt", "$lt") and type(value) in (int, float):
        return value + (1 if operator == "$gt" else -1)
    if operator == "$approx" and isinstance(value, dict):
        return value.get("value")
    if operator in ("$gte", "$lte", "$ci", "$eq", "$contains"):
        return value
    return "something"


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Return fields whose names are dotted paths as fields inside one another."""
    out: dict[str, Any] = {}
    for key, value in flat.items():
        *way, last = key.split(".")
        here: Any = out
        for step in way:
            here = here.setdefault(step, {})
            if not isinstance(here, dict):
                break
        else:
            here[last] = value
    return out


def _walk(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _walk(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _walk(item)


def _speech(spec: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield each regex on speech, with its role and whether case counts."""
    for part in _walk(spec):
        role, case = str(part.get("role") or spec.get("role") or ""), bool(part.get("case_sensitive"))
        regexes = [part.get(key) for key in ("regex", "phrase", "says")]
        if part.get("kind") == "order":
            regexes += [part.get("before"), part.get("after")]
        yield from ((regex, role, case) for regex in regexes if isinstance(regex, str))


def _rules(kind: str, spec: dict[str, Any], pack: Packs) -> Iterator[tuple[str, str, bool]]:
    if kind != "policy":
        return
    wanted = spec.get("rule_ids")
    for rule in pack(spec.get("pack"), spec.get("pack_path")).rules:
        if wanted is None or rule.id in wanted:
            yield rule.regex, rule.role or "", rule.case_sensitive


def _events(kind: str, spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the spans that an assertion speaks of."""
    if kind == "dtmf":
        yield {"type": DTMF, "digits": spec["digits"]}
    elif kind == "handoff":
        yield {"type": HANDOFF, "to": spec.get("to") or "somebody"}
    elif kind == "termination":
        yield {"type": "termination", "reason": spec.get("reason") or "other", "by": spec.get("by") or "agent"}
    for part in _walk(spec):
        tools = [part.get("tool"), part.get("until") if "tool" in part else None, part.get("tool_called")]
        tools += [part.get("name")] if part is spec and kind in ("tool_call", "tool_result", "tool_error") else []
        tools += part.get("require_order") or []
        regex = part.get("tool_matches")
        tools += [(example(regex) or "").strip()] if isinstance(regex, str) else []
        for tool in tools:
            if isinstance(tool, str) and tool:
                yield from _calls(tool, part)
        url = part.get("http", part.get("url_matches"))
        if isinstance(url, str):
            status = part.get("status") if type(part.get("status")) is int else 200
            yield {
                "type": HTTP_EXCHANGE, "method": part.get("method") or "POST", "url": (example(url) or "").strip(),
                "status_code": status,
            }  # fmt: skip
        if isinstance(part.get("handoff"), str):
            yield {"type": HANDOFF, "to": part["handoff"]}
        if isinstance(part.get("span_type"), str):
            yield {"type": part["span_type"]}


def _calls(tool: str, part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    call: dict[str, Any] = {"type": TOOL_CALL, "name": tool}
    for name in ("args_subset", "result_subset"):
        if isinstance(part.get(name), dict):
            call[_SUBSETS[name]] = plain(part[name])
    yield call
    matches = part.get("error_matches")
    yield {**call, "error": (example(matches) if isinstance(matches, str) else None) or "failed"}


def _subsets(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in _walk(spec):
        for name in _SUBSETS:
            if isinstance(part.get(name), dict):
                yield part[name]


def _records(spec: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from (part for part in _walk(spec) if "resource" in part and isinstance(part.get("expect"), dict))


def _bounds(spec: dict[str, Any]) -> Iterator[int]:
    for part in _walk(spec):
        bound = part.get("count")
        yield from (n for n in (bound if isinstance(bound, dict) else {"": bound}).values() if type(n) is int)


def _collect(value: Any, key: str, into: dict[str, list[Any]], of: Any = None) -> None:
    """Add the values that fields are compared with under the last part of each field's name; `of` names a field itself."""
    if isinstance(value, dict):
        for name, item in value.items():
            inside = of or (key if name.startswith("$") else name)
            _collect(item, str(inside).rpartition(".")[2], into)
    elif isinstance(value, list):
        for item in value:
            _collect(item, key, into)
    elif value is not None:
        known = into.setdefault(key, [])
        if len(known) < _MOST_VALUES and not any(type(value) is type(one) and value == one for one in known):
            known.append(value)
