"""Which plain letter a character is easily taken for, so that a refused id can say what it only looks like."""

from __future__ import annotations

import unicodedata

# Cyrillic and Greek letters that most fonts draw as a Latin one, and the dashes that are drawn as a hyphen
_FROM = "асԁеһіјӏорԛѕуѵԝхАВСЕНІЈКМОРЅТУХҮ" + "αινορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "\u2010\u2011\u2012\u2013\u2014\u2212"  # noqa: RUF001
_TO = "acdehijlopqsyvwxABCEHIJKMOPSTYXY" + "aivopuxABEZHIKMNOPTYX" + "------"
_LOOKS_LIKE = dict(zip(_FROM, _TO, strict=True))


def fold(ident: str) -> str:
    """Return the one spelling of ids that must not stand beside one another: equal but for case and typography."""
    return ident.lower() if ident.isascii() else unicodedata.normalize("NFKC", ident).casefold()


def looks_like(char: str) -> str:
    """Return what a character that is no ASCII is taken for: a character, `nothing` for an invisible one, or ''."""
    if char.isascii():
        return ""
    plain = _LOOKS_LIKE.get(char) or unicodedata.normalize("NFKD", char)[:1]
    if (plain.isascii() and plain.isalnum()) or plain in ("-", "_", "."):
        return f"'{plain}'"
    return "nothing" if unicodedata.category(char) in ("Cf", "Mn", "Zs") else ""
