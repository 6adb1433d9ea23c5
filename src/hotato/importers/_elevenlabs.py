"""The shapes of ElevenLabs' conversations, and what a tool's call and result say beyond the call itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.importers._clock import window
from hotato.importers._importer import Path
from hotato.importers._notes import Lost
from hotato.importers._pairing import Asked, end_of
from hotato.importers._payload import answer, some
from hotato.importers._speech import shaped

Number = int | float
Id = str | int | None


class Details(msgspec.Struct, kw_only=True):
    """What a webhook tool sends, or a client tool is given."""

    type: str | None = None
    method: str | None = None
    url: str | None = None
    body: Any = None


class Request(msgspec.Struct, kw_only=True):
    """A call of a tool; `params_as_json` is text. `tool_has_been_called` is false here even of calls that were made."""

    request_id: Id = None
    tool_name: str | None = None
    params_as_json: Any = None
    type: str | None = None
    tool_details: Details | None = None


class Outcome(msgspec.Struct, kw_only=True):
    """What a system tool or a workflow says of what it did."""

    result_type: str | None = None
    status: str | None = None
    reason: str | None = None
    transfer_number: str | None = None
    to_agent: str | None = None
    agent_id: str | None = None
    dtmf_tones: str | None = None
    steps: list[dict[str, Any]] | None = None


class Result(msgspec.Struct, kw_only=True):
    """The result of a tool; `is_error` may be missing, which says nothing."""

    request_id: Id = None
    tool_name: str | None = None
    result_value: Any = None
    is_error: bool | None = None
    is_blocked: bool | None = None
    tool_latency_secs: Number | None = None
    error_type: str | None = None
    raw_error_message: str | None = None
    result: Outcome | None = None


class Agent(msgspec.Struct, kw_only=True):
    """Who speaks for the agent."""

    agent_id: str | None = None


class Row(msgspec.Struct, kw_only=True):
    """A row of the transcript; whole seconds from the start of the call."""

    role: str
    message: str | None = None
    original_message: str | None = None
    interrupted: bool | None = None
    time_in_call_secs: Number | None = None
    source_medium: str | None = None
    ignored_as_backchannel: bool | None = None
    agent_metadata: Agent | None = None
    tool_calls: list[Request] | None = None
    tool_results: list[Result] | None = None
    conversation_turn_metrics: dict[str, Any] | None = None


class Fault(msgspec.Struct, kw_only=True):
    """An error of the call as a whole."""

    code: Id = None
    reason: str | None = None


class Metadata(msgspec.Struct, kw_only=True):
    """The call as a whole; seconds."""

    call_duration_secs: Number | None = None
    termination_reason: str | None = None
    error: Fault | None = None


class Conversation(msgspec.Struct, kw_only=True):
    """A conversation."""

    conversation_id: str | None = None
    agent_id: str | None = None
    status: str | None = None
    failure_reason: str | None = None
    transcript: list[Row] | None = None
    metadata: Metadata | None = None


def nested(result: Result, path: Path, lost: Lost) -> tuple[list[Request], list[Result]]:
    """Return the calls and results inside the steps of a workflow. Raise Damage for steps of another shape."""
    requests: list[Request] = []
    results: list[Result] = []
    for index, step in enumerate((result.result.steps if result.result else None) or ()):
        way = (*path, "result", "steps", index)
        if step.get("type") in (None, "nested_tools"):  # steps of other types go from node to node
            lost["entries_empty"] += not (step.get("requests") or step.get("results"))
        requests += shaped(step.get("requests") or [], list[Request], (*way, "requests"))
        results += shaped(step.get("results") or [], list[Result], (*way, "results"))
    return requests, results


def error_of(result: Result) -> str | bool | None:
    """Return the error of a result where the source marks one."""
    if result.is_error is True:
        said = some(result.raw_error_message) or some(result.result_value)
        return said or some(result.error_type) or True
    return "blocked" if result.is_blocked is True else None


def target(asked: Asked, outcome: Outcome | None) -> str | None:
    """Return whom a transfer reaches: as its outcome tells, else as it was asked for."""
    told = (outcome.transfer_number, outcome.to_agent, outcome.agent_id) if outcome is not None else ()
    given = asked.arguments
    names = ("transfer_number", "to_agent", "agent_id", "agent_number", "agent")
    asked_for = (given.get(name) for name in names)
    return next((str(to) for to in (*told, *asked_for) if some(to) or type(to) is int), None)


def exchange(asked: Asked, request: Request, origin: int) -> dict[str, Any] | None:
    """Return the HTTP exchange that a webhook tool is; None for other tools. Its status code is not in the source."""
    details = request.tool_details
    if details is None or details.type != "webhook" or not some(details.url):
        return None
    span: dict[str, Any] = {"type": "http_exchange", **window(asked.at, end_of(asked), origin, Lost())}
    if some(details.method):
        span["method"] = details.method
    span["url"] = details.url
    if details.body is not None:
        span["request"] = answer(details.body, Lost())
    told = asked.answer
    if told is not None and told.has_result and not told.error:
        span["response"] = told.result
    if told is not None and told.error:
        span["error"] = told.error
    if asked.id is not None:
        span["tool_call_id"] = asked.id
    return span


def measured(row: Row) -> Iterator[tuple[str, Any]]:
    """Yield name and seconds of each measurement of a turn; older files lack the level `metrics`."""
    metrics = row.conversation_turn_metrics or {}
    inner = metrics.get("metrics")
    for name, one in (inner if type(inner) is dict else metrics).items():
        if type(one) is dict and "elapsed_time" in one:
            yield name, one["elapsed_time"]
