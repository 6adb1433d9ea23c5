"""Laws of the spoken forms: what is written in words by small grammars of its own reads back, with its place."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _laws import law
from hotato.match.heard import reader_of, same_heard
from hotato.match.regex import compile_pattern
from hotato.match.spoken import language, languages, numbers
from hotato.match.spoken._amounts import amounts
from hotato.match.spoken._codes import codes
from hotato.match.spoken._dates import dates, iso
from hotato.match.spoken._readings import readings
from hotato.match.spoken._says import says
from hotato.match.turns import Transcript
from hotato.match.values import Expected
from hotato.model.call import Turn

# --- words for numbers, written apart from the tables ---------------------------------------------------------------

EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho "
    "diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
).split()
ES_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
ES_HUNDREDS = (
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
).split()
FR = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
).split()
FR_TENS = "vingt trente quarante cinquante soixante".split()
DE = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn "
    "neunzehn"
).split()
DE_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()


def english(n: int) -> str:
    if n < 20:
        return EN[n]
    if n < 100:
        return EN_TENS[n // 10 - 2] + ("-" + EN[n % 10] if n % 10 else "")
    if n < 1000:
        return f"{EN[n // 100]} hundred" + (f" and {english(n % 100)}" if n % 100 else "")
    return f"{english(n // 1000)} thousand" + (f" {english(n % 1000)}" if n % 1000 else "")


def spanish(n: int, before_mil: bool = False) -> str:
    if n < 30:
        word = ES[n]
        return {1: "un", 21: "veintiún"}.get(n, word) if before_mil else word
    if n < 100:
        one = "un" if before_mil and n % 10 == 1 else ES[n % 10]
        return ES_TENS[n // 10 - 3] + (f" y {one}" if n % 10 else "")
    if n == 100:
        return "cien"
    if n < 1000:
        return ES_HUNDREDS[n // 100 - 1] + (f" {spanish(n % 100, before_mil)}" if n % 100 else "")
    head = "mil" if n < 2000 else f"{spanish(n // 1000, True)} mil"
    return head + (f" {spanish(n % 1000)}" if n % 1000 else "")


def french(n: int) -> str:
    if n < 20:
        return FR[n]
    if n < 70:
        ten, one = FR_TENS[n // 10 - 2], n % 10
        return ten if not one else f"{ten} et un" if one == 1 else f"{ten}-{FR[one]}"
    if n < 80:
        return "soixante et onze" if n == 71 else f"soixante-{FR[n - 60]}"
    if n < 100:
        return "quatre-vingts" if n == 80 else f"quatre-vingt-{FR[n - 80]}"
    if n < 1000:
        many = "cent" if n < 200 else f"{FR[n // 100]} cent"
        return many + (f" {french(n % 100)}" if n % 100 else "s" if n >= 200 else "")
    thousands = french(n // 1000)
    if thousands.endswith(("cents", "vingts")):
        thousands = thousands[:-1]
    head = "mille" if n < 2000 else f"{thousands} mille"
    return head + (f" {french(n % 1000)}" if n % 1000 else "")


def german(n: int, last: bool = True) -> str:
    if n == 1 and not last:
        return "ein"
    if n < 20:
        return DE[n]
    if n < 100:
        return (f"{german(n % 10, False)}und" if n % 10 else "") + DE_TENS[n // 10 - 2]
    if n < 1000:
        return f"{german(n // 100, False)}hundert" + (german(n % 100) if n % 100 else "")
    return f"{german(n // 1000, False)}tausend" + (german(n % 1000) if n % 1000 else "")


WRITERS: dict[str, Callable[[int], str]] = {
    "english": english, "french": french, "german": german, "spanish": spanish,
}  # fmt: skip
TABLES = {name: language(name) for name in languages()}
EACH = pytest.mark.parametrize("name", sorted(WRITERS))
INTEGERS = st.integers(0, 999_999) | st.integers(0, 1100) | st.integers(1, 999).map(lambda n: n * 1000)


def test_every_language_has_a_writer_here() -> None:
    assert set(WRITERS) == set(languages())


@EACH
def test_every_number_below_two_thousand_reads_back(name: str) -> None:
    for n in range(2000):
        words = WRITERS[name](n)
        assert [number.digits for number in numbers(words, TABLES[name])] == [str(n)], words


@EACH
@law(250)
@given(INTEGERS, st.booleans())
def test_a_number_in_words_reads_back_whole_and_in_its_place(name: str, n: int, apart: bool) -> None:
    words = WRITERS[name](n)
    said = words.replace("-", " ") if apart else words
    text = f"Xyz {said}, xyz."
    assert [(x.digits, text[x.start : x.end], x.said) for x in numbers(text, TABLES[name])] == [(str(n), said, True)]


@EACH
@law(80)
@given(n=INTEGERS)
def test_accents_may_be_missing(name: str, n: int) -> None:
    words = WRITERS[name](n).translate(str.maketrans({"é": "e", "ó": "o", "ú": "u", "ü": "u", "ö": "o", "ß": "ss"}))
    assert [number.digits for number in numbers(words, TABLES[name])] == [str(n)]


@EACH
@law(80)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.data())
def test_hesitations_between_digits_change_nothing(name: str, digits: list[int], data: st.DataObject) -> None:
    table = TABLES[name]
    filler = st.sampled_from([" ", ", ", "-", *(f", {h}, " for h in sorted(table.hesitations)), *(f" {h} " for h in sorted(table.hesitations))])  # fmt: skip
    text = WRITERS[name](digits[0])
    for digit in digits[1:]:
        text += data.draw(filler) + WRITERS[name](digit)
    figure = "".join(map(str, digits))
    assert figure in says(text, table)
    assert figure in says(f"{sorted(table.hesitations)[0]} {text}", table)


# --- amounts and dates ----------------------------------------------------------------------------------------------

MONEY = {
    "english": ("dollars and", "cents", "point"), "french": ("euros et", "centimes", "virgule"),
    "german": ("Euro und", "Cent", "Komma"), "spanish": ("euros con", "céntimos", "coma"),
}  # fmt: skip


@EACH
@law(120)
@given(whole=st.integers(0, 999_999), cents=st.integers(1, 99))
def test_money_in_words_reads_back(name: str, whole: int, cents: int) -> None:
    unit, small, _ = MONEY[name]
    said = f"{WRITERS[name](whole)} {unit} {WRITERS[name](cents)} {small}"
    found = amounts(f"Xyz {said}.", TABLES[name])
    wanted = f"{whole}.{cents:02}".rstrip("0")
    assert [(a.value, a.start, a.end) for a in found] == [(wanted, 4, 4 + len(said))]
    amount = f"{whole}.{cents:02}"
    assert Expected({"$money": {"value": amount, "language": name}}).matches(said)
    assert not Expected({"$money": {"value": f"{whole}.{cents % 99 + 1:02}", "language": name}}).matches(said)


@law(150)
@given(st.integers(0, 10**9), st.integers(0, 99))
def test_money_is_one_amount_in_every_way_of_writing_it(whole: int, cents: int) -> None:
    figure = f"{whole}.{cents:02}"
    grouped = f"{whole:,}.{cents:02}"
    expected = Expected({"$money": f"{figure} USD"})
    for text in (f"${figure}", f"${grouped}", f"{grouped} USD", f"US${figure}", f"{figure} dollars", f"uh, ${figure}."):
        assert expected.matches(text), text
    european = grouped.translate(str.maketrans(",.", ".,"))
    for text in (european, european.replace(".", " ")):
        assert Expected({"$money": {"value": f"{figure} EUR", "language": "german"}}).matches(f"{text} €")
    assert not expected.matches(float(figure))
    assert Expected({"$money": figure}).matches(float(figure))


@EACH
@law(60)
@given(n=st.integers(0, 9999), tenths=st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_decimals_read_back(name: str, n: int, tenths: list[int]) -> None:
    said = f"{WRITERS[name](n)} {MONEY[name][2]} {' '.join(map(WRITERS[name], tenths))}"
    wanted = f"{n}.{''.join(map(str, tenths))}".rstrip("0").rstrip(".")
    assert [a.value for a in amounts(said, TABLES[name])] == [wanted]


MONTHS = {
    "english": "January February March April May June July August September October November December",
    "french": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "german": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}


@EACH
@law(120)
@given(st.integers(1900, 2099), st.integers(1, 12), st.integers(1, 31))
def test_dates_in_words_and_figures_read_back(name: str, year: int, month: int, day: int) -> None:
    wanted = iso(year, month, day)
    month_word = MONTHS[name].split()[month - 1]
    link = " de" if name == "spanish" else ""
    texts = [
        f"{day}{link} {month_word}{link} {year}",
        f"{WRITERS[name](day)}{link} {month_word}{link} {WRITERS[name](year)}",
        f"{year}-{month:02}-{day:02}",
    ]
    for text in texts:
        expected = [] if wanted is None else [(wanted, text)]
        if wanted is None and "-" not in text and iso(None, month, day):
            continue  # the day is one of another year, and that is what is read
        assert [(d.text, text[d.start : d.end]) for d in dates(text, TABLES[name])] == expected, text
    if wanted is not None:
        assert Expected({"$date": {"value": wanted, "language": name}}).matches(texts[1])


@law(150)
@given(st.integers(1900, 2099), st.integers(1, 12), st.integers(1, 28), st.sampled_from("/.-"))
def test_figures_in_two_orders_are_read_only_in_the_one_that_is_told(year: int, a: int, b: int, mark: str) -> None:
    text = f"{b}{mark}{a}{mark}{year}"
    wanted = f"{year}-{a:02}-{b:02}"
    told = Expected({"$date": {"value": wanted, "order": "dmy"}})
    assert told.matches(text)
    assert Expected({"$date": wanted}).matches(text) is (b > 12 or a == b)
    assert Expected({"$date": {"value": wanted, "order": "mdy"}}).matches(text) is (a == b)


# --- codes ----------------------------------------------------------------------------------------------------------

NATO = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu".split()  # fmt: skip


@law(200)
@given(st.text("ABCDEFGHJKLMNPQRSTUVWXYZ123456789", min_size=2, max_size=8), st.data())
def test_a_code_reads_back_however_it_is_spelt(code: str, data: st.DataObject) -> None:
    said = []
    for char in code:
        ways = [EN[int(char)], char] if char.isdigit() else [char.lower(), char, NATO[ord(char) - 65]]
        ways += [] if char.isdigit() else [f"{char} as in {NATO[ord(char) - 65]}", f"capital {char}"]
        said.append(data.draw(st.sampled_from(ways)))
    text = " ".join(said)
    edge_is_word = (code[0] in "AI" and code[1].isdigit()) or (code[-1] in "AI" and code[-2].isdigit())
    if not edge_is_word:
        assert same_heard(None)(text, code)
        assert Expected({"$spoken": code}).matches(text)
    other = ("Q" if code[0] != "Q" else "R") + code[1:]
    assert not same_heard(None)(text, other)


@pytest.mark.parametrize(
    ("a", "b"),
    [("442", "44.2"), ("442", "4,42"), ("442", "4420"), ("442", "-442"), ("...", "..."), ("uh", "um"), ("", "")],
)
def test_what_differs_in_a_digit_a_point_or_a_sign_or_says_nothing_is_not_the_same(a: str, b: str) -> None:
    assert not same_heard(None)(a, b)


def test_a_word_of_one_letter_beside_a_figure_is_no_code() -> None:
    assert codes("i have 2 and a 4 door car", TABLES["english"]) == []


# --- readings -------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    "four forty two hundred and thousand oh double uh , . - dollars cents point may third twenty six b as in boy x 42 $ a "
    "hello it's dash 7.5 $3 \n 2026-05-03 million minus".split(" ")
)


@law(300)
@given(st.lists(WORDS, max_size=14).map(" ".join), st.sampled_from(sorted(TABLES)))
def test_a_reading_maps_every_place_back_into_the_text_in_order(text: str, name: str) -> None:
    for reading in readings(text, TABLES[name]):
        places = [reading.back(place) for place in range(len(reading.text) + 1)]
        assert places == sorted(places)
        assert all(0 <= place <= len(text) for place in places)
        for at, replaced in enumerate(reading.replaced):
            end = reading.starts[at + 1] if at + 1 < len(reading.starts) else len(reading.text)
            if not replaced:
                start = reading.origins[at]
                assert reading.text[reading.starts[at] : end] == text[start : start + end - reading.starts[at]]


def first(texts: list[str], pattern: str) -> int | None:
    lane = Transcript([Turn(index=i, role="agent", text=text) for i, text in enumerate(texts)], True).lane(None)
    found = reader_of(None)(lane, compile_pattern(pattern))
    return None if found is None else found.index


@law(80)
@given(st.integers(100, 999_999), st.integers(0, 3), st.integers(0, 3))
def test_a_number_in_words_is_found_in_its_turn(n: int, before: int, after: int) -> None:
    texts = ["hello there"] * before + [f"it is {english(n)} ok"] + ["goodbye"] * after
    assert first(texts, rf"\b{n}\b") == before
    assert first(texts, rf"\b{n + 1}\b") is None


def test_a_match_starts_in_the_turn_in_which_its_words_start() -> None:
    assert first(["well", "room four", "forty two", "bye"], "442") == 1
    assert first(["well", "room", "four forty two", "bye"], "442") == 2
    assert first(["four", "forty"], "^40$") == 1


@pytest.mark.parametrize(
    "unit",
    ["one ", "hundred ", "and ", "cent ", "b as in ", "forty-", "point ", "1.", "$1 ", "may ", "a ", "uh ", "1,"],
)
def test_reading_is_linear(unit: str) -> None:
    def once(text: str) -> float:
        start = time.process_time()
        for name in ("english", "french") if unit == "cent " else ("english",):
            readings(text, TABLES[name])
        return time.process_time() - start

    def cost(size: int) -> float:
        return min(once(unit * (size // len(unit))) for _ in range(3))

    assert cost(40_000) < 30 * max(cost(4_000), 0.004)


@pytest.mark.parametrize("value", [None, True, [], {}, ["442"], "", "x" * 2000, 10**50, float(10**300)])
def test_what_cannot_say_it_meets_no_matcher(value: Any) -> None:
    for matcher in ({"$spoken": "442"}, {"$money": 442}, {"$date": "2026-05-03"}, {"$phone": "+14155550132"}):
        assert not Expected(matcher).matches(value)
