"""The calls from which assertions are proposed, read once, and what a proposal is before it was tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.match.spans import TOOL_CALL, Trace
from hotato.match.spoken import language, languages
from hotato.match.spoken._readings import readings
from hotato.match.text import fold
from hotato.match.turns import Transcript
from hotato.model.call import Call

AGENT = "agent"
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
MOST_TOOLS = 40
_LONGEST_VALUE = 5  # words of a recorded value that may be somebody's name; a longer text is none
_SELVES = frozenset("i i'm i've i'll i'd".split())


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An assertion to be tried: its id before it is made unique, its kind, its fields, the good calls that show it.

    `is_told` says whether it is worth telling that it holds on most good calls, and not on all; `only_if_it_catches`, that
    it is one of many like it that say little. `phrase` and `tool` are set on claims alone. `note` is told beside it.
    """

    stem: str
    kind: str
    fields: dict[str, Any]
    shown: tuple[int, ...]
    is_told: bool = True
    only_if_it_catches: bool = False
    phrase: tuple[str, ...] = ()
    tool: str = ""
    note: str = ""


class Seen:
    """Good and bad calls, each with its trace and its transcript indexed; empty where it was not supplied.

    `least` is how many good calls have to show what is proposed.
    """

    def __init__(self, good: Sequence[Call], bad: Sequence[Call], least: int) -> None:
        self.good, self.bad, self.least = good, bad, least
        self.traces = [Trace(call.spans or ()) for call in good]
        self.bad_traces = [Trace(call.spans or ()) for call in bad]
        self.transcripts = [Transcript(call.transcript or (), join=True) for call in good]
        self.every = tuple(range(len(good)))
        self.tools = _tools(self.traces)
        self._said: list[list[list[str]]] | None = None

    def calling(self, tool: str) -> tuple[int, ...]:
        """Return the positions of the good calls in which a tool is called."""
        return tuple(place for place in self.every if self.traces[place].calls(tool))

    @property
    def said(self) -> list[list[list[str]]]:
        """Return for each good call what the agent says, utterance by utterance, as words.

        Words in lower case; in the place of one that may tell of the caller stands an empty text: whatever has a figure or is
        read as one, names (what stands in lower case in fewer than two calls), and what was passed to tools or answered by
        them, unless agents say it in half of the calls.
        """
        if self._said is None:
            raw = [[WORD.findall(_text(u)) for u in one.lane(AGENT).utterances] for one in self.transcripts]
            small, heard = _counted(raw, lowered=False), _counted(raw, lowered=True)
            passed = {word for trace in self.traces for word in _values(trace)}
            allowed = {
                word
                for word, times in heard.items()
                if (small.get(word, 0) >= 2 or word in _SELVES)
                and (word not in passed or 2 * times >= len(self.good))
                and not any(char.isdigit() for char in word)
                and not any(readings(word, language(name)) for name in languages())
            }
            self._said = [[[w if (w := word.lower()) in allowed else "" for word in u] for u in one] for one in raw]
        return self._said


def regex_of(words: Sequence[str]) -> str:
    """Return a regex for words in a row, whatever stands between them that is no word."""
    return r"\b" + r"\W{1,3}".join(re.escape(word) for word in words) + r"\b"


def rounded_up(number: float) -> int | float:
    """Return a number with two significant digits, no smaller than the one given; whole where it is ten or more."""
    if number <= 0:
        return 0
    scale = 1.0
    while number / scale >= 100:
        scale *= 10
    while number / scale < 10:
        scale /= 10
    steps = int(number / scale)
    while steps * scale < number:
        steps += 1
    value = round(steps * scale, 6)
    return int(value) if value >= 10 else value


def _tools(traces: Sequence[Trace]) -> tuple[str, ...]:
    """Return the tools called in the good calls, those of most calls first, then in the order of their first call."""
    times: dict[str, int] = {}
    for trace in traces:
        for name in dict.fromkeys(span.name for span in trace.of_type(TOOL_CALL) if span.name):
            times[name] = times.get(name, 0) + 1
    return tuple(sorted(times, key=lambda name: -times[name])[:MOST_TOOLS])


def _text(utterance: Sequence[Any]) -> str:
    return " ".join(turn.text for turn in utterance)


def _counted(raw: Sequence[Sequence[Sequence[str]]], *, lowered: bool) -> dict[str, int]:
    """Return in how many calls each word is said; without `lowered`, only where it is written in lower case."""
    times: dict[str, int] = {}
    for one in raw:
        words = {word.lower() if lowered else word for utterance in one for word in utterance}
        for word in words:
            if word == word.lower():
                times[word] = times.get(word, 0) + 1
    return times


def _values(trace: Trace) -> Iterator[str]:
    """Yield the words of every short text that was passed to a tool or answered by it."""
    for span in trace.of_type(TOOL_CALL):
        for value in (trace.arguments(span), trace.result(span)):
            for text in _texts(value):
                words = WORD.findall(fold(text).lower())
                if len(words) <= _LONGEST_VALUE:
                    yield from words


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)
