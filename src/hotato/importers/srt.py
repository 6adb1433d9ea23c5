"""Subtitles in SubRip form (`.srt`), as Whisper, WhisperX, Deepgram and subtitle editors write them.

How to get it: `whisper --output_format srt`, `whisperx --output_format srt`, Deepgram's captions package, or the
subtitle export of a recording tool.

Speakers are read from the text: `[SPEAKER_00]: `, `[speaker 0]` on a line of its own, `Agent: `, or any name in front of
a colon where every cue begins with one. A cue that names nobody belongs to the speaker of the cue before; a line that
begins with `- ` or `>>` begins another speaker's turn.

What it does not record: which speaker is the agent, tool calls, how sure the recogniser was.
"""

from __future__ import annotations

import re

from hotato.importers._cues import Speakers, cues, split_lines
from hotato.importers._importer import Content, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import imported

RANK = 30
GIVES = ("transcript",)
_BEGINS = re.compile(r"\ufeff?\s*(?:[0-9]+[ \t]*[\r\n]+\s*)?[0-9]+:[0-9]{2}(?::[0-9]{2})?[.,][0-9]+[ \t]*-->")
_TAG = re.compile(r"</?(?:[ibus]|font)(?:\s[^<>]*)?>|\{\\an?[0-9]{1,2}\}", re.IGNORECASE)


def matches(content: Content) -> str:
    """Return why the content is SRT; empty where it is not."""
    begins = content.text is not None and _BEGINS.match(content.text[:400])
    return "begins with a numbered cue and its times" if begins else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of an SRT file."""
    lost = Lost()
    found = cues(split_lines(content.text or ""), lost, vtt=False)
    for cue in found:
        cue.lines = [_TAG.sub("", line) for line in cue.lines]
    speakers = Speakers(found, options.roles, lost)
    said = [piece for cue in found for piece in speakers.said(cue)]
    return imported("srt", said, options, lost)
