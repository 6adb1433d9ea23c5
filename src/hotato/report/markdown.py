"""A report as Markdown tables, short enough for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hotato.plan.text import in_reading_order
from hotato.report import _told
from hotato.report._markup import code, prose, table, value
from hotato.report._view import View
from hotato.report.compare import CHANGES, Change, Comparison, compare

MOST = 65_536  # the longest comment that GitHub takes, in UTF-16 code units
_MARKS = {"PASS": "PASS", "FAIL": "**FAIL**", "INCONCLUSIVE": "*INCONCLUSIVE*", "ERROR": "*ERROR*"}


def render(view: View) -> str:
    """Return the counts, what failed and why, all results, what changed since the base, the evidence and the transcript.

    What does not fit is left out from the end, whole lines at a time, and the last line says so.
    """
    return cut(_lines(view))


def comparison(found: Comparison) -> str:
    """Return a comparison of two runs as Markdown."""
    return cut(["# Compared with the base run", "", *_compared(found)])


def cut(lines: Iterable[str]) -> str:
    """Return as many lines as fit, with a line that says how many do not."""
    lines = list(lines)
    total = sum(_size(line) + 1 for line in lines)
    if total <= MOST:
        return "\n".join(lines) + "\n"
    kept, size = 0, 200  # room for the last line, and to close a block
    while size + _size(lines[kept]) + 1 <= MOST:
        size += _size(lines[kept]) + 1
        kept += 1
    out = lines[:kept]
    if out.count("<details>") > out.count("</details>"):
        out += ["", "</details>"]
    told = f"**Cut here:** {len(lines) - kept} more lines; a comment holds at most {MOST} characters."
    return "\n".join([*out, "", told]) + "\n"


def _size(line: str) -> int:
    return len(line) + sum(char > "\uffff" for char in line)


def _lines(view: View) -> Iterator[str]:
    """Yield the report's lines, what matters most first."""
    yield f"# {prose(view.title) if view.title else 'Assertions'}"
    yield ""
    envelope = view.envelope
    if envelope is not None:
        counts, judged = _told.headline(view)
        yield f"**{counts}** &nbsp; {judged}"
        yield ""
        open_ = envelope["summary"]["deterministic"]["inconclusive"]
        yield f"{open_} inconclusive, policy `{envelope['inconclusive_policy']}`; exit code {envelope['exit_code']}"
        yield ""
        yield f"## {_told.DETERMINISTIC}"
        yield ""
        yield from _results(view, envelope)
        yield f"## {_told.JUDGED}"
        yield ""
        yield from _judged(view)
        if view.base is not None:
            yield "## Compared with the base run"
            yield ""
            yield from _compared(compare(view.base, envelope))
        yield from _evidence(envelope.get("evidence", {}))
    yield from _transcript(view)


def _results(view: View, envelope: Mapping[str, Any]) -> Iterator[str]:
    """Yield what did not pass, failures first, with all there is to say of each; then what passed."""
    statuses = {result["id"]: result["status"] for result in envelope["results"]}
    ordered = in_reading_order(envelope["results"])
    if not ordered:
        yield "There are no assertions."
        yield ""
        return
    for wanted in (("FAIL", "INCONCLUSIVE"), ("PASS",)):
        chosen = [result for status in wanted for result in ordered if result["status"] == status]
        if chosen:
            heads = ("verdict", "assertion", "kind", "dimension", "what was found", "evidence")
            yield from (*table(heads, [_row(result) for result in chosen]), "")
        for result in chosen:
            told = list(_details(result, statuses))
            if told:
                place = (view.places or {}).get(result["id"])
                where = f", {code(f'{place.file}:{place.line}')}" if place is not None and place.line else ""
                yield f"### {code(result['id'])} ({result['status']}{where})"
                yield ""
                yield from told


def _row(result: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        _MARKS[result["status"]] + (" (vacuous)" if result.get("vacuous") else ""),
        code(result["id"]),
        code(result["kind"]),
        code(result["dimension"]) if "dimension" in result else "",
        prose(result["reason"] if "reason" in result else result["code"].replace("_", " ")),
        prose("; ".join(_told.evidence(result))),
    )


