"""Results as SARIF 2.1.0: what did not pass, at the line of the document that asks for it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import hotato
from hotato.model import codec
from hotato.plan.text import explanation, safe
from hotato.report import _told
from hotato.report._view import Place, View

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def render(view: View) -> str:
    """Return one run whose rules are the assertions and whose results are those that did not pass.

    An INCONCLUSIVE is an open question under the policy `report`, else an error. Related locations are the turns and
    spans that a result names. A fingerprint is made of the assertion's id and kind and the report's title: it stays the
    same when lines move and when the same check fails in another way.
    """
    envelope = _told.needed(view, "sarif")
    results = envelope["results"]
    shown = [(place, result) for place, result in enumerate(results) if result["status"] != "PASS"]
    count, judged = _told.headline(view)
    run = {
        "tool": {
            "driver": {
                "name": "hotato",
                "semanticVersion": hotato.__version__,
                "rules": [_rule(result) for result in results],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": envelope["exit_code"] != 2, "exitCode": envelope["exit_code"]}],
        "results": [_result(view, place, result, envelope["inconclusive_policy"]) for place, result in shown],
        "properties": {
            "inconclusive_policy": envelope["inconclusive_policy"],
            "deterministic": count,
            "judge": judged,
        },
    }
    return codec.encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(result: dict[str, Any]) -> dict[str, Any]:
    said = result.get("description") or f"{result['kind']} {result['id']}"
    tags = [result["kind"], *([result["dimension"]] if "dimension" in result else []), *result.get("tags", ())]
    properties: dict[str, Any] = {"tags": list(dict.fromkeys(map(safe, tags)))}
    if "severity" in result:
        properties["severity"] = safe(result["severity"])
    return {
        "id": safe(result["id"]),
        "name": safe(result["kind"]),
        "shortDescription": {"text": _plain(said)},
        "properties": properties,
    }


def _result(view: View, rule: int, result: dict[str, Any], policy: str) -> dict[str, Any]:
    is_open = result["status"] == "INCONCLUSIVE" and policy == "report"
    place = (view.places or {}).get(result["id"])
    where: dict[str, Any] = {"logicalLocations": [{"name": safe(result["id"]), "kind": "assertion"}]}
    if place is not None:
        where = {"physicalLocation": _physical(place), **where}
    mark = hashlib.sha256("\0".join((result["kind"], result["id"], view.title or "")).encode("utf-8", "surrogatepass"))
    lines = [_plain(line) for line in explanation(result)] or [_plain(result["code"])]
    told: dict[str, Any] = {
        "ruleId": safe(result["id"]),
        "ruleIndex": rule,
        "kind": "open" if is_open else "fail",
        "level": "none" if is_open else "error",
        "message": {"text": "\n".join(lines)},
        "locations": [where],
        "partialFingerprints": {
            "hotatoAssertion/v1": mark.hexdigest(),
            "primaryLocationLineHash": f"{mark.hexdigest()[:16]}:1",
        },
        "properties": {"status": result["status"], "code": result["code"]},
    }
    related = _related(view, result)
    return {**told, **({"relatedLocations": related} if related else {})}


def _plain(line: str) -> str:
    """Return a line of a message in which nothing is a link, as `[text](target)` would be."""
    return safe(line).replace("](", "] (")


def _related(view: View, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return where the evidence stands: told in any case, and with file and line where they are known."""
    found: list[tuple[str, Place | None]] = [
        (f"turn {turn}" if said == "matched" else f"turn {turn} ({said})", _at(view.turns_at, turn))
        for turn, said in _told.turns_of(result)
    ]
    near = result.get("closest", {}).get("span_id")
    for span in _told.spans_of(result):
        found.append((f"span {span}{' (closest)' if span == near else ''}", _at(view.spans_at, _number(span))))
    return [
        {
            "id": number,
            "message": {"text": _plain(said)},
            **({"physicalLocation": _physical(place)} if place is not None else {}),
        }
        for number, (said, place) in enumerate(found, 1)
    ]


def _at(places: Sequence[Place] | None, index: int) -> Place | None:
    return places[index] if places is not None and 0 <= index < len(places) else None


def _number(span: str) -> int:
    digits = span.removeprefix("s_")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else -1


def _physical(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line:
        found["region"] = {"startLine": place.line, **({"startColumn": place.column} if place.column else {})}
    return found


def _uri(file: str) -> str:
    """Return a path as a relative reference, or as a `file:` URI where it is absolute."""
    raw = file.replace("\\", "/")
    quoted = "".join(
        char if char in _PLAIN else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
        for char in raw
    )
    return f"file://{quoted}" if raw.startswith("/") else quoted
