"""List the bundled packs, or print one.

For example:
  hotato assert packs
  hotato assert packs pii-leak
  hotato assert packs default > my-rules.yaml

An assertion pack is merged into a run with `hotato assert run --pack NAME`. A policy rule pack is named by an assertion
of kind `policy`: `pack: NAME`, or `pack_path: FILE` for one of your own.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli._out import emit
from hotato.cli._parser import Parser

_TITLES = {"assertions": "Assertion packs (--pack NAME)", "policy": "Policy rule packs (kind: policy, pack: NAME)"}


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("NAME", "a pack to print", completes="pack")
    parser.formats()


def main(args: Namespace) -> int:
    """List packs or print one."""
    from hotato import packs
    from hotato.cli._packs import about, pack_text
    from hotato.model.codec import encode

    sorts: tuple[packs.Sort, ...] = ("assertions", "policy")
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
