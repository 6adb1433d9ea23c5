"""English number and address words."""

from __future__ import annotations

from hotato.match.spoken._language import Language


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


TABLE = Language(
    digits={
        "zero": "0", "oh": "0", "o": "0", "nought": "0", "naught": "0", "one": "1", "two": "2", "three": "3", "four": "4",
        "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "niner": "9",
    },
    teens={
        "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15",
        "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19",
    },
    tens={
        "twenty": "2", "thirty": "3", "forty": "4", "fourty": "4", "fifty": "5", "sixty": "6", "seventy": "7",
        "eighty": "8", "ninety": "9",
    },
    repeats={"double": 2, "triple": 3, "treble": 3, "quadruple": 4},
    hundreds=_words("hundred"),
    thousands=_words("thousand"),
    joins=_words("and"),
    fillers=_words("uh um uhm er erm ah eh hmm mm then and so like okay ok yeah space pause next"),
    dashes=_words("dash hyphen minus dot"),
    plus=_words("plus"),
    plain={"one": _words("moment second sec minute more thing of time question last way day")},
    at=_words("at"),
    at_tails=_words("sign symbol"),
    marks={
        "dot": ".", "point": ".", "period": ".", "dash": "-", "hyphen": "-", "minus": "-", "underscore": "_",
        "underline": "_", "plus": "+",
    },
    openers=_words("is it's its that's thats that's email e-mail address mail to use be"),
    not_local=_words(
        "a about am are arrive arrives available be best but buy by call called check click contact details do find "
        "from get go good great here him her house in is it its just live located look looked looking look me meet "
        "more my now of on online only or order our out page path point read reach register see shop sign site start "
        "store that the them there this today up us visit was we web website welcome what when where work you your"
    ),
    not_domain=_words("a an any her his my our that the their this what which your"),
    sites=_words("visit check see find look go book browse online website site more view download read shop apply"),
    back_channel=_words(
        "yes yeah yep yup ok okay right sure mm mhm hmm uh huh uhm um ah oh go on ahead and then next the rest last first "
        "got it that i see thanks thank you great perfect good alright all please continue carry fine correct digits "
        "numbers number more done noted so far with me"
    ),
)  # fmt: skip
