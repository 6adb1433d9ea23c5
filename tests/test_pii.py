"""What cases as data cannot say of personal data: places, time, secrecy, and laws over any text."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato import packs
from hotato.assert_ import build_context, run_assertions, run_assertions_from_yaml
from hotato.errors import DocumentError
from hotato.match import pii
from hotato.match.evidence import Evidence
from hotato.match.pii import card_luhn
from hotato.match.spoken import language, languages, numbers, runs
from hotato.model.call import Call, Turn

ENGLISH = language()

# (detector, text, what exactly it is)
PLACES = [
    ("ssn", "SSN 219-09-9999.", "219-09-9999"),
    ("ssn", "ssn219-09-9999x", "219-09-9999"),
    ("ssn", "my social is two nineteen, oh nine, ninety-nine ninety-nine ok", "two nineteen, oh nine, ninety-nine ninety-nine"),
    ("ssn", "two one nine dash oh nine dash nine nine nine nine", "two one nine dash oh nine dash nine nine nine nine"),
    ("ssn", "Social: 219 - 09 - 9999", "219 - 09 - 9999"),
    ("ssn", "S S N 219099999", "219099999"),
    ("card_luhn", "pan=5555555555554444&cvc=1", "5555555555554444"),
    ("card_luhn", "it is 5555.5555.5555.4444!", "5555.5555.5555.4444"),
    ("card_luhn", "Four. Two. " * 8, ("Four. Two. " * 8).strip(" .")),
    ("card_luhn", "forty-two forty-two, " * 4, ("forty-two forty-two, " * 4).strip(" ,")),
    ("card_luhn", "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2 is it", "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2"),
    ("card_luhn", "4242_4242_4242_4242", "4242_4242_4242_4242"),
    ("card_luhn", "3782 822463 10005 12/29", "3782 822463 10005"),
    ("card_luhn", "my amex is 37 8282 2463 1000 5", "37 8282 2463 1000 5"),
    ("email", "Write to mia.b@example.org.", "mia.b@example.org"),
    ("email", "mia [at] example [dot] org now", "mia [at] example [dot] org"),
    ("email", "mia @ example.org", "mia @ example.org"),
    ("email", "my email is mia brandt at example dot org", "mia brandt at example dot org"),
    ("email", "it's m, i, a, at my dash shop dot com", "m, i, a, at my dash shop dot com"),
    ("email", "https://example.org/?to=mia@example.org&x", "mia@example.org"),
    ("phone", "Ring 1-212-555-0142 now", "1-212-555-0142"),
    ("phone", "tel:+1(212)555-0142", "+1(212)555-0142"),
    ("phone", "[212] 555-0142", "[212] 555-0142"),
    ("phone", "my mobile's oh double seven double oh, nine double oh one two three", "oh double seven double oh, nine double oh one two three"),
    ("phone", "plus forty-four, twenty, seven nine four six, double oh one eight", "plus forty-four, twenty, seven nine four six, double oh one eight"),
    ("phone", "one eight hundred five five five oh one nine nine is the number to call", "one eight hundred five five five oh one nine nine"),
    ("phone", "call 212 555 0142 extension four two.", "212 555 0142 extension four two"),
    ("phone", "2125550142 is my cell", "2125550142"),
]  # fmt: skip

SILENT = [
    "Order 2125550142 has shipped.",
    "My order number is two one two five five five oh one four two.",
    "0.4242424242424242",
    "7d9c1b2a-0f3e-4b7c-4242-424242424242",
    "1Z4242424242424242",
    "The years 1999 2000 2001 2002 2003",
    "Meet me @ 7.30pm",
    "icon@3x.png",
    "postgres://app:secret@db.internal/x",
    "Find us at example dot com, or check prices at example dot com.",
    "one moment, one two three four five six seven eight nine ten",
    "from nineteen eighty-five to twenty twenty-four, then twenty twenty-five",
    "2026-03-14 15:09 and version 192.0.2.146",
    "900-12-3456, 000-12-3456, 219-00-9999, 219-09-0000",
    "Call me between 10:30 and 11:45 on 12/03/2026",
    "steps \u2460\u2461\u2462\u2463\u2464\u2465\u2466\u2467\u2468",
]

LONG = ("a.", "1 ", "-", "@", "a@", "4 ", "at ", "at dot ", "one ", "219-09-9999", "9999123-45-", "+1 ", "(", "double ", "1\u0301")  # fmt: skip


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


def test_neighbouring_numbers_are_two_hits() -> None:
    for text in ("212 555 0142 646 555 0143", "219-09-9999123-45-6789", "mia@example.org,bo@example.org"):
        assert len(pii.find(said(text))) == 2


def test_a_card_is_no_telephone_number_whatever_it_is_called() -> None:
    text = "My number is four zero one two, eight eight eight eight, eight eight eight eight, one eight eight one"
    assert [hit.detector for hit in pii.find(said(text))] == ["card_luhn"]


def test_pieces_over_turns_are_one_hit_with_a_place_in_each() -> None:
    turns = said("My card: 4242.", "uh 4242", "Yes.", "4242", "4242 thanks", roles="ccacc")
    (hit,) = pii.find(turns)
    assert hit.spans == ((0, 9, 13), (1, 3, 7), (3, 0, 4), (4, 0, 4))
    assert [t["text"] for t in pii.redact(turns, [hit])] == [
        "My card: [REDACTED].", "uh [REDACTED]", "Yes.", "[REDACTED]", "[REDACTED] thanks",
    ]  # fmt: skip


def test_each_speaker_who_repeats_a_number_leaks_it() -> None:
    turns = said("4242 4242", "4242 4242", "4242 4242", "4242 4242, thanks", roles="caca")
    assert [hit.role for hit in pii.find(turns)] == ["c", "a"]


def test_turns_are_read_in_the_order_of_time_and_returned_in_that_of_the_input() -> None:
    turns = [Turn(0, "c", "4242 4242", 5.0), Turn(1, "c", "4242 4242", 1.0), Turn(2, "a", "Okay.", 3.0)]
    hits = pii.find(turns)
    assert [hit.spans for hit in hits] == [((1, 0, 9), (0, 0, 9))]
    assert [t["text"] for t in pii.redact(turns, hits)] == ["[REDACTED]", "[REDACTED]", "Okay."]


def test_no_repr_shows_a_value() -> None:
    (hit,) = pii.find(said("219-09-9999"))
    assert hit.value == "219099999"
    assert "9999" not in repr(hit)
    assert "9999" not in str([hit])


@pytest.mark.parametrize("unit", LONG)
def test_time_grows_with_the_text(unit: str) -> None:
    # Ten times the text may take a good deal more than ten times as long on a busy machine, but not a hundred times.
    def once(text: str) -> float:
        start = time.process_time()
        pii.find(said(text))
        return time.process_time() - start

    def seconds(size: int) -> float:  # the least of three: the collector may go through all that other tests left
        return min(once((unit * size)[:size]) for _ in range(3))

    assert seconds(100_000) < 40 * max(seconds(10_000), 0.005)


@given(st.lists(st.tuples(st.sampled_from("ca"), st.text(alphabet="one two at.com@-+(),/:\n0123456789\u200b\u0301\uff11", max_size=60)), max_size=5))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_and_every_place_lies_in_its_turn(pairs: list[tuple[str, str]]) -> None:
    turns = [Turn(place, role, text) for place, (role, text) in enumerate(pairs)]
    hits = pii.find(turns)
    for hit in hits:
        assert hit.spans
        assert all(0 <= start < end <= len(turns[turn].text) for turn, start, end in hit.spans)
        assert {turns[turn].role for turn, _, _ in hit.spans} == {hit.role}
    assert len(pii.redact(turns, hits)) == len(turns)


@given(st.sampled_from(PLACES), st.integers(0, 200), st.sampled_from("\u200b\u200d\u2060\xad\ufeff\u202a\u0301"))
@settings(max_examples=150, deadline=None)
def test_an_invisible_character_hides_nothing(place: tuple[str, str, str], at: int, unseen: str) -> None:
    detector, text, _ = place
    hidden = text[: at % len(text)] + unseen + text[at % len(text) :]
    assert [hit.detector for hit in pii.find(said(hidden))] == [detector]


@given(st.integers(10**14, 10**15 - 1))
def test_one_check_digit_in_ten_is_right(digits: int) -> None:
    assert sum(card_luhn.has_luhn(f"{digits}{check}") for check in range(10)) == 1


def test_number_words_are_read_as_people_group_them() -> None:
    for text, digits in {
        "forty two": ["42"],
        "forty, two": ["40", "2"],
        "twenty oh five": ["20", "0", "5"],
        "one twenty-three": ["1", "23"],
        "triple oh double 7": ["000", "77"],
        "eight hundred five five five": ["800", "5", "5", "5"],
        "eight hundred and five": ["805"],
        "five thousand": ["5000"],
        "nineteen hundred": ["1900"],
        "one moment": [],
        "double trouble": [],
    }.items():
        assert [number.digits for number in numbers(text, ENGLISH)] == digits, text


def test_a_run_ends_where_other_words_stand() -> None:
    text = "one two, uh three dash four 56 apples 7"
    found = runs(text, numbers(text, ENGLISH), ENGLISH)
    assert [(run.digits, run.gaps) for run in found] == [("123456", (" ", "w", "d", " ")), ("7", ())]


def test_every_language_has_a_table() -> None:
    assert "english" in languages()
    assert all(language(name).digits for name in languages())
    with pytest.raises(KeyError):
        language("_language")


@pytest.mark.parametrize("name", packs.names("assertions"))
def test_an_assertion_pack_is_a_document_whose_ids_begin_with_its_name(name: str) -> None:
    call = build_context(
        transcript=[
            {"role": "agent", "text": "This call is recorded for quality. May I have your date of birth?"},
            {"role": "caller", "text": "The first of May."},
            {"role": "agent", "text": "Your current balance is five dollars."},
        ],
        spans=[],
    )
    envelope = run_assertions_from_yaml(packs.text("assertions", name), call)
    assert {result["status"] for result in envelope["results"]} == {"PASS"}
    assert all(result["id"].startswith(f"{name}.") for result in envelope["results"])


def test_an_assertion_pack_finds_what_it_is_for() -> None:
    call = build_context(
        transcript=[
            {
                "role": "agent",
                "text": "I promise. Your account number is 7, your card 4242 4242 4242 4242, damn bullshit.",
            },
            {"role": "agent", "text": "SSN 219-09-9999, mia@example.org, 212-555-0142. Now verify your identity."},
        ]
    )
    for name in packs.names("assertions"):
        if name == "say-do":
            continue  # judged against a trace
        results = run_assertions_from_yaml(packs.text("assertions", name), call)["results"]
        assert {result["status"] for result in results} == {"FAIL"}, name


def test_a_pack_is_known_by_its_name_only() -> None:
    assert packs.names("policy") == ("default",)
    for name in ("../policy/default", "", "default.yaml"):
        with pytest.raises(KeyError):
            packs.text("policy", name)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"kind": "policy", "pack": "defalt"}, "unknown_pack"),
        ({"kind": "policy", "pack": "default", "pack_path": "x.yaml"}, "exclusive_fields"),
        ({"kind": "policy", "rule_ids": ["no-profanty"]}, "unknown_rule"),
        ({"kind": "policy", "rule_ids": ["no-profanity", "no-profanity"]}, "duplicate_item"),
        ({"kind": "pii", "detectors": ["snn"], "mode": "must_not_leak"}, "unknown_detector"),
        ({"kind": "pii", "detectors": ["ssn", "ssn"], "mode": "must_not_leak"}, "duplicate_item"),
        ({"kind": "pii", "detectors": ["ssn"], "mode": "must_not_leak", "allow": ["--"]}, "needless_field"),
    ],
)
def test_what_types_cannot_refuse_is_refused(fields: dict[str, object], code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        run_assertions({"version": 1, "assertions": [{"id": "a", **fields}]}, build_context(transcript=[]))
    assert [problem.code for problem in caught.value.problems] == [code]


def test_no_value_stands_anywhere_on_a_result() -> None:
    texts = [text for _, text, _ in PLACES]
    call = build_context(transcript=[{"role": f"r{place}", "text": text} for place, text in enumerate(texts)])
    fields = {"kind": "pii", "detectors": list(pii.names()), "mode": "must_not_leak"}
    envelope = run_assertions({"version": 1, "assertions": [{"id": "a", **fields}]}, call)
    printed = msgspec.json.encode(envelope).decode()
    assert len(envelope["results"][0]["hits"]) == len(PLACES)
    assert not [exactly for _, _, exactly in PLACES if exactly in printed]


def test_what_is_kept_of_one_call_is_nothing_to_another_where_other_words_were_heard() -> None:
    answer = "four two five five five five zero one four two"
    asked, bare = (
        said(question, answer, roles="ac") for question in ("what is your phone number", "what is your order number")
    )
    for _ in range(2):
        assert not pii.in_call(Evidence(Call(transcript=tuple(bare))))
        assert [hit.detector for hit in pii.in_call(Evidence(Call(transcript=tuple(asked))))] == ["phone"]
        assert not pii.find(bare)
        assert [hit.detector for hit in pii.find(asked)] == ["phone"]
