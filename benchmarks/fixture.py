"""A call and a document of any size, made the same way every time."""

from __future__ import annotations

import json
from itertools import cycle, islice
from typing import Any

SPOKEN = (
    "thank you for calling this line is recorded for quality how can I help you today with your order and the account "
    "number please verify your date of birth so that I can look up the booking it was placed on the third of May and "
    "the parcel has not come yet let me check that for you one moment the carrier says it is out for delivery"
).split()
TOOLS = ("lookup_order", "verify_identity", "issue_refund", "quote_price")
PHRASES = (
    "recorded for quality", "date of birth", "confirmation number", "your (order|booking)", "guarantee(d)?",
    r"\bhelp you\b", "account number is [0-9]+", "100% certain", "thank you", "look up", "out for delivery",
    "speak to (a|my) (manager|supervisor)",
)  # fmt: skip


def turns(count: int) -> list[dict[str, Any]]:
    """Return so many turns of 18 to 24 words, caller and agent by turns, 4 s apart."""
    words = cycle(SPOKEN)
    return [
        {
            "role": "agent" if number % 2 else "caller",
            "text": " ".join(islice(words, 18 + number % 7)),
            "start": number * 4.0,
            "end": number * 4 + 3.5,
        }
        for number in range(count)
    ]


def spans(count: int) -> list[dict[str, Any]]:
    """Return so many spans: half of them tool calls, the rest HTTP exchanges and model calls, 2.5 s apart."""
    out: list[dict[str, Any]] = []
    for number in range(count):
        kind = ("tool_call", "http_exchange", "llm")[number % 3 if number % 2 else 0]
        span: dict[str, Any] = {
            "type": kind,
            "start_sec": number * 2.5,
            "end_sec": number * 2.5 + 0.4,
            "latency_ms": 400,
        }
        if kind == "tool_call":
            span["name"] = TOOLS[number % 4]
            span["arguments"] = {
                "order_id": f"A-{number}",
                "amount": number * 1.5,
                "address": {"city": "Leeds", "zip": "LS1"},
            }
            span["result"] = {"status": "ok", "id": number}
        elif kind == "http_exchange":
            span |= {"method": "POST", "url": f"https://pay.example/v1/refunds/{number}", "status_code": 201}
            span["response"] = {"status": "ok", "id": number}
        out.append(span)
    return out


def assertions(count: int) -> list[dict[str, Any]]:
    """Return so many assertions of the kinds that suites are made of, each with an id of its own."""
    return [{"id": f"a{number}", **item} for number, item in enumerate(islice(cycle(_items()), count))]


def chain(count: int) -> list[dict[str, Any]]:
    """Return so many assertions of which each waits for the one before."""
    first = {"id": "a0", "kind": "tool_call", "name": TOOLS[0]}
    rest = [{"id": f"a{n}", "kind": "tool_call", "name": TOOLS[n % 4], "when": f"a{n - 1}"} for n in range(1, count)]
    return [first, *rest]


def document(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a document of assertions."""
    return {"version": 1, "assertions": items}


def _items() -> list[dict[str, Any]]:
    phrases = [
        {"kind": "phrase", "regex": regex, "role": "agent" if n % 2 else "caller", "absent": n in (2, 4, 6, 7, 11)}
        for n, regex in enumerate(PHRASES)
    ]
    tools = [{"kind": "tool_call", "name": name, "args_subset": {"address": {"city": "Leeds"}}} for name in TOOLS[::2]]
    results = [{"kind": "tool_result", "name": name, "result_subset": {"status": "ok"}} for name in TOOLS[::2]]
    others: list[dict[str, Any]] = [
        {"kind": "tool_call", "never_before": {"tool": TOOLS[2], "until": TOOLS[0]}},
        {"kind": "tool_error", "name": TOOLS[0], "absent": True},
        {"kind": "sequence", "steps": [{"tool": TOOLS[0]}, {"tool": TOOLS[2]}, {"span_type": "http_exchange"}]},
        {"kind": "http_result", "method": "POST", "url_matches": "/v1/refunds", "status": 201},
        {"kind": "latency", "tool": TOOLS[0], "max_ms": 1500},
        {"kind": "count", "phrase": "order", "count": {"min": 1}},
        {"kind": "order", "before": "recorded", "after": "date of birth"},
        {"kind": "entity_accuracy", "reference": {"address.city": "Leeds"}},
        {"kind": "outcome", "all_of": [{"tool_called": TOOLS[2]}, {"phrase": "order", "role": "agent"}]},
    ]
    return [*phrases, *tools, *results, *others]


def otlp(count: int) -> dict[str, Any]:
    """Return one OTLP export request with so many spans: tool calls, HTTP requests and model calls by turns."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [_attribute("service.name", "front-desk")]},
                "scopeSpans": [
                    {"scope": {"name": "voice", "version": "1.0"}, "spans": [_span(n) for n in range(count)]}
                ],
            }
        ]
    }


def _span(number: int) -> dict[str, Any]:
    begin = 1_772_359_200_000_000_000 + number * 250_000_001
    named: dict[str, Any]
    if number % 3 == 0:
        name, kind = f"execute_tool {TOOLS[number % 4]}", 1
        named = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": TOOLS[number % 4],
            "gen_ai.tool.call.id": f"call_{number}",
            "gen_ai.tool.call.arguments": json.dumps({"order_id": f"A-{number}", "amount": number * 1.5}),
            "gen_ai.tool.call.result": json.dumps({"status": "ok", "id": number}),
        }
    elif number % 3 == 1:
        name, kind = "POST", 3
        url = f"https://pay.example.test/v1/refunds/{number}"
        named = {"http.request.method": "POST", "url.full": url, "http.response.status_code": 201}
    else:
        name, kind = "chat small", 3
        named = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "small",
            "gen_ai.usage.input_tokens": 900 + number,
            "gen_ai.usage.output_tokens": number % 70,
        }
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": f"{number + 1:016x}",
        "parentSpanId": f"{number // 10:016x}" if number >= 10 else "",
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + 125_000_000),
        "attributes": [_attribute(key, value) for key, value in named.items()],
        "status": {},
    }


def _attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": {"intValue": str(value)} if type(value) is int else {"stringValue": value}}
