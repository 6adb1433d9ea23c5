"""US social security numbers: nine digits, 3-2-4, of an area, a group and a serial that are issued."""

from __future__ import annotations

from hotato.match.pii._nine import Nine

YIELDS_TO = ("iban",)
FEWEST = 9
CODES = {
    "grouped": "3-2-4 with dashes",
    "labelled": "nine digits that the words around them call a social security number",
}
CUES = {"ssn": "ssn", "ssns": "ssn", "social": "ssn", "socials": "ssn", "sosh": "ssn", "soc": "ssn"}
PAIRS = {
    ("sécurité", "sociale"): "ssn",
    ("securite", "sociale"): "ssn",
    ("seguridad", "social"): "ssn",
    ("segurança", "social"): "ssn",
}


def is_issued(digits: str) -> bool:
    """Say whether nine digits could have been issued."""
    return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


detect = Nine("ssn", is_issued).detect
