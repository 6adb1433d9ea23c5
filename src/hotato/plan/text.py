"""An envelope in plain words, for a terminal or a log. What came from a call can never steer the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hotato.model import codec
from hotato.model.verdict import FAIL, INCONCLUSIVE

MOST_SHOWN = 5


def safe(text: str) -> str:
    """Return text in which no character can move the cursor, change colours or turn the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() and c not in _BIDI else _spelt(c) for c in text)


_BIDI = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")


def _spelt(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


def render_run_text(envelope: Mapping[str, Any]) -> str:
    """Return an envelope as lines of text: one a result, the explanation of each failure under it, the counts last."""
    lines: list[str] = []
    results = envelope["results"]
    width = max((len(r["id"]) for r in results), default=0)
    for result in results:
        vacuous = "  (vacuous)" if result.get("vacuous") else ""
        lines.append(f"{result['status']:<13} {result['id']:<{width}}  {result['kind']}{vacuous}")
        if result["status"] in (FAIL, INCONCLUSIVE) or vacuous:
            lines += [f"    {line}" for line in explanation(result)]
    count = envelope["summary"]["deterministic"]
    judged = envelope["summary"]["judge"]
    lines += [
        "",
        f"deterministic: {count['pass']} pass, {count['fail']} fail, {count['inconclusive']} inconclusive",
        f"judge-scored (advisory, never mixed in): {judged['pass'] + judged['fail']}",
        f"exit {envelope['exit_code']} (inconclusive_policy {envelope['inconclusive_policy']})",
    ]
    return "\n".join(safe(line) for line in lines) + "\n"


def explanation(result: Mapping[str, Any]) -> list[str]:
    """Return what a result has to say beyond its status, line by line."""
    lines = [str(result["reason"])] if "reason" in result else []
    near = result.get("closest")
    if near is not None:
        lines.append(f"closest: {near['span_id']}" if "span_id" in near else "closest record:")
        for difference in near["differences"][:MOST_SHOWN]:
            lines.append("  " + _difference(difference))
        hidden = len(near["differences"]) - MOST_SHOWN + near.get("more", 0)
        if hidden > 0:
            lines.append(f"  and {hidden} more")
    for number, step in enumerate(result.get("alignment", ()), 1):
        what = f"tool {step['tool']}" if "tool" in step else f"span_type {step['span_type']}"
        lines.append(f"  {number}. {what}: {step['state'].replace('_', ' ')} {step['span_id'] or ''}".rstrip())
    for hit in result.get("hits", ())[:MOST_SHOWN]:
        lines.append(f"  {hit['detector']} in {hit['role']} turn {hit['turn']}")
    for rule in result.get("matched_rules", ())[:MOST_SHOWN]:
        where = "" if rule.get("turn") is None else f" in turn {rule['turn']}"
        lines.append(f"  {rule['rule']}: {rule['type'].replace('_', ' ')}{where}")
    if "delta" in result:
        delta = result["delta"]
        lines.append(f"  {delta['field']}: {codec.encode(delta['before'])} -> {codec.encode(delta['after'])}")
    return lines


def _difference(difference: Mapping[str, Any]) -> str:
    expected = f"{codec.encode(difference['expected'])} ({difference['expected_type']})"
    if "observed" not in difference:
        return f"{difference['path'] or 'value'}: expected {expected}, missing"
    observed = f"{codec.encode(difference['observed'])} ({difference['observed_type']})"
    return f"{difference['path'] or 'value'}: expected {expected}, observed {observed}"
