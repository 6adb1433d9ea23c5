"""Results as JUnit XML, in the form that CI systems read: one suite, one test case an assertion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hotato.plan.text import explanation, safe
from hotato.report import _told
from hotato.report._view import View


def render(view: View) -> str:
    """Return the suite, in the order of the document.

    A FAIL is a failure. An INCONCLUSIVE is skipped under the policy `report`, a failure under `fail`, an error under
    `refuse`. There are no times: a verdict is the same whenever it is made.
    """
    envelope = _told.needed(view, "junit")
    policy = envelope["inconclusive_policy"]
    name = view.title or "hotato"
    cases = [(result, _outcome(result, policy)) for result in envelope["results"]]
    outcomes = [outcome for _, outcome in cases]
    counted = {
        "tests": len(cases),
        "failures": outcomes.count("failure"),
        "errors": outcomes.count("error"),
    }
    count, judged = _told.headline(view)
    properties = {
        "inconclusive_policy": policy,
        "exit_code": envelope["exit_code"],
        "deterministic": count,
        "judge": judged,
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _open("testsuites", {"name": name, **counted}),
        "  " + _open("testsuite", {"name": name, **counted, "skipped": outcomes.count("skipped")}),
        "    <properties>",
        *("      " + _alone("property", {"name": key, "value": value}) for key, value in properties.items()),
        "    </properties>",
        *(line for result, outcome in cases for line in _case(view, result, outcome, name)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def suite(result: Mapping[str, Any]) -> str:
    """Return the result of a suite of tests, `suite.v1`: a suite a test, a case a run, and a suite of the gate's rules.

    A FAIL is a failure where a rule on its test is broken; where the gate lets it through it is skipped, and says so. A run
    that could not be played is an error, one without a verdict as the policy says.
    """
    policy = result["gate"]["inconclusive_policy"]
    broken = {one.get("test") for one in result["gate"]["rules"] if not one["kept"] and one["otherwise"] == "fail"}
    found: dict[str, list[tuple[str, list[str]]]] = {test["id"]: [] for test in result["tests"]}
    for run in result["runs"]:
        found[run["test"]].append(_run(run, policy, run["test"] in broken))
    suites = [*found.items(), ("gate", [_rule(one) for one in result["gate"]["rules"]])]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    outcomes = [outcome for _, cases in suites for outcome, _ in cases]
    lines.append(_open("testsuites", {"name": result["suite_id"], **_counted(outcomes)}))
    for name, cases in suites:
        outcomes = [outcome for outcome, _ in cases]
        lines.append(
            "  " + _open("testsuite", {"name": name, **_counted(outcomes), "skipped": outcomes.count("skipped")})
        )
        lines += [line for _, case in cases for line in case]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _run(run: Mapping[str, Any], policy: str, breaks: bool) -> tuple[str, list[str]]:
    """Return how a run counts, and its case."""
    status = run["status"]
    if status == "PASS":
        outcome = ""
    elif status == "FAIL":
        outcome = "failure" if breaks else "skipped"
    else:
        outcome = "error" if status == "SIMULATOR_INVALID" else _told.INCONCLUSIVE_IS[policy]
    said = (
        "the gate lets it through"
        if outcome == "skipped" and status == "FAIL"
        else ", ".join(run["unmet"]) or run["cell"]
    )
    told = [f"{one['id']}: {one['reason']}" for one in (*run["failed"], *run["open"])]
    told = [run["why"]] if run["why"] else told
    return outcome, _simple_case({"name": run["run"], "classname": run["test"]}, outcome, f"{status}: {said}", told)


def _rule(rule: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return how a rule of the gate counts, and its case."""
    outcome = "" if rule["kept"] else "failure" if rule["otherwise"] == "fail" else "error"
    place = " ".join(filter(None, (rule["rule"], rule.get("test"), rule.get("cell"))))
    return outcome, _simple_case({"name": place, "classname": "gate"}, outcome, rule["said"], [])


def _simple_case(about: dict[str, Any], outcome: str, said: str, told: list[str]) -> list[str]:
    if not outcome:
        return ["    " + _alone("testcase", about)]
    inside = f"      {_open(outcome, {'message': said})}{_lines(told)}</{outcome}>"
    return ["    " + _open("testcase", about), inside, "    </testcase>"]


def _counted(outcomes: Sequence[str]) -> dict[str, int]:
    return {"tests": len(outcomes), "failures": outcomes.count("failure"), "errors": outcomes.count("error")}


def _outcome(result: dict[str, Any], policy: str) -> str:
    if result["status"] == "FAIL":
        return "failure"
    return _told.INCONCLUSIVE_IS[policy] if result["status"] == "INCONCLUSIVE" else ""


def _case(view: View, result: dict[str, Any], outcome: str, suite: str) -> list[str]:
    told = {"name": result["id"], "classname": f"{suite}.{result['kind']}"}
    place = (view.places or {}).get(result["id"])
    if place is not None:
        told |= {"file": place.file, **({"line": str(place.line)} if place.line else {})}
    inside = []
    found = explanation(result) if outcome or result.get("vacuous") else []
    if outcome:
        said = {"message": result.get("reason", result["code"]), "type": f"{result['status']}:{result['code']}"}
        inside.append(f"      {_open(outcome, said)}{_lines(found)}</{outcome}>")
    shown = [*([] if outcome else found), *_told.evidence(result)]
    if result.get("vacuous"):
        shown.insert(0, "holds of nothing (vacuous)")
    if shown:
        inside.append(f"      <system-out>{_lines(shown)}</system-out>")
    if not inside:
        return ["    " + _alone("testcase", told)]
    return ["    " + _open("testcase", told), *inside, "    </testcase>"]


def _lines(lines: list[str]) -> str:
    return "\n".join(map(_escaped, lines))


def _open(name: str, attributes: dict[str, Any]) -> str:
    return f"<{name}{''.join(f' {key}={_quoted(value)}' for key, value in attributes.items())}>"


def _alone(name: str, attributes: dict[str, Any]) -> str:
    return _open(name, attributes)[:-1] + "/>"


def _quoted(value: Any) -> str:
    return f'"{_escaped(str(value))}"'


def _escaped(text: str) -> str:
    """Return a line that XML 1.0 allows: what cannot be printed is spelt out, so that no control character is left."""
    text = safe(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;")
