"""One spelling for text that means the same: what is heard has no typography.

Speech-to-text and language models write the same words with straight or curly quotes, with any of a dozen
dashes and blanks, in composed or decomposed Unicode, and sometimes with invisible characters inside. A check
that can be missed by such a difference is a false green, so turns are folded on load and patterns on compile.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from hotato.model.near import nearest

_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07"
_DOUBLE = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2043"
_BLANKS = "\t\n\x0b\x0c\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_UNSEEN = "\xad\u200b\u200e\u200f\u2060\ufeff"  # carry no meaning; the joiners U+200C and U+200D do, and stay

_FOLDS: dict[int, str] = {
    **dict.fromkeys(map(ord, _QUOTES), "'"),
    **dict.fromkeys(map(ord, _DOUBLE), '"'),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _BLANKS), " "),
    **dict.fromkeys(map(ord, _UNSEEN), ""),
}
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.)|[^\\]", re.DOTALL)

ROLES = {
    "assistant": "agent", "bot": "agent", "ai": "agent", "model": "agent", "agent": "agent",
    "user": "caller", "customer": "caller", "human": "caller", "caller": "caller",
}  # fmt: skip

PARTIES = ("agent", "caller")
_SHORT_ROLE = 3  # of which a label of another kind can be one letter away


def nfc(text: str) -> str:
    """Return the text in Unicode's composed form."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """Return a turn's text in one spelling: composed, plain quotes, dashes and blanks, nothing invisible, one line."""
    if text.isascii() and text.isprintable():
        return text.strip(" ")
    return unicodedata.normalize("NFC", text).translate(_FOLDS).strip(" ")


def fold_role(role: str) -> str:
    """Return `agent` or `caller` for the names that sources give these two, any other name as it is."""
    known = ROLES.get(role)
    if known is not None:
        return known
    name = role.strip()
    return ROLES.get(name.lower(), name)


@lru_cache(maxsize=4096)
def role_meant(role: str) -> str:
    """Return the name of a party that a role is nearly, such as `agent` for `agnet`; empty where it is none or is numbered."""
    usual = [name for name in ROLES if len(name) > _SHORT_ROLE]
    meant = nearest(role, usual) if role not in PARTIES else ""
    is_one_of_many = meant and role[: len(meant)].casefold() == meant and not role[len(meant) :].isalpha()
    return "" if is_one_of_many else meant


def fold_pattern(pattern: str) -> str:
    r"""Return a pattern that finds in folded text what the given one finds in the text as written.

    A folded dash or blank is escaped, so that it stays itself in a class and under `(?x)`; `\u2019` and other
    escapes of folded characters are folded as well. Escapes of ASCII characters are left alone.
    """
    if (
        pattern.isascii()
        and "\\x" not in pattern
        and "\\u" not in pattern
        and "\\N" not in pattern.replace("\\U", "\\N")
    ):
        return pattern
    return "".join(_fold_token(m.group()) for m in _ESCAPE.finditer(unicodedata.normalize("NFC", pattern)))


def _fold_token(token: str) -> str:
    char = token
    if token[0] == "\\":
        kind, body = token[1], token[2:]
        if not body or kind not in "xuUN":
            char = token[1] if ord(token[1]) > 127 else ""
        elif kind == "N":
            try:
                char = unicodedata.lookup(body[1:-1])
            except KeyError:
                return token
        else:
            char = chr(int(body, 16)) if int(body, 16) < 0x110000 else ""
    if len(char) != 1 or ord(char) < 128 or ord(char) not in _FOLDS:
        return token
    plain = _FOLDS[ord(char)]
    return "\\" + plain if plain in ("-", " ") else plain
