"""A run of a scenario becomes a call: who says what when, what the tools did, and the records before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hotato.errors import Problem, UsageError
from hotato.match.paths import MISSING, at
from hotato.match.values import same
from hotato.simulate.chance import between, draw, happens
from hotato.simulate.documents import plain
from hotato.simulate.fill import filled, text
from hotato.simulate.pace import duration_ms, said_until
from hotato.simulate.scenario import Acts, Change, Line, Scenario, Termination
from hotato.simulate.variants import Part, Variant, parts

MURMURS = {
    "en": ("mm-hm", "okay", "right", "I see"),
    "es": ("ajá", "vale", "claro", "ya veo"),
    "fr": ("d'accord", "oui", "je vois"),
    "de": ("mhm", "okay", "verstehe", "ja"),
}
_LONG = 3000  # an utterance that a caller may murmur into
_INTERRUPTIBLE = 2500
_LATEST_MURMUR = 900
_AFTER_MURMUR = 900  # so that a pause of the agent for its own reasons is not taken for one for the caller
_LISTENS = 1200  # before a caller interrupts


class SimulatorInvalid(UsageError):  # noqa: N818 - the name of its bucket in results
    """A scenario that could not be rendered. It says nothing about the agent."""

    error_code = "simulator_invalid"


class Utterance(msgspec.Struct, kw_only=True):
    """What one party said from when to when, milliseconds. `whole_ms` is how long all of `words` would have taken."""

    role: str
    words: str
    start: int
    end: int
    whole_ms: int
    text: str = ""


class Mark(msgspec.Struct, frozen=True):
    """A moment at which the caller speaks into the agent's speech, and what the agent is to do: `yield` or `hold`."""

    onset: int
    expect: str
    category: str


class Played(msgspec.Struct, kw_only=True):
    """A simulated call. `turns` and `spans` are in the order of time; `length` is that of the call, milliseconds."""

    turns: list[Utterance]
    spans: list[dict[str, Any]]
    before: dict[str, list[dict[str, Any]]] | None
    after: dict[str, list[dict[str, Any]]] | None
    marks: list[Mark]
    length: int


def play(scenario: Scenario, variant: Variant) -> Played:
    """Play one run. The same scenario and variant give the same call. Raise SimulatorInvalid where it cannot be played."""
    return _Play(scenario, variant).whole()