def _details(result: Mapping[str, Any], statuses: Mapping[str, str]) -> Iterator[str]:
    """Yield the tables of one result: each of its kind's own fields that has more to say than a row holds."""
    rows: list[tuple[str, ...]]
    near = result.get("closest")
    if near is not None:
        more = f", and {near['more']} more differences" if near.get("more") else ""
        yield f"Closest: {code(near['span_id']) if 'span_id' in near else 'the record that was read'}{more}"
        yield ""
        rows = [
            (
                code(one["path"] or "value"),
                f"{value(one['expected'])} ({prose(one['expected_type'])})",
                f"{value(one['observed'])} ({prose(one['observed_type'])})" if "observed" in one else "missing",
            )
            for one in near["differences"]
        ]
        yield from (*table(("path", "expected", "observed"), rows), "")
    if "alignment" in result:
        rows = [
            (
                code(step["tool"]) if "tool" in step else f"type {code(step.get('span_type', ''))}",
                step["state"].replace("_", " "),
                code(step["span_id"]) if step["span_id"] else "",
            )
            for step in result["alignment"]
        ]
        yield from (*table(("step", "state", "span"), rows), "")
    if result.get("hits"):
        rows = [(code(hit["detector"]), str(hit["turn"]), code(hit["role"])) for hit in result["hits"]]
        yield from (*table(("personal data", "turn", "role"), rows), "")
    if result.get("matched_rules"):
        rows = [
            (code(rule["rule"]), prose(rule["type"].replace("_", " ")), _turn(rule["turn"]))
            for rule in result["matched_rules"]
        ]
        yield from (*table(("rule", "broken by", "turn"), rows), "")
    if "delta" in result:
        delta = result["delta"]
        rows = [(code(delta["field"]), value(delta["before"]), value(delta["after"]))]
        yield from (*table(("field", "before", "after"), rows), "")
    if result.get("refs") and result["status"] != "PASS":
        rows = [(code(ref), _MARKS.get(statuses.get(ref, ""), "")) for ref in result["refs"]]
        yield from (*table(("reference", "verdict"), rows), "")


def _turn(turn: int | None) -> str:
    return "" if turn is None else str(turn)


def _judged(view: View) -> Iterator[str]:
    if view.rubric is None or not view.rubric["results"]:
        yield _told.EMPTY_SHELF
        yield ""
        return
    rows = [
        (_MARKS[result["status"]], code(result["id"]), prose(_opinion(result)), prose(_judge(result)))
        for result in view.rubric["results"]
    ]
    yield from (*table(("verdict", "rubric", "what was said of it", "by"), rows), "")


def _opinion(result: Mapping[str, Any]) -> str:
    """Return why a rubric has its verdict: the engine's words, then the model's."""
    said = (result.get("reason"), result.get("rationale"))
    return ". ".join(str(text).rstrip(".") for text in said if text)


def _judge(result: Mapping[str, Any]) -> str:
    """Return who judged, in one line: provider, model, the beginning of its digest, confidence, whether it was kept."""
    digest = result.get("model_digest")
    parts = [
        " ".join(str(result[name]) for name in ("provider", "model") if result.get(name)),
        str(digest)[:19] if digest else "",
        f"confidence {result['confidence']}" if result.get("confidence") is not None else "",
        "cached" if result.get("cached") is True else "",
        f"verdict {str(result['verdict_sha256'])[:12]}" if result.get("verdict_sha256") else "",
    ]
    return ", ".join(part for part in parts if part)


def _compared(found: Comparison) -> Iterator[str]:
    rows = [
        (CHANGES[name], code(change.name), code(change.kind), _statuses(change), code(", ".join(change.fields)))
        if change.fields
        else (CHANGES[name], code(change.name), code(change.kind), _statuses(change), "")
        for name, changes in found.items()
        for change in changes
    ]
    if rows:
        yield from table(("change", "assertion", "kind", "verdict", "changed"), rows)
    else:
        yield "No change."
    yield ""


def _statuses(change: Change) -> str:
    return f"{change.before or 'absent'} to {change.after or 'absent'}"


def _evidence(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what each source of the call held, and what was lost of it."""
    if not found:
        return
    rows = []
    for source, block in found.items():
        held = f"{block['turns']} turns" if "turns" in block else f"{block.get('spans', 0)} spans"
        notes = "; ".join(f"{note['code']} ({note.get('count', 1)})" for note in block.get("notes", ()))
        rows.append((source, code(block["format"]), held, prose(notes)))
    yield "## Evidence"
    yield ""
    yield from (*table(("source", "format", "held", "lost or inferred"), rows), "")


def _transcript(view: View) -> Iterator[str]:
    """Yield the transcript, folded: the call's own, or the one that a look for personal data left."""
    turns: list[dict[str, Any]] | None = view.transcript
    if turns is None:
        results = view.envelope["results"] if view.envelope is not None else ()
        turns = next((result["redacted_transcript"] for result in results if "redacted_transcript" in result), None)
    if turns is None:
        return
    yield f"## Transcript{' (personal data masked)' if view.masked else ''}"
    yield ""
    yield "<details>"
    yield f"<summary>{len(turns)} turns</summary>"
    yield ""
    rows = [
        (str(turn.get("turn", place)), _time(turn.get("start")), code(turn["role"]), prose(turn["text"]))
        for place, turn in enumerate(turns)
    ]
    yield from table(("turn", "seconds", "role", "text"), rows)
    yield ""
    yield "</details>"


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"
