"""The matchers `$spoken`, `$phone`, `$money` and `$date`: recorded values that were said, written or both.

Each takes a value, or a mapping of `value` and options. The whole recorded value must be what is expected: a hesitation
beside it is ignored, any other word is a difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from hotato.match.spoken import DEFAULT, Language, language, languages
from hotato.match.spoken._currency import CODES, may_mean
from hotato.match.spoken._says import only_amount, only_date, says
from hotato.match.text import fold
from hotato.model.fault import Fault

_OPTIONS = {
    "$spoken": ("value", "language"),
    "$phone": ("value", "region", "language"),
    "$money": ("value", "currency", "language"),
    "$date": ("value", "order", "language"),
}
_ORDERS = ("dmy", "mdy")
_MONEY = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?: ([A-Z]{3}))?")
_DATE = re.compile(r"(?:[0-9]{4}|-)-[0-9]{2}-[0-9]{2}")
_DIALLED = re.compile(r"[0-9+() .\-/]+?(?: ?(?:x|ext\.?|extension) ?([0-9]+))?", re.IGNORECASE)
_LONGEST = 1000  # a longer text is neither a number, an amount nor a date

Test = Callable[[Any], bool]


def said_test(key: str, wanted: Any) -> Test:
    """Return the test of a checked matcher."""
    options = wanted if type(wanted) is dict else {"value": wanted}
    table = language(options.get("language", DEFAULT))
    compiled: Callable[[dict[str, Any], Language], Callable[[str], bool]] = _COMPILED[key]
    test = compiled(options, table)

    def matches(got: Any) -> bool:
        text = text_of(got)
        if text is not None and type(got) is float:
            text = text.replace(".", table.decimal)
        return text is not None and len(text) <= _LONGEST and test(text)

    return matches


def text_of(got: Any) -> str | None:
    """Return what is read of a recorded value: text, or a number as it is written."""
    if type(got) is str:
        return fold(got)
    if type(got) is int:
        return str(got) if abs(got) < 10**40 else None
    return _decimal(got) if type(got) is float else None


def _decimal(number: float) -> str:
    from decimal import Decimal  # repr may have an exponent

    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _spoken(options: dict[str, Any], table: Language) -> Callable[[str], bool]:
    text = text_of(options["value"]) or ""
    wanted = says(text.replace(".", table.decimal) if type(options["value"]) is float else text, table)
    return lambda got: not wanted.isdisjoint(says(got, table))


def _money(options: dict[str, Any], table: Language) -> Callable[[str], bool]:
    value, currency = _split_money(options)

    def test(got: str) -> bool:
        amount = only_amount(got, table)
        if amount is None:
            return False
        if currency is not None and currency not in may_mean(amount.currency):
            return False
        return value in (amount.value, amount.price)

    return test


def _split_money(options: dict[str, Any]) -> tuple[str, str | None]:
    """Return the amount of a checked matcher as plain decimal text, and its currency."""
    from hotato.match.spoken._amounts import plain_value

    match = _MONEY.fullmatch(text_of(options["value"]) or "")
    assert match is not None
    negative, digits = match[1].startswith("-"), plain_value(match[1].lstrip("-"))
    return ("-" if negative and digits != "0" else "") + digits, options.get("currency", match[2])


def _date(options: dict[str, Any], table: Language) -> Callable[[str], bool]:
    wanted, order = options["value"], options.get("order")

    def test(got: str) -> bool:
        date = only_date(got, table, order)
        return date is not None and (date == wanted or (wanted[0] == "-" and date[-5:] == wanted[-5:]))

    return test


def _phone(options: dict[str, Any], table: Language) -> Callable[[str], bool]:
    wanted, region = _dialled(options["value"], options.get("region"))
    assert wanted is not None

    def test(got: str) -> bool:
        return any(_dialled(one, region)[0] == wanted for one in _numerals(got, table))

    return test


def _numerals(text: str, table: Language) -> Iterator[str]:
    """Yield a text as a telephone number is written, as it is and with its words as figures."""
    from hotato.match.spoken._readings import readings

    for one in (text, *(reading.text for reading in readings(text, table))):
        words = one.split()
        while words and words[0].strip(",.").lower() in table.hesitations:
            del words[0]
        if words and words[0].lower() in table.plus:
            words[:2] = ["+" + "".join(words[1:2])]
        yield " ".join(words).replace(",", " ").rstrip(" .!?")


def _dialled(text: str, region: str | None) -> tuple[tuple[str, str] | None, str | None]:
    """Return a telephone number in the form of E.164 with its extension, and the region in which it is dialled."""
    import phonenumbers

    match = _DIALLED.fullmatch(text)
    if match is None:
        return None, region
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None, region
    if not phonenumbers.is_possible_number(number):
        return None, region
    whole = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    own = region or phonenumbers.region_code_for_country_code(number.country_code or 0)
    return (whole, number.extension or ""), own


_COMPILED = {"$spoken": _spoken, "$phone": _phone, "$money": _money, "$date": _date}


def said_faults(key: str, wanted: Any, where: tuple[str | int, ...]) -> Iterator[Fault]:
    """Yield all that is wrong with what one of these matchers takes."""
    options = wanted if type(wanted) is dict else {"value": wanted}
    allowed = _OPTIONS[key]
    for name in options:
        if name not in allowed:
            yield Fault((*where, name), "matcher_value", f"{key} has no option '{name}'", found=name, allowed=allowed)
    if "value" not in options:
        yield Fault(where, "matcher_value", f"{key} needs a value: {_SHAPES[key]}")
        return
    place = (*where, "value") if type(wanted) is dict else where
    choices = {"language": languages(), "order": _ORDERS, "currency": tuple(sorted(CODES)), "region": ()}
    bad = False
    for name in (one for one in options if one in allowed and one != "value"):
        given = options[name]
        names = _regions() if name == "region" else choices[name]
        if type(given) is not str or given not in names:
            bad = True
            shown = given if type(given) is str else ""
            yield Fault((*where, name), "matcher_value", f"{key} has no such {name}", found=shown, allowed=tuple(names))
    if not bad and not _takes(key, options):
        yield Fault(place, "matcher_value", f"{key} takes {_SHAPES[key]}")


def _regions() -> tuple[str, ...]:
    import phonenumbers

    return tuple(sorted(phonenumbers.SUPPORTED_REGIONS))


def _takes(key: str, options: dict[str, Any]) -> bool:
    value = options["value"]
    if key == "$phone":
        return type(value) is str and _dialled(value, options.get("region"))[0] is not None
    if key == "$date":
        return type(value) is str and _DATE.fullmatch(value) is not None and only_date_is(value)
    text = text_of(value) if type(value) in (str, int, float) else None
    if text is None:
        return False
    if key == "$spoken":
        return bool(says(text, language(options.get("language", DEFAULT))))
    match = _MONEY.fullmatch(text)
    return match is not None and (match[2] is None or (match[2] in CODES and "currency" not in options))


def only_date_is(value: str) -> bool:
    """Say whether ISO text is a day of the calendar."""
    from hotato.match.spoken._dates import iso

    year, month, day = value[:-6], int(value[-5:-3]), int(value[-2:])
    return iso(None if year == "-" else int(year), month, day) is not None


_SHAPES = {
    "$spoken": "text or a number in which something is said",
    "$phone": "a telephone number as text, with + and the country code or with a region",
    "$money": 'an amount: a number, or text such as "42.10 USD"',
    "$date": 'a day as text: "2026-05-03", or "--05-03" for any year',
}
