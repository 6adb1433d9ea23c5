"""Personal data beyond single cases: every detector, every language, every hidden character, every neighbour."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato import assert_ as A
from hotato.errors import DocumentError
from hotato.match import pii
from hotato.match.spoken import language, languages
from hotato.model.call import Turn

CARD = "4242 4242 4242 4242"
# (detector, text, what exactly it is)
PLACES = [
    ("iban", "pay to DE89370400440532013000 now", "DE89370400440532013000"),
    ("iban", "iban: gb82 west 1234 5698 7654 32.", "gb82 west 1234 5698 7654 32"),
    ("iban", "FR14-2004-1010-0505-0001-3M02-606", "FR14-2004-1010-0505-0001-3M02-606"),
    ("iban", "delta echo eight nine three seven oh four double oh double four oh five three two oh one three triple oh ok",
     "delta echo eight nine three seven oh four double oh double four oh five three two oh one three triple oh"),
    ("ip", "from 198.51.100.7:8080", "198.51.100.7"),
    ("ip", "[2001:db8:0:1::1]", "2001:db8:0:1::1"),
    ("ip", "it's one ninety eight dot fifty one dot one hundred dot seven", "one ninety eight dot fifty one dot one hundred dot seven"),
    ("itin", "itin nine one two, seven oh, one two three four", "nine one two, seven oh, one two three four"),
    ("itin", "912-70-1234", "912-70-1234"),
    ("dob", "born on 3 May 1985 in Leeds", "3 May 1985"),
    ("dob", "D.O.B. 1985-05-03", "1985-05-03"),
    ("dob", "my birthday is December twenty-first, nineteen seventy-nine", "December twenty-first, nineteen seventy-nine"),
    ("dob", "date of birth: zero five zero three one nine eight five", "zero five zero three one nine eight five"),
    ("dob", "05/03/1985 is my date of birth", "05/03/1985"),
    ("dob", "fecha de nacimiento: 3 de mayo de 1985", "3 de mayo de 1985"),
    ("dob", "geboren am 3. Mai 1985", "3. Mai 1985"),
    ("dob", "né le 3 mai 1985", "3 mai 1985"),
    ("aba_routing", "routing number oh two one, triple oh, oh two one", "oh two one, triple oh, oh two one"),
    ("in_aadhaar", "aadhaar 2341-2341-2346", "2341-2341-2346"),
    ("nhs_number", "my N H S number is nine four three, four seven six, five nine one nine", "nine four three, four seven six, five nine one nine"),
    ("phone", "the desk is 020 7946 0018", "020 7946 0018"),
    ("phone", "text 07700 900123", "07700 900123"),
    ("phone", "+44 20 7946 0018 5", "+44 20 7946 0018"),
    ("email", "scrivi a lia punto rossi chiocciola esempio punto it", "lia punto rossi chiocciola esempio punto it"),
    ("email", "lia arroba exemplo ponto com", "lia arroba exemplo ponto com"),
    ("email", "my email is — lia dot ross at example dot com", "lia dot ross at example dot com"),
    ("email", "my e-mail as lia.ross at example.com", "lia.ross at example.com"),
    ("email", "my address. L-I-A dot R-O at example dot com", "L-I-A dot R-O at example dot com"),
]  # fmt: skip

SILENT = [
    "DE88370400440532013000",
    "version 10.0.4.2 and build 1.2.3.4",
    "std::vector and a::b at 10:30:45",
    "0.0.0.0 255.255.255.255 127.0.0.1",
    "192.0.2.256 and 1.2.3.4.5",
    "912-60-1234",
    "the appointment is on 05/03/2026, then 3 May 2026",
    "I was born in 1985 and moved in 2003",
    "routing number 021000022",
    "2341 2341 2347",
    "order 2341 2341 2346",
    "943 476 5918 is the NHS number",
    "The physician's N P I is three three four two three three one four four four",
    "a table for 2 people in Mill Valley at 12 pm on the 1st.Is that right",
    "um, due to the six of us, dial once",
    "sure, use the form on example dot com or example punto com",
]

NOT_PERSONAL = [
    "{a}1-{b:04d}", "v{c}.{d}.{e}", "order {big}", "ref {a}{b}{c}", "ticket number {big}", "{big:013d} ms", "zip {a:05d}-{b:04d}",
    "978-0-{c:03d}-{a:05d}-{d}", "imei 35{big:013d}", "build {a}.{b}.{c}.{d}", "20{d:02d}-0{e}-1{e} 1{e}:{c:02.0f}", "${c}.{d:02d}",
    "00000000-0000-4000-8000-{big:012d}", "invoice {big:010d}",
]  # fmt: skip


def said(*texts: str, roles: str = "") -> list[Turn]:
    """Return turns; `roles` holds a letter a turn, by default all of one speaker."""
    return [Turn(place, roles[place] if roles else "caller", text) for place, text in enumerate(texts)]


@pytest.mark.parametrize(("detector", "text", "exactly"), PLACES)
def test_a_hit_covers_the_number_and_nothing_else(detector: str, text: str, exactly: str) -> None:
    hits = pii.find(said(text))
    assert [(hit.detector, text[start:end]) for hit in hits for _, start, end in hit.spans] == [(detector, exactly)]
    assert hits[0].code in pii.codes(detector)


@pytest.mark.parametrize("text", SILENT)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert pii.find(said(text)) == []


@pytest.mark.parametrize("name", languages())
def test_a_number_is_read_in_every_language(name: str) -> None:
    words = {digit: word for word, digit in reversed(list(language(name).digits.items()))}
    text = " ".join(words[digit] for digit in CARD if digit != " ")
    assert [hit.detector for hit in pii.find(said(text))] == ["card_luhn"]
    (hit,) = pii.find(said(text[: len(text) // 2], "mm-hmm", text[len(text) // 2 :], roles="cac"))
    assert [turn for turn, _, _ in hit.spans] == [0, 2]


# A question, what answers it in pieces, and the detector.
OVER_TURNS = [
    ("ssn", "Your social, please?", ("two one nine", "oh nine", "nine nine nine nine")),
    ("itin", "And the taxpayer number?", ("912", "70", "1234")),
    ("phone", "What number can I call?", ("two one two", "five five five", "oh one four two")),
    ("aba_routing", "The routing number?", ("021", "000", "021")),
    ("in_aadhaar", "Your Aadhaar, please.", ("2341", "2341", "2346")),
    ("nhs_number", "May I have your NHS number?", ("943", "476", "5919")),
    ("dob", "And your date of birth?", ("the third of May", "nineteen", "eighty-five")),
    ("iban", "Which account?", ("DE89 3704", "0044 0532", "0130 00")),
    ("card_luhn", "Which card?", ("4242 4242", "4242", "4242")),
    ("email", "Which address?", ("lia dot ross", "at example", "dot com")),
]


@pytest.mark.parametrize(("detector", "question", "pieces"), OVER_TURNS)
@pytest.mark.parametrize("between", ["Okay.", "Got it, go on.", ""])
def test_pieces_of_a_number_over_turns_are_one_hit(
    detector: str, question: str, pieces: tuple[str, ...], between: str
) -> None:
    texts, roles = [question], "a"
    for piece in pieces:
        texts += [piece, between] if between else [piece]
        roles += "ca" if between else "c"
    turns = said(*texts, roles=roles)
    (hit,) = pii.find(turns)
    assert hit.detector == detector
    shown = [turn["text"] for turn, role in zip(pii.redact(turns, [hit]), roles, strict=True) if role == "c"]
    assert all(set(text) <= {*pii.MASK, *"the of"} for text in shown), shown


def test_a_question_may_ask_for_two_things() -> None:
    turns = said("Your social and a number to reach you?", "219099999 and 2125550142", roles="ac")
    assert [hit.detector for hit in pii.find(turns)] == ["ssn", "phone"]


def _of(*categories: str) -> list[str]:
    every = map(chr, range(0x80, sys.maxunicode + 1))
    return [char for char in every if unicodedata.category(char) in categories]


@pytest.mark.parametrize("char", _of("Pd", "Zs", "Zl", "Zp"))
def test_any_dash_or_blank_is_a_separator(char: str) -> None:
    assert [hit.detector for hit in pii.find(said(CARD.replace(" ", char)))] == ["card_luhn"]


@pytest.mark.parametrize("char", [c for c in _of("Cf") if c < "\ue000"] + ["\ufe00", "\ufe0f", "\U000e0100", "\u034f", "\U000e0041"])  # fmt: skip
def test_no_invisible_character_hides_a_number(char: str) -> None:
    text = "ssn 2190" + char + "99" + char * 2 + "999"
    (hit,) = pii.find(said(text))
    assert pii.redact(said(text), [hit])[0]["text"] == "ssn [REDACTED]"


def test_any_decimal_digit_is_a_digit() -> None:
    zeros = [char for char in _of("Nd") if unicodedata.decimal(char) == 0]
    assert len(zeros) > 50
    for zero in zeros:
        text = "".join(chr(ord(zero) + int(char)) if char.isdigit() else char for char in CARD)
        assert [hit.detector for hit in pii.find(said(text))] == ["card_luhn"], hex(ord(zero))


@given(
    st.sampled_from(
        [
            " 12/29",
            ", exp 12/29",
            " cvv 123",
            " and cvv is 1234",
            ", 45.00 please",
            " for 120 dollars",
            " zip 10001",
            " 4471",
            ", order 88213, ok",
            ". 2 items",
        ]
    ),
    st.sampled_from(["", "12/29 ", "order 88213: ", "for 45.00, ", "2 items, ", "the 3rd one is ", "cvv 123, "]),
    st.sampled_from([CARD, CARD.replace(" ", ""), CARD.replace(" ", "-"), "5555 5555 5555 4444", "3782 822463 10005"]),
)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_a_card_among_other_numbers_is_found(after: str, before: str, card: str) -> None:
    text = before + card + after
    assert [text[start:end] for hit in pii.find(said(text)) for _, start, end in hit.spans] == [card]


@given(st.sampled_from(NOT_PERSONAL), st.integers(0, 9999), st.integers(0, 9999), st.integers(10, 99), st.integers(1, 9), st.integers(1, 9), st.integers(10**7, 10**9))  # fmt: skip
@settings(max_examples=250, deadline=None, derandomize=True)
def test_numbers_of_other_sorts_are_not_personal(form: str, a: int, b: int, c: int, d: int, e: int, big: int) -> None:
    text = form.format(a=a, b=b, c=c, d=d, e=e, big=big)
    assert pii.find(said(text)) == [], text


TEXTS = st.lists(
    st.tuples(
        st.sampled_from("ca"),
        st.lists(
            st.sampled_from(
                [
                    *(text for _, text, _ in PLACES),
                    CARD,
                    "4242 4242",
                    "219-09-9999",
                    "9999",
                    "one two",
                    "at example dot com",
                    "[REDACTED]",
                    "okay",
                    "lia",
                    "@",
                    "born",
                    "+44",
                ]
            ),
            max_size=4,
        ).map(" ".join),
    ),
    max_size=4,
)


@given(TEXTS)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_masking_what_is_masked_changes_nothing_and_its_masks_are_where_it_says(pairs: list[tuple[str, str]]) -> None:
    turns = [Turn(place, role, text) for place, (role, text) in enumerate(pairs)]
    once = pii.redact(turns, pii.find(turns))
    again = [Turn(place, turn["role"], turn["text"]) for place, turn in enumerate(once)]
    twice = pii.redact(again, pii.find(again))
    assert [turn["text"] for turn in twice] == [turn["text"] for turn in once]
    for turn in once:
        for mask in turn.get("masks", ()):
            assert turn["text"][mask["start"] : mask["end"]] == pii.MASK
            assert mask["detector"] in pii.names()


@given(st.text(alphabet="abz019 @.-:/+,'one two at dot\n\u200bé", max_size=60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_text_that_is_redacted_twice_is_redacted_once(text: str) -> None:
    once = pii.redact_text(text)
    assert pii.redact_text(once) == once


def judged(text: str, **fields: Any) -> Any:
    item = {"id": "a", "kind": "pii", "detectors": list(pii.names()), "mode": "must_not_leak", **fields}
    call = A.build_context(transcript=[{"role": "caller", "text": text}])
    return A.run_assertions({"version": 1, "assertions": [item]}, call)["results"][0]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"allow": ["*424"]}, "length"),
        ({"allow": ["*"]}, "needless_field"),
        ({"allow": ["*ross"]}, "length"),
        ({"regions": ["UK"]}, "wrong_value"),
        ({"regions": ["de"]}, "wrong_value"),
    ],
)
def test_what_would_never_count_is_refused(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        judged("", **fields)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_last_digits_allow_numbers_alone() -> None:
    assert judged(f"{CARD} and 212-555-4242", allow=["*4242"])["status"] == "PASS"
    assert judged(f"{CARD} and 212-555-4243", allow=["*4242"])["status"] == "FAIL"
    assert judged("lia4242 at example dot com", allow=["*4242"])["status"] == "FAIL"


def test_a_role_said_in_words_is_masked() -> None:
    (turn,) = pii.redact([Turn(0, "four two " * 8, "hello")], [])
    assert turn["role"] == pii.MASK + " "


def test_every_detector_has_codes_and_finds_something() -> None:
    found = {detector for detector, _, _ in PLACES} | {"ssn", "card_luhn"}
    assert found == set(pii.names())
    assert all(pii.codes(name) for name in pii.names())
