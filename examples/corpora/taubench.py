"""tau-bench: a language model as the agent, real tools on a real database, and the reward that it earned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
)

from hotato import assert_ as A

HANDOFF = "transfer_to_human_agents"
CUT_OFF = "max_steps_or_unknown"


class Judge:
    """The judge of tau-bench: one document a domain, and one a call for what only that call must have done."""

    name = "taubench"
    known: dict[str, Known] = {}

    def __init__(self, folder: Path) -> None:
        del folder
        self.domains = {domain: document(f"taubench-{domain}") for domain in ("airline", "retail")}
        self.writes = {
            domain: [node.id.partition(".")[0] for node in compiled.nodes if node.stamp.get("tags") == ["write"]]
            for domain, compiled in self.domains.items()
        }

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one call: its ending, its errors, its required calls and phrases, and the database after it."""
        expected, spans = record["expected"], by_sequence(record["spans"])
        end = last_seq(record)
        spans += [{"type": "handoff", "to": "human", "start_sec": s["seq"]} for s in spans if s["name"] == HANDOFF]
        spans.append(ending(expected["termination"], end))
        state = record["state"]
        call = A.build_context(
            transcript=by_sequence(record["transcript"]),
            spans=spans,
            state_adapter=adapter(state["before"], state["after"]),
        )
        domain = score.judge(self.domains[record["domain"]], call)
        yield from _always(record, domain)
        writes = self.writes[record["domain"]]
        assertions = [*_calls(expected, writes), *_phrases(expected), *_records(record), *_differences(expected)]
        says = [a["id"] for a in assertions if a["id"].startswith("says.")]
        assertions.append({"id": "finished", "kind": "termination", "reason": CUT_OFF, "absent": True})
        # A call that ran out of steps earns nothing, whatever it had done by then.
        assertions.append({"id": "reward", "kind": "formula", "expr": " and ".join(["finished", "database", *says])})
        results = score.judge(plan(assertions), call)
        yield from _own(record, results)
        same = results["gold-writes"]["status"] == domain["writes-clean"]["status"] == "PASS"
        yield Finding("gold writes imply the gold database", True, expected["db_match"] or not same)
        score.note("the gold writes, the gold database" if same else _other_route(expected["db_match"]))


def _other_route(matched: bool) -> str:
    return "other writes, the gold database" if matched else "other writes, another database"


def _always(record: Record, results: Results) -> Iterator[Finding]:
    expected = record["expected"]
    for check, yes in (
        ("handed-off", expected["handoff"]),
        ("asked-for-a-human", expected["handoff"]),
        ("caller-hung-up", expected["termination"] == "caller_hangup"),
        ("ended-by-handoff", expected["termination"] == "handoff"),
    ):
        yield Finding(check, passed(yes), results[check]["status"])
    wrong = {span["name"] for span in record["spans"] if "error" in span}
    for name, result in results.items():
        tool, _, what = name.partition(".")
        if what == "clean":
            yield Finding("tool clean", passed(tool not in wrong), result["status"])


def _own(record: Record, results: Results) -> Iterator[Finding]:
    expected, state = record["expected"], record["state"]
    made = [(span["name"], span["arguments"]) for span in record["spans"]]
    for place, action in enumerate(expected["gold_actions"]):
        yield Finding("required call", passed(_was_made(action, made)), results[f"gold.{place}"]["status"])
    for place, said in enumerate(expected["required_outputs"].values()):
        yield Finding("required phrase", passed(said), results[f"says.{place}"]["status"])
    for place, (_, _, was, now) in enumerate(entries(state["before"], state["after"])):
        yield Finding("unchanged record", passed(was == now), results[f"unchanged.{place}"]["status"])
    for place in range(len(expected["state_diff_vs_gold"])):
        yield Finding("wanted value", "FAIL", results[f"want.{place}"]["status"])
        yield Finding("value as it is", "PASS", results[f"got.{place}"]["status"])
    yield Finding("database", passed(expected["db_match"]), results["database"]["status"])
    yield Finding("reward", passed(expected["verdict"] == "pass"), results["reward"]["status"])


def _was_made(action: Record, made: list[tuple[str, Any]]) -> bool:
    wanted = action["kwargs"].items()
    return any(name == action["name"] and all(k in args and args[k] == v for k, v in wanted) for name, args in made)


def _calls(expected: Record, writes: list[str]) -> Iterator[Record]:
    """Yield an assertion for each required call, and the formula that no other call changed anything."""
    wanted = [(action["name"], action["kwargs"]) for action in expected["gold_actions"]]
    exact = []
    for place, (name, arguments) in enumerate(wanted):
        call: Record = {"id": f"gold.{place}", "kind": "tool_call", "name": name}
        if arguments:
            call["args_subset"] = arguments
        yield call
        if name in writes and wanted.index((name, arguments)) == place:
            yield {**call, "id": f"gold.{place}.often", "count": wanted.count((name, arguments))}
            exact.append(f"gold.{place}.often")
    for tool in writes:
        yield {
            "id": f"all.{tool}",
            "kind": "count",
            "tool": tool,
            "count": sum(1 for name, _ in wanted if name == tool),
        }
    yield {
        "id": "gold-writes",
        "kind": "formula",
        "expr": " and ".join([*exact, *(f"all.{tool}" for tool in writes)]),
    }


def _phrases(expected: Record) -> Iterator[Record]:
    """Yield a phrase for each required output; commas inside numbers do not count."""
    for place, wanted in enumerate(expected["required_outputs"]):
        regex = ",*".join(f"[{c}]" if c in ".$+*?|()[{" else c for c in wanted)
        yield {"id": f"says.{place}", "kind": "phrase", "regex": regex, "role": "agent"}


def _records(record: Record) -> Iterator[Record]:
    """Yield for each entry that it is the gold one and that it did not change, and the formula of the whole database."""
    state, gold = record["state"], record["expected"]["gold_state_after"]
    for place, (resource, key, _, _) in enumerate(entries(state["before"], state["after"])):
        yield {
            "id": f"unchanged.{place}",
            "kind": "state_change",
            "resource": resource,
            "filters": {"key": key},
            "field": "record",
            "changed": False,
        }
    parts: list[str] = []
    for place, (resource, key, wanted, found) in enumerate(entries(gold, state["after"])):
        kept: Record = {"id": f"record.{place}", "kind": "state", "resource": resource, "filters": {"key": key}}
        entry = (wanted or found)["record"]
        yield {**kept, "expect": {"record": {"$eq": entry}}}
        parts.append(kept["id"] if wanted else f"not {kept['id']}")
    yield {"id": "database", "kind": "formula", "expr": " and ".join(parts)}


def _differences(expected: Record) -> Iterator[Record]:
    """Yield for each place at which the database is not the gold one that it is as wanted, and that it is as it is."""
    for place, difference in enumerate(expected["state_diff_vs_gold"]):
        _, resource, key, *inside = difference["path"].split("/")
        path = ".".join(["record", *inside])
        for name in ("want", "got"):
            kept = {"id": f"{name}.{place}", "kind": "state", "resource": resource, "filters": {"key": key}}
            value = difference[name]
            if value != "<absent>":
                yield {**kept, "expect": {path: {"$eq": value}}}
            elif inside:
                yield {**kept, "expect": {path: {"$exists": False}}}
            else:
                yield {**kept, "id": f"{name}.{place}.is-there", "expect": {"key": key}}
                yield {"id": f"{name}.{place}", "kind": "formula", "expr": f"not {name}.{place}.is-there"}
