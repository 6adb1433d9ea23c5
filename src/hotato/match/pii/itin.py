"""US taxpayer numbers of people without a social security number: 9xx, a group in use, a serial."""

from __future__ import annotations

from hotato.match.pii._nine import Nine

YIELDS_TO = ("iban", "card_luhn")
FEWEST = 9
CODES = {
    "grouped": "9xx, a group that is in use and a serial, with dashes",
    "labelled": "such nine digits that the words around them call a taxpayer number",
}
CUES = {"itin": "itin", "itins": "itin", "taxpayer": "itin", "taxpayers": "itin"}
PAIRS = {
    ("tax", "id"): "itin",
    ("tax", "identification"): "itin",
    ("tax", "number"): "itin",
    ("individual", "taxpayer"): "itin",
}


def is_issued(digits: str) -> bool:
    """Say whether nine digits begin with 9 and have a group that the tax office gives out."""
    if digits[0] != "9":
        return False
    from stdnum.us import itin

    return itin.is_valid(digits)


detect = Nine("itin", is_issued).detect
