"""Plain text, one turn a line, the speaker's name in front of it or nowhere.

How to get it: `whisper --output_format txt`, `whisperx --output_format txt`, or a transcript copied from a page. Told from
its content only where every line begins with a speaker (`[SPEAKER_00]: `, `Agent: `) and a speaker comes twice or is a role; name the format for other text.

What it does not record: times, tool calls, and often who speaks. Where turns have times, take another format of the same
tool instead.
"""

from __future__ import annotations

import re

from hotato.importers._cues import Cue, Speakers, split_lines
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Said, imported
from hotato.match.text import fold_role

RANK = 990
GIVES = ("transcript",)
_SPOKEN = re.compile(r"\s*(\[[^\[\]\n]{1,60}\]|[^\W\d_][^:<>\[\]{}\"\n]{0,39}):\s+\S")
_MOST_LOOKED_AT = 200


def matches(content: Content) -> str:
    """Return why the content is plain text of turns; empty where it is not, or where it names no speakers."""
    if content.text is None or content.values:
        return ""
    lines = [line for line in split_lines(content.text[:100_000]) if line.strip()][:_MOST_LOOKED_AT]
    found = [_SPOKEN.match(line) for line in lines]
    names = [match[1].strip() for match in found if match]
    if len(names) < max(2, len(lines)):
        return ""
    known = any(name[0] == "[" or fold_role(name) in ("agent", "caller") for name in names)
    return "every line begins with a speaker" if known or len(set(names)) < len(names) else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of plain text."""
    if content.text is None:
        raise Damage((), "not UTF-8 text")
    lost = Lost()
    lines = [
        Cue(0.0, 0.0, [line.strip()], number)
        for number, line in enumerate(split_lines(content.text), 1)
        if line.strip()
    ]
    speakers = Speakers(lines, options.roles, lost)
    said = [Said(text=piece.text, speaker=piece.speaker) for line in lines for piece in speakers.said(line)]
    return imported("plain_text", said, options, lost)
