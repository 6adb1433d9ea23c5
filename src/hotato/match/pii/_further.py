"""Signs and single digits of languages that have no table of their own: enough for addresses and digit by digit."""

from __future__ import annotations

from hotato.match.spoken import Language
from hotato.match.spoken._language import unaccented


def _table(*, digits: str, at: str, dot: str, dash: str, line: str, before: str, not_local: str) -> Language:
    """Return a table; `digits` holds the words of 0 to 9 with commas between, `at` the sign and what may follow it."""
    marks = {word: sign for sign, said in ((".", dot), ("-", dash), ("_", line)) for word in _words(said)}
    said = {word: str(place) for place, row in enumerate(digits.split(",")) for word in _words(row)}
    signs, _, tails = at.partition(",")
    return Language(
        digits=said,
        at=frozenset(_words(signs)),
        at_tails=frozenset(tails.split()),
        marks=marks,
        openers=frozenset(_words(before)),
        not_local=frozenset(_words(not_local)),
    )


def _words(listed: str) -> list[str]:
    return [word for given in listed.split() for word in dict.fromkeys((given, unaccented(given)))]


TABLES = (
    _table(  # Italian
        digits="zero,uno,due,tre,quattro,cinque,sei,sette,otto,nove",
        at="chiocciola chiocciolina",
        dot="punto",
        dash="trattino meno",
        line="underscore sottolineato",
        before="a è e mia email mail indirizzo scrivi",
        not_local="la il una",
    ),
    _table(  # Portuguese
        digits="zero,um uma,dois duas,três tres,quatro,cinco,seis meia,sete,oito,nove",
        at="arroba",
        dot="ponto",
        dash="hífen traço menos",
        line="underline sublinhado",
        before="é e para meu email mail endereço o",
        not_local="a um uma",
    ),
    _table(  # Dutch
        digits="nul,een één,twee,drie,vier,vijf,zes,zeven,acht,negen",
        at="apenstaartje apestaartje",
        dot="punt",
        dash="streepje koppelteken min",
        line="underscore laagstreepje",
        before="is mijn email mail adres naar",
        not_local="het een de",
    ),
    _table(  # Polish
        digits="zero,jeden,dwa,trzy,cztery,pięć,sześć,siedem,osiem,dziewięć",
        at="małpa",
        dot="kropka",
        dash="myślnik minus",
        line="podkreślenie podkreślnik",
        before="to mój email mail adres na",
        not_local="ta jest",
    ),
    _table(  # Swedish
        digits="noll,ett en,två,tre,fyra,fem,sex,sju,åtta,nio",
        at="snabel snabela,a",
        dot="punkt",
        dash="bindestreck minus",
        line="understreck",
        before="är min mejl mail epost adress till",
        not_local="det en ett",
    ),
)
