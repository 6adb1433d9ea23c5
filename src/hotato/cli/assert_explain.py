"""Explain a kind of assertion: its fields, its rules, an example and every code it can answer.

For example:
  hotato assert explain
  hotato assert explain tool_call
  hotato assert explain phrase --format json

Without KIND the kinds are listed, family by family.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._out import emit
from hotato.cli._parser import Parser

_FAMILIES = {
    "core": "Core",
    "trace": "From the trace",
    "state": "From the system of record",
    "measure": "Measurements",
    "composite": "Over other results and the order of phrases",
    "rubric": "Model-judged elsewhere",
    "say_do": "What was said beside what was done, on one timeline (extensions)",
}


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("KIND", "a kind, such as phrase or tool_call", completes="kind")
    parser.formats()


def main(args: Namespace) -> int:
    """Explain one kind, or list them all."""
    pages = [_page(args.kind)] if args.kind is not None else _all()
    if args.format == "json":
        from hotato.model.codec import encode

        emit(encode(pages if args.kind is None else pages[0], indent=2) + "\n")
    else:
        emit(_list(pages) if args.kind is None else _text(pages[0]))
    return 0


def _all() -> list[dict[str, Any]]:
    from hotato import kinds

    return [_page(kinds.tag(kind)) for kind in kinds.all_kinds()]


def _page(name: str) -> dict[str, Any]:
    """Return what there is to say of a kind. Raise UsageError for one that does not exist, with a guess."""
    from hotato import kinds
    from hotato.cli._kind_page import page
    from hotato.errors import Problem, UsageError

    if name not in kinds.names():
        from hotato.document.guess import Guesser

        said = f"no kind is called '{name}'; hotato assert explain lists them"
        guess = Guesser().nearest(name, kinds.names())
        raise UsageError(Problem(code="unknown_kind", file="hotato assert explain", message=said, guess=guess))
    return page(kinds.get(name))


def _list(pages: list[dict[str, Any]]) -> str:
    width = max(len(page["kind"]) for page in pages)
    lines: list[str] = []
    for family in dict.fromkeys(page["family"] for page in pages):
        lines += ["", _FAMILIES[family]] if lines else [_FAMILIES[family]]
        lines += [f"  {page['kind']:<{width}}  {page['summary']}" for page in pages if page["family"] == family]
    return "\n".join([*lines, "", "hotato assert explain KIND tells more."]) + "\n"


def _text(page: dict[str, Any]) -> str:
    reads = " and ".join(page["reads"]) or "what its fields ask for"
    lines = [f"{page['kind']}: {page['summary']}", "", f"Reads: {reads}", "", *page["rules"].splitlines(), ""]
    if page["example"]:
        lines += ["Example:", *(f"  {line}".rstrip() for line in page["example"].splitlines()), ""]
    lines.append("Fields:")
    width = max(len(field["name"]) for field in page["fields"])
    for field in page["fields"]:
        default = "required" if field["required"] else f"default {field['default']}" if field["default"] else ""
        lines.append(f"  {field['name']:<{width}}  {field['values']}{f' ({default})' if default else ''}")
    lines += ["", "Codes:"]
    width = max(map(len, page["codes"]))
    lines += [f"  {code:<{width}}  {said.replace('{', '<').replace('}', '>')}" for code, said in page["codes"].items()]
    return "\n".join(lines) + "\n"
