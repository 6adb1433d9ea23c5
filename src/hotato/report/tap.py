"""Results as the Test Anything Protocol, version 14: one test point an assertion."""

from __future__ import annotations

from hotato.model import codec
from hotato.plan.text import explanation, safe
from hotato.report import _told
from hotato.report._view import View


def render(view: View) -> str:
    """Return the test points in the order of the document, each that did not pass with what was found.

    An INCONCLUSIVE is skipped under the policy `report`, else not ok.
    """
    envelope = _told.needed(view, "tap")
    results = envelope["results"]
    skips = envelope["inconclusive_policy"] == "report"
    lines = ["TAP version 14", f"1..{len(results)}"]
    for number, result in enumerate(results, 1):
        status = result["status"]
        is_ok = status == "PASS" or (status == "INCONCLUSIVE" and skips)
        name = safe(result["id"]).replace("\\", "\\\\").replace("#", "\\#")
        said = f" # SKIP {_flat(result.get('reason', ''))}".rstrip() if is_ok and status != "PASS" else ""
        lines.append(f"{'ok' if is_ok else 'not ok'} {number} - {name}{said}")
        if status != "PASS" or result.get("vacuous"):
            lines += _diagnostics(result)
    counts, judged = _told.headline(view)
    return "\n".join([*lines, f"# {counts}", f"# {judged}"]) + "\n"


def _diagnostics(result: dict[str, object]) -> list[str]:
    """Return a block of YAML; its values are written as JSON, in which nothing can end the block."""
    told = {
        "status": result["status"],
        "kind": result["kind"],
        "code": result["code"],
        **({"vacuous": True} if result.get("vacuous") else {}),
        "found": [safe(line) for line in explanation(result)],
        "evidence": list(_told.evidence(result)),
    }
    return ["  ---", *(f"  {name}: {codec.encode(value)}" for name, value in told.items()), "  ..."]


def _flat(text: str) -> str:
    """Return a sentence that is no directive of its own."""
    return safe(text).replace("\\", "\\\\").replace("#", "\\#")
