"""What the language of `formula` says of an expression that is not in it, and the edges of what is."""

from __future__ import annotations

import pytest

from hotato.match.formula import MAX_DIGITS, FormulaError, parse


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("a b", "expected 'and', 'or' or the end, found 'b' at character 3"),
        ("  a  &", "unexpected '&' at character 6"),
        ("a >= 1e3", "unexpected '1' at character 6"),
        ("(a", "expected ')', found the end"),
        ('(a ")"', "expected ')', found ')' at character 5"),
        ("0.5 a >= 1", "expected '*' after a weight, found 'a' at character 5"),
        ('0.5 "*" a >= 1', "expected '*' after a weight, found '*' at character 6"),
        ("a + b", "expected a comparison such as '>= 0.5', found the end"),
        ("a >= b", "expected a number to compare with, found 'b' at character 6"),
        ("a and or b", "expected an assertion id, found 'or' at character 7"),
        ("a >= " + "1" * (MAX_DIGITS + 1), f"a number of more than {MAX_DIGITS} digits at character 6"),
        ("(" * 60 + "a" + ")" * 60, "nested more than 50 parentheses deep at character 51"),
    ],
)
def test_what_is_no_formula_is_told_with_its_character(source: str, said: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(source)
    assert str(caught.value).startswith(said)


def test_an_expression_that_is_too_long_is_refused_and_one_that_just_fits_is_not() -> None:
    from hotato.model.limits import limit

    most = limit("formula_characters")
    assert parse("a".ljust(most)).refs == ("a",)
    with pytest.raises(FormulaError, match=f"an expression of {most + 1} characters"):
        parse("a".ljust(most + 1))


@pytest.mark.parametrize(
    ("source", "refs", "truths"),
    [
        ('"(" or ")"', ("(", ")"), {"": False, "(": True, ")": True}),
        ('not not "and"', ("and",), {"": False, "and": True}),
        ("a" + " and a" * 3, ("a",), {"": False, "a": True}),
        ("1" * MAX_DIGITS + "*a > " + "1" * (MAX_DIGITS - 1) + "0", ("a",), {"": False, "a": True}),
        (".5*a + 0.25*b >= .75", ("a", "b"), {"": False, "a": False, "b": False, "ab": True}),
        ("a-b or a.b", ("a-b", "a.b"), {"": False}),
        ("a + a == 2", ("a",), {"": False, "a": True}),
        ("a < 1 and b <= 0.0", ("a", "b"), {"": True, "a": False, "b": False}),
        ("(" * 50 + "a" + ")" * 50, ("a",), {"a": True}),
    ],
)
def test_what_is_a_formula_holds_of_those_that_passed(
    source: str, refs: tuple[str, ...], truths: dict[str, bool]
) -> None:
    formula = parse(source)
    assert formula.refs == refs
    for passed, truth in truths.items():
        assert formula.holds(frozenset([passed, *passed])) is truth
