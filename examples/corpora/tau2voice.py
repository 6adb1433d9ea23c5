"""Full-duplex runs without text: when the agent answers, when it gives way, and what makes it stop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpus import Finding, Known, Record, Results, Score, document, read

from hotato import assert_ as A

NO_CALL = ("vocal_tic", "backchannel", "non_directed")  # sounds that ask nothing of the agent
Segments = list[list[float]]


class Judge:
    """The judge of the full-duplex runs. The means are those of all runs, so all are read before the first is judged."""

    name = "tau2voice"
    known: dict[str, Known] = {}

    def __init__(self, folder: Path) -> None:
        self.document = document("tau2voice")
        spans = [span for record in read(folder, self.name) for span in _turn_taking(record)]
        self.timing = {kind: {"latency_sec": {"mean": _mean(spans, kind)}} for kind in ("response", "yield")}

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one run: each labelled event, the slowest of both kinds, and the means."""
        spans = list(_turn_taking(record))
        results = score.judge(self.document, A.build_context(spans=spans, timing=self.timing))
        events = record["expected"]["voice_events"]
        yield from self._means(record, results)
        for kind in ("response", "yield"):
            labelled = [event for event in events if event["category"] == kind and not event["is_error"]]
            found = sorted(span["start_sec"] for span in spans if span["type"] == kind)
            yield Finding(f"when a {kind} begins", sorted(event["at_sec"] for event in labelled), found)
            slowest = round(max(event["latency_sec"] for event in labelled) * 1000, 6)
            yield Finding(f"slowest {kind}", slowest, results[f"slowest-{kind}"]["measured_ms"])
            for event in labelled:
                one = [span for span in spans if span["type"] == kind and span["start_sec"] == event["at_sec"]]
                alone = score.judge(self.document, A.build_context(spans=one))[f"slowest-{kind}"]
                yield Finding(f"{kind} latency", round(event["latency_sec"] * 1000, 6), alone["measured_ms"])
        for event in events:
            if event["category"] in NO_CALL:
                reaction = _reaction(event["at_sec"], record["speech_activity"]["agent"])
                status = score.judge(self.document, A.build_context(spans=reaction))["reacted"]["status"]
                yield Finding("reaction to what asks for none", event["is_error"], status == "PASS")
            elif event["is_error"]:
                answered = any(s["type"] == "response" and s["start_sec"] == event["at_sec"] for s in spans)
                yield Finding("no response", False, answered)

    def _means(self, record: Record, results: Results) -> Iterator[Finding]:
        expected = record["expected"]["aggregate_over_all_3_runs"]
        for kind in ("response", "yield"):
            mean = expected[f"{kind}_latency_mean"]
            yield Finding(f"{kind} mean", round(mean, 9), round(results[f"{kind}-mean"]["measured"], 9))
            yield Finding(f"{kind} mean within its limit", "PASS", results[f"{kind}-mean"]["status"])
            yield Finding(f"{kind} mean within a limit too tight", "FAIL", results[f"{kind}-mean-tighter"]["status"])


def _mean(spans: list[Record], kind: str) -> float:
    lengths: list[float] = [span["end_sec"] - span["start_sec"] for span in spans if span["type"] == kind]
    return sum(lengths) / len(lengths)


def _turn_taking(record: Record) -> Iterator[Record]:
    """Yield the responses and the yields that follow from who speaks when.

    The times come from the segments; the labels of the corpus say only what a segment of the caller was, since there is
    no text. A backchannel asks for no response; a segment that begins as nothing but a sound interrupts nobody. A
    response comes before the caller speaks again, and from an agent that was silent.
    """
    caller, agent = record["speech_activity"]["caller"], record["speech_activity"]["agent"]
    sounds = {event["at_sec"]: event["category"] for event in record["expected"]["voice_events"] if _is_sound(event)}
    turns = record["expected"]["voice_events"]
    yields = {event["at_sec"] for event in turns if event["category"] == "yield"}
    for place, (start, end) in enumerate(caller):
        speaking = [stop for begin, stop in agent if begin <= start < stop]
        if speaking and (start in yields or start not in sounds):
            yield {"type": "yield", "start_sec": start, "end_sec": speaking[0]}
        again = caller[place + 1][0] if place + 1 < len(caller) else float("inf")
        after = [begin for begin, _ in agent if begin >= end]
        busy = any(begin <= end < stop for begin, stop in agent)
        if sounds.get(start) != "backchannel" and not busy and after and after[0] <= again:
            yield {"type": "response", "start_sec": end, "end_sec": after[0]}


def _is_sound(event: Record) -> bool:
    return event["category"] in NO_CALL


def _reaction(at: float, agent: Segments) -> list[Record]:
    """Return the span from a sound to the first time that the agent stops or begins after it, if it does."""
    changes = [stop for begin, stop in agent if begin <= at <= stop]
    changes += [begin for begin, _ in agent if begin >= at]
    return [{"type": "reaction", "start_sec": at, "end_sec": min(changes)}] if changes else []
