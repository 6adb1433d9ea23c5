"""How fast telemetry is read: OTLP in JSON Lines against `msgspec.json.decode` of the same bytes, and ten times as much.

Run it with `make bench`, or alone: `python benchmarks/otlp.py`. Both are measured in turns, in CPU time; medians.
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import msgspec

from hotato.importers import read_raw

ROUNDS = 9
START = 1_796_000_000_000_000_000
BOUND = 0.25


def main() -> None:
    """Print the ratios."""
    print("OTLP JSON Lines              MB    decode ms    hotato ms    ratio    of ten times as much")
    for name, call in (("tools and requests", tools), ("a conversation, GenAI", conversation)):
        raw, more = lines(call, 60), lines(call, 600)
        decoding, reading = measured(raw)
        _, longer = measured(more, 3)
        growth = longer / reading
        ratio = decoding / reading
        size = len(raw) / 1e6
        print(f"{name:<26}{size:5.1f}{decoding * 1000:13.1f}{reading * 1000:13.1f}{ratio:9.2f}{growth:16.1f} times")
        print("" if ratio >= BOUND else f"    below {BOUND}")


def measured(raw: bytes, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the seconds that decoding and reading take, medians of turns."""
    decode, read = [], []
    for _ in range(rounds):
        decode.append(_spent(lambda: [msgspec.json.decode(line) for line in raw.split(b"\n") if line]))
        read.append(_spent(lambda: read_raw("bench", raw, "otlp")))
    return statistics.median(decode), statistics.median(read)


def _spent(work: Callable[[], Any]) -> float:
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def lines(call: Callable[[int], list[dict[str, Any]]], turns: int) -> bytes:
    """Return export requests of ten spans a line."""
    spans = [span for turn in range(turns) for span in call(turn)]
    requests = [_request(spans[i : i + 10]) for i in range(0, len(spans), 10)]
    return "".join(json.dumps(request, separators=(",", ":")) + "\n" for request in requests).encode()


def _request(spans: list[dict[str, Any]]) -> dict[str, Any]:
    resource = {"attributes": _pairs({"service.name": "agent", "telemetry.sdk.language": "python"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "agent"}, "spans": spans}]}]}


def _pairs(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(value)} if type(value) is int else {"stringValue": value}}
        for key, value in values.items()
    ]


def _span(number: int, name: str, kind: int, at: int, took: int, **values: Any) -> dict[str, Any]:
    begun = START + at
    return {
        "traceId": f"{7:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{1:016x}",
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(begun),
        "endTimeUnixNano": str(begun + took),
        "attributes": _pairs({key.replace("__", "."): value for key, value in values.items()}),
        "status": {},
    }


def tools(turn: int) -> list[dict[str, Any]]:
    """Return what one turn of a call writes: calls of tools, the requests that they send, and spans of no interest."""
    spans = []
    for step in range(10):
        number, at = 100 * turn + 10 * step + 2, 2_000_000_000 * (10 * turn + step)
        arguments = json.dumps({"order_id": f"B-{number}", "reason": "late", "amount": 12.5})
        answer = json.dumps({"status": "accepted", "id": number, "lines": [{"sku": "a", "n": 1}]})
        named = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "refund"}
        called = {"gen_ai__tool__call__id": f"c{number}", "gen_ai__tool__call__arguments": arguments}
        spans.append(
            _span(number, "execute_tool refund", 1, at, 9 * 10**8, **named, **called, gen_ai__tool__call__result=answer)
        )
        sent = {"http__request__method": "POST", "url__full": f"https://pay.example/v1/refunds/{number}"}
        peer = {"server__address": "pay.example", "server__port": 443, "network__protocol__version": "1.1"}
        more = {"network__peer__address": "192.0.2.7", "network__peer__port": 443, "http__response__status_code": 201}
        spans.append(_span(number + 1, "POST", 3, at + 10**8, 10**8, **sent, **peer, **more))
        db = {"db__system": "postgresql", "db__statement": "SELECT * FROM orders WHERE id = $1", "db__name": "orders"}
        spans += [_span(number + 2 + i, "SELECT orders", 3, at + 10**8 * (2 + i), 10**7, **db) for i in range(3)]
    return spans


def conversation(turn: int) -> list[dict[str, Any]]:
    """Return what one turn of a conversation writes: the request to the model with all that was said in the last turns."""
    said: list[dict[str, Any]] = []
    base = turn - turn % 12
    for past in range(base, turn + 1):
        text = f"I would like to know about order {past}, please, and when it will be here."
        said.append({"role": "user", "parts": [{"type": "text", "content": text}]})
        if past < turn:
            called = {"type": "tool_call", "id": f"c{past}", "name": "look_up", "arguments": {"order": past}}
            said.append({"role": "assistant", "parts": [called]})
            found = {"type": "tool_call_response", "id": f"c{past}", "response": '{"status": "on its way"}'}
            said.append({"role": "tool", "parts": [found]})
            answer = {"type": "text", "content": f"Order {past} is on its way and will be there tomorrow."}
            said.append({"role": "assistant", "parts": [answer]})
    at = 10**10 * turn
    asked = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m", "gen_ai__provider__name": "p"}
    call = [
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": f"c{turn}", "name": "look_up", "arguments": {"order": turn}}],
        }
    ]
    usage = {"gen_ai__usage__input_tokens": 900, "gen_ai__usage__output_tokens": 20}
    tool = {
        "gen_ai__operation__name": "execute_tool",
        "gen_ai__tool__name": "look_up",
        "gen_ai__tool__call__id": f"c{turn}",
    }
    return [
        _span(100 * turn + 2, "chat m", 3, at, 10**9, **asked, **usage, gen_ai__input__messages=json.dumps(said),
              gen_ai__output__messages=json.dumps(call)),
        _span(100 * turn + 3, "execute_tool look_up", 1, at + 10**9, 10**8, **tool,
              gen_ai__tool__call__arguments=json.dumps({"order": turn}), gen_ai__tool__call__result='{"status": "on its way"}'),
        *[_span(100 * turn + 4 + i, "tts", 1, at + 2 * 10**9 + i, 10**8, voice="v", model="m") for i in range(6)],
    ]  # fmt: skip


if __name__ == "__main__":
    main()