class _Play:
    """The clock of one call, and what has happened so far."""

    def __init__(self, scenario: Scenario, variant: Variant) -> None:
        self.scenario, self.variant = scenario, variant
        self.mock, self.behavior = scenario.agent_mock, scenario.caller.behavior
        self.clock = 400
        self.number = 0
        self.turns: list[Utterance] = []
        self.spans: list[dict[str, Any]] = []
        self.marks: list[Mark] = []
        self.last: Utterance | None = None  # the agent's, where nothing came after it
        self.is_murmured = False
        self.is_cut_next = False  # the next line is written to interrupt: nothing that chance does may be in its way
        known = {**scenario.facts, **scenario.variables}
        state = None if self.mock.state is None else filled(plain({"state": self.mock.state})["state"], known)
        self.before: dict[str, list[dict[str, Any]]] | None = state
        self.after = None if state is None else {name: [dict(row) for row in rows] for name, rows in state.items()}

    def whole(self) -> Played:
        """Play from the greeting to the end."""
        scripts = parts(self.scenario, self.variant.path)
        script = [(place, line, part) for part in scripts for place, line in enumerate(part.script)]
        self.is_cut_next = script[0][1].interrupts
        if self.mock.greeting is not None:
            self.answer(self.mock.greeting, scripts[0].known)
        for number, (place, line, part) in enumerate(script, 1):
            self.number = number
            self.line(line, part)
            self.is_cut_next = number < len(script) and script[number][1].interrupts
            self.act(place, part)
        ending = scripts[-1].acts.termination or Termination()
        self.span("termination", self.clock + 600, None, by=ending.by, reason=ending.reason)
        self.clock += 1000
        return Played(
            turns=sorted(self.turns, key=lambda turn: turn.start),
            spans=sorted(self.spans, key=lambda span: span["start_sec"]),
            before=self.before,
            after=self.after,
            marks=sorted(self.marks, key=lambda mark: mark.onset),
            length=self.clock,
        )

    def line(self, line: Line, part: Part) -> None:
        """Play one line of the caller."""
        start = self.onset(line)
        self.last, self.is_murmured = None, False
        end = start
        if line.say is not None:
            words = self.words(line.say, part)
            end = start + duration_ms(words, self.variant.speaking_rate)
            self.say("caller", words, start, end)
        for key in line.press or "":
            end += 300
            self.span("dtmf", end - 200, None, digits=key)
        self.clock = max(self.clock, end)

    def onset(self, line: Line) -> int:
        """Return when a line begins; where it interrupts, the agent breaks off."""
        heard, chance = self.last, self.behavior.interruptions
        can = heard is not None and heard.whole_ms >= _INTERRUPTIBLE and not self.is_murmured
        wants = line.interrupts
        if not wants and chance is not None and line.say is not None and line.pause_ms is None:
            wants = can and happens(chance.probability, self.variant.seed, "interrupts", self.number)
        if line.interrupts and not can:
            said = f"line {self.number} of the caller cannot interrupt: the agent says nothing long enough before it"
            raise _invalid(self.scenario, said)
        if not wants or heard is None:
            pauses = self.behavior.pause_ms
            pause = between(pauses.min, pauses.max, self.variant.seed, "pause", self.number)
            pause = line.pause_ms if line.pause_ms is not None else pause
            return self.clock + (max(pause, _AFTER_MURMUR) if self.is_murmured else pause)
        onset = heard.start + max(_LISTENS, heard.whole_ms * 55 // 100)
        self.marks.append(Mark(onset, "yield", "interruption"))
        if self.mock.yield_ms is not None:
            heard.end = min(heard.end, onset + self.mock.yield_ms)
            heard.text = said_until(heard.words, heard.end - heard.start, heard.whole_ms)
            self.clock = heard.end
        return onset

    def act(self, place: int, part: Part) -> None:
        """Play what the agent does about a line: words, tools, exchanges, words, handoffs."""
        acts, turn, last = part.acts, place + 1, len(part.script)
        said = acts.says[place] if place < len(acts.says) else None
        texts = (said,) if isinstance(said, str) else said or ()
        self.clock += self.mock.response_ms
        for words in texts[:-1]:
            self.answer(words, part.known)
            self.clock += 150
        self.work(acts, turn, last, part.known)
        for words in texts[-1:]:
            self.answer(words, part.known)
        for handoff in acts.handoffs:
            if (handoff.turn or last) == turn:
                more = {} if handoff.status is None else {"status": handoff.status}
                self.span("handoff", self.clock + 100, None, to=text(handoff.to, part.known), **more)
                self.clock += 300
                self.last = None

    def work(self, acts: Acts, turn: int, last: int, known: Mapping[str, Any]) -> None:
        """Play the tools and exchanges of one line, one after the other."""
        for tool in acts.tools:
            if (tool.turn or last) == turn:
                fields: dict[str, Any] = {"name": tool.name, "arguments": filled(tool.arguments, known)}
                if tool.error is not msgspec.UNSET:
                    fields["error"] = text(tool.error, known)
                elif tool.result is not msgspec.UNSET:
                    fields["result"] = filled(tool.result, known)
                self.span("tool_call", self.clock, tool.latency_ms, **fields)
                self.clock += tool.latency_ms + 50
                for change in tool.changes:
                    self.change(change, known)
        for exchange in acts.http:
            if (exchange.turn or last) == turn:
                fields = {"method": exchange.method, "url": text(exchange.url, known), "status_code": exchange.status}
                if exchange.response is not msgspec.UNSET:
                    fields["response"] = filled(exchange.response, known)
                self.span("http_exchange", self.clock, exchange.latency_ms, **fields)
                self.clock += exchange.latency_ms + 50

    def change(self, change: Change, known: Mapping[str, Any]) -> None:
        """Change the records. Raise SimulatorInvalid where there is none to change."""
        rows = (self.after or {})[change.resource]
        if change.add is not None:
            rows.append(filled(change.add, known))
            return
        wanted = filled(change.where, known)
        found = [row for row in rows if all(same(_at(row, name), value) for name, value in wanted.items())]
        if not found:
            raise _invalid(self.scenario, f"a change of {change.resource} finds no record that it applies to")
        for row in found:
            row.update(filled(change.set, known))

    def answer(self, template: str, known: Mapping[str, Any]) -> None:
        """Have the agent say a text, and the caller murmur into it where chance has it."""
        words = text(template, known)
        if not words.strip():
            raise _invalid(self.scenario, "an answer of the agent is empty once its names are filled in")
        spoken = duration_ms(words)
        self.last = self.say("agent", words, self.clock, self.clock + spoken)
        chance = self.behavior.backchannels
        place = len(self.turns)
        seed = self.variant.seed
        self.is_murmured = False
        can = spoken >= _LONG and not self.is_cut_next
        if chance is not None and can and happens(chance.probability, seed, "backchannel", place):
            choice = chance.says or MURMURS.get(self.variant.locale[:2].lower(), ("mm-hm",))
            murmur = choice[draw(seed, "murmur", place) % len(choice)]
            onset = self.clock + spoken * 45 // 100
            lasting = min(_LATEST_MURMUR, duration_ms(murmur, self.variant.speaking_rate))
            self.say("caller", murmur, onset, onset + lasting)
            self.marks.append(Mark(onset, "hold", "backchannel"))
            self.is_murmured = True
        self.clock += spoken

    def say(self, role: str, words: str, start: int, end: int) -> Utterance:
        """Put an utterance on the line."""
        self.turns.append(Utterance(role=role, words=words, start=start, end=end, whole_ms=end - start, text=words))
        return self.turns[-1]

    def words(self, template: str, part: Part) -> str:
        """Return what the caller says."""
        words = text(template, part.known)
        if not words.strip():
            raise _invalid(self.scenario, f"line {self.number} of the caller is empty once its names are filled in")
        return words

    def span(self, kind: str, start: int, lasting: int | None, **fields: Any) -> None:
        """Put an event on the trace."""
        times: dict[str, Any] = {"start_sec": start / 1000}
        if lasting is not None:
            times |= {"end_sec": (start + lasting) / 1000, "latency_ms": lasting}
        self.spans.append({"type": kind, **fields, **times})


def _at(row: Mapping[str, Any], name: str) -> Any:
    found = at(row, name)
    return None if found is MISSING else found


def _invalid(scenario: Scenario, said: str) -> SimulatorInvalid:
    return SimulatorInvalid(Problem(code="simulator_invalid", file=scenario.id, message=said))
