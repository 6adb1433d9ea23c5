"""Score the audio of contracts again and hold it against their policy.

For example:
  hotato contract verify contracts/refund-interruption.hotato
  hotato contract verify contracts --format json

PATH is a bundle, or a folder of bundles. A bundle in which anything was changed, added or lost, or that holds a link,
is refused. Within assertions the kind timing_contract does the same. Needs the extra audio: pip install
'hotato[audio]'.

Exit codes: 0 every contract is kept, 1 one is broken, 2 refused, or one cannot be verified, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import Parser

_PROG = "hotato contract verify"
_WORDS = {"kept": "KEPT", "broken": "BROKEN", "unverified": "REFUSED"}


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("PATH", "a bundle <id>.hotato, or a folder of them", completes="folder", required=True)
    parser.value("--out", "FILE", "also write the result, as JSON, to this file", completes="file")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Verify, and tell."""
    from hotato.cli._reports import apart
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.timing.bundle import bundles
    from hotato.timing.contract import verify

    if args.out is not None:
        apart(_PROG, [("--out", args.out)], [("PATH", folder) for folder in bundles(args.path)])
    found = verify(args.path)
    encoded = encode(found, indent=2) + "\n"
    if args.out is not None:
        from hotato.context.files import write_text

        write_text(args.out, encoded)
    text = "".join(f"{safe(line)}\n" for line in _lines(found))
    return finish(encoded if args.format == "json" else text, int(found["exit_code"]))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    for row in found["contracts"]:
        word = _WORDS[row["status"]]
        yield f"{word:<8}{row['id']}: {row['label']}" if "id" in row else f"{word:<8}{row['bundle']}"
        yield from (f"        {reason}" for reason in row["reasons"])
    summary = found["summary"]
    counts = [f"{summary[name]} {word.lower()}" for name, word in _WORDS.items() if summary[name]]
    yield f"{summary['contracts']} contract{'s' if summary['contracts'] != 1 else ''}: {', '.join(counts)}"
