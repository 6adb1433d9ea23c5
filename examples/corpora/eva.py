"""EVA: gold traces of voice agents, with the database before and after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpus import (
    Finding,
    Known,
    Record,
    Results,
    Score,
    adapter,
    by_sequence,
    document,
    ending,
    entries,
    last_seq,
    passed,
    plan,
    rows,
)
from msgspec.structs import replace

from hotato import assert_ as A
from hotato.state_adapter import MockStateAdapter

HANDOFF = "transfer_to_agent"
GUARDS = ("get_reservation", "verify_employee_auth", "verify_otp_auth", "verify_manager_auth", "verify_provider_auth")
ENDINGS = ("goodbye", "transfer", "user_ended_call")


class Judge:
    """The judge of EVA: one document a domain, and one a call for its own database and entities."""

    name = "eva"
    known = {
        "handed-off": Known(
            11, "calls marked as handed off for transfer_dea_registration, which transfers a registration, not the call"
        ),
        "entity": Known(4, "two sizes with a hyphen for an underscore, two reasons that are asked of another tool"),
        "entity, masked": Known(41, "values that the corpus masks in one place and not in the other"),
        "entity, other value later": Known(
            20, "a later call has an argument of this name for another person or thing, and the last value counts"
        ),
    }

    def __init__(self, folder: Path) -> None:
        del folder
        self.domains = {domain: document(f"eva-{domain}") for domain in ("airline", "itsm", "medical_hr")}

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one call: its order, its errors, what the tools were given, and the database before and after it."""
        expected = record["expected"]
        spans = by_sequence(record["spans"])
        spans += [
            {"type": "handoff", "to": "agent", "start_sec": s["seq"], "status": s.get("status")}
            for s in spans
            if s["name"] == HANDOFF
        ]
        if expected.get("termination"):
            spans.append(ending(expected["termination"], last_seq(record)))
        state = record["state"] or {"before": {}, "after": {}}
        call = A.build_context(
            transcript=by_sequence(record["transcript"]),
            spans=spans,
            state_adapter=adapter(state["before"], state["after"]) if record["state"] else None,
        )
        domain = score.judge(self.domains[record["domain"]], call)
        yield from self._order(record, domain, call, score)
        if "handoff" in expected:
            yield Finding("handed-off", passed(expected["handoff"]), domain["handed-off"]["status"])
            moved = any(span["name"] == HANDOFF for span in record["spans"])
            yield Finding("transfer began", passed(moved), domain["transfer-began"]["status"])
        assertions = [*_trace(record), *_database(state["before"], state["after"])]
        results = score.judge(plan(assertions), call)
        yield from _found(record, results)
        yield from _as_before(state, assertions, results, score)

    def _order(self, record: Record, results: Results, call: A.Context, score: Score) -> Iterator[Finding]:
        """Judge that nothing was changed too early, and that it would have been without the identification."""
        made = {span["name"] for span in record["spans"]}
        compiled, spans, after = self.domains[record["domain"]], call.spans or (), last_seq(record) + 1.0
        bare = A.Context(spans=tuple(span for span in spans if span.name not in GUARDS))
        late = A.Context(spans=tuple(replace(s, start=after) if s.name in GUARDS else s for s in spans))
        without, too_late = score.judge(compiled, bare), score.judge(compiled, late)
        for name, result in results.items():
            tool, _, what = name.partition(".")
            if what == "guarded":
                yield Finding("guarded", "PASS", result["status"])
                yield Finding("guarded, without the guard", passed(tool not in made), without[name]["status"])
                yield Finding("guarded, with the guard too late", passed(tool not in made), too_late[name]["status"])


def _entities(record: Record) -> dict[str, str | int | float | bool]:
    """Return what the caller has to give and some tool was given under the same name."""
    passed_on = {name for span in record["spans"] for name in span["arguments"]}
    wanted = record["expected"].get("information_required") or {}
    return {k: v for k, v in wanted.items() if k in passed_on and isinstance(v, str | int | float | bool)}


def _entity_check(record: Record, name: str) -> str:
    """Return the name of the check for an entity, by what the corpus does with it."""
    wanted = str(record["expected"]["information_required"][name]).lower()
    given = [str(s["arguments"][name]).lower() for s in record["spans"] if name in s["arguments"]]
    if wanted.startswith("<") or given[-1].startswith("<"):
        return "entity, masked"
    return "entity, other value later" if wanted in given[:-1] and wanted != given[-1] else "entity"


def _trace(record: Record) -> Iterator[Record]:
    for tool in sorted({span["name"] for span in record["spans"]}):
        yield {"id": f"clean.{tool}", "kind": "tool_error", "name": tool, "absent": True}
    for name, value in _entities(record).items():
        yield {"id": f"entity.{name}", "kind": "entity_accuracy", "reference": {name: value}}
    for reason in ENDINGS:
        yield {"id": f"ended.{reason}", "kind": "termination", "reason": reason}
    for tool in record["expected"].get("tools_called", ()):
        yield {"id": f"called.{tool}", "kind": "tool_call", "name": tool}
    yield {"id": "calls", "kind": "count", "span_type": "tool_call", "count": {"max": 10_000}}


def _database(before: Record, after: Record) -> Iterator[Record]:
    """Yield for every entry that it did not change, and that it is as the corpus has it after the call."""
    for place, (resource, key, _, now) in enumerate(entries(before, after)):
        entry = {"resource": resource, "filters": {"key": key}}
        yield {"id": f"unchanged.{place}", "kind": "state_change", **entry, "field": "record", "changed": False}
        if now is not None:
            yield {"id": f"after.{place}", "kind": "state", **entry, "expect": {"record": {"$eq": now["record"]}}}


def _found(record: Record, results: Results) -> Iterator[Finding]:
    expected, state = record["expected"], record["state"]
    wrong = {span["name"] for span in record["spans"] if "error" in span}
    for name, result in results.items():
        kind, _, what = name.partition(".")
        if kind == "clean":
            yield Finding("tool clean", passed(what not in wrong), result["status"])
        elif kind == "entity":
            yield Finding(_entity_check(record, what), "PASS", result["status"])
        elif kind == "ended":
            yield Finding("ending", passed(expected.get("termination") == what), result["status"])
        elif kind == "called":
            yield Finding("tool called", "PASS", result["status"])
        elif kind == "after":
            yield Finding("record after", "PASS", result["status"])
    if "num_tool_calls" in expected:
        yield Finding("number of tool calls", expected["num_tool_calls"], results["calls"]["observed"])
    if state:
        for place, (_, _, was, now) in enumerate(entries(state["before"], state["after"])):
            yield Finding("unchanged record", passed(was == now), results[f"unchanged.{place}"]["status"])


def _as_before(state: Record, assertions: list[Record], results: Results, score: Score) -> Iterator[Finding]:
    """Judge what must be so after the call against the database before it: what the call changed must FAIL."""
    wanted = [a for a in assertions if a["id"].startswith("after.")]
    if not wanted:
        return
    before = MockStateAdapter(rows(state["before"], sorted({*state["before"], *state["after"]})))
    found = score.judge(plan(wanted), A.Context(state_adapter=before))
    for name, result in found.items():
        same = results[name.replace("after", "unchanged")]["status"]
        yield Finding("record after, on the database before", same, result["status"])
