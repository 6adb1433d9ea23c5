"""Ask a system of record whether it answers, and show what a record looks like, its values masked.

For example:
  hotato state check --state crm.yaml
  hotato state check --state crm.yaml --resource orders --filter id=A-1
  hotato state check --state crm.yaml --resource orders --filter id=A-1 --format json

Without --resource the system is asked for nothing but an answer. With it the record is read as an assertion would read it;
its fields are shown and of each value only the type, so that the output can be handed on. A record that is not there is an
answer too.

Exit codes: 0 it answers, 1 it does not, 2 refused (a file, a flag, the config), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser
from hotato.cli._state import declare, filters

_PROG = "hotato state check"


def configure(parser: Parser) -> None:
    """Declare flags."""
    declare(parser)
    parser.formats()


def main(args: Namespace) -> int:
    """Ask, and tell."""
    if args.resource is None and args.filter:
        raise CommandError(_PROG, "--filter", "means nothing without --resource")
    asked = filters(args.filter or (), _PROG)
    from hotato.state.load import load_state_adapter

    told = _told(load_state_adapter(args.state), args.resource, asked)
    code = 0 if told["ok"] else 1
    if args.format == "json":
        from hotato.model.codec import encode

        return finish(encode({**told, "exit_code": code}, indent=2) + "\n", code)
    return finish(_text(told), code)


def _told(adapter: Any, resource: str | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    from hotato.errors import StateAdapterError

    try:
        if resource is None:
            ping = getattr(adapter, "ping", None)
            if callable(ping):
                ping()
            return {"ok": True}
        record = adapter.query(resource, **asked)
    except StateAdapterError as error:
        return {"ok": False, **({"resource": resource} if resource else {}), "cause": str(error)}
    return {"ok": True, "resource": resource, "record": None if record is None else _masked(record)}


def _masked(value: Any) -> Any:
    """Return a value with its fields, and the type of each in place of what it is."""
    if isinstance(value, Mapping):
        return {str(name): _masked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner) for inner in value]
    if value is None:
        return "null"
    return "true or false" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else "text"


def _text(told: Mapping[str, Any]) -> str:
    from hotato.plan.text import safe

    if not told["ok"]:
        about = f"{told['resource']} could not be read" if "resource" in told else "the system does not answer"
        return safe(f"{about}: {told['cause']}") + "\n"
    if "resource" not in told:
        return "the system answers\n"
    if told["record"] is None:
        return safe(f"{told['resource']}: the system answers, and holds no such record") + "\n"
    from hotato.model.codec import encode

    lines = [f"{told['resource']}: the system answers with a record; its values are masked"]
    lines += [
        f"  {name}: {shown if isinstance(shown, str) else encode(shown)}" for name, shown in told["record"].items()
    ]
    return "".join(f"{safe(line)}\n" for line in lines)
