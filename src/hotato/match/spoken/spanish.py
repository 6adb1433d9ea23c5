"""Spanish number, amount, date and address words."""

from __future__ import annotations

from hotato.match.spoken._language import SPELLING, Language, counted, each, pairs, words

_DIGITS = each("cero uno|una dos tres cuatro cinco seis siete ocho nueve")
_TEENS = each(
    "diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno|veintiún|veintiuna "
    "veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve",
    10,
)
_TENS = each("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 3)
_HUNDREDS = each(
    "doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas quinientos|quinientas "
    "seiscientos|seiscientas setecientos|setecientas ochocientos|ochocientas novecientos|novecientas",
    2,
)
_SPLIT = {"diez": "1", "veinte": "2"}  # "diez y seis", as it is written too

TABLE = Language(
    digits=_DIGITS,
    teens=_TEENS,
    tens=_TENS,
    pairs=pairs(_TENS, {**_DIGITS, "un": "1"}, ("y", "")) | pairs(_SPLIT, {**_DIGITS, "un": "1"}, ("y",)),
    links=words("y"),
    repeats={"doble": 2, "triple": 3, "cuádruple": 4, "cuadruple": 4},
    scales={"cien": 2, "ciento": 2, "cientos": 2, "mil": 3, "millón": 6, "millon": 6, "millones": 6},
    bare=words("cien ciento mil"),
    one=words("un"),
    hundreds=_HUNDREDS,
    joins=words("y"),
    halves=words("medio media cuarto"),
    fillers=words("eh em este esto mmm mm pues y luego entonces bueno o sea espacio pausa"),
    hesitations=words("eh em este mmm mm pues"),
    dashes=words("guion guión raya menos punto"),
    plus=words("más mas"),
    plain={"una": words("vez pregunta cosa hora persona semana")},
    decimal=",",
    points=words("coma punto"),
    minus=words("menos"),
    currencies={
        "euro": "EUR", "euros": "EUR", "dolar": "$", "dolares": "$", "peso": "peso", "pesos": "peso", "libra": "GBP",
        "libras": "GBP", "franco": "CHF", "francos": "CHF", "yen": "JPY", "yenes": "JPY", "sol": "PEN", "soles": "PEN",
    },
    cents=words("centimo centimos centavo centavos cent cents penique peniques"),
    and_cents=words("y con"),
    months={
        **counted("enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre"),
        **counted("ene feb mar abr"), **counted("jun jul ago sep|sept oct nov dic", 6),
    },
    ordinals=counted("primero|primer segundo tercero|tercer cuarto quinto sexto séptimo octavo noveno décimo"),
    ordinal_tails=words("o º °"),
    date_words=words("de del el"),
    weekdays=words("lunes martes miercoles jueves viernes sabado domingo"),
    letters={
        **SPELLING, "hache": "H", "jota": "J", "ele": "L", "eme": "M", "ene": "N", "erre": "R", "equis": "X", "uve": "V",
        "zeta": "Z", "uve doble": "W", "doble uve": "W", "doble u": "W", "doble ve": "W", "i griega": "Y", "efe": "F",
        "ese": "S",
    },
    as_in=frozenset(["de", "como", "como en"]),
    capitals=frozenset(["mayúscula", "mayuscula", "minúscula", "minuscula", "letra"]),
    one_letter=words("a e o u y"),
    at=words("arroba"),
    marks={
        "punto": ".", "guion": "-", "guión": "-", "raya": "-", "menos": "-", "guionbajo": "_", "subguion": "_",
        "subrayado": "_", "más": "+", "mas": "+",
    },
    openers=words("es correo email mail electronico electrónico direccion dirección a"),
    not_local=words("el la los las un una en de que por para con mi su tu y o este esta compra visita llama ve"),
    not_domain=words("un una el la mi su tu que este esta"),
    sites=words("visita mira busca compra pagina página web sitio tienda"),
    back_channel=words(
        "si sí ya vale ok okay bien bueno claro perfecto aja ajá mm mhm entiendo entendido adelante siga sigue continue "
        "y luego despues después gracias muy de acuerdo correcto exacto eso es"
    ),
)  # fmt: skip
