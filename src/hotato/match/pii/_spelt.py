"""Addresses as they are said: "j a n e underscore doe at example dot com", and as they are written to be unlike one.

From each "at" the domain is read to the right and the name to the left, over a bounded number of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hotato.match.spoken import Language, numbers

_REACH = 140
_MOST_TOKENS = 40
_LONGEST_WORDS = 3
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s]|_")
_BEFORE = re.compile(r"[^\W_]+(?:[._+%'-][^\W_]+)*|[^\w\s]|_")
_SENTENCE = re.compile(r"\s|(?:Is|It|In|At|Me|My|To|So|No|Be|Us|Am|As)(?![^\W_])")  # begins behind a full stop
_UNDERSCORES = frozenset(  # said with two words
    (("guion", "bajo"), ("guión", "bajo"), ("barra", "baja"), ("tiret", "bas"), ("under", "score"))
)
_OPEN, _CLOSE = frozenset("[({<"), frozenset("])}>")

_ENDINGS = frozenset(
    (
        "com org net edu gov mil int info biz name io co ai app dev me tv cc xyz online site shop store tech cloud pro "
        "example test invalid eu uk us ca au nz ie in de at ch fr be nl lu it es pt pl cz se no dk fi is gr tr ru ua il ae "
        "sa za ng ke br mx ar cl pe jp kr cn hk tw sg my th vn id ph pk bd lk photography agency email media studio"
    ).split()
)


@cache
def _sign(language: Language) -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, language.at)))
    tails = "|".join(sorted(map(re.escape, language.at_tails))) or "(?!)"
    plain = rf"(?<![^\W_])(?:{words})(?:[ \n-](?:{tails}))?(?![^\W_])"
    return re.compile(rf"[\[({{<] ?(?:{words}|@) ?[\])}}>]|{plain}|@(?= )", re.IGNORECASE)


def said_address(text: str, language: Language) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and plain value (letters and digits) of every address that is said, in order."""
    done = 0
    for sign in _sign(language).finditer(text):
        if sign.start() < done:
            continue
        domain = _domain(text, sign.end(), language)
        if domain is None:
            continue
        local = _local(text, sign.start(), max(done, sign.start() - _REACH), language)
        if local is None:
            continue
        start, (end, named) = local, domain
        done = end
        yield start, end, _plain(text[start : sign.start()], language) + named


def _domain(text: str, start: int, language: Language) -> tuple[int, str] | None:
    """Return where the domain that begins here ends, and its letters and digits."""
    labels: list[str] = []
    current: list[str] = []
    best: tuple[int, str] | None = None
    before = start
    for count, token in enumerate(_TOKEN.finditer(text, start, min(len(text), start + _REACH))):
        word = token.group().lower()
        if count >= _MOST_TOKENS or word in language.at or not _joined(text[before : token.start()]):
            break
        mark = "." if word == "." else language.marks.get(word)
        if word in _OPEN or word in _CLOSE:
            if not current and not labels:
                break
        elif mark == ".":
            if word == "." and _SENTENCE.match(text, token.end()):
                break
            if not current:
                break
            labels.append("".join(current))
            current = []
        elif mark == "-" or word == "-":
            if not current:
                break
        elif word[0].isalnum():
            if (
                not labels
                and not current
                and word in language.not_domain
                and not _has_mark(text, token.end(), language)
            ):
                return None
            if current and _is_full(current, word, bool(labels)):
                break
            current.append(word)
            if labels and "".join(current) in _ENDINGS:
                best = token.end(), "".join(labels) + "".join(current)
        else:
            break
        before = token.end()
    return best


def _has_mark(text: str, place: int, language: Language) -> bool:
    """Say whether a dash follows, written or said ("my dash shop")."""
    after = _TOKEN.search(text, place, place + 16)
    return after is not None and (after.group() == "-" or language.marks.get(after.group().lower()) == "-")


def _is_full(current: list[str], word: str, ending: bool) -> bool:
    """Say whether a label takes no more words: behind a dot only spelt letters go on."""
    if ending:
        return len(word) > 1 or len(current[-1]) > 1
    return len(word) > 1 and sum(len(part) > 1 for part in current) >= _LONGEST_WORDS


