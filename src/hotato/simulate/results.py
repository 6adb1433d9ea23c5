"""The result of a suite, `suite.v1`: every run, the rates, and what the gate says, as data and as lines for people."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.context.files import read_text
from hotato.errors import EvidenceError, Problem
from hotato.model import codec
from hotato.simulate import rates
from hotato.simulate.gate import Rules, judge
from hotato.simulate.ran import Ran
from hotato.simulate.suite import Suite

SCHEMA = "suite.v1"
RESULTS, JUNIT, REPORT, PAGES = "results.json", "junit.xml", "report.html", "pages"
Result = dict[str, Any]


def result_of(suite: Suite, runs: Sequence[Ran], rules: Rules, settings: Mapping[str, Any]) -> Result:
    """Return the whole result. It holds nothing of the machine, of the clock, or of the order of the work."""
    from hotato import __version__

    tests = rates.by(runs, lambda run: run.test)
    gate = judge(suite, runs, rules)
    asked = {
        "min_pass_rate": dict(sorted(rules.min_pass_rate.items())),
        "max_inconclusive": rules.max_inconclusive,
        "inconclusive_policy": suite.document.inconclusive_policy,
        "baseline": rules.baseline is not None,
        "alpha": rules.alpha,
        "today": rules.today,
        "release": rules.release,
    }
    return {
        "schema": SCHEMA,
        "hotato": __version__,
        "suite_id": suite.document.suite_id,
        "name": suite.document.name,
        "sha256": suite.sha256,
        "settings": dict(settings),
        "exit_code": gate["exit_code"],
        "summary": {**rates.counts(runs), "tests": len(tests), "flaky_cells": len(_flaky(runs))},
        "rate": rates.whole(runs),
        "dimensions": rates.dimensions(runs),
        "cells": [_cell("varied", name, mine) for name, mine in rates.by(runs, lambda run: run.varied).items()],
        "gate": {**asked, "rules": gate["rules"], "quarantine": gate["quarantine"]},
        "tests": [_test(suite, ident, tests.get(ident, [])) for ident in suite.tests],
        "runs": [msgspec.to_builtins(run) for run in runs],
    }


def runs_of(path: str, suite_id: str) -> list[Ran]:
    """Return the runs of a result, given the file or its folder. Raise EvidenceError where it is none, or of another suite."""
    place = os.path.join(path, RESULTS) if os.path.isdir(path) else path
    try:
        found = codec.decode(read_text(place, error=EvidenceError))
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise msgspec.ValidationError(f"no result of a suite, whose 'schema' is '{SCHEMA}'")
        runs = msgspec.convert(found.get("runs"), list[Ran], strict=True)
        if not all(run.status in rates.STATUSES for run in runs):
            raise msgspec.ValidationError("a run has a status that there is not")
    except codec.JsonError as cause:
        said = f"is not the result of a suite: not JSON: {cause.message}"
        raise EvidenceError(
            Problem(code="envelope", file=place, line=cause.line, column=cause.column, message=said)
        ) from None
    except msgspec.ValidationError as cause:
        said = f"is not the result of a suite: {str(cause)[:1].lower()}{str(cause)[1:]}"
        raise EvidenceError(Problem(code="envelope", file=place, message=said)) from None
    if found.get("suite_id") != suite_id:
        said = f"is of another suite; '{suite_id}' is the one that runs"
        raise EvidenceError(Problem(code="envelope", file=place, message=said))
    return runs


def lines(result: Result) -> Iterator[str]:
    """Yield a result in words: a line a test, then what the gate says, then the verdict."""
    tests = result["tests"]
    wide = max(len("test"), *(len(one["id"]) for one in tests))
    yield f"{'test':<{wide}} {'runs':>5} {'pass':>5} {'fail':>5} {'open':>5} {'inv.':>4}  pass@1, 95 % interval      what fails"
    for one in tests:
        count, found = one["counts"], one["rate"]
        low, high = found["interval"]
        rate = (
            "-" if found["pass_rate"] is None else f"{found['pass_rate']:.3f}  {low:.3f} to {high:.3f} of {found['of']}"
        )
        told = ", ".join(f"{name} {number}" for name, number in one["failed"].items())
        told += f"{'; ' if told else ''}flaky in {len(one['flaky'])} cells" if one["flaky"] else ""
        numbers = " ".join(f"{count[name]:>5}" for name in ("runs", "pass", "fail", "inconclusive"))
        yield f"{one['id']:<{wide}} {numbers} {count['simulator_invalid']:>4}  {rate:<27} {told}".rstrip()
    count = result["summary"]
    yield ""
    ended = f"{count['pass']} pass, {count['fail']} fail, {count['inconclusive']} inconclusive"
    runs, tests = (f"{count[name]} {name if count[name] != 1 else name[:-1]}" for name in ("runs", "tests"))
    yield f"{runs} of {tests}: {ended}, {count['simulator_invalid']} SIMULATOR_INVALID"
    for name, told in result["dimensions"].items():
        yield f"  {name}: {told['pass']} pass, {told['fail']} fail, {told['inconclusive']} inconclusive assertions"
    yield from _reliability(result["rate"], count["repeated"])
    for one in result["gate"]["quarantine"]:
        place = " ".join(filter(None, (one["test"], one.get("cell"))))
        yield f"quarantine {place} until {one['until']} ({one['reason']}): {one['said']}"
    for one in result["gate"]["rules"]:
        if _is_told(one):
            place = " ".join(filter(None, (one.get("test"), one.get("cell"))))
            word = "kept" if one["kept"] else "broken" if one["otherwise"] == "fail" else "refused"
            yield f"gate {one['rule']}{f' {place}' if place else ''}: {one['said']}: {word}"
    yield f"exit {result['exit_code']}"


def _is_told(rule: Mapping[str, Any]) -> bool:
    """Say whether people want to read of a rule: one that is not kept, or that says how near it was."""
    if rule["rule"] == "paired" and rule["kept"]:
        return "test" not in rule or rule["broken"] + rule["fixed"] > 0
    return not rule["kept"] or rule["rule"] == "min_pass_rate"


def _reliability(rate: Mapping[str, Any], repeated: int) -> Iterator[str]:
    if repeated:
        yield f"{repeated} runs have the evidence of another, byte for byte: they are no further sign of a rate"
    if rate["of"]:
        k = len(rate["pass_all_k"])
        told = []
        for name, mark in (("pass_at_k", "@"), ("pass_all_k", "^")):
            one = rate[name][-1]
            told.append(f"pass{mark}{k} {one['estimate']:.3f} ({one['interval'][0]:.3f} to {one['interval'][1]:.3f})")
        low, high = rate["interval"]
        yield f"pass@1 {rate['pass_rate']:.3f} ({low:.3f} to {high:.3f}) of {rate['of']} different runs, {', '.join(told)}"


def _test(suite: Suite, ident: str, runs: Sequence[Ran]) -> dict[str, Any]:
    return {
        "id": ident,
        "agent": suite.tests[ident].document.agent,
        "required_for_release": ident in suite.released,
        "counts": rates.counts(runs),
        "rate": rates.rate(runs),
        "dimensions": rates.dimensions(runs),
        "failed": rates.failing(runs),
        "flaky": _flaky(runs),
        "cells": [_cell("cell", name, mine) for name, mine in rates.by(runs, lambda run: run.cell).items()],
    }


def _cell(key: str, name: str, runs: Sequence[Ran]) -> dict[str, Any]:
    return {key: name, "counts": rates.counts(runs), "rate": rates.rate(runs)}


def _flaky(runs: Sequence[Ran]) -> list[str]:
    cells = rates.by(runs, lambda run: f"{run.test}\n{run.cell}")
    return [name.partition("\n")[2] for name, mine in cells.items() if rates.is_flaky(mine)]
