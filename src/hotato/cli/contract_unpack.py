"""Unpack a contract that `hotato contract pack` wrote, wherever it comes from.

For example:
  hotato contract unpack refund-interruption.hotato.zip --out contracts

What is unpacked are the files of a contract and nothing else, into the folder <id>.hotato, which appears only once
every hash is right. Links, other names, names that lead elsewhere, encryption, sizes that are untrue and files larger
than the limit file_bytes are refused.

Exit codes: 0 unpacked, 2 refused, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli._out import finish
from hotato.cli._parser import Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("ARCHIVE", "the file that pack wrote", completes="file", required=True)
    parser.value("--out", "FOLDER", "where the folder <id>.hotato is made; by default here", completes="folder")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Unpack, and tell."""
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.timing.archive import unpack

    place, contract = unpack(args.archive, args.out or ".")
    if args.format == "json":
        return finish(encode({"ok": True, "bundle": place, "id": contract.id, "exit_code": 0}, indent=2) + "\n", 0)
    return finish(safe(f"{place}: {contract.label}") + "\n", 0)
