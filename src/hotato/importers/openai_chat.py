"""OpenAI Chat Completions: a list of messages, and what writes the same shape (tau-bench, many frameworks).

How to get it: save the `messages` of the last request together with the answer to it, as a list, as `{"messages": [...]}`
or one message a line; or log each request and answer on a line of its own. A list that Vapi keeps as
`messagesOpenAIFormatted` and a Pipecat context are of this shape and are read in the same way.

What it does not record: times, so order is all there is; who ended the call; key presses; whether a tool went wrong, other
than in the words of its answer. A call of a tool named `transfer_to_X` or `handoff_to_X` counts as a handoff to X.
"""

from __future__ import annotations

from hotato.importers._importer import Content, Imported, Options
from hotato.importers._messages import (
    CAPTURES,
    Reader,
    anthropic_sign,
    first_messages,
    is_blocky,
    one_list,
    pipecat_sign,
)
from hotato.importers._notes import Lost

RANK = 168
SPEAKERS = {"system", "developer", "user", "assistant", "tool", "function"}
OTHERS = {"type", "time", "secondsFromStart", "words"}


def matches(content: Content) -> str:
    """Return why the content is a Chat Completions list; empty where it is not."""
    messages = first_messages(content)
    if not messages or anthropic_sign(messages) or any(map(pipecat_sign, messages)):
        return ""
    if any("tool_calls" in m or "tool_call_id" in m or "function_call" in m for m in messages):
        return "messages with a role and tool_calls or tool_call_id"
    plain = all("content" in m and m["role"] in SPEAKERS and not OTHERS & m.keys() for m in messages)
    blocks = is_blocky(messages, "input_text", "output_text", "input_audio", "output_audio")
    return "messages with a role and content" if plain and not blocks else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the tool calls of a message list."""
    lost = Lost()
    reader = Reader(options, lost)
    reader.read(one_list(content, lost))
    return reader.imported("openai_chat", CAPTURES)
