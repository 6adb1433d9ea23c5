"""Show which optional parts are here, and what a missing one would enable.

For example:
  hotato doctor
  hotato doctor --format json

Told are extras, browsers, services and their models; judging a call needs none of them. Packages are
looked up, not imported. Services on this machine are asked, and given a second to answer; nobody else is.

Exit codes: 0 whatever is missing, 2 refused, 3 internal error.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hotato.cli._out import emit
from hotato.cli._parser import Parser

# extra -> what it enables
EXTRAS = {
    "audio": "scoring recordings: hotato run",
    "batch": "judging many calls, and asking about their results: hotato batch",
    "dask": "judging many calls on a Dask cluster: hotato batch run --engine dask",
    "http": "systems of record over HTTP: --state with adapter http",
    "mcp": "hotato as tools of a coding agent: hotato-mcp",
    "otel": "OTLP in protobuf: hotato trace ingest",
    "postgres": "systems of record in PostgreSQL: --state with adapter sql",
    "rubric": "a model as judge of rubrics, apart from every proof: hotato rubric run",
    "ray": "judging many calls on a Ray cluster: hotato batch run --engine ray",
    "speech": "speaking the examples aloud, offline",
    "sql": "systems of record asked by statements of yours, SQLite too: --state with adapter sql",
    "state": "every system of record: http, sql and postgres in one",
    "transcribe": "writing down what is said on a recording: hotato transcribe",
    "transcribe-base": "the same with a model that packages carry, so that nothing is fetched",
    "vad": "a neural detector of speech as a second opinion: hotato run --cross-check",
    "watch": "judging again whenever a file changes: hotato assert run --watch",
}
_BROWSERS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"),
}
_OF_BROWSERS = "tests of the HTML report; any browser shows the report itself"
_OF_OLLAMA = "a judge for judge_rubric on this machine: hotato rubric run"
_OLLAMA = "127.0.0.1:11434"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LONGEST = 1.0  # seconds
_MOST = 1024 * 1024  # bytes of an answer
_REQUIRES = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*([^;]*)(?:;(.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_LEAST = re.compile(r">=\s*([0-9]+(?:\.[0-9]+)*)")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_WORDS = {"present": "present", "missing": "missing", "old": "too old", "not_asked": "not asked"}


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.formats()


def main(args: Namespace) -> int:
    """Look, and tell."""
    from hotato import __version__

    told = {
        "hotato": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "platform": sys.platform,
        "libyaml": _has_libyaml(),
        "extras": list(_extras()),
        "browsers": list(_browsers()),
        "services": [_ollama(os.environ)],
    }
    if args.format == "json":
        from hotato.model.codec import encode

        emit(encode({"ok": True, **told, "exit_code": 0}, indent=2) + "\n")
    else:
        emit(_text(told))
    return 0


def _has_libyaml() -> bool:
    from importlib.util import find_spec

    return find_spec("yaml._yaml") is not None


def _extras() -> Iterator[dict[str, Any]]:
    """Yield each extra: whether its packages are installed, and what it enables."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = _by_extra(requires("hotato") or [])
    except PackageNotFoundError:  # run from a folder of sources
        wanted = {}
    for name in sorted(wanted):
        if name == "dev":
            continue
        packages = [_package(package, least) for package, least in wanted[name]]
        states = [one["status"] for one in packages]
        status = next((worst for worst in ("missing", "old") if worst in states), "present")
        said = f"pip install 'hotato[{name}]'"
        yield {"name": name, "status": status, "enables": EXTRAS.get(name, ""), "packages": packages, "install": said}


