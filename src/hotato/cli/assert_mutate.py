"""Show that assertions can fail: change a call one step at a time and see which of them notice.

For example:
  hotato assert mutate --assertions assertions.yaml --transcript transcript.json --trace voice_trace.jsonl
  hotato assert mutate --assertions assertions.yaml --call end-of-call-report.json --min-score 90
  hotato assert mutate --pack say-do --call call.json --format json

A turn is dropped, a tool renamed, an argument changed, an event moved, a number leaked, the call cut short, and so on. An
assertion is flipped by a change that makes its PASS a FAIL, or its FAIL a PASS. One that nothing flips is listed first: it
may not be able to fail, or this call has nothing that it speaks of. The score is the share of assertions that something
flips; what is INCONCLUSIVE on the call as it is counts as not flipped. Positions are those of turns and spans, from 0.
Nothing that was said or passed is shown.

Exit codes: 0 done, 1 the score is below --min-score, 2 refused (a file, a flag), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from hotato.cli import _given
from hotato.cli._calls import many
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.model.pack import Pack
    from hotato.probe.mutate import Flip, Judged, Report

_PROG = "hotato assert mutate"
SCHEMA = "hotato.mutate.v1"
_MOST_SHOWN = 4


def configure(parser: Parser) -> None:
    """Declare flags."""
    _given.declare(parser)
    parser.value("--min-score", "PERCENT", "exit with 1 where fewer assertions than this can be flipped, 0 to 100")
    said = "make at most so many changes, spread over the call; 2000 by default"
    parser.value("--most", "COUNT", said)
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Mutate one call."""
    from hotato.probe.mutate import MOST, mutate

    _given.check(args, _PROG)
    least = None if args.min_score is None else _number(args.min_score, "--min-score", 100)
    most = MOST if args.most is None else int(_number(args.most, "--most", 1_000_000, whole=True))
    plan, call = _given.plan_and_call(args, _PROG)
    report = mutate(plan, call, most=most, pack=lambda name, path: _pack(args, name, path))
    is_low = least is not None and (report.score is None or report.score < least)
    code = int(is_low)
    if args.format == "json":
        import msgspec

        from hotato.model.codec import encode

        body = {
            "ok": not is_low,
            "schema": SCHEMA,
            "min_score": least,
            **msgspec.to_builtins(report),
            "exit_code": code,
        }
        return finish(encode(body, indent=2) + "\n", code)
    from hotato.plan.text import safe

    lines = _lines(report)
    if is_low:
        lines.append(f"below --min-score {args.min_score}")
    return finish("".join(f"{safe(line)}\n" for line in lines), code)


def _number(text: str, flag: str, largest: int, *, whole: bool = False) -> float:
    """Return a number from the command line. Raise CommandError."""
    import re

    pattern = r"[0-9]{1,9}" if whole else r"[0-9]{1,9}(\.[0-9]{1,9})?"
    if not re.fullmatch(pattern, text) or not whole <= float(text) <= largest:
        noun = "a whole number" if whole else "a number"
        raise CommandError(_PROG, flag, f"must be {noun} from {int(whole)} to {largest}")
    return float(text)


def _pack(args: Namespace, name: str | None, path: str | None) -> Pack:
    """Return a rule pack that the document names; a path starts at the document's folder."""
    import os

    from hotato.assert_ import DEFAULT_POLICY_PACK, load_policy_pack

    if path is None:
        return load_policy_pack(name or DEFAULT_POLICY_PACK)
    return load_policy_pack(os.path.join(os.path.dirname(args.assertions or "") or os.curdir, path))


def _lines(report: Report) -> list[str]:
    lines = []
    for row in report.assertions:
        lines.append(f"{_head(row):<13} {row.id}  {row.kind}: {row.status}")
        if row.scored and not row.flips:
            why = {
                "INCONCLUSIVE": "not judged on this call, so nothing is known of it",
                "PASS": "passes whatever is changed",
                "FAIL": "fails whatever is changed",
            }[row.status]
            lines.append(f"    {why} (made INCONCLUSIVE by {many(row.unsettled, 'change')})")
        for flip in row.flips[:_MOST_SHOWN]:
            lines.append(f"    {flip.change} {flip.times} of {flip.of}{_place(flip)}")
        if row.only_by_added:
            lines.append("    only by what is added: that its names and patterns are those of real calls is not shown")
        if len(row.flips) > _MOST_SHOWN:
            rest = row.flips[_MOST_SHOWN:]
            lines.append(f"    and {many(len(rest), 'kind')} more of change: {', '.join(one.change for one in rest)}")
    left = f", {report.left_out} left out" if report.left_out else ""
    score = "none" if report.score is None else f"{report.score:g} %"
    lines.append(f"{many(report.mutations, 'change')} of the call{left}")
    lines.append(f"score {score}: {report.flipped} of {many(report.of, 'assertion')} can be flipped")
    return lines


def _head(row: Judged) -> str:
    return "not scored" if not row.scored else "flips" if row.flips else "NEVER FLIPS"


def _place(flip: Flip) -> str:
    if flip.turn is not None:
        return f", first turn {flip.turn}"
    return "" if flip.span is None else f", first s_{flip.span}"
