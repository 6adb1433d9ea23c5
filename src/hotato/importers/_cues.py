"""Subtitle files as pieces of speech: cues with their lines, and the ways in which writers put a speaker into the text.

Written here and not taken from a library: the three that are well kept (webvtt-py, pysubs2, srt) leave out cues they
cannot read without a word, read one speaker of a cue that has two, or run a time into the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from hotato.importers._importer import Damage
from hotato.importers._notes import Lost
from hotato.importers._speech import Said
from hotato.match.text import fold_role

_MARK = r"(?:(?:([0-9]{1,4}):)?([0-5]?[0-9]):([0-5][0-9])[.,]([0-9]{3}))"
_TIMING = re.compile(rf"\s*{_MARK}\s*-->\s*{_MARK}(?:\s.*)?")
_LIKE_TIMING = re.compile(r"\s*[0-9]+:[0-9:.,]*\s*-+>")
_MARKER = re.compile(r"\s*(?:>>+\s*|-(?:\s+|(?=[A-Z])))(?=\S)")
_BRACKET = re.compile(r"\s*\[{1,2}([^\[\]]{1,60})\]{1,2}(:?)\s*")
_PREFIX = re.compile(r"\s*([^\W\d_][^:<>\[\]]{0,39}):(?:\s+|$)")
_LABEL = re.compile(r"(?:speaker|spk|participant|channel|ch)[ _-]?[0-9]{1,3}|speaker [a-z]", re.IGNORECASE)


class Cue(msgspec.Struct):
    """A cue: seconds, the lines of its text, and the line of the file on which its times stand."""

    start: float
    end: float
    lines: list[str]
    line: int = 0
    index: str = ""


def split_lines(text: str) -> list[str]:
    """Return the lines of a subtitle file, whatever ends them, without a byte order mark."""
    return re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))


def cues(lines: Sequence[str], lost: Lost, *, vtt: bool) -> list[Cue]:
    """Return the cues of SRT or WebVTT lines. Raise Damage with the line of a time that cannot be read.

    Text that stands apart from any cue is what a blank line inside a cue leaves behind: it is joined to the cue before.
    """
    found: list[Cue] = []
    for first, block in _blocks(lines):
        header = vtt and first == 1
        if vtt and not header and re.match(r"(?:NOTE|STYLE|REGION)(?:\s|$)", block[0]):
            continue
        timings = [(i, times) for i, line in enumerate(block) if (times := _times(line, first + i, vtt=vtt))]
        before = block[: timings[0][0]] if timings else block
        index = _index(before, vtt=vtt) if timings else ""
        _stray(found, [] if header else before[: len(before) - bool(index)], first, lost)
        for number, (i, (start, end)) in enumerate(timings):
            after = timings[number + 1][0] if number + 1 < len(timings) else len(block)
            text = block[i + 1 : after]
            following = _index(text, vtt=False) if after < len(block) and not vtt else ""
            found.append(Cue(start, end, text[: len(text) - bool(following)], first + i, index))
            index = following
    return found


def _blocks(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return the runs of lines between blank lines, each with the number of its first line."""
    out: list[tuple[int, list[str]]] = []
    blank = True
    for number, line in enumerate(lines, 1):
        if line.strip():
            if blank:
                out.append((number, []))
            out[-1][1].append(line)
        blank = not line.strip()
    return out


def _times(line: str, number: int, *, vtt: bool) -> tuple[float, float] | None:
    match = _TIMING.fullmatch(line)
    if match is None:
        if _LIKE_TIMING.match(line) or (vtt and "-->" in line):
            raise Damage(("cue",), "a time that cannot be read; 00:00:01.000 --> 00:00:02.500 is one", number)
        return None
    parts = [int(part or 0) for part in match.groups()]
    start, end = (((h * 60 + m) * 60 + s) * 1000 + ms for h, m, s, ms in (parts[:4], parts[4:]))
    return start / 1000, end / 1000


def _index(lines: Sequence[str], *, vtt: bool) -> str:
    """Return the number or name that stands on its own line above a cue's times; empty where there is none."""
    last = lines[-1].strip() if lines else ""
    return last if last and ((vtt and len(lines) == 1) or (last.isascii() and last.isdigit())) else ""


def _stray(found: list[Cue], lines: list[str], line: int, lost: Lost) -> None:
    if not lines:
        return
    if not found:
        raise Damage(("cue",), "text before the first cue", line)
    index = found[-1].index
    if len(lines) == 1 and index.isdigit() and lines[0].strip() == str(int(index) + 1):
        return  # the number of a cue that was never written
    lost["stray_text"] += len(lines)
    found[-1].lines.extend(lines)


class Speakers:
    """Who speaks in cues whose text names the speakers, and often only when the speaker changes.

    A name in front of a colon is a speaker where it is a role, looks like a recogniser's label, was mapped by the user,
    or where every cue begins with one; otherwise it is speech and stays.
    """

    def __init__(self, cues: Sequence[Cue], roles: Mapping[str, str], lost: Lost) -> None:
        self._roles, self._lost = roles, lost
        self._current: str | None = None
        firsts = [_PREFIX.match(_bare(cue.lines[0])) for cue in cues if cue.lines]
        every = len(firsts) > 1 and all(firsts)
        self._names = {match[1].strip() for match in firsts if match} if every else set()

    def said(self, cue: Cue) -> list[Said]:
        """Return the pieces of speech of a cue, one for each speaker in turn."""
        pieces: list[tuple[str | None, list[str]]] = []
        carried = True
        for line in cue.lines:
            changes, name, text = self._line(line)
            if changes or name is not None:
                self._current, carried = name, False
                pieces.append((name, []))
            elif not pieces:
                pieces.append((self._current, []))
            if text.strip():
                pieces[-1][1].append(text.strip())
        if carried and pieces and self._current is not None:
            self._lost["speaker_carried"] += 1
        kept = [(who, lines) for who, lines in pieces if lines] or pieces[:1] or [(None, [])]
        return [Said(text=" ".join(lines), start=cue.start, end=cue.end, speaker=who) for who, lines in kept]

    def _line(self, line: str) -> tuple[bool, str | None, str]:
        """Return whether a line changes the speaker, to whom if it says, and what is left of it."""
        marker = _MARKER.match(line)
        rest = line[marker.end() :] if marker else line
        for pattern in (_BRACKET, _PREFIX):
            label = pattern.match(rest)
            name = label[1].strip() if label else ""
            if label is None or not name:
                continue
            if (pattern is _BRACKET and label[2]) or name in self._names or self._is_speaker(name):
                return True, name, rest[label.end() :]
            if pattern is _PREFIX and name[0].isupper() and len(name.split()) <= 3:
                self._lost["speaker_prefix_kept"] += 1
        return marker is not None, None, rest

    def _is_speaker(self, name: str) -> bool:
        return name in self._roles or fold_role(name) in ("agent", "caller") or _LABEL.fullmatch(name) is not None


def _bare(line: str) -> str:
    marker = _MARKER.match(line)
    return line[marker.end() :] if marker else line
