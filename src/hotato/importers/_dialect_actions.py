"""Tools whose call is an event of the call itself: keys that the agent pressed, and its hanging up."""

from __future__ import annotations

from typing import Any

from hotato.importers._dialect_tools import Tool
from hotato.importers._handoffs import keys
from hotato.importers._out import Out

PRESSING = frozenset(
    ("dtmf", "send_dtmf", "send_dtmf_events", "press_digit", "press_digits", "play_dtmf", "play_keypad_touch_tone")
)
ENDING = frozenset(("end_call", "endcall", "hang_up", "hangup", "end_conversation"))
_ENDED = ("termination", "call_ended", "call_terminated", "hangup")
_KEYS = ("digits", "keys", "digit", "events", "dtmf", "tones", "dtmf_tones", "button")


def acted(calls: list[Tool], outs: list[Out]) -> list[Out]:
    """Return the key presses and the ending that calls of tools are; an ending that the source tells otherwise stands."""
    made = []
    ended = any(out.type in _ENDED for out in outs)
    for tool in calls:
        name = (tool.name or "").lower()
        if name in PRESSING and tool.error is None:
            digits = keys(_pressed(tool.fields.get("arguments")))
            if digits:
                made.append(_out("dtmf", tool, {"digits": digits, "by": "agent"}))
        elif name in ENDING and tool.error is None and not ended:
            made.append(_out("termination", tool, {"reason": tool.name, "by": "agent", "inferred": True}))
            ended = True
    return made


def _pressed(arguments: Any) -> str:
    if type(arguments) is not dict:
        return ""
    value = next((arguments[name] for name in _KEYS if arguments.get(name) is not None), "")
    return "".join(str(one) for one in value) if type(value) is list else str(value)


def _out(kind: str, tool: Tool, data: dict[str, Any]) -> Out:
    if tool.call_id is not None:
        data["tool_call_id"] = tool.call_id
    return Out(type=kind, data=data, start=tool.start, raw=tool.raw, is_instant=True)
