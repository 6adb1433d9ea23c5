"""Laws of what a regex captured in another language: a number as a whole is compared, and nothing else ever backs a claim."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _laws import law
from hotato.match.captured import is_said, part
from hotato.match.claims import says_the_same
from hotato.match.spoken import language, languages, numbers
from test_spoken import INTEGERS, MONEY, WRITERS

TABLES = {name: language(name) for name in languages()}
EACH = pytest.mark.parametrize("name", sorted(WRITERS))


def told(name: str, marked: str, value: Any) -> bool | None:
    """Say whether the part of a text that stands in brackets says a value."""
    before, words, after = marked.replace("]", "[").split("[")
    said = part(before + words + after, len(before), len(before + words), TABLES[name])
    return is_said(said, value, TABLES[name])


@EACH
@law(120)
@given(n=INTEGERS, other=INTEGERS, apart=st.booleans())
def test_a_number_in_words_is_itself_and_no_other(name: str, n: int, other: int, apart: bool) -> None:
    words = WRITERS[name](n)
    said = words.replace("-", " ") if apart else words
    unit = MONEY[name][0].split()[0]
    for marked in (f"xyz [{said}] {unit}, xyz", f"xyz [{said} {unit}], xyz", f"xyz [{said}]"):
        for value in (n, float(n), str(n), f"{n}.00"):
            assert told(name, marked, value) is True, marked
        for value in (other, float(other), str(other), n + 1, -n - 1, n * 10 + 10):
            assert told(name, marked, value) is (value in (n, str(n))), marked


@EACH
@law(120)
@given(n=INTEGERS, cents=st.integers(1, 99))
def test_money_in_words_is_itself_and_not_its_whole_part(name: str, n: int, cents: int) -> None:
    unit, small, _ = MONEY[name]
    said = f"{WRITERS[name](n)} {unit} {WRITERS[name](cents)} {small}"
    value = float(f"{n}.{cents:02}")
    assert told(name, f"[{said}]", f"{n}.{cents:02}") is True
    assert told(name, f"[{said}]", value) is True
    assert told(name, f"[{said}]", n) is False
    assert told(name, f"[{WRITERS[name](n)}] {unit} {WRITERS[name](cents)} {small}", n) is None
    assert told(name, f"{WRITERS[name](n)} {unit} [{WRITERS[name](cents)} {small}]", cents) is None


@EACH
@law(120)
@given(n=st.integers(21, 999_999), data=st.data())
def test_a_piece_of_a_number_backs_nothing(name: str, n: int, data: st.DataObject) -> None:
    words = WRITERS[name](n).replace("-", " ").split()
    if len(words) < 2:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words) if first else len(words) - 1))
    piece = " ".join(words[first:last])
    marked = f"xyz {' '.join([*words[:first], f'[{piece}]', *words[last:]])} xyz"
    for value in (n, *(int(one.digits) for one in numbers(piece, TABLES[name]))):
        assert told(name, marked, value) is None
        assert told(name, marked, str(value)) is None


@EACH
@law(120)
@given(a=st.integers(1, 99), b=st.integers(10, 99))
def test_two_numbers_side_by_side_back_nothing(name: str, a: int, b: int) -> None:
    said = f"{WRITERS[name](a)} {WRITERS[name](b)}"
    if len(numbers(said, TABLES[name])) == 1:  # "quatre vingt", "soixante douze"
        return
    for marked in (f"[{said}]", f"[{said}] euros", f"[{said} euros]"):
        for value in (int(f"{a}{b}"), a + b / 100, a + b, a, b, f"{a}{b}", f"{a}.{b}"):
            assert told(name, marked, value) is None, marked


@EACH
@law(80)
@given(digits=st.lists(st.integers(0, 9), min_size=4, max_size=12), apart=st.sampled_from([" ", ", ", "-"]))
def test_digits_said_one_by_one_are_the_digits(name: str, digits: list[int], apart: str) -> None:
    said, figure = apart.join(map(WRITERS[name], digits)), "".join(map(str, digits))
    assert told(name, f"xyz [{said}].", figure) is True
    assert told(name, f"xyz [{said}].", int(figure)) is True
    assert told(name, f"xyz [{said}].", f"1{figure}") is False
    assert told(name, f"xyz [{apart.join(figure)}].", figure) is True
    assert told(name, f"xyz [{apart.join(figure[:-1])}]{apart}{figure[-1]}", figure[:-1]) is None


WORDS = "four forty two hundred and thousand oh double uh , . - dollars cents point 42 $ a half million minus 2,500 7".split()


@law(400)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.sampled_from([442, 4.42, 42, 4, 2500, 2.5, -42, 0.42])
)
def test_in_english_to_name_the_language_only_asks_for_more(words: list[str], value: float) -> None:
    said = " ".join(words)
    if told("english", f"[{said}]", value):
        assert says_the_same(said, value)


@pytest.mark.parametrize(
    ("name", "marked", "value"),
    [
        ("spanish", "[dos] mil millones", 2), ("spanish", "[dos mil] millones", 2000), ("spanish", "[dos euros] y medio", 2),
        ("spanish", "[2,5] millones", 2.5), ("spanish", "más o menos [40] euros", -40), ("spanish", "[dos coma quinientos]", 2.5),
        ("spanish", "[veinte cinco euros]", 205), ("spanish", "[dos mil, eh, quinientos]", 2000), ("spanish", "[mi parte]", 1),
        ("spanish", "[42],50 euros", 42), ("spanish", "4[2] euros", 2), ("spanish", "[1 234]", 1234),
        ("french", "[vingt euros] et demi", 20), ("french", "[2.500]", 2500), ("german", "[zwei] ein halb Euro", 2),
        ("german", "[zweieinhalb] Euro", 2), ("german", "[zwanzigfünf] Euro", 205), ("english", "[two] and a half dollars", 2),
        ("english", "[$2.500]", 2.5), ("english", "[two point five] million", 2.5), ("english", "[" + "4" * 1001 + "]", 4),
        ("english", "[one hundred two hundred three hundred four hundred]", 100200300400),
        ("german", "[zwei Euro]", "€2,500"), ("german", "[Zimmer 2]", "Zimmer 2.500"), ("german", "A[B-2]", "B-2"),
        ("german", "[a]", "a" * 1001), ("spanish", "[eh] 40 euros", 40), ("spanish", "40 euros, [eh]", 40),
    ],
)  # fmt: skip
def test_what_may_mean_another_number_backs_nothing(name: str, marked: str, value: Any) -> None:
    assert told(name, marked, value) is None


@pytest.mark.parametrize(
    ("name", "marked", "value", "same"),
    [
        ("spanish", "[2.500 euros]", 2500, True), ("spanish", "$[40]", 40, True), ("spanish", "[40] €", "40 EUR", True),
        ("spanish", "[40 euros]", "40 USD", False), ("spanish", "[40 dólares]", "40 USD", True), ("german", "[1.234,50]", 1234.5, True),
        ("french", "[2 500 euros]", 2500, True), ("english", "[$2,500]", 2500, True), ("english", "[fifty cents]", 0.5, True),
        ("english", "[-5]", -5, True), ("english", "[5]", -5, False), ("english", "[0]", -0.0, True), ("english", "[5]", 10**50, False),
        ("spanish", "[40]", None, False), ("spanish", "[1]", True, False), ("spanish", "[40]", [40], False),
        ("spanish", "el [martes]", "Martes", True), ("spanish", "el [martes]", "lunes", False), ("spanish", "[eh]", "", False),
        ("spanish", "[cero seis doce treinta y cuatro]", "061234", True), ("spanish", "[seis doce treinta y cuatro]", "061234", False),
        ("spanish", "[0,500]", 0.5, True), ("german", "[zwei Komma fünf]", 2.5, True), ("english", "[fifty cents]", "0.50 EUR", True),
        ("spanish", "el 5 de mayo [40 euros], y 7 más", 40, True), ("spanish", "el 5 de mayo [40 euros], y 7 más", 7, False),
    ],
)  # fmt: skip
def test_what_means_one_thing_is_compared(name: str, marked: str, value: Any, same: bool) -> None:
    assert told(name, marked, value) is same