def _by_extra(lines: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the packages of each extra with the least version of each, from what an installation says it requires."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        parts, extra = _REQUIRES.match(line), _EXTRA.search(line)
        if parts is not None and extra is not None:
            least = _LEAST.search(parts[2])
            found.setdefault(extra[1], []).append((parts[1], least[1] if least else ""))
    return found


def _package(name: str, least: str) -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        here = version(name)
    except PackageNotFoundError:
        return {"name": name, "status": "missing", "needs": least, "version": ""}
    status = "old" if least and _numbers(here) < _numbers(least) else "present"
    return {"name": name, "status": status, "needs": least, "version": here}


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version without its last zeros: 2.0 and 2 are the same."""
    found = _NUMBERS.match(version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _browsers() -> Iterator[dict[str, str]]:
    import shutil

    for name, commands in _BROWSERS.items():
        found = next(filter(None, map(shutil.which, commands)), "")
        status = "present" if found else "missing"
        yield {"name": name, "status": status, "enables": _OF_BROWSERS, "path": found}


def _ollama(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return whether Ollama answers on this machine, and with which models. One elsewhere is not asked."""
    address = environment.get("OLLAMA_HOST") or _OLLAMA
    told = {"name": "ollama", "status": "missing", "enables": _OF_OLLAMA, "address": address, "models": []}
    place = re.fullmatch(r"(?:http://)?(\[::1\]|[A-Za-z0-9.-]+)(?::([0-9]{1,5}))?/?", address)
    if place is None or place[1].strip("[]").lower() not in (*_LOOPBACK, "0.0.0.0"):  # noqa: S104  # compared, not bound
        return {**told, "status": "not_asked"}
    host = place[1].strip("[]")
    names = _models(_LOOPBACK[0] if host == "0.0.0.0" else host, int(place[2] or 11434))  # noqa: S104
    return told if names is None else {**told, "status": "present", "models": names}


def _models(host: str, port: int) -> list[str] | None:
    """Return the names of the models that Ollama has at an address; None where it does not answer."""
    import http.client

    from hotato.model.codec import decode

    connection = http.client.HTTPConnection(host, port, timeout=_LONGEST)
    try:
        connection.request("GET", "/api/tags")
        response = connection.getresponse()
        body = response.read(_MOST)
        if response.status != 200:
            return None
        listed = decode(body.decode("utf-8"))["models"]
        return sorted(str(one["name"]) for one in listed)
    except (OSError, OverflowError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()


def _text(told: Mapping[str, Any]) -> str:
    from hotato.plan.text import safe

    speed = "with libyaml" if told["libyaml"] else "without libyaml, in which YAML is read"
    lines = [f"hotato {told['hotato']}, Python {told['python']} on {told['platform']}, {speed}", "", "Extras"]
    rows = [(one["status"], one["name"], _about(one)) for one in told["extras"]]
    lines += _table(rows) if rows else ["  not known: hotato is not installed as a package"]
    lines += ["", "Browsers", *_table([(one["status"], one["name"], _about(one)) for one in told["browsers"]])]
    lines += ["", "Services", *_table([(one["status"], one["name"], _about(one)) for one in told["services"]])]
    return "".join(f"{safe(line)}\n" for line in lines)


def _about(one: Mapping[str, Any]) -> str:
    """Return what a part enables, and what is to be done for it or what was found."""
    said = str(one["enables"])
    if one["status"] in ("missing", "old") and "install" in one:
        lacking = ", ".join(
            f"{package['name']} {package['version']} is older than {package['needs']}"
            if package["status"] == "old"
            else package["name"]
            for package in one["packages"]
            if package["status"] != "present"
        )
        return f"{said} ({lacking}; {one['install']})"
    if "models" in one:
        models = ", ".join(one["models"]) or "no model"
        return f"{said} ({one['address']}{f': {models}' if one['status'] == 'present' else ''})"
    return said


def _table(rows: list[tuple[str, str, str]]) -> list[str]:
    wide = max(len(name) for _, name, _ in rows)
    wider = max(map(len, _WORDS.values()))
    return [f"  {_WORDS[status]:<{wider}}  {name:<{wide}}  {about}" for status, name, about in rows]
