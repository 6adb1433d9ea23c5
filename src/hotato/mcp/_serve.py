"""The command `hotato-mcp`: hotato as tools of a coding agent, over the Model Context Protocol.

For example:
  hotato-mcp
  hotato-mcp --input-dir calls --output-dir reports
  hotato-mcp --transport http --port 8017
  HOTATO_MCP_INPUT_DIR=calls hotato-mcp

A client names files; only those inside --input-dir are read, and only inside --output-dir is anything written, symbolic
links followed. Over http the server listens on this machine alone unless --allow-remote is given, and then asks for the
token in HOTATO_MCP_TOKEN (Authorization: Bearer). docs/mcp.md shows how clients are set up.

Exit codes: 0 the client has gone, 2 refused, 3 internal error, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hotato.cli._out import columns, complain, emit
from hotato.cli._parser import CommandError, HelpAsked, Parser
from hotato.errors import UsageError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_PROG = "hotato-mcp"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def main(words: Sequence[str]) -> int:
    """Serve, and return the exit code."""
    try:
        return _serve(words)
    except CommandError as error:
        guess = f" (did you mean '{error.guess}'?)" if error.guess else ""
        complain(": ".join(filter(None, (error.command, error.word, error.message))) + f"{guess}\n")
    except UsageError as error:
        complain(f"{error}\n")
    except KeyboardInterrupt:
        return 130
    return 2


def parser() -> Parser:
    """Return the parser of the command's words."""
    made = Parser(_PROG)
    said = "stdio (default): one client, which starts the server; or http: streamable HTTP"
    made.value("--transport", "NAME", said, choices=("stdio", "http"), default="stdio")
    said = "the folder that files are read from; by default HOTATO_MCP_INPUT_DIR, else the working directory"
    made.value("--input-dir", "DIR", said, completes="folder")
    said = "the folder that files are written to; by default HOTATO_MCP_OUTPUT_DIR, else the working directory"
    made.value("--output-dir", "DIR", said, completes="folder")
    made.switch(
        "--allow-network",
        "let state configs ask systems over the network, with secrets of this environment, and rubrics a model",
    )
    made.value("--host", "ADDRESS", "the address to listen on over http; default 127.0.0.1")
    made.value("--port", "N", "the port to listen on over http; default 8017, 0 for any that is free")
    made.switch("--allow-remote", "let --host be an address that other machines reach; needs HOTATO_MCP_TOKEN")
    return made


def _serve(words: Sequence[str]) -> int:
    made = parser()
    try:
        args = made.read(words)
    except HelpAsked:
        from hotato.cli._help import command_help

        emit(command_help(made, __doc__ or "", columns()))
        return 0
    from hotato.mcp._folders import folders

    host, port = _address(args)
    places = folders(
        args.input_dir or os.environ.get("HOTATO_MCP_INPUT_DIR") or ".",
        args.output_dir or os.environ.get("HOTATO_MCP_OUTPUT_DIR") or ".",
        network=bool(args.allow_network),
    )
    try:
        import anyio

        from hotato.mcp._server import server_for
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("anyio", "mcp", "mcp_types"):
            raise
        raise CommandError(_PROG, "", "needs the package mcp: pip install 'hotato[mcp]'") from None
    server = server_for(places)
    if args.transport == "stdio":
        if sys.stdin is not None and sys.stdin.isatty():
            complain(f"{_PROG}: waiting for a client on standard input; --help says more\n")
        _leave_when_interrupted()
        anyio.run(_over_stdio, server)
    else:
        from hotato.mcp._http import serve

        serve(server, host, port, os.environ.get("HOTATO_MCP_TOKEN") or "")
    return 0


def _address(args: Namespace) -> tuple[str, int]:
    """Return host and port. Raise CommandError, also where other machines would reach a server that asks for no token."""
    if args.transport == "stdio":
        for name in ("host", "port", "allow_remote"):
            if getattr(args, name) is not None:
                raise CommandError(_PROG, f"--{name.replace('_', '-')}", "means nothing without --transport http")
    host, text = args.host or _LOOPBACK[0], args.port or "8017"
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65536):
        raise CommandError(_PROG, "--port", "is a number from 0 to 65535")
    if host not in _LOOPBACK:
        if not args.allow_remote:
            raise CommandError(_PROG, "--host", "other machines may reach this address; --allow-remote allows that")
        if not os.environ.get("HOTATO_MCP_TOKEN"):
            raise CommandError(_PROG, "--allow-remote", "needs a token for clients to show, in HOTATO_MCP_TOKEN")
    return host, int(text)


def _leave_when_interrupted() -> None:
    """Let an interrupt end the process at once: the thread that waits for the client's next line cannot be woken.

    What is being written then is not in its place yet, and the next write to that place sweeps it up.
    """
    import signal

    signal.signal(signal.SIGINT, lambda *_: os._exit(130))


async def _over_stdio(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
