"""The reader: text -> numbers, each with its digits and its place.

The text has ASCII digits and plain dashes and blanks; a line feed in it is where one turn ends and the next begins.
A number is one figure as it was written or said: `4111`, `forty-two`, `triple one`, `eight hundred`. Everything is linear
in the text.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from hotato.match.spoken._language import Language, unaccented

_TOKEN = re.compile(r"([^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+)")
_ASCII_TOKEN = re.compile(r"([a-z]+(?:'[a-z]+)*|[0-9]+)")  # the same in a text of ASCII alone in lower case
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9A-Za-z])")
_LONGEST_GLUED = 100

_WRITTEN, _DIGIT, _PAIR, _REPEAT, _HUNDREDS, _SCALE, _ONE = range(7)
_NUMERALS = (_WRITTEN, _DIGIT, _PAIR)
_OPENING = (_DIGIT, _PAIR, _HUNDREDS)


class _Token(msgspec.Struct, frozen=True, gc=False):
    """A number word or a row of written digits; `value` is its digits, or how many zeros or repetitions it means."""

    kind: int
    value: str
    word: str
    start: int
    end: int


class _Vocabulary(msgspec.Struct, frozen=True):
    """A table as the reader looks words up. `bare` are the words of scales that need no number before them."""

    words: dict[str, tuple[int, str]]
    begun: frozenset[str]
    pairs: dict[str, str]
    links: frozenset[str]
    joins: frozenset[str]
    bare: frozenset[str]
    one: frozenset[str]
    plain: dict[str, frozenset[str]]
    pieces: re.Pattern[str] | None


class Number(msgspec.Struct, frozen=True, gc=False):
    """One figure: its digits, where it stands, and whether it was said as words."""

    digits: str
    start: int
    end: int
    said: bool


@cache
def _vocabulary(language: Language) -> _Vocabulary:
    words: dict[str, tuple[int, str]] = {unaccented(w): (_DIGIT, digit) for w, digit in language.digits.items()}
    words.update({unaccented(w): (_PAIR, digits) for w, digits in language.teens.items()})
    words.update({unaccented(w): (_PAIR, digit + "0") for w, digit in language.tens.items()})
    words.update({unaccented(w): (_REPEAT, str(times)) for w, times in language.repeats.items()})
    words.update({unaccented(w): (_HUNDREDS, digit) for w, digit in language.hundreds.items()})
    words.update({unaccented(w): (_SCALE, str(zeros)) for w, zeros in language.scales.items()})
    for word in language.one:
        words.setdefault(unaccented(word), (_ONE, "1"))
    pairs = {unaccented(key): digits for key, digits in language.pairs.items()}
    begun = frozenset(" ".join(parts[:n]) for parts in map(str.split, pairs) for n in range(1, len(parts)))
    pieces = None
    if language.glued:
        listed = sorted({*words, *map(unaccented, language.joins)}, key=len, reverse=True)
        pieces = re.compile("|".join(map(re.escape, listed)))
    plain = {unaccented(w): frozenset(map(unaccented, after)) for w, after in language.plain.items()}
    links, joins = frozenset(map(unaccented, language.links)), frozenset(map(unaccented, language.joins))
    bare, one = frozenset(map(unaccented, language.bare)), frozenset(map(unaccented, language.one))
    return _Vocabulary(words, begun, pairs, links, joins, bare, one, plain, pieces)


def numbers(text: str, language: Language) -> list[Number]:
    """Return every figure of a text, in order. Figures inside a code (`3f9c2ab`, a UUID) are none."""
    known = _vocabulary(language)
    tokens = _tokens(text, known)
    reader = _Reader(text, known, tokens)
    out = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        written = token.kind == _WRITTEN
        if at + 1 == len(tokens) or tokens[at + 1].kind != _SCALE:  # nothing multiplies it
            is_whole = written or (token.kind in (_DIGIT, _PAIR) and token.word not in known.begun)
        else:
            is_whole = written and not reader.is_multiplied(at)
        if is_whole:
            out.append(Number(token.value, token.start, token.end, not written))
            at += 1
            continue
        digits, after = reader.figure(at)
        if digits:
            out.append(Number(digits, token.start, tokens[after - 1].end, True))
        at = max(after, at + 1)
    return out


def _tokens(text: str, known: _Vocabulary) -> list[_Token]:
    look, plain, glued = known.words.get, known.plain, known.pieces
    codes = [m.span() for m in _UUID.finditer(text)] if "-" in text else []
    codes.reverse()
    out: list[_Token] = []
    is_ascii, end = text.isascii(), 0
    pieces = _ASCII_TOKEN.split(text.lower()) if is_ascii else _TOKEN.split(text)  # what is between, a token, and so on
    for at in range(1, len(pieces), 2):
        word, start = pieces[at], end + len(pieces[at - 1])
        end = start + len(word)
        if word[0] <= "9":  # a letter comes later in Unicode
            while codes and codes[-1][1] <= start:
                codes.pop()
            touched = text[start - 1 : start].isalpha() or text[end : end + 1].isalpha()
            if (codes and codes[-1][0] <= start) or (touched and _in_code(text, start, end)):
                continue
            out.append(_Token(_WRITTEN, word, word, start, end))
            continue
        low = word if is_ascii else unaccented(word.lower())
        meaning = look(low)
        if meaning is None:
            if glued is not None and 6 < len(low) <= _LONGEST_GLUED:
                out += _pieces(low, start, end, known)
            continue
        if meaning[0] == _ONE or low in plain:
            after = _WORD.match(text, end + 1)
            following = "" if after is None else unaccented(after.group().lower())
            if following in plain.get(low, ()) or (meaning[0] == _ONE and look(following, (0,))[0] != _SCALE):
                continue
        out.append(_Token(*meaning, low, start, end))
    return out


def _pieces(low: str, start: int, end: int, known: _Vocabulary) -> list[_Token]:
    """Return the number words that one word is made of, all at its place; none where it is made of others as well."""
    out: list[_Token] = []
    place = 0
    assert known.pieces is not None
    while place < len(low):
        piece = known.pieces.match(low, place)
        if piece is None:
            return []
        place = piece.end()
        meaning = known.words.get(piece.group())
        if meaning is not None:
            out.append(_Token(*meaning, piece.group(), start, end))
    return out if len(out) > 1 else []


def _in_code(text: str, start: int, end: int) -> bool:
    """Say whether digits are part of a word that mixes letters and digits more than once; `x4021` is an extension."""
    before = start - 1
    while before >= 0 and start - before <= 16 and text[before].isalpha():
        before -= 1
    letters = text[before + 1 : start]
    if letters and before >= 0 and text[before].isdigit() and letters.lower() not in ("x", "ext"):
        return True
    after = end
    while after < len(text) and after - end <= 16 and text[after].isalpha():
        after += 1
    letters = text[end:after]
    return bool(letters) and after < len(text) and text[after].isdigit() and letters.lower() not in ("x", "ext")


class _Reader:
    """Puts number words together: `forty` `five`, `triple` `one`, `eight` `hundred`."""

    def __init__(self, text: str, known: _Vocabulary, tokens: list[_Token]) -> None:
        self.text, self.known, self.tokens = text, known, tokens

    def is_multiplied(self, at: int) -> bool:
        """Say whether up to three written digits stand right before a scale: "25 thousand"."""
        token = self.tokens[at]
        if len(token.value) > 3 or token.value[0] == "0" or self._zeros(at + 1) not in (3, 6):
            return False
        return not self.text[max(0, token.start - 2) : token.start].strip(" -\n(").endswith((".", ",", "'"))

    def figure(self, at: int) -> tuple[str, int]:
        """Return the digits of the figure that starts at a token, and the token after it; no digits where none does."""
        token = self.tokens[at]
        if token.kind == _REPEAT:
            if self._near(at, at + 1):
                following = self.tokens[at + 1]
                if following.kind in (_DIGIT, _WRITTEN) and len(following.value) == 1:
                    return following.value * int(token.value), at + 2
            return "", at + 1
        digits, after = self._group(at, 4)
        zeros = self._zeros(after)
        if digits and len(digits) <= 3 and digits[0] != "0" and zeros in (3, 6):
            more, end = self._rest(after + 1, zeros)
            if zeros == 3 and self._zeros(end) == 6:  # "one hundred thousand million" is no figure of ours
                return digits + more, end
            return digits + more, end
        if not digits and token.kind == _SCALE and token.word in self.known.bare and token.value == "3":
            more, end = self._rest(at + 1, 3)
            return "1" + more, end
        return digits, after

    def _group(self, at: int, most: int) -> tuple[str, int]:
        """Return a figure of up to three digits, or four where they are hundreds ("nineteen hundred")."""
        token = self.tokens[at]
        if token.kind == _HUNDREDS:
            head, after = token.value, at + 1
        elif token.kind == _SCALE and token.value == "2" and token.word in self.known.bare:
            head, after = "1", at + 1
        else:
            head, after = self._pair(at)
            if not head or head[0] == "0" or self._zeros(after) != 2 or len(head) + 2 > most:
                return head, after
            after += 1
        more, end = self._rest(after, 2)
        return head + more, end

    def _pair(self, at: int) -> tuple[str, int]:
        """Return a figure below a hundred; of several words as many as one may take."""
        token = self.tokens[at]
        if token.kind not in (_DIGIT, _PAIR, _ONE, _WRITTEN):
            return "", at + 1
        best = whole = (token.value, at + 1)
        key, place = token.word, at
        while key in self.known.begun and self._near(place, place + 1, self.known.links):
            link = self._gap(place, place + 1)
            key = f"{key} {link} {self.tokens[place + 1].word}" if link else f"{key} {self.tokens[place + 1].word}"
            place += 1
            if key in self.known.pairs:
                best = self.known.pairs[key], place + 1
                if not self._is_hyphened(place):
                    whole = best
        first_hyphened = self._is_hyphened(at) and at + 1 != best[1]
        return best if first_hyphened or not self._is_hyphened(best[1] - 1) else whole

    def _is_hyphened(self, at: int) -> bool:
        """Say whether a hyphen alone stands between a token and the next numeral."""
        if at + 1 >= len(self.tokens) or self.tokens[at + 1].kind not in _NUMERALS:
            return False
        return self.text[self.tokens[at].end : self.tokens[at + 1].start] == "-"

    def _rest(self, at: int, width: int) -> tuple[str, int]:
        """Return what follows a scale, filled with zeros: "eight hundred five five" is 800 5 5."""
        nothing = "0" * width, at
        if not self._near(at - 1, at, self.known.joins):
            return nothing
        token = self.tokens[at]
        is_bare = token.kind == _SCALE and token.word in self.known.bare and int(token.value) < width
        if token.kind not in _OPENING and not is_bare and token.kind != _ONE:
            return nothing
        digits, after = self._pair(at) if width == 2 else self._group(at, 3) if width == 3 else self.figure(at)
        if not digits or digits[0] == "0" or len(digits) > width or self._zeros(after) >= width:
            big = width == 2 and bool(digits) and digits[0] != "0" and self._zeros(after) >= 3
            return (digits.rjust(width, "0"), after) if big else nothing
        if len(digits) == 1 and self._near(after - 1, after) and self.tokens[after].kind != _SCALE:
            return nothing
        return digits.rjust(width, "0"), after

    def _zeros(self, at: int) -> int:
        """Return how many zeros a scale right behind a token means, 0 where none is there."""
        if at >= len(self.tokens) or self.tokens[at].kind != _SCALE or not self._near(at - 1, at):
            return 0
        return int(self.tokens[at].value)

    def _gap(self, at: int, following: int) -> str:
        """Return what stands between two tokens, in lower case, without blanks and hyphens around it."""
        end = self.tokens[at].end
        return unaccented(self.text[end : min(self.tokens[following].start, end + 8)].strip(" \n-").lower())

    def _near(self, at: int, following: int, between: frozenset[str] = frozenset()) -> bool:
        if following >= len(self.tokens):
            return False
        token, next_token = self.tokens[at], self.tokens[following]
        if token.start == next_token.start:  # pieces of one word
            return True
        size = next_token.start - token.end
        if not 0 < size < 8:
            return False
        gap = self._gap(at, following)
        return not gap or gap in between
