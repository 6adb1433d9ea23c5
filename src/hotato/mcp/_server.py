"""The protocol: what a client is told there is, and what it is answered. The official SDK speaks it."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from hotato import __version__
from hotato.mcp import _prompts, _resources
from hotato.mcp._call import call
from hotato.mcp._folders import Folders
from hotato.mcp._results import output_schema
from hotato.mcp._tools import Tool, input_schema, tools
from hotato.model.codec import encode

_INSTRUCTIONS = """hotato proves from transcript, trace and records what happened on a voice agent's call.

Write an assertions document (assert_explain lists the kinds, assert_init infers a first one from a trace), check it with
assert_lint, judge a call with assert_run. No model takes part: the same files give the same verdict. INCONCLUSIVE means that
evidence is missing; it is neither PASS nor FAIL. Paths start at the folder the server was started for and stay inside it.
A call that cannot be used is an error with problems, each with a stable code, a place and the nearest right name."""

_Context = Any  # the SDK's context of a request, of which nothing is used


def server_for(folders: Folders) -> Server[Any]:
    """Return a server that reads from and writes to two folders."""
    known = tools()

    async def list_tools(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_shown(tool, folders.network) for tool in known.values()])

    async def call_tool(_: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = known.get(params.name)
        if tool is None:
            raise _invalid(f"no tool is called '{params.name[:80]}'; there are {', '.join(known)}")
        outcome = await anyio.to_thread.run_sync(call, tool, params.arguments or {}, folders)
        return types.CallToolResult(
            content=[types.TextContent(text=encode(outcome.value))],
            structured_content=outcome.value,
            is_error=outcome.is_refused,
        )

    return Server(
        "hotato",
        version=__version__,
        title="hotato",
        description="Deterministic proof of what happened on a voice agent's call",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


def _shown(tool: Tool, network: bool) -> types.Tool:
    writes, schema = bool(tool.writes), input_schema(tool)
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=schema,
        output_schema=output_schema(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not writes,
            destructive_hint=writes,  # with force, a file is overwritten
            idempotent_hint=not writes,
            open_world_hint=network and "state" in schema["properties"],  # a system of record may be anywhere
        ),
    )


async def _list_resources(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=one.uri, name=one.name, description=one.about, mime_type=one.mime)
            for one in _resources.resources()
        ]
    )


async def _list_templates(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
    kind = "a kind of assertion: fields, rules, an example, codes"
    schema = "a JSON Schema"
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(uri_template=_resources.KIND, name="kind", description=kind),
            types.ResourceTemplate(uri_template=_resources.SCHEMA, name="schema", description=schema),
        ]
    )


async def _read_resource(_: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    found = await anyio.to_thread.run_sync(_resources.read, str(params.uri))
    if found is None:
        raise _invalid("no such resource; resources/list names them")
    mime, text = found
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=params.uri, mime_type=mime, text=text)],
    )


async def _list_prompts(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=one.name,
                title=one.title,
                description=one.about,
                arguments=[
                    types.PromptArgument(name=name, description=said, required=name == "assertions")
                    for name, said in one.arguments.items()
                ],
            )
            for one in _prompts.PROMPTS
        ]
    )


async def _get_prompt(_: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    text = _prompts.text(params.name, params.arguments or {})
    if text is None:
        raise _invalid("no such prompt; prompts/list names them")
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(messages=[message])


def _invalid(said: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, said)
