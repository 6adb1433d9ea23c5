"""Subtitles in WebVTT form (`.vtt`), as meeting tools, Whisper, WhisperX and Deepgram write them.

How to get it: the transcript download of Teams, Zoom and other meeting tools, `whisper --output_format vtt`, or
Deepgram's captions package.

Speakers are read from voice tags (`<v Front desk>`), of which a cue may hold several, else from the text as in SRT:
`[SPEAKER_00]: `, `AGENT: `, or any name in front of a colon where every cue begins with one.

What it does not record: which speaker is the agent, tool calls, how sure the recogniser was.
"""

from __future__ import annotations

import html
import re

from hotato.importers._cues import Cue, Speakers, cues, split_lines
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Said, imported

RANK = 20
GIVES = ("transcript",)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]*)>|(</v\s*>)")
_TAG = re.compile(r"</?(?:c|i|b|u|ruby|rt|lang|v)(?:[.\s][^<>]*)?>|<[0-9][0-9:.]*>")


def matches(content: Content) -> str:
    """Return why the content is WebVTT; empty where it is not."""
    begins = content.text is not None and re.match(r"\ufeff?WEBVTT(?:\s|$)", content.text[:16])
    return "begins with WEBVTT" if begins else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a WebVTT file."""
    lost = Lost()
    lines = split_lines(content.text or "")
    if not matches(content):
        raise Damage((), "the first line of WebVTT is WEBVTT", 1)
    found = cues(lines, lost, vtt=True)
    plain = [cue for cue in found if not any(_VOICE.search(line) for line in cue.lines)]
    voiced = {cue.line for cue in found} - {cue.line for cue in plain}
    for cue in plain:
        cue.lines = [_text(line) for line in cue.lines]
    speakers = Speakers(plain, options.roles, lost)
    said: list[Said] = []
    for cue in found:
        said += _voices(cue, lost) if cue.line in voiced else speakers.said(cue)
    return imported("webvtt", said, options, lost)


def _text(line: str) -> str:
    return html.unescape(_TAG.sub("", line))


def _voices(cue: Cue, lost: Lost) -> list[Said]:
    """Return the pieces of a cue with voice tags; text outside of any voice goes with the nearest."""
    text = " ".join(cue.lines)
    pieces: list[tuple[str, list[str]]] = []
    leading, place, inside = "", 0, False
    for match in [*_VOICE.finditer(text), None]:
        part = _text(text[place : match.start() if match else len(text)])
        if part.strip():
            lost["text_outside_voice"] += not inside
            if pieces:
                pieces[-1][1].append(part)
            else:
                leading += part
        if match is None:
            break
        place, inside = match.end(), match[2] is None
        if inside:
            pieces.append((" ".join(html.unescape(match[1]).split()), [leading]))
            leading = ""
    if leading:
        pieces.append(("", [leading]))
    return [
        Said(text=" ".join("".join(parts).split()), start=cue.start, end=cue.end, speaker=name or None)
        for name, parts in pieces
    ]
