"""Tab-separated transcripts: Whisper's `.tsv` and label tracks of Audacity, as WhisperX writes them (`.aud`).

How to get it: `whisper --output_format tsv` (a header, times in milliseconds), `whisperx --output_format aud`, or the
label export of Audacity (no header, times in seconds).

Speakers are read from a `speaker` column or from `[[SPEAKER_00]]` in front of the text. Whisper's `.tsv` has neither,
even where WhisperX told the speakers apart: take `json` or `vtt` from it instead.

What it does not record: which speaker is the agent, tool calls.
"""

from __future__ import annotations

import re

from hotato.importers._cues import split_lines
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Said, imported, over

RANK = 35
GIVES = ("transcript",)
_HEADER = re.compile(r"\ufeff?start\tend\t(?:[a-z_]+\t)*text(?:\t[a-z_]+)*[ \t]*(?:\r|\n|$)", re.IGNORECASE)
_LABEL = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,12})?)\t([0-9]{1,9}(?:\.[0-9]{1,12})?)\t(.*)")
_SPEAKER = re.compile(r"\s*\[\[([^\[\]]{1,60})\]\]\s*:?\s*")


def matches(content: Content) -> str:
    """Return why the content is such a table; empty where it is not."""
    text = content.text or ""
    if _HEADER.match(text[:400]):
        return "its first line is start, end and text, apart by tabs"
    first = text.removeprefix("\ufeff").lstrip("\r\n")[:200].split("\n")[0]
    return "its first line is two times and a text, apart by tabs" if _LABEL.match(first) else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a tab-separated file."""
    lost = Lost()
    lines = split_lines(content.text or "")
    headed = _HEADER.match(content.text or "") is not None
    said = _table(lines) if headed else _labels(lines)
    return imported("tsv", said, options, lost)


def _table(lines: list[str]) -> list[Said]:
    columns = [name.strip().lower() for name in lines[0].rstrip().split("\t")]
    last = len(columns) - 1
    out = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) > len(columns) and columns[last] == "text":
            cells[last:] = [" ".join(cells[last:])]
        if len(cells) != len(columns):
            raise Damage((), f"{len(cells)} columns where the header has {len(columns)}", number)
        row = dict(zip(columns, (cell.strip() for cell in cells), strict=True))
        start, end = (_milliseconds(row[name], name, number) for name in ("start", "end"))
        out.append(Said(text=row["text"], start=start, end=end, speaker=row.get("speaker") or None))
    return out


def _milliseconds(cell: str, column: str, line: int) -> float | None:
    if not re.fullmatch(r"[0-9]{1,12}", cell):
        raise Damage((column,), "must be a whole number of milliseconds", line)
    return over(int(cell), 1000)


def _labels(lines: list[str]) -> list[Said]:
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("\\"):  # a backslash: the pitch range of the label above
            continue
        match = _LABEL.fullmatch(line)
        if match is None:
            raise Damage((), "must be a start and an end in seconds and a text, apart by tabs", number)
        rows.append(match)
    speakers = [_SPEAKER.match(row[3]) for row in rows]
    if not any(speakers) and not any("." in row[1] + row[2] for row in rows):
        raise Damage(
            (), "whole numbers without a header: seconds or milliseconds; a first line start, end, text says", 1
        )
    return [
        Said(
            text=row[3][who.end() :] if who else row[3],
            start=float(row[1]),
            end=float(row[2]),
            speaker=who[1] if who else None,
        )
        for row, who in zip(rows, speakers, strict=True)
    ]
