"""Calls and documents for measuring at scale: any number of calls, each of them made from its number alone.

A call has 40 turns, 60 spans (12 of them tool calls) and a system of record before and after it, all on one clock. A
document has any number of assertions over every kind that is judged offline of such calls, which is all but
`timing_contract`: it needs recordings. About one call in fifty fails a check, one in
a hundred lacks its trace, and with `damaged` one in a thousand cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]

CITIES = ("Leeds", "York", "Bath", "Derby", "Truro", "Wells", "Ely")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
TOOLS = ("verify_identity", "lookup_order", "quote_price", "issue_refund", "send_email", "close_ticket")
OTHERS = ("http_exchange", "llm", "tts", "vad")
OPENING = (
    "Thank you for calling, this line is recorded for quality and training.",
    "Hello, my order {order} has not arrived and I would like my money back.",
    "I am sorry to hear that. May I have your date of birth so that I can verify your identity?",
    "It is the third of May, nineteen ninety one.",
    "Thank you. One moment please while I look up the booking.",
    "Of course, take your time, I am in {city} all week.",
)
MIDDLE = (
    "The carrier says that the parcel left the depot in {city} on {day} and was not handed over.",
    "Right, and nobody rang me about it, which I find a little odd to be honest.",
    "I understand. Your current balance is {amount} dollars and the order was paid by card.",
    "Yes, that is the card I always use for these things.",
    "I can offer a refund of {amount} dollars, or we send the parcel again on {day}.",
    "I would rather have the refund, if that is all right with you.",
)
CLOSING = (
    "Is that correct, {amount} dollars back to the card that you paid with?",
    "Yes, that is correct.",
    "I have refunded {amount} dollars, your confirmation number is {order}.",
    "Lovely, thank you very much for your help.",
    "I will transfer you to billing for the receipt. Goodbye.",
    "Goodbye.",
)


def call(number: int, turns: int = 40, spans: int = 60) -> Record:
    """Return a call as one line of input: `call_id`, `transcript`, `spans` and `state`."""
    facts = {
        "order": f"A{number:07d}",
        "city": CITIES[number % 7],
        "day": DAYS[number // 7 % 5],
        "amount": 10 + number % 90,
    }
    status = "denied" if number % 50 == 17 else "ok"
    record = {
        "call_id": f"call-{number:08d}",
        "transcript": _turns(number, turns, facts),
        "spans": _spans(number, turns * 4.0, spans, facts, status),
        "state": {
            "before": {"orders": [{"id": facts["order"], "status": "paid", "amount": facts["amount"]}]},
            "after": {"orders": [{"id": facts["order"], "status": "refunded", "amount": facts["amount"]}]},
        },
    }
    if number % 100 == 63:
        del record["spans"]
    return record


def lines(count: int, *, damaged: bool = False, first: int = 0) -> Iterator[bytes]:
    """Yield so many calls as lines of JSON; with `damaged` one in a thousand is cut off."""
    for number in range(first, first + count):
        line = json.dumps(call(number)).encode()
        yield (line[: len(line) // 2] if damaged and number % 1000 == 500 else line) + b"\n"


def write(path: Path, count: int, *, damaged: bool = False) -> None:
    """Write so many calls to a file of JSON Lines."""
    with path.open("wb") as stream:
        stream.writelines(lines(count, damaged=damaged))


def document(count: int) -> Record:
    """Return a document of so many assertions; from the 25th on the texts looked for differ from one to the next."""
    made: list[Record] = []
    while len(made) < count:
        made += _round(len(made) // 25)
    return {"version": 1, "assertions": made[:count]}


def _turns(number: int, count: int, facts: Record) -> list[Record]:
    middle = max(0, count - len(OPENING) - len(CLOSING))
    texts = [*OPENING, *(MIDDLE[(place + number) % 6] for place in range(middle)), *CLOSING][:count]
    return [
        {
            "role": "caller" if place % 2 else "agent",
            "text": text.format_map(facts),
            "start": place * 4.0,
            "end": place * 4.0 + 3.5,
        }
        for place, text in enumerate(texts)
    ]


def _spans(number: int, length: float, count: int, facts: Record, status: str) -> list[Record]:
    """Return spans in the order of their time: every fifth a tool call, a handoff and the ending last."""
    made: list[Record] = []
    step = (length - 12) / count
    for place in range(count - 2):
        start = round(10 + place * step, 3)
        if place % 5 == 0:
            tool = TOOLS[place // 5 % 6]
            made.append(
                {
                    "type": "tool_call",
                    "name": tool,
                    "arguments": {
                        **facts,
                        "address": {"city": facts["city"], "zip": "LS1 4AP"},
                        "attempt": place // 30,
                    },
                    "result": {"status": status, "id": number * 100 + place, "amount": facts["amount"]},
                    "start_sec": start,
                    "end_sec": round(start + 0.2 + number % 5 / 10, 3),
                    "latency_ms": 200 + number % 5 * 100,
                }
            )
            continue
        kind = OTHERS[place % 4]
        span: Record = {"type": kind, "name": f"{kind} {place}", "start_sec": start, "end_sec": round(start + 0.1, 3)}
        if kind == "http_exchange":
            span |= {"method": "POST", "url": f"https://pay.example.test/v1/refunds/{number}", "status_code": 201}
            span["response"] = {"status": "ok", "id": number}
        made.append(span)
    return [
        *made,
        {"type": "handoff", "to": "billing", "start_sec": length - 2},
        {"type": "termination", "reason": "caller_hangup", "start_sec": length - 1},
    ]


def _round(number: int) -> list[Record]:
    """Return 25 assertions, two phrases and one of each other kind, with texts and numbers of this round."""
    tail = f" {number}" if number else ""
    items: list[Record] = [
        {"kind": "phrase", "regex": f"recorded for (quality|training{tail})", "role": "agent", "position": "first"},
        {"kind": "phrase", "regex": f"guaranteed?{tail}|100% certain{tail}", "role": "agent", "absent": True},
        {"kind": "tool_call", "name": TOOLS[number % 6], "args_subset": {"order": {"$ne": f"B{number}"}}},
        {"kind": "tool_result", "name": TOOLS[(number + 1) % 6], "result_subset": {"status": "ok"}},
        {"kind": "tool_error", "name": TOOLS[(number + 2) % 6], "absent": True},
        {
            "kind": "sequence",
            "steps": [{"tool": "verify_identity"}, {"tool": "issue_refund"}, {"span_type": "handoff"}],
        },
        {"kind": "http_result", "method": "POST", "url_matches": f"/v1/refunds/[0-9]+|/v{number + 2}", "status": 201},
        {"kind": "latency", "tool": TOOLS[(number + 3) % 6], "max_ms": 1500 + number},
        {"kind": "handoff", "to": "billing"},
        {"kind": "termination", "reason": "caller_hangup"},
        {"kind": "dtmf", "digits": f"04{number}#", "absent": True},
        {"kind": "entity_accuracy", "reference": {"address.zip": "LS1 4AP"}},
        {"kind": "count", "phrase": f"parcel|package{tail}", "count": {"min": 1}},
        {"kind": "order", "before": f"date of birth|identity{tail}", "after": f"current balance|account{tail}"},
        {"kind": "outcome", "all_of": [{"tool_called": "issue_refund"}, {"phrase": f"confirmation number|code{tail}"}]},
        {"kind": "pii", "detectors": ["card_luhn", "ssn"], "mode": "must_not_leak"},
        {"kind": "policy", "rule_ids": ["no-profanity"]},
        {"kind": "state", "resource": "orders", "expect": {"amount": {"$gt": number / 100}}},
        {"kind": "state_change", "resource": "orders", "field": "status", "to": "refunded"},
        {
            "kind": "claim",
            "says": f"refunded (?P<amount>[0-9]+) dollars|repaid{tail}",
            "requires": {"tool": "issue_refund"},
        },
        {"kind": "until", "never": {"says": f"your current balance|funds{tail}"}, "until": {"tool": "verify_identity"}},
        {
            "kind": "within",
            "from": {"says": f"transfer you|pass you on{tail}"},
            "to": {"handoff": "anyone"},
            "max_sec": 60,
        },
        {"kind": "during", "max_gap_sec": 60 + number},
        {
            "kind": "between",
            "from": {"says": f"is that correct|agreed{tail}"},
            "to": {"handoff": "anyone"},
            "min_sec": 1,
        },
        {"kind": "formula", "expr": f"phrase-{number * 25} and tool_call-{number * 25 + 2}"},
    ]
    return [{"id": f"{item['kind']}-{number * 25 + place}", **item} for place, item in enumerate(items)]
