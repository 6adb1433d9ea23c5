"""List the bundled packs, or print one.

For example:
  hotato assert packs
  hotato assert packs pii-leak
  hotato assert packs default > my-rules.yaml
  hotato assert packs --regexes

An assertion pack is merged into a run with `hotato assert run --pack NAME`. A policy rule pack is named by an assertion
of kind `policy`: `pack: NAME`, or `pack_path: FILE` for one of your own.

The degree of a regex says how the work at one place of a text grows with the text: 0 not at all, 1 in proportion.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from hotato.cli._out import emit
from hotato.cli._parser import Parser

if TYPE_CHECKING:
    from hotato import packs

_TITLES = {"assertions": "Assertion packs (--pack NAME)", "policy": "Policy rule packs (kind: policy, pack: NAME)"}


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("NAME", "a pack to print", completes="pack")
    parser.switch("--regexes", "list the regexes of the packs instead, each with its degree")
    parser.formats()


def main(args: Namespace) -> int:
    """List packs or print one."""
    from hotato import packs
    from hotato.cli._packs import about, pack_text
    from hotato.model.codec import encode

    sorts: tuple[packs.Sort, ...] = ("assertions", "policy")
    if args.regexes:
        return _regexes(args, sorts)
    if args.name is not None:
        text = pack_text(args.name, sorts)
        if args.format == "json":
            from hotato.document.reading import read

            text = encode(read(text, args.name).value, indent=2) + "\n"
        emit(text)
        return 0
    listed = [{"name": name, "sort": sort, "about": about(sort, name)} for sort in sorts for name in packs.names(sort)]
    if args.format == "json":
        emit(encode(listed, indent=2) + "\n")
        return 0
    width = max(len(pack["name"]) for pack in listed)
    lines: list[str] = []
    for sort in sorts:
        lines += ["", _TITLES[sort]] if lines else [_TITLES[sort]]
        lines += [f"  {pack['name']:<{width}}  {pack['about']}" for pack in listed if pack["sort"] == sort]
    emit("\n".join([*lines, "", "hotato assert packs NAME prints one."]) + "\n")
    return 0


def _regexes(args: Namespace, sorts: tuple[packs.Sort, ...]) -> int:
    from hotato import packs
    from hotato.cli._packs import pack_text, regexes
    from hotato.model.codec import encode

    if args.name is not None:
        pack_text(args.name, sorts)  # refuses a name that is not one
    rows = [
        {"pack": name, "degree": degree, "regex": source}
        for sort in sorts
        for name in packs.names(sort)
        if args.name in (None, name)
        for source, degree in regexes(sort, name).items()
    ]
    if args.format == "json":
        emit(encode(rows, indent=2) + "\n")
        return 0
    width = max((len(str(row["pack"])) for row in rows), default=0)
    lines = [
        f"{row['pack']:<{width}}  {'none' if row['degree'] is None else row['degree']}  {row['regex']}" for row in rows
    ]
    emit("\n".join([f"{'pack':<{width}}  degree and regex", *lines]) + "\n")
    return 0
