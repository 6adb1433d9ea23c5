"""Google Cloud Speech-to-Text, versions 1 and 2: recognition results and the results of a stream.

How to get it: save the answer of `recognize` or of the finished operation, or the file a batch leaves in its bucket;
switch word times on, and diarization or separate recognition per channel. For streams write each response on a line.

With version 1 and diarization the last result says every word again with its speaker: the turns are cut from it and the
results that it repeats are left out. What it does not record: which speaker or channel is the agent
(`--map-role 1=agent`), tool calls.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost
from hotato.importers._speech import (
    Label,
    Said,
    Seconds,
    imported,
    label,
    number,
    records,
    runs,
    shaped,
)

RANK = 210
GIVES = ("transcript",)


class Split(msgspec.Struct):
    """A duration as client libraries dump it; whole seconds may be text."""

    seconds: int | str = 0
    nanos: int = 0


Duration = str | float | Split | None


class Word(msgspec.Struct, kw_only=True):
    """A word; version 2 calls its times offsets."""

    word: str = ""
    start_time: Duration = None
    end_time: Duration = None
    speaker_label: Label = None
    speaker_tag: int | None = None


class Alternative(msgspec.Struct, kw_only=True):
    """One reading of a result; the first is the best."""

    transcript: str = ""
    words: list[Word] | None = None


class Result(msgspec.Struct, kw_only=True):
    """A result: a stretch of speech on one channel."""

    alternatives: list[Alternative] | None = None
    channel_tag: int | None = None
    result_end_time: Duration = None
    is_final: bool | None = None
    stability: float | None = None


_SPELT = {
    "startTime": "start_time", "startOffset": "start_time", "start_offset": "start_time",
    "endTime": "end_time", "endOffset": "end_time", "end_offset": "end_time",
    "speakerLabel": "speaker_label", "speakerTag": "speaker_tag", "channelTag": "channel_tag",
    "resultEndTime": "result_end_time", "resultEndOffset": "result_end_time", "result_end_offset": "result_end_time",
    "isFinal": "is_final",
}  # fmt: skip


def matches(content: Content) -> str:
    """Return why the content is of Google; empty where it is not."""
    for _, _, value in records(content)[:20]:
        found = _results(value, ())
        if found is not None and found[1]:
            first = found[1][0]
            if type(first) is dict and type(first.get("alternatives")) is list and "type" not in first:
                return "results with alternatives"
    return ""


def _results(value: Any, path: Path) -> tuple[Path, list[Any], int] | None:
    """Return the way to the list of results, the list, which may stand in an operation, and of how many recordings."""
    if type(value) is not dict:
        return None
    if type(value.get("response")) is dict:
        return _results(value["response"], (*path, "response"))
    results = value.get("results")
    if type(results) is dict and results and all(type(one) is dict for one in results.values()):
        name, one = next(iter(results.items()))
        inline = one.get("inlineResult")
        inner = inline.get("transcript") if type(inline) is dict else one.get("transcript")
        if type(inner) is dict and type(inner.get("results")) is list:
            return (*path, "results", name), inner["results"], len(results)
    return ((*path, "results"), results, 1) if type(results) is list else None


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of recognition results or of a stream."""
    lost = Lost()
    results: list[tuple[Path, Result]] = []
    known = 0
    for at, line, value in records(content):
        found = _results(value, at)
        if found is not None:
            known += 1
            path, items, recordings = found
            if recordings > 1:
                raise Damage(path[:-1], "more than one recording in a file; a call is one recording", line)
            results += [((*path, n), shaped(_spelt(item), Result, (*path, n), line)) for n, item in enumerate(items)]
    if not known:
        raise Damage((), "must be an object with results")
    if any(result.is_final is not None or result.stability is not None for _, result in results):
        final = [pair for pair in results if pair[1].is_final]
        lost["partials_dropped"] += len(results) - len(final)
        lost["turns_unfinished"] += bool(results) and not results[-1][1].is_final
        results = final
    many = len({result.channel_tag or 0 for _, result in results}) > 1
    said = _said(results, many, lost)
    return imported("google_speech", said, options, lost)


def _spelt(item: Any) -> Any:
    """Return a result with one spelling of its names, which differ between versions and client libraries."""
    if type(item) is dict:
        return {_SPELT.get(k, k): _spelt(v) if k in ("alternatives", "words") else v for k, v in item.items()}
    return [_spelt(v) for v in item] if type(item) is list else item


def _said(results: list[tuple[Path, Result]], many: bool, lost: Lost) -> list[Said]:
    heard = [_words(path, result, many) for path, result in results]
    again: set[tuple[Seconds, str]] = set()
    last = len(heard) - 1
    if heard and any(word.speaker for word in heard[last]):
        again = {(word.start, word.text) for word in heard[last]}
    out: list[Said] = []
    for i, ((path, result), words) in enumerate(zip(results, heard, strict=True)):
        if again and i < last and words and all((word.start, word.text) in again for word in words):
            lost["alternatives_dropped"] += 1
            continue
        best = result.alternatives[0] if result.alternatives else Alternative()
        if not best.transcript or len({word.speaker for word in words}) > 1:
            cut = runs(words)
            lost["segments_inferred"] += len(cut)
            out += cut
            continue
        channel = _channel(result, many)
        start = words[0].start if words else None
        end = words[-1].end if words else _seconds(result.result_end_time, (*path, "resultEndTime"))
        speaker = words[0].speaker if words else None
        out.append(Said(text=best.transcript, start=start, end=end, speaker=speaker, channel=channel))
    return out


def _channel(result: Result, many: bool) -> str | None:
    return label(result.channel_tag or 0) if many else None


def _words(path: Path, result: Result, many: bool) -> list[Said]:
    """Return the words of a result. A first word without a start starts at 0, since zeros are not written."""
    best = result.alternatives[0] if result.alternatives else Alternative()
    first = path[-1] == 0
    out = []
    for i, word in enumerate(best.words or []):
        at = (*path, "alternatives", 0, "words", i)
        start, end = _seconds(word.start_time, (*at, "startTime")), _seconds(word.end_time, (*at, "endTime"))
        if start is None and end is not None and i == 0 and first:
            start = 0.0
        speaker = label(word.speaker_label) or (label(word.speaker_tag) if word.speaker_tag else None)
        out.append(Said(text=word.word, start=start, end=end, speaker=speaker, channel=_channel(result, many)))
    return out


def _seconds(value: Duration, path: Path) -> Seconds:
    if isinstance(value, Split):
        whole = number(str(value.seconds), path)
        if whole is None or whole != int(whole) or not 0 <= value.nanos < 10**9:
            raise Damage(path, "must be whole seconds and nanoseconds")
        return (int(whole) * 10**9 + value.nanos) / 10**9
    return number(value.removesuffix("s") if isinstance(value, str) else value, path)
