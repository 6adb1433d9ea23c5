"""French number, amount, date and address words, those of Belgium and Switzerland among them."""

from __future__ import annotations

from hotato.match.spoken._language import SPELLING, Language, counted, each, pairs, words

_DIGITS = each("zéro un|une deux trois quatre cinq six sept huit neuf")
_TEENS = each("dix onze douze treize quatorze quinze seize", 10)
_TENS = {
    **each("vingt trente quarante cinquante soixante", 2),
    "vingts": "2",
    "septante": "7", "huitante": "8", "octante": "8", "nonante": "9",
}  # fmt: skip
_SCORES = {"quatre vingt": "8", "quatre vingts": "8"}
_BELOW_TWENTY = {**_TEENS, **pairs({"dix": "1"}, {"sept": "7", "huit": "8", "neuf": "9"})}

TABLE = Language(
    digits=_DIGITS,
    teens=_TEENS,
    tens=_TENS,
    pairs={
        **pairs({"dix": "1"}, {"sept": "7", "huit": "8", "neuf": "9"}),
        **pairs(_TENS, _DIGITS),
        **pairs(_TENS, {"un": "1", "une": "1"}, ("et",)),
        **pairs({"soixante": "6"}, _BELOW_TWENTY),
        **pairs({"soixante": "6"}, {"onze": "11"}, ("et",)),
        **pairs(_SCORES, _DIGITS),
        **pairs(_SCORES, _BELOW_TWENTY),
        **dict.fromkeys(_SCORES, "80"),
    },
    links=words("et"),
    repeats={"double": 2, "triple": 3, "quadruple": 4},
    scales={"cent": 2, "cents": 2, "mille": 3, "mil": 3, "million": 6, "millions": 6},
    bare=words("cent mille mil"),
    joins=words("et"),
    halves=words("demi demie quart"),
    fillers=words("euh heu hum hein mmm mm et puis donc alors ensuite espace pause"),
    hesitations=words("euh heu hum hein mmm mm"),
    dashes=words("tiret moins point"),
    plus=words("plus"),
    plain={
        "un": words("peu instant moment autre petit numéro numero problème probleme"),
        "une": words("fois autre question minute seconde personne"),
    },
    decimal=",",
    points=words("virgule"),
    minus=words("moins"),
    currencies={
        "euro": "EUR", "euros": "EUR", "dollar": "$", "dollars": "$", "livre": "GBP", "livres": "GBP", "franc": "CHF",
        "francs": "CHF", "yen": "JPY", "yens": "JPY",
    },
    cents=words("centime centimes"),
    and_cents=words("et"),
    months={
        **counted("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
        **counted("janv févr|fev"), "avr": 4, "juil": 7, "oct": 10, "nov": 11, "dec": 12,
    },
    ordinals=counted("premier"),
    ordinal_tails=words("er e"),
    date_words=words("le du de"),
    weekdays=words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    letters={**SPELLING, "double v": "W", "i grec": "Y", "zède": "Z", "zede": "Z", "igrec": "Y"},
    as_in=frozenset(["comme", "de", "comme dans"]),
    capitals=frozenset(["majuscule", "minuscule", "lettre"]),
    one_letter=words("a y à"),
    at=words("arobase arrobase arobas"),
    marks={
        "point": ".", "tiret": "-", "moins": "-", "underscore": "_", "souligné": "_", "souligne": "_", "plus": "+",
    },
    openers=words("est c'est email e-mail mail courriel adresse à"),
    not_local=words("le la les un une en de que pour avec mon ma son sa et ou ce cette sur au"),
    not_domain=words("un une le la mon ma son sa ce cette"),
    sites=words("visitez voir voyez cherchez site web page boutique"),
    back_channel=words(
        "oui ouais ok okay d'accord bien très tres parfait entendu mm mhm voilà voila allez continuez et ensuite puis après "
        "apres merci je vous écoute ecoute exact c'est ça"
    ),
)  # fmt: skip
