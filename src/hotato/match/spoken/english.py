"""English number and address words."""

from __future__ import annotations

from hotato.match.spoken._language import SPELLING, Language, counted, pairs, words

_DIGITS = {
    "zero": "0", "oh": "0", "o": "0", "nought": "0", "naught": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "niner": "9",
}  # fmt: skip
_TEENS = {
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15",
    "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19",
}  # fmt: skip
_TENS = {
    "twenty": "2", "thirty": "3", "forty": "4", "fourty": "4", "fifty": "5", "sixty": "6", "seventy": "7",
    "eighty": "8", "ninety": "9",
}  # fmt: skip

TABLE = Language(
    digits=_DIGITS,
    teens=_TEENS,
    tens=_TENS,
    pairs=pairs(_TENS, _DIGITS),
    repeats={"double": 2, "triple": 3, "treble": 3, "quadruple": 4},
    scales={"hundred": 2, "thousand": 3, "million": 6},
    one=words("a an"),
    joins=words("and"),
    halves=words("half quarter"),
    fillers=words("uh um uhm er erm ah eh hmm mm then and so like okay ok yeah space pause next"),
    hesitations=words("uh um uhm er erm ah eh hmm mm"),
    dashes=words("dash hyphen minus dot"),
    plus=words("plus"),
    plain={"one": words("moment second sec minute more thing of time question last way day")},
    points=words("point"),
    minus=words("minus negative"),
    currencies={
        "dollar": "$", "dollars": "$", "buck": "$", "bucks": "$", "euro": "EUR", "euros": "EUR", "pound": "GBP",
        "pounds": "GBP", "quid": "GBP", "rupee": "INR", "rupees": "INR", "yen": "JPY", "peso": "peso", "pesos": "peso",
        "franc": "CHF", "francs": "CHF",
    },
    cents=words("cent cents penny pennies pence p"),
    and_cents=words("and"),
    months={
        **counted("january february march april may june july august september october november december"),
        **counted("jan feb mar apr"), **counted("jun jul aug sep oct nov dec", 6), "sept": 9,
    },
    ordinals={
        **counted("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
                  "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"),
        **counted("twenty_first twenty_second twenty_third twenty_fourth twenty_fifth twenty_sixth twenty_seventh "
                  "twenty_eighth twenty_ninth thirtieth thirty_first", 21),
    },
    ordinal_tails=words("st nd rd th"),
    date_words=words("the of on in"),
    weekdays=words("monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun"),
    letters={**SPELLING, "zee": "Z", "zed": "Z", "double u": "W", "x ray": "X"},
    as_in=frozenset(["as in", "for", "like", "is for", "like in"]),
    capitals=frozenset(["capital", "uppercase", "upper case", "lowercase", "lower case", "small", "letter"]),
    one_letter=words("a i"),
    at=words("at"),
    at_tails=words("sign symbol"),
    marks={
        "dot": ".", "point": ".", "period": ".", "dash": "-", "hyphen": "-", "minus": "-", "underscore": "_",
        "underline": "_", "plus": "+",
    },
    openers=words("is it's its that's thats that's email e-mail address mail to use be"),
    not_local=words(
        "a about am are arrive arrives available be best but buy by call called check click contact details do find "
        "from get go good great here him her house in is it its just live located look looked looking look me meet "
        "more my now of on online only or order our out page path point read reach register see shop sign site start "
        "store that the them there this today up us visit was we web website welcome what when where work you your"
    ),
    not_domain=words("a an any her his my our that the their this what which your"),
    sites=words("visit check see find look go book browse online website site more view download read shop apply"),
    back_channel=words(
        "yes yeah yep yup ok okay right sure mm mhm hmm uh huh uhm um ah oh go on ahead and then next the rest last first "
        "got it that i see thanks thank you great perfect good alright all please continue carry fine correct digits "
        "numbers number more done noted so far with me"
    ),
)  # fmt: skip
