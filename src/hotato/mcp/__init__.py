"""hotato in the hands of coding agents: a server of the Model Context Protocol (`hotato-mcp`, extra `mcp`).

A tool is a command of the command line: its arguments are the command's flags, its result is what the command prints as
JSON, its refusals have the same codes. Nothing is judged here. `_tools.py` lists the tools, `_words.py` turns arguments
into words of a command line, `_call.py` runs it, `_folders.py` says which files may be read and written, `_server.py`
speaks the protocol and `_serve.py` is the command.
"""

from __future__ import annotations


def run() -> None:
    """Serve until the client goes, and exit: the command `hotato-mcp`."""
    import sys

    from hotato.mcp._serve import main

    sys.exit(main(sys.argv[1:]))
