"""Claims: what the agent says only when a tool has done it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from hotato.probe.propose_calls import Candidate, Seen, regex_of
from hotato.probe.propose_speech import LEAST_CALLS

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LEAST_STEM = 4  # letters; a shorter part of a tool's name begins too many words
_LEAST_WORDS, _MOST_WORDS = 2, 5
_MOST_TRIED = 60
# words that make of a word about a tool something told as done: "your refund is ..."; "booked" needs none
_DONE = frozenset("been is are was were has have i've we've you're it's done complete".split())
_MOST_KEPT = 3
_T = TypeVar("_T")


def claims(seen: Seen) -> Iterator[Candidate]:
    """Yield that what the agent says around a word of a tool's name rests on a call of the tool that went well.

    Phrases of two to five words are tried that agents say in enough of the good calls and that tell of something done. Those of the pack `say-do` are tried
    as well.
    """
    if len(seen.good) < LEAST_CALLS:
        return
    for name in seen.tools:
        said: dict[tuple[str, ...], set[int]] = {}
        stems = tuple(_stems(name))
        for place, utterances in enumerate(seen.said) if stems else ():
            for words in utterances:
                for row in _around(words, stems):
                    said.setdefault(row, set()).add(place)
        rows = sorted(
            (row for row, places in said.items() if len(places) >= seen.least), key=lambda row: (-len(said[row]), row)
        )
        for row in rows[:_MOST_TRIED]:
            fields: dict[str, Any] = {"says": regex_of(row), "requires": {"tool": name}}
            yield Candidate(
                stem=f"{name}-claim-{'-'.join(row)}", kind="claim", fields=fields, shown=tuple(sorted(said[row])),
                is_told=False, phrase=row, tool=name,
            )  # fmt: skip
    for assertion in _of_the_pack():
        stem = assertion.pop("id")
        kind = assertion.pop("kind")
        yield Candidate(stem=stem, kind=kind, fields=assertion, shown=seen.every, is_told=False)


def shortest(held: Sequence[tuple[Candidate, _T]]) -> list[tuple[Candidate, _T]]:
    """Return what held, of claims on one tool a few that are shortest: a longer one around one kept says less."""
    kept: list[tuple[Candidate, _T]] = [pair for pair in held if not pair[0].phrase]
    rows: dict[str, list[str]] = {}
    tried = [pair for pair in held if pair[0].phrase]
    tried.sort(key=lambda pair: (len(pair[0].phrase), -len(pair[0].shown)))
    for candidate, held_so in tried:
        known, text = rows.setdefault(candidate.tool, []), f" {' '.join(candidate.phrase)} "
        if len(known) < _MOST_KEPT and not any(one in text for one in known):
            known.append(text)
            kept.append((candidate, held_so))
    return kept


def _stems(tool: str) -> Iterator[str]:
    """Yield what words may begin with that speak of a tool: `book` for `book_table`, `updat` for `updateAddress`."""
    for part in _PART.findall(tool):
        word = part.lower()
        stem = word[:-1] if word[-1] in "ey" else word
        if len(stem) >= _LEAST_STEM:
            yield stem


def _around(words: Sequence[str], stems: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place, word in enumerate(words):
        if not word.startswith(stems):
            continue
        for size in range(_LEAST_WORDS, _MOST_WORDS + 1):
            for start in range(max(0, place - size + 1), place + 1):
                row = tuple(words[start : start + size])
                if len(row) == size and all(row) and (word.endswith("ed") or not _DONE.isdisjoint(row)):
                    yield row


def _of_the_pack() -> list[dict[str, Any]]:
    from hotato.document.reading import read
    from hotato.packs import text

    return [dict(one) for one in read(text("assertions", "say-do"), "say-do.yaml").value["assertions"]]
