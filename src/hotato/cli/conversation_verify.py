"""Read the files of a conversation again and say whether each is the one that was written.

For example:
  hotato conversation verify call
  hotato conversation verify calls --format json
  hotato conversation verify call --id 9f2c4b0c6d0e7a35b1f08c7e2d9a4466c1de03f5a8b97e6d2c4f1a0b3e5d7c99

PATH is a folder that --out of hotato simulate or hotato test run wrote, or a folder of such folders. Every part is read
again and held against its size and sha256 in conversation.json. A part that was changed, is gone, or is there and not
listed is told by its name. Who can write the folder can write all of it anew: the id, noted elsewhere, tells that as
well.

Exit codes: 0 every conversation is as it was written, 1 one is not, 2 refused, or one cannot be verified, 3 internal error.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato conversation verify"
_WORDS = {"intact": "INTACT", "changed": "CHANGED", "refused": "REFUSED"}


def configure(parser: Parser) -> None:
    """Declare flags."""
    said = "the folder of a conversation, or a folder of them"
    parser.operand("PATH", said, completes="folder", required=True)
    parser.value("--id", "ID", "the id that the conversation is known to have had")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Verify, and tell."""
    if args.id is not None and not re.fullmatch("[0-9a-f]{64}", args.id):
        raise CommandError(_PROG, "--id", "is the id of a conversation: 64 of the characters 0 to 9 and a to f")
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.simulate.verification import verify

    found = verify(args.path, args.id)
    text = "".join(f"{safe(line)}\n" for line in _lines(found))
    return finish(encode(found, indent=2) + "\n" if args.format == "json" else text, int(found["exit_code"]))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    for row in found["conversations"]:
        about = f": {row['origin']}, {row['parts']} parts, id {row['id'][:12]}" if "id" in row else ""
        yield f"{_WORDS[row['status']]:<8} {row['folder']}{about}"
        yield from (f"    {one['part']}: {one['message']}" for one in row["problems"])
    summary = found["summary"]
    counts = [f"{summary[name]} {word.lower()}" for name, word in _WORDS.items() if summary[name]]
    noun = f"conversation{'s' if summary['conversations'] != 1 else ''}"
    yield f"{summary['conversations']} {noun}: {', '.join(counts)}"