def _joined(space: str) -> bool:
    return space.strip(" \n") == "" and len(space) <= 3


def _local(text: str, end: int, least: int, language: Language) -> int | None:
    """Return where the name before the sign begins."""
    tokens = [token for token in _BEFORE.finditer(text, least, end) if token.group() != ","]
    if least and tokens and text[least - 1 : least].isalnum():
        tokens = tokens[1:]  # it may be half a word
    if not tokens or not tokens[-1].group()[0].isalnum():
        return None
    if not _follows(text[tokens[-1].end() : end], tokens[-1].group(), language):
        return None
    at = len(tokens) - 1
    parts = 1
    while at:
        left, right = tokens[at - 1], tokens[at]
        space = text[left.end() : right.start()]
        if at > 2 and (tokens[at - 2].group().lower(), left.group().lower()) in _UNDERSCORES:
            at -= 3
            parts += 1
            continue
        if left.group() == "-" and space and left.start() > tokens[at - 2].end():
            break  # a dash between two halves of a sentence
        if (
            left.group() == "."
            and space
            and at > 1
            and tokens[at - 2].end() == left.start()
            and len(tokens[at - 2].group()) > 1
        ):
            break  # the end of a sentence
        if _is_mark(left.group(), language) and at > 1 and tokens[at - 2].group()[0].isalnum():
            if not _joined(space) or not _joined(text[tokens[at - 2].end() : left.start()]):
                break
            at -= 2
        elif _goes_on(left.group().lower(), right.group().lower(), language) and _follows(
            space, left.group(), language
        ):
            at -= 1
        else:
            break
        parts += 1
    word = tokens[at].group().lower()
    if parts == 1 and (word in language.not_local or word in language.openers):
        return None
    opened = _opened(text, tokens, at, language)
    if parts == 1 and opened == at and any(t.group().lower() in language.sites for t in tokens[max(0, at - 3) : at]):
        return None
    return tokens[opened].start()


def _follows(space: str, left: str, language: Language) -> bool:
    """Say whether what stands behind a word holds it to the next; a comma does behind a spelt letter or a number."""
    if "," in space and (len(left) == 1 or left[0].isdigit() or language.is_number(left.lower())):
        space = space.replace(",", "", 1)
    return _joined(space)


def _is_mark(word: str, language: Language) -> bool:
    return word.lower() in language.marks or word in "._+-"


def _goes_on(left: str, right: str, language: Language) -> bool:
    """Say whether two words in a row are one name: spelt letters, digits behind a word."""
    if not left[0].isalnum() or left in language.openers:
        return False
    number = right[0].isdigit() or language.is_number(right)
    if len(right) == 1 or number:
        spelt = len(left) == 1 or left[0].isdigit() or language.is_number(left) or left in language.repeats
        return spelt or (number and left not in language.not_local)
    return len(left) == 1 and left not in ("a", "i")


def _opened(text: str, tokens: list[re.Match[str]], at: int, language: Language) -> int:
    """Return where a name of several words begins, if a word that announces an address stands before them."""
    for back in range(at - 1, max(-1, at - 4), -1):
        place = back
        if not _joined(text[tokens[place].end() : tokens[place + 1].start()]) or not tokens[place].group()[0].isalnum():
            return place + 1 if place + 1 < at and tokens[place].group() == ":" else at
        if tokens[place].group().lower() in language.openers:
            place += 1
            while place < at and _is_small(tokens[place].group().lower(), language):
                place += 1
            return place
        if tokens[place].group().lower() in language.not_local:
            return at
    return at


def _is_small(word: str, language: Language) -> bool:
    """Say whether a word behind an opener opens the address as well and is no part of it ("my e-mail as ...")."""
    return word == "as" or word in language.at or word in language.openers or word in language.not_local


def _plain(text: str, language: Language) -> str:
    """Return the letters and digits of a name, number words as digits and marks left out."""
    out, done = [], 0
    for number in numbers(text, language):
        out += [text[done : number.start], number.digits]
        done = number.end
    words = re.findall(r"[^\W_]+", "".join([*out, text[done:]]).lower())
    return "".join(word for word in words if word not in language.marks)
