"""Compare two runs of the same checks: newly failing, fixed, still failing, and what rests on other evidence.

For example:
  hotato assert diff main.json branch.json
  hotato assert diff main.json branch.json --format md
  hotato assert diff main.jsonl branch.jsonl --fail-on newly-failing --fail-on newly-inconclusive

BASE and NEW are envelopes, as `hotato assert run --format json` prints them, or many of them: JSON Lines of
{"call_id": ..., "envelope": {...}}, whose calls are compared by their id. A check that fails and that BASE has not is newly
failing. A check that failed and is INCONCLUSIVE now is not fixed.

Exit codes: 0 nothing newly fails, 1 something does (or falls under --fail-on), 2 refused, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato assert diff"
_GATES = (
    "newly-failing",
    "newly-inconclusive",
    "newly-vacuous",
    "still-failing",
    "fixed",
    "newly-conclusive",
    "changed-evidence",
    "added",
    "removed",
)


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("BASE", "the run to compare with; - is standard input", completes="file", required=True)
    parser.operand("NEW", "the run to look at; - is standard input", completes="file", required=True)
    said = "what makes the exit code 1, instead of newly-failing alone; may be repeated"
    parser.value("--fail-on", "CHANGE", said, choices=_GATES, many=True)
    parser.limits()
    parser.formats("md")


def main(args: Namespace) -> int:
    """Compare two runs."""
    if args.base == args.new == "-":
        raise CommandError(_PROG, "-", "standard input can be read once")
    from hotato.errors import UsageError
    from hotato.report.compare import compare_calls

    found: list[Any] = []
    refused: list[UsageError] = []
    for path in (args.base, args.new):
        try:
            found.append(_calls(path))
        except UsageError as error:
            refused.append(error)
    if refused:
        raise UsageError(problem for error in refused for problem in error.problems)
    base, new = found
    if ("" in base) is not ("" in new):
        from hotato.errors import Problem

        said = f"{'one call' if '' in new else 'many calls'}, where {args.base} is of {'one' if '' in base else 'many'}"
        raise UsageError(Problem(code="envelope", file=args.new, message=said))
    comparison = compare_calls(base, new, names=(args.base, args.new))
    gates = [gate.replace("-", "_") for gate in args.fail_on or ("newly-failing",)]
    code = int(any(comparison[gate] for gate in gates))
    return finish(_printed(args.format, comparison, code), code)


def _printed(form: str, comparison: Any, code: int) -> str:
    from hotato.report import compare

    if form == "json":
        from hotato.model.codec import encode

        return encode({**compare.as_data(comparison), "exit_code": code}, indent=2) + "\n"
    if form == "md":
        from hotato.report.markdown import comparison as as_markdown

        return as_markdown(comparison)
    from hotato.plan.text import safe

    return "".join(f"{safe(line)}\n" for line in [*compare.lines(comparison), f"exit {code}"])


def _calls(path: str) -> dict[str, Any]:
    """Return the checked envelopes of a file by call id; the id of a single envelope is empty. Raise UsageError."""
    from hotato.context.files import read_text
    from hotato.errors import Problem, UsageError
    from hotato.model import codec
    from hotato.report._view import checked

    text = read_text(path)
    try:
        value = codec.decode(text)
    except codec.JsonError as error:
        if not _is_lines(text):
            raise _not_json(path, error, error.line) from None
    else:
        if not _is_row(value):
            return {"": checked(value, path)}
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = codec.decode(line)
            if not _is_row(row):
                said = 'a line of many calls is {"call_id": ..., "envelope": {...}}'
                problems.append(Problem(code="envelope", file=path, line=number, message=said))
            elif row["call_id"] in found:
                said = "a call that an earlier line has as well"
                problems.append(Problem(code="envelope", file=path, line=number, path="call_id", message=said))
            else:
                found[row["call_id"]] = checked(row["envelope"], f"{path}:{number}")
        except codec.JsonError as error:
            problems += _not_json(path, error, number).problems
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(problems)
    return found


def _is_lines(text: str) -> bool:
    """Say whether the first line alone is a call."""
    from hotato.model import codec

    try:
        return _is_row(codec.decode(text.lstrip().partition("\n")[0]))
    except codec.JsonError:
        return False


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"call_id", "envelope"}:
        return False
    return isinstance(value["call_id"], str) and value["call_id"] != ""


def _not_json(path: str, error: Any, line: int) -> Any:
    from hotato.errors import Problem, UsageError

    said = f"not JSON: {error.message}" if error.message != "Extra data" else "more follows the first JSON value"
    return UsageError(Problem(code=error.code, file=path, line=line, column=error.column, message=said))
