"""What is said on a recording, by a speech model on this machine; the roles are known where each side has a channel.

    from hotato.transcribe import transcribe
    transcript = transcribe("call.wav")      # {"segments": [{"role": "caller", "text": ..., "start": ..., "end": ...}]}

Needs the extra `transcribe`: `pip install 'hotato[transcribe]'`. A speech model guesses: what it says is evidence of what was said
as good as the model is. The same recording and model give the same bytes from the cache; a fresh run elsewhere may differ.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import structs

from hotato import speech

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hotato.speech.engines import Heard

__all__ = ["ENGINES", "transcribe"]

ENGINES = tuple(speech.ENGINES)
_PAUSE = 0.7  # seconds of silence between words that end an utterance


def transcribe(
    path: str | os.PathLike[str],
    *,
    model: str | None = None,
    device: str = "cpu",
    engine: str = "faster-whisper",
    language: str | None = None,
    caller_channel: int = 0,
    cache: bool = True,
    cache_dir: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Return the transcript of a recording: `{"segments": [...]}`, as `--transcript` and `build_context` take it.

    A segment has `text`, `start` and `end` in seconds, `words` with theirs, and a `role` where the recording has two channels:
    the caller is on `caller_channel`, 0 or 1, the agent on the other, and each is heard on its own.

    `model` is `whisper-base` (default: carried by packages, no network), the folder of a CTranslate2 Whisper, or the name of
    one on the model hub, fetched from there. `device` is `cpu`, `cuda` or `auto`. `language` is a code such as `en`, found
    by the model if None. With `cache` a transcript of the same recording by the same model is replayed from `cache_dir`.

    Raise UsageError for an argument, EvidenceError for a recording that cannot be used or a package that is missing.
    """
    from hotato.context.files import sha256_of
    from hotato.errors import EvidenceError, Problem, UsageError
    from hotato.model import given
    from hotato.speech import cache as keeping
    from hotato.speech.engines import engine as engine_of

    for name, value, known in (("device", device, ("cpu", "cuda", "auto")), ("caller_channel", caller_channel, (0, 1))):
        if value not in known or isinstance(value, bool):
            said = f"is {', '.join(map(str, known[:-1]))} or {known[-1]}"
            raise UsageError(Problem(code="value", file="transcribe", path=name, message=said))
    place = given.path(path, "path")
    if place == "-":
        said = "a recording is transcribed from a file, whose hash names its transcript; standard input has none"
        raise UsageError(Problem(code="value", file="<stdin>", message=said))
    folder = given.path(cache_dir, "cache_dir") if cache_dir is not None else keeping.default_folder()
    digest = sha256_of(place, error=EvidenceError)
    hears = engine_of(engine, model=model, device=device, language=language, cache=folder)
    key = keeping.key_of({"recording": digest, "caller_channel": caller_channel, "pause": _PAUSE, **hears.identity})
    found = keeping.kept(folder, key) if cache else None
    if found is None:
        found = {"segments": _segments(place, hears, caller_channel)}
        if cache:
            keeping.keep(folder, key, found)
    return found


def _segments(path: str, hears: Any, caller_channel: int) -> list[dict[str, Any]]:
    from hotato.context.files import open_regular
    from hotato.errors import EvidenceError
    from hotato.speech.recording import channels_of, refused
    from hotato.timing.container import broken_off

    with open_regular(path, error=EvidenceError) as file:
        cut = broken_off(file)
    if cut:
        raise refused(path, f"breaks off: {cut}; get the whole file again")
    sides = channels_of(path)
    made: list[tuple[float, float, int, dict[str, Any]]] = []
    for number, samples in enumerate(sides):
        role = None if len(sides) == 1 else "caller" if number == caller_channel else "agent"
        for one in (piece for heard in hears.hear(samples) for piece in _apart(heard)):
            segment: dict[str, Any] = {} if role is None else {"role": role}
            segment |= {"text": one.text, "start": one.start, "end": max(one.start, one.end)}
            if one.words:
                segment["words"] = [{"text": word, "start": start, "end": end} for word, start, end in one.words]
            made.append((one.start, one.end, 0 if role == "caller" else 1, segment))
    return [segment for *_, segment in sorted(made, key=lambda one: one[:3])]


def _apart(heard: Heard) -> Iterator[Heard]:
    """Yield what was said without a pause: models hand over as one what is said before and after an interruption."""
    first = 0
    for place in range(1, len(heard.words) + 1):
        if place < len(heard.words) and heard.words[place][1] - heard.words[place - 1][2] < _PAUSE:
            continue
        words = heard.words[first:place]
        text = " ".join(word for word, _, _ in words)
        yield structs.replace(heard, text=text, start=words[0][1], end=words[-1][2], words=words)
        first = place
    if not heard.words:
        yield heard
