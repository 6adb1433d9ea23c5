"""Report every problem of scenarios, conversation tests and suites, without playing them.

For example:
  hotato scenario validate refund.yaml
  hotato scenario validate scenarios/*.yaml tests/*.yaml suite.yaml
  hotato scenario validate - --format json < refund.yaml

A conversation test is read with the scenario and the packs that it names, a suite with its tests. Of a scenario the
number of its runs is told: each way through its branches, in each cell of its variation_matrix, repeated.

Exit codes: 0 no problem, 2 a problem in any file, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_FIELDS = ("code", "file", "line", "column", "path", "message", "guess")


def configure(parser: Parser) -> None:
    """Declare flags."""
    said = "a scenario, a conversation test or a suite, YAML or JSON; - is standard input"
    parser.operand("FILE", said, completes="file", required=True, many=True)
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Check every file."""
    if args.file.count("-") > 1:
        raise CommandError("hotato scenario validate", "-", "standard input can be read once")
    from hotato.errors import Problem
    from hotato.model.codec import encode
    from hotato.plan.text import safe

    reports = [_checked(file) for file in args.file]
    code = 2 if any(report["problems"] for report in reports) else 0
    if args.format == "json":
        return finish(encode({"ok": not code, "files": reports, "exit_code": code}, indent=2) + "\n", code)
    lines = []
    for report in reports:
        lines += [str(Problem(**problem)) for problem in report["problems"]]
        if not report["problems"]:
            lines.append(f"{report['file']}: {report['told']}, no problem")
    return finish("".join(f"{safe(line)}\n" for line in lines), code)


def _checked(file: str) -> dict[str, Any]:
    """Return what is to be said of one file."""
    from hotato.errors import UsageError
    from hotato.simulate import checks, documents, scenario, suite
    from hotato.simulate.variants import variants

    told, count, problems, kind = "", 0, [], ""
    try:
        tree = documents.tree_of_file(file)
        kind = documents.kind_of(tree)
        if kind == checks.KIND:
            test = checks.load_test(tree)
            count = len(test.document.assertions.deterministic) + len(test.document.assertions.rubric)
            told = f"a conversation test, {_many(count, 'assertion')}"
        elif kind == suite.KIND:
            count = len(suite.load_suite(tree).tests)
            told = f"a suite, {_many(count, 'test')}"
        else:
            kind = scenario.KIND
            count = len(variants(checks.load_scenario(tree)))
            told = f"a scenario, {_many(count, 'run')}"
    except UsageError as error:
        problems = list(error.problems)
    found = [{field: getattr(one, field) for field in _FIELDS} for one in problems]
    return {"file": file, "kind": kind, "count": count, "told": told, "problems": found}


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
