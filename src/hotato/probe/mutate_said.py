"""Changes of what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from msgspec.structs import replace

from hotato.match.order import in_order
from hotato.match.regex import compile_pattern
from hotato.match.text import fold_role
from hotato.model.call import Call, Turn
from hotato.probe.mutate_call import Change, Clock, early, late, of_turns, swapped
from hotato.probe.mutate_words import Words

NEUTRAL = "Mm."
# made up, each the shortest that its detector takes for one; tests hold that every detector finds its own
LEAKS = {
    "aba_routing": "The routing number is 021000021.",
    "card_luhn": "The card number is 4111 1111 1111 1111.",
    "dob": "The date of birth is 1 February 1980.",
    "email": "The address is jo.bloggs@example.com.",
    "iban": "The IBAN is GB82 WEST 1234 5698 7654 32.",
    "in_aadhaar": "The Aadhaar number is 2341 2341 2346.",
    "ip": "The IP address is 203.0.113.7.",
    "itin": "The ITIN is 912-70-1234.",
    "nhs_number": "The NHS number is 943 476 5919.",
    "phone": "The phone number is +1 212 555 0123.",
    "ssn": "The social security number is 219-09-9999.",
}
_Make = Callable[[Sequence[Turn]], Sequence[Turn]]


def of_speech(call: Call, words: Words, clock: Clock) -> Iterator[Change]:
    """Yield every change of the transcript."""
    turns = call.transcript or ()

    def change(what: str, make: _Make, turn: int | None = None) -> Change:
        return Change(what, ("transcript",), lambda call: of_turns(call, make(call.transcript or ())), turn=turn)

    roles = list(dict.fromkeys(["agent", "caller", *(turn.role for turn in turns)]))
    for place, turn in enumerate(turns):
        yield change("turn_dropped", partial(_without, place), place)
        yield change("turn_altered", partial(_with, place, replace(turn, text=NEUTRAL, words=())), place)
        other = "caller" if turn.role == "agent" else "agent"
        yield change("speaker_changed", partial(_with, place, replace(turn, role=other)), place)
        for times in sorted({1, words.most}):
            yield change("turn_repeated", partial(_repeated, place, times), place)
        for put in (early, late):
            yield change("turn_moved", partial(_moved, place, put, clock), place)
    ordered = in_order(turns)
    for first, then in pairwise(ordered):
        yield change("turns_swapped", partial(_swapped, first.index, then.index), first.index)
    for role in dict.fromkeys(turn.role for turn in turns):
        yield change("party_silent", partial(_silent, role))
    for regex, case in words.patterns:
        yield change("words_unsaid", partial(_unsaid, regex, case))
    for role, text in words.said:
        for by in [fold_role(role)] if role else ["agent", "caller"]:
            for put in (early, late):
                yield change("words_said", partial(_said, put, clock, by, text))
            if words.most > 1:
                yield change("words_said", partial(_said_often, words.most, clock, by, text))
    for role, afterwards, before in words.turned:
        by = fold_role(role) if role else "agent"
        yield change("said_in_wrong_order", partial(_turned, clock, by, afterwards, before))
    for text in LEAKS.values():
        for by in roles:
            yield change("number_leaked", partial(_said, late, clock, by, text))


def _without(place: int, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [*turns[:place], *turns[place + 1 :]]


def _with(place: int, turn: Turn, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [*turns[:place], turn, *turns[place + 1 :]]


def _repeated(place: int, times: int, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [*turns[: place + 1], *[turns[place]] * times, *turns[place + 1 :]]


def _moved(
    place: int, put: Callable[[Sequence[Turn], Turn, Clock], list[Turn]], clock: Clock, turns: Sequence[Turn]
) -> Sequence[Turn]:
    return put(_without(place, turns), turns[place], clock)


def _swapped(first: int, then: int, turns: Sequence[Turn]) -> Sequence[Turn]:
    return swapped(turns, first, then)


def _silent(role: str, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [turn for turn in turns if turn.role != role]


def _unsaid(regex: str, case_sensitive: bool, turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return the turns of which those that match are altered; where the words run over a cut, both parts of them."""
    pattern = compile_pattern(regex, case_sensitive=case_sensitive)
    hit = {place for place, turn in enumerate(turns) if pattern.search(turn.text) is not None}
    for place, (first, then) in enumerate(pairwise(turns)):
        if not hit & {place, place + 1} and pattern.search(f"{first.text} {then.text}") is not None:
            hit |= {place, place + 1}
    return [replace(turn, text=NEUTRAL, words=()) if place in hit else turn for place, turn in enumerate(turns)]


def _said(
    put: Callable[[Sequence[Turn], Turn, Clock], list[Turn]], clock: Clock, role: str, text: str, turns: Sequence[Turn]
) -> Sequence[Turn]:
    return put(turns, Turn(0, role, text), clock)


def _turned(clock: Clock, role: str, then: str, first: str, turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return the turns with what has to be said later said before all others, and what has to be said earlier after them."""
    return late(early(turns, Turn(0, role, then), clock), Turn(0, role, first), clock)


def _said_often(times: int, clock: Clock, role: str, text: str, turns: Sequence[Turn]) -> Sequence[Turn]:
    said = late(turns, Turn(0, role, text), clock)
    return [*said, *[said[-1]] * (times - 1)]
