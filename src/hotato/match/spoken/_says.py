"""Whether two texts say the same: letter for letter and digit for digit, however they are written or said."""

from __future__ import annotations

import re

from hotato.match.spoken._amounts import Amount, amounts
from hotato.match.spoken._dates import dates
from hotato.match.spoken._language import Language, unaccented
from hotato.match.spoken._readings import readings

_GROUPS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_KEPT = re.compile(r"(?<=[0-9])[.](?=[0-9])|[^\W_]")
_WORD = re.compile(r"[^\W\d_]+")


def says(text: str, language: Language) -> frozenset[str]:
    """Return what a text may say: letters and digits, without case, blanks, marks and hesitations. Empty for nothing.

    A point between digits stays, and so does the sign of a number that is the whole text.
    """
    every = [text, *(reading.text for reading in readings(text, language))]
    return frozenset(bare for bare in (_bare(one, language) for one in every) if bare)


def _bare(text: str, language: Language) -> str:
    if language.decimal == ",":
        text = re.sub(r"(?<=[0-9]),(?=[0-9])", "\0", re.sub(r"(?<=[0-9])\.(?=[0-9]{3}(?![0-9]))", "", text))
        text = text.replace("\0", ".")
    else:
        text = _GROUPS.sub(lambda match: match.group().replace(",", ""), text)
        text = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", text)
    hesitations = language.hesitations
    text = _WORD.sub(lambda match: "" if unaccented(match.group().lower()) in hesitations else match.group(), text)
    sign = "-" if re.match(r"\s*-[0-9.]+\s*$", text) else ""
    return sign + "".join(_KEPT.findall(text)).casefold()


def is_alone(text: str, start: int, end: int, language: Language) -> bool:
    """Say whether a stretch is all that a text says, hesitations, blanks and marks of a sentence aside."""
    around = text[:start] + " " + text[end:]
    if _WORD.sub("", around).strip(" \n.,;!?"):
        return False
    return all(unaccented(word.lower()) in language.hesitations for word in _WORD.findall(around))


def only_amount(text: str, language: Language) -> Amount | None:
    """Return the amount that a text is, None where it is none or holds anything else."""
    found = amounts(text, language)
    return found[0] if len(found) == 1 and is_alone(text, found[0].start, found[0].end, language) else None


def only_date(text: str, language: Language, order: str | None = None) -> str | None:
    """Return the date that a text is, as ISO text; None where it is none or holds anything else.

    A weekday and an article may stand beside it, and so may a time behind an ISO date.
    """
    text = text.strip()
    if re.fullmatch(r"[0-9]{8}", text):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    timed = re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z| ?[+-][0-9:]{2,6})?)?",
        text,
    )
    found = dates(timed[1] if timed else text, language, order)
    if timed:
        return found[0].text if found else None
    if len(found) != 1:
        return None
    beside = language.date_words | language.weekdays
    outside = _WORD.sub(
        lambda match: "" if unaccented(match.group().lower()) in beside else match.group(),
        text[: found[0].start] + " \0 " + text[found[0].end :],
    )
    place = outside.index("\0")
    return found[0].text if is_alone(outside, place, place + 1, language) else None
