"""Results as JUnit XML, in the form that CI systems read: one suite, one test case an assertion."""

from __future__ import annotations

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
