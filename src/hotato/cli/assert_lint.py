"""Report every problem of assertions documents, without a call.

For example:
  hotato assert lint assertions.yaml
  hotato assert lint suites/*.yaml --strict
  hotato assert lint - --format json < assertions.yaml

A problem is what `hotato assert run` would refuse. A warning is a check that says little: a formula that is true (or
false) whatever its references are, an assertion that stands there twice, a role that no transcript has, a pattern that
matches everything or nearly, a kind that has no verdict here. In a case file (*.hotato.yaml) the evidence that it names
is checked as well, without opening it. Warnings leave the exit code alone unless --strict.

Exit codes: 0 no problem, 2 a problem in any file (with --strict: or a warning), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_FIELDS = ("code", "file", "line", "column", "path", "message", "guess")


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand(
        "FILE", "a document, YAML or JSON; - is standard input", completes="document", required=True, many=True
    )
    parser.switch("--strict", "a warning counts as a problem")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Lint every file."""
    if args.file.count("-") > 1:
        raise CommandError("hotato assert lint", "-", "standard input can be read once")
    reports = [_lint(file) for file in args.file]
    bad = any(report["problems"] or (args.strict and report["warnings"]) for report in reports)
    code = 2 if bad else 0
    if args.format == "json":
        from hotato.model.codec import encode

        return finish(encode({"ok": not bad, "files": reports, "exit_code": code}, indent=2) + "\n", code)
    return finish(_text(reports), code)


def _lint(file: str) -> dict[str, Any]:
    """Return what is to be said of one file."""
    from hotato.assert_ import compile_assertions
    from hotato.cli._case import is_case, read_case
    from hotato.cli._warnings import warnings
    from hotato.context.files import MOST_CONFIG, read_text
    from hotato.errors import DocumentError, UsageError

    count, problems, warned = 0, [], []
    try:
        text = read_text(file, most=MOST_CONFIG, error=DocumentError)
        source = read_case(text, file)[0] if is_case(file) else text
        count = len(compile_assertions(source, file=file).nodes)
        warned = warnings(source, file)
    except UsageError as error:
        problems = list(error.problems)
    return {
        "file": file,
        "assertions": count,
        "problems": [{field: getattr(one, field) for field in _FIELDS} for one in problems],
        "warnings": [{field: getattr(one, field) for field in _FIELDS} for one in warned],
    }


def _text(reports: list[dict[str, Any]]) -> str:
    from hotato.errors import Problem
    from hotato.plan.text import safe

    lines: list[str] = []
    for report in reports:
        lines += [str(Problem(**problem)) for problem in report["problems"]]
        for warning in report["warnings"]:
            lines.append(str(Problem(**{**warning, "message": f"warning: {warning['message']}"})))
        if not report["problems"]:
            warned = f", {_many(len(report['warnings']), 'warning')}" if report["warnings"] else ""
            lines.append(f"{report['file']}: {_many(report['assertions'], 'assertion')}, no problem{warned}")
    return "".join(f"{safe(line)}\n" for line in lines)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
