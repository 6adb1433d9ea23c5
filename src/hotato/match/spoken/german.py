"""German number, amount, date and address words."""

from __future__ import annotations

from hotato.match.spoken._language import SPELLING, Language, counted, each, words
from hotato.match.spoken.english import TABLE as ENGLISH

_DIGITS = each("null eins zwei|zwo drei vier fünf|fuenf sechs sieben acht neun")
_TEENS = each("zehn elf zwölf|zwoelf dreizehn vierzehn fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn", 10)
_TENS = each("zwanzig dreißig vierzig fünfzig|fuenfzig sechzig siebzig achtzig neunzig", 2)
_BEFORE_TENS = {**each("ein zwei|zwo drei vier fünf|fuenf sechs sieben acht neun", 1), "eins": "1"}
_TWO = {
    (one, ten): first + digit
    for one, digit in _BEFORE_TENS.items()
    for ten, first in _TENS.items()
}  # fmt: skip

TABLE = Language(
    digits=_DIGITS,
    teens={**_TEENS, **{f"{one}und{ten}": value for (one, ten), value in _TWO.items()}},
    tens=_TENS,
    pairs={f"{one} und {ten}": value for (one, ten), value in _TWO.items()},
    links=words("und"),
    repeats={"doppel": 2, "doppelt": 2, "zweimal": 2, "dreimal": 3, "dreifach": 3, "viermal": 4, "vierfach": 4},
    scales={"hundert": 2, "tausend": 3, "million": 6, "millionen": 6},
    bare=words("hundert tausend"),
    one=words("ein eine einer"),
    joins=words("und"),
    halves=words("halb halbe halber halbes viertel dreiviertel"),
    glued=True,
    fillers=words("äh aeh ähm aehm öh hm hmm mm also und dann so ja leerzeichen pause"),
    hesitations=words("äh ähm öh ah ahm oh aeh aehm hm hmm mm"),
    dashes=words("bindestrich minus strich punkt"),
    plus=words("plus"),
    decimal=",",
    points=words("komma"),
    minus=words("minus"),
    currencies={
        "euro": "EUR", "euros": "EUR", "dollar": "$", "dollars": "$", "pfund": "GBP", "franken": "CHF", "yen": "JPY",
    },
    cents=words("cent cents rappen pence"),
    and_cents=words("und"),
    months={
        **counted("januar|jänner|jan februar|feb märz|maerz|mar april|apr mai juni|jun juli|jul august|aug september|sep|sept"),
        **counted("oktober|okt november|nov dezember|dez", 10),
    },
    ordinals={
        word + end: number
        for word, number in counted(
            "erst zweit dritt viert fünft sechst siebt|siebent acht neunt zehnt elft zwölft dreizehnt vierzehnt fünfzehnt "
            "sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst einundzwanzigst zweiundzwanzigst dreiundzwanzigst "
            "vierundzwanzigst fünfundzwanzigst sechsundzwanzigst siebenundzwanzigst achtundzwanzigst neunundzwanzigst "
            "dreißigst einunddreißigst"
        ).items()
        for end in ("e", "er", "en", "es")
    },
    ordinal_tails=words("ten te ter"),
    date_words=words("der den dem am des"),
    weekdays=words("montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag"),
    letters={
        **SPELLING, "anton": "A", "berta": "B", "cäsar": "C", "casar": "C", "dora": "D", "emil": "E", "friedrich": "F",
        "gustav": "G", "heinrich": "H", "ida": "I", "julius": "J", "kaufmann": "K", "ludwig": "L", "martha": "M",
        "nordpol": "N", "otto": "O", "paula": "P", "richard": "R", "samuel": "S", "siegfried": "S", "theodor": "T",
        "ulrich": "U", "viktor": "V", "wilhelm": "W", "xanthippe": "X", "ypsilon": "Y", "zacharias": "Z",
    },
    as_in=frozenset(["wie", "wie in", "von"]),
    capitals=frozenset(["groß", "gross", "großes", "grosses", "klein", "kleines", "buchstabe"]),
    at=words("at klammeraffe ät"),
    marks={
        "punkt": ".", "bindestrich": "-", "minus": "-", "strich": "-", "unterstrich": "_", "plus": "+", "dot": ".",
    },
    # "at" is also an English word, and what stands around it may be English
    openers=ENGLISH.openers | words("ist adresse lautet an"),
    not_local=ENGLISH.not_local | words("der die das ein eine in im von zu für fur mit mein meine ihr ihre und oder dieser diese auf"),
    not_domain=ENGLISH.not_domain | words("ein eine der die das mein meine ihr ihre dieser diese"),
    sites=ENGLISH.sites | words("besuchen siehe suchen seite webseite shop"),
    back_channel=words(
        "ja jo okay ok gut genau richtig alles klar mm mhm hm verstehe verstanden weiter bitte und dann danke moment "
        "sehr stimmt passt ich höre hore"
    ),
)  # fmt: skip
