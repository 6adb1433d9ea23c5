"""What the commands share that transcribe recordings."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from hotato.cli._parser import Parser

if TYPE_CHECKING:
    from hotato.model.call import Call


def declare(parser: Parser) -> None:
    """Declare what says how a recording is transcribed."""
    from hotato.transcribe import ENGINES

    value = parser.value
    value("--model", "NAME", "whisper-base (default), a folder with a model, or the name of one on the model hub")
    value("--engine", "NAME", " or ".join((f"{ENGINES[0]} (default)", *ENGINES[1:])), choices=ENGINES)
    value("--device", "NAME", "cpu (default), cuda or auto", choices=("cpu", "cuda", "auto"))
    value("--language", "CODE", "the language that is spoken, such as en; by default the model finds it")
    said = "replay what was kept of the same recording, and keep what is new (on by default)"
    parser.switch("--transcribe-cache", said, negative="--no-transcribe-cache")


def transcribed(args: Namespace, path: str, caller_channel: int = 0) -> dict[str, Any]:
    """Return the transcript of a recording. Raise UsageError."""
    from hotato.transcribe import ENGINES, transcribe

    return transcribe(
        path,
        model=args.model,
        device=args.device or "cpu",
        engine=args.engine or ENGINES[0],
        language=args.language,
        caller_channel=caller_channel,
        cache=args.transcribe_cache is not False,
    )


def heard(path: str, *, model: str | None, language: str | None, cache: bool) -> Call:
    """Return a call of the transcript of a recording with both sides. Raise UsageError."""
    from hotato.context.build import build_context
    from hotato.errors import EvidenceError, Problem
    from hotato.transcribe import transcribe

    found = transcribe(path, model=model, language=language, cache=cache)
    if any("role" not in segment for segment in found["segments"]):
        said = "mono: who speaks cannot be told; record caller and agent on a channel each"
        raise EvidenceError(Problem(code="audio_channels", file=path, message=said))
    said = f"written down by a speech model, {model or 'whisper-base'}, not by people"
    notes = [{"code": "transcribed", "message": said, "count": len(found["segments"])}]
    return build_context(transcript=found["segments"], sources={"transcript": {"notes": notes}})
