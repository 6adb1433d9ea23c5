"""Looking for personal data spares itself much; what it finds and masks is what it would find and mask without."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hotato.match import pii
from hotato.match.evidence import Evidence
from hotato.match.pii._look import Look
from hotato.match.pii._registry import Detector, detectors
from hotato.match.pii._speech import _LETTER_RUN, _WORD, words
from hotato.match.pii._stretch import Stretch
from hotato.model.call import Call, Turn

PIECES = (
    "4111111111111111", "4111 1111 1111", "1111", "219-09-9999", "219 09 9999", "911-70-1234", "021000021", "42", "7", "1985",
    "212 555 0142", "+44 7911 123456", "020 7946 0958", "943 476 5919", "2345 6789 0124", "12/03/1981", "10.20.30.40",
    "GB29 NWBK 6016 1331 9268 19", "kim@example.org", "kim at example dot org", "four one", "one one one one", "double five",
    "two one two", "vierzig", "zwei drei", "dos mil", "third of May", "nineteen ninety one", "my card is", "my phone number is",
    "social security", "date of birth", "born", "routing number", "patient number", "aadhaar", "uh", "and", "refund", "I",
)  # fmt: skip
ASIDE = (
    "yes",
    "okay",
    "mhm",
    "go on",
    "4111",
    "one two",
    "42",
    "",
    "What is your date of birth?",
    "Your phone number?",
)
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map(" ".join)
TURNS = st.lists(
    st.tuples(st.sampled_from(("agent", "caller", "caller", "ivr")), TEXTS | st.sampled_from(ASIDE)), max_size=12
).map(lambda rows: tuple(Turn(place, role, text) for place, (role, text) in enumerate(rows)))
FEWEST = [detector for detector in detectors().values() if detector.fewest]


@given(TURNS)
@settings(derandomize=True, max_examples=150, deadline=None)
def test_a_call_is_masked_as_if_all_of_it_were_looked_at_again(turns: tuple[Turn, ...]) -> None:
    evidence = Evidence(Call(transcript=turns))
    hits = pii.find(turns)
    assert pii.in_call(evidence) == hits
    assert pii.redacted_call(evidence) == pii.redact(turns, hits)


@example((Turn(0, "caller", "my card is 556-985-7464 646376"),), [frozenset({"phone"})])
@given(TURNS, st.lists(st.frozensets(st.sampled_from(pii.names()), min_size=1, max_size=3), min_size=1, max_size=3))
@settings(derandomize=True, max_examples=100, deadline=None)
def test_a_detector_finds_the_same_whichever_others_are_asked(
    turns: tuple[Turn, ...], asked: list[frozenset[str]]
) -> None:
    evidence, hits = Evidence(Call(transcript=turns)), pii.find(turns)
    for wanted in asked:
        assert pii.in_call(evidence, wanted=wanted) == [hit for hit in hits if hit.detector in wanted]


def places(look: Look) -> list[list[int]]:
    """Return which turns are one speech, for each speech of a look."""
    return sorted([turn.index for turn in speech.turns] for speech, _ in look.speeches(pii.REGIONS))


def test_only_speeches_that_may_read_otherwise_are_looked_at_again() -> None:
    rows = (
        ("agent", "the card"),
        ("caller", "4111 1111"),
        ("agent", "4111 1111"),
        ("caller", "1111 1111"),
        ("agent", "9999"),
    )
    look = Look(tuple(Turn(place, role, text) for place, (role, text) in enumerate(rows)), kept=True)
    assert places(look) == [[0, 2, 4], [1, 3]]
    assert places(look.again({4: "9990"})) == [[0, 2, 4]]
    assert places(look.again({0: "the phone"})) == [[0, 2, 4], [1, 3]]  # heard before the other
    assert places(look.again({2: pii.MASK})) == [[1], [3]]  # parted, since nobody repeats digits any more


@pytest.mark.parametrize("detector", FEWEST, ids=lambda detector: detector.name)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_a_detector_finds_nothing_in_runs_of_fewer_digits_than_it_says(detector: Detector, texts: list[str]) -> None:
    turns = [Turn(place, "caller", text) for place, text in enumerate(texts)]
    for speech, tables in Look(turns, kept=False).speeches(pii.REGIONS):
        for table in tables:
            stretch = Stretch(speech, table)
            for run in stretch.runs:
                stretch.runs = [run]
                if len(run.digits) < detector.fewest:
                    assert list(detector.detect(stretch)) == []


@pytest.mark.parametrize("opening", ["S S N", "d. o. b.", "it's", "so-called", "sœur", "a"])
def test_the_last_words_of_a_text_are_those_of_all_its_words(opening: str) -> None:
    for count in (12, 13, 14):
        for size in range(60):
            text = "we have " * 10 + f"my {opening} " + "certain " * (count - 1) + "a" * size + " x"
            joined = _LETTER_RUN.sub(lambda run: "".join(filter(str.isalpha, run.group())), text)
            assert words(text) == [word.lower().removesuffix("'s") for word in _WORD.findall(joined)[-14:]]
