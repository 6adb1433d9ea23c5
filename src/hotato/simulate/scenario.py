"""A scenario, `hotato.scenario` version 1: a caller with a script, and a mocked agent that answers it.

The structs are the document: their fields are its fields, their docstrings say what each means. Times are milliseconds.
Texts and values may hold `{name}`, which stands for a fact or a variable; a text that is nothing but `{name}` takes the
value's type, `{{` and `}}` are braces.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

KIND = "hotato.scenario"

Text = Annotated[str, msgspec.Meta(min_length=1)]
Ident = Annotated[str, msgspec.Meta(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9._-]+\Z")]
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\Z")]
Scalar = str | int | float | bool
Chance = Annotated[float, msgspec.Meta(ge=0, le=1)]
Rate = Annotated[float, msgspec.Meta(ge=0.25, le=4)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=600_000)]
Number = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Keys = Annotated[str, msgspec.Meta(min_length=1, pattern=r"^[0-9*#A-D]+\Z")]
Noise = Literal["clean", "cafe", "street"]


class Struct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every struct of a document refuses what it does not know."""


class Goal(Struct, frozen=True, kw_only=True):
    """What the caller wants: a `type` of your own (`refund`), and its `target`."""

    type: Text
    target: Any = None


class Line(Struct, frozen=True, kw_only=True):
    """One line of the caller: words to `say`, keys to `press`, or both.

    `interrupts`: begin while the agent still talks. `pause_ms`: wait so long before it; default as the behaviour says.
    """

    say: Text | None = None
    press: Keys | None = None
    interrupts: bool = False
    pause_ms: Milliseconds | None = None


class Backchannels(Struct, frozen=True, kw_only=True):
    """How likely the caller murmurs while the agent talks for 3 s or longer, and what; each utterance is one chance."""

    probability: Chance
    says: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None = None


class Interruptions(Struct, frozen=True, kw_only=True):
    """How likely a line begins while the agent still talks, wherever that is for long enough."""

    probability: Chance


class Pauses(Struct, frozen=True, kw_only=True):
    """How long the caller waits before a line: any number of milliseconds between the two, both included."""

    min: Milliseconds
    max: Milliseconds


class Behavior(Struct, frozen=True, kw_only=True):
    """How the caller talks. A `speaking_rate` of 1 is about 150 words a minute."""

    backchannels: Backchannels | None = None
    interruptions: Interruptions | None = None
    pause_ms: Pauses = Pauses(min=400, max=900)
    speaking_rate: Rate = 1.0


class Caller(Struct, frozen=True, kw_only=True):
    """Who calls: a `script`, spoken line by line, and a `behavior`."""

    script: Annotated[tuple[Line, ...], msgspec.Meta(min_length=1)]
    behavior: Behavior = Behavior()


class Environment(Struct, frozen=True, kw_only=True):
    """Where the caller is. `route` is `phone` (8 kHz, a telephone's band) or `web` (16 kHz).

    `snr_db` is how far the noise lies below the caller's speech; default 26 dB in a cafe and 24 dB in a street.
    """

    locale: Text = "en-US"
    route: Literal["phone", "web"] = "phone"
    noise: Noise = "clean"
    snr_db: Annotated[float, msgspec.Meta(ge=0, le=80)] | None = None


class Change(Struct, frozen=True, kw_only=True):
    """What a tool does to the state: `set` fields of the rows that match `where`, or `add` a row."""

    resource: Text
    where: dict[str, Any] | None = None
    set: Annotated[dict[str, Any], msgspec.Meta(min_length=1)] | None = None
    add: Annotated[dict[str, Any], msgspec.Meta(min_length=1)] | None = None


class Tool(Struct, frozen=True, kw_only=True):
    """A tool that the agent calls after the caller's line number `turn`, counted from 1 in this script; default the last.

    It answers with `result`, or goes wrong with `error`; a tool that went wrong changes nothing.
    """

    name: Text
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    result: Any = msgspec.UNSET
    error: Text | msgspec.UnsetType = msgspec.UNSET
    latency_ms: Milliseconds = 300
    turn: Number | None = None
    changes: tuple[Change, ...] = ()


class Exchange(Struct, frozen=True, kw_only=True):
    """An HTTP exchange that the agent has after the line `turn`, once its tools have answered."""

    method: Text
    url: Text
    status: Annotated[int, msgspec.Meta(ge=100, le=599)]
    response: Any = msgspec.UNSET
    latency_ms: Milliseconds = 200
    turn: Number | None = None


class Handoff(Struct, frozen=True, kw_only=True):
    """A handoff `to` somebody after the agent's answer to the line `turn`; `status` as a trace has it (`failed` ...)."""

    to: Text
    status: Text | None = None
    turn: Number | None = None


class Termination(Struct, frozen=True, kw_only=True):
    """Who ends the call, and the reason recorded."""

    by: Text = "caller"
    reason: Text = "caller_hangup"


Answer = Text | Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None


class Acts(Struct, frozen=True, kw_only=True):
    """What the agent does during one script.

    `says[0]` answers the caller's first line, and so on; null is silence. Of a list, the last text is said when the tools
    of that line have answered, the others before. `tools`, `http` and `handoffs` are in the order given.
    """

    says: tuple[Answer, ...] = ()
    tools: tuple[Tool, ...] = ()
    http: tuple[Exchange, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    termination: Termination | None = None


class AgentMock(Acts, frozen=True, kw_only=True):
    """The agent, mocked: what it does, and the `state` of the systems of record before the call.

    `greeting` opens the call. `response_ms` passes between the caller's line and what the agent does about it. Interrupted,
    it falls quiet after `yield_ms`; null talks on.
    """

    greeting: Text | None = None
    state: dict[str, tuple[dict[str, Any], ...]] | None = None
    response_ms: Milliseconds = 700
    yield_ms: Annotated[int, msgspec.Meta(ge=100, le=10_000)] | None = 400


class Branch(Struct, frozen=True, kw_only=True):
    """One way the conversation goes on: a further script and what the agent does during it, and branches of its own."""

    id: Ident
    script: Annotated[tuple[Line, ...], msgspec.Meta(min_length=1)]
    variables: dict[Name, Scalar] = msgspec.field(default_factory=dict)
    agent_mock: Acts = Acts()
    branches: tuple[Branch, ...] = ()


class Matrix(Struct, frozen=True, kw_only=True):
    """What is varied: each speaking rate with each noise and each locale, every cell `repetitions` times."""

    speaking_rate: Annotated[tuple[Rate, ...], msgspec.Meta(min_length=1)] | None = None
    noise: Annotated[tuple[Noise, ...], msgspec.Meta(min_length=1)] | None = None
    locale: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None = None
    repetitions: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1


class Scenario(Struct, frozen=True, kw_only=True):
    """A whole scenario. The same scenario and seed give the same call, byte for byte."""

    kind: Literal["hotato.scenario"]
    version: Literal[1]
    id: Ident
    goal: Goal
    caller: Caller
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    facts: dict[Name, Scalar] = msgspec.field(default_factory=dict)
    variables: dict[Name, Scalar] = msgspec.field(default_factory=dict)
    environment: Environment = Environment()
    agent_mock: AgentMock = AgentMock()
    branches: tuple[Branch, ...] = ()
    variation_matrix: Matrix = Matrix()
    description: str | None = None
