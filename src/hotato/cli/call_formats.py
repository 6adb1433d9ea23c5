"""List the formats of calls, transcripts and traces that are read, and what each can give.

For example:
  hotato call formats
  hotato call formats --format json

A format is told from what a file holds, not from its name. Where two fit, or none, the file is refused with the two best
guesses, and the format can be named: --call-format for `hotato assert run`, --format for `hotato call import`.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._out import emit
from hotato.cli._parser import Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.formats()


def main(args: Namespace) -> int:
    """List the formats."""
    from hotato import importers
    from hotato.model.codec import encode

    listed = [_described(name) for name in importers.names()]
    if args.format == "json":
        emit(encode(listed, indent=2) + "\n")
        return 0
    columns = [(one["name"], ", ".join(one["gives"]), one["about"]) for one in listed]
    wide, wider = (max(len(row[place]) for row in columns) for place in (0, 1))
    emit("".join(f"{name:<{wide}}  {gives:<{wider}}  {about}\n" for name, gives, about in columns))
    return 0


def _described(name: str) -> dict[str, Any]:
    from hotato import importers

    first = (importers.get(name).__doc__ or "").strip().partition("\n")[0]
    return {"name": name, "gives": list(importers.gives(name)), "about": first}
