"""An envelope in plain words, for a terminal or a log. What came from a call can never steer the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hotato.errors import Problem, UsageError
from hotato.model import codec
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS

MOST_SHOWN = 5
_RANK = {PASS: 0, INCONCLUSIVE: 1, FAIL: 2}


def safe(text: str) -> str:
    """Return a line in which no character can move the cursor, change colours or turn the direction of writing.

    Nor can it command the systems that run jobs and read what they print: a line of theirs begins with `::`, or holds
    `##[`, `##vso[` or the like.
    """
    if not text.isascii() or not text.isprintable():
        text = "".join(c if c.isprintable() and c not in _BIDI else _spelt(c) for c in text)
    return _COMMAND.sub(_tamed, text) if "::" in text or "##" in text else text


_BIDI = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")

_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")


def _tamed(match: re.Match[str]) -> str:
    return "\\x23" if match[0] == "#" else f"{match[1]}\\x3a"


def _spelt(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


def render_run_text(envelope: Mapping[str, Any]) -> str:
    """Return an envelope as lines of text: its results, those of a kind together and failures last, then the counts.

    Raise UsageError for a value that has not the fields of an envelope.
    """
    try:
        lines = [*result_lines(envelope), "", *count_lines(envelope)]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as cause:
        said = f"not an assert.v1 envelope: {type(cause).__name__} where a field of one was looked for"
        raise UsageError(Problem(code="envelope", file="envelope", message=said)) from None
    return "\n".join(safe(line) for line in lines) + "\n"


def in_reading_order(results: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return results as they are read: passes, then the inconclusive, then failures, and those of a kind together.

    Kinds follow one another as they first appear, and so do the results of one kind.
    """
    first: dict[str, int] = {}
    for result in results:
        first.setdefault(result["kind"], len(first))
    return sorted(results, key=lambda result: (_RANK[result["status"]], first[result["kind"]]))


def result_lines(envelope: Mapping[str, Any]) -> list[str]:
    """Return one line a result, under it the explanation of what did not pass or holds of nothing; not yet safe."""
    lines: list[str] = []
    results = in_reading_order(envelope["results"])
    width = max((len(r["id"]) for r in results), default=0)
    for result in results:
        vacuous = "  (vacuous)" if result.get("vacuous") else ""
        lines.append(f"{result['status']:<13} {result['id']:<{width}}  {result['kind']}{vacuous}")
        if result["status"] in (FAIL, INCONCLUSIVE) or vacuous:
            lines += [f"    {line}" for line in explanation(result)]
    return lines


def count_lines(envelope: Mapping[str, Any]) -> list[str]:
    """Return the two counts, which are never added up, and the exit code."""
    count = envelope["summary"]["deterministic"]
    judged = envelope["summary"]["judge"]
    return [
        f"deterministic: {count['pass']} pass, {count['fail']} fail, {count['inconclusive']} inconclusive",
        f"judge-scored (advisory, never mixed in): {judged['pass'] + judged['fail']}",
        f"exit {envelope['exit_code']} (inconclusive_policy {envelope['inconclusive_policy']})",
    ]


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
