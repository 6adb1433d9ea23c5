"""Write a contract as one file, for sending.

For example:
  hotato contract pack contracts/refund-interruption.hotato --out refund-interruption.hotato.zip

The archive is a ZIP file of the bundle's files; the same bundle gives the same bytes. It holds the recording: send it
to those who may hear it. `hotato contract unpack` is the way back.

Exit codes: 0 written, 2 refused (a bundle that was changed, a file that is there already), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato contract pack"


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("BUNDLE", "a bundle, the folder <id>.hotato", completes="folder", required=True)
    parser.value("--out", "FILE", "the archive; by default <id>.hotato.zip, here", completes="file")
    parser.switch("--force", "overwrite a file that is there")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Pack, and tell."""
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file")
    from hotato.cli._reports import apart
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.timing import archive, bundle

    if bundle.bundles(args.bundle) != [args.bundle]:
        raise bundle.refused(args.bundle, "a folder of contracts; name one of the bundles in it")
    out = args.out or f"{bundle.read_contract(args.bundle).id}{bundle.SUFFIX}.zip"
    apart(_PROG, [("--out", out)], [("BUNDLE", args.bundle)])
    size, digest = archive.pack(args.bundle, out, overwrite=bool(args.force))
    if args.format == "json":
        told = {"ok": True, "archive": out, "sha256": digest, "exit_code": 0}
        return finish(encode(told, indent=2) + "\n", 0)
    return finish(safe(f"{out}: {size} bytes, sha256 {digest}") + "\n", 0)
