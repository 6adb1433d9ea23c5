"""`hotato doctor`: what is here and what is not, told without failing and without asking anybody elsewhere."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from hotato.cli import doctor, main

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Point at a port on which nobody listens."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["doctor", "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def text(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["doctor"]) == 0
    return capsys.readouterr().out


def test_every_extra_is_told_with_what_it_enables() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [name for name in extras if name != "dev" and not doctor.EXTRAS.get(name)] == []


def test_what_is_installed_is_present_and_what_is_not_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        'msgspec>=0.1; extra == "http"',
        "msgspec>=99 ; extra == 'sql'",
        'no-such-package[x]>=1; extra == "otel"',
        'msgspec; extra == "otel"',
        'pytest; extra == "dev"',
        "PyYAML>=6",
    ]
    monkeypatch.setattr(metadata, "requires", lambda _: lines)
    extras = {one["name"]: one for one in told(capsys)["extras"]}
    assert {name: one["status"] for name, one in extras.items()} == {"http": "present", "otel": "missing", "sql": "old"}
    assert [(p["name"], p["status"]) for p in extras["otel"]["packages"]] == [
        ("no-such-package", "missing"),
        ("msgspec", "present"),
    ]
    shown = text(capsys)
    assert (
        "  missing    otel  OTLP in protobuf: hotato trace ingest (no-such-package; pip install 'hotato[otel]')"
        in shown
    )
    assert f"msgspec {metadata.version('msgspec')} is older than 99" in shown


def test_sources_that_are_not_installed_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: str) -> list[str]:
        raise metadata.PackageNotFoundError("hotato")

    monkeypatch.setattr(metadata, "requires", absent)
    assert "hotato is not installed as a package" in text(capsys)


@pytest.mark.parametrize(
    ("one", "other", "is_older"),
    [
        ("2.0", "2", False),
        ("2", "2.0.0", False),
        ("0.9", "0.27", True),
        ("3.2.1rc1", "3.2", False),
        ("1.10", "1.9", False),
    ],
)
def test_versions_are_compared_as_numbers(one: str, other: str, is_older: bool) -> None:
    assert (doctor._numbers(one) < doctor._numbers(other)) == is_older


def test_a_browser_that_is_not_there_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told(capsys)["browsers"][0]["status"] == "missing"
    (tmp_path / "chromium-browser").write_text("#!/bin/sh\n")
    (tmp_path / "chromium-browser").chmod(0o755)
    assert told(capsys)["browsers"][0]["path"] == str(tmp_path / "chromium-browser")


# Ollama ---------------------------------------------------------------------------------------------------------------

ANSWER = b'{"models": [{"name": "small:1b"}, {"name": "a\\u001b[31m"}]}'


@pytest.fixture
def ollama() -> Iterator[tuple[str, list[bytes]]]:
    """Return the address of a server, and the list that holds what it answers."""
    answers = [ANSWER]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answers[0]
            self.send_response(200 if self.path == "/api/tags" and body else 500)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"127.0.0.1:{server.server_port}", answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_models_of_ollama_are_listed(
    ollama: tuple[str, list[bytes]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, answers = ollama
    for written in (address, f"http://{address}/", address.replace("127.0.0.1", "0.0.0.0")):
        monkeypatch.setenv("OLLAMA_HOST", written)
        (service,) = told(capsys)["services"]
        assert (service["status"], service["models"]) == ("present", ["a\x1b[31m", "small:1b"])
    assert "\x1b" not in text(capsys)
    answers[0] = b'{"models": []}'
    assert "no model" in text(capsys)


@pytest.mark.parametrize(
    "answer", [b"", b"no json", b"[]", b'{"models": 5}', b'{"models": [{}]}', b"\xff", b'{"models": null}']
)
def test_what_is_no_ollama_is_missing(
    answer: bytes,
    ollama: tuple[str, list[bytes]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, answers = ollama
    answers[0] = answer
    monkeypatch.setenv("OLLAMA_HOST", address)
    assert told(capsys)["services"][0]["status"] == "missing"


@pytest.mark.parametrize(
    "host", ["gpu.example.com:11434", "192.0.2.1", "https://127.0.0.1", "127.0.0.1.example.com", "a b"]
)
def test_a_service_elsewhere_is_not_asked(
    host: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("somebody elsewhere was asked")

    monkeypatch.setattr(doctor, "_models", asked)
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert told(capsys)["services"][0]["status"] == "not_asked"
    assert "not asked  ollama" in text(capsys)


@pytest.mark.parametrize("host", ["127.0.0.1:99999", "127.0.0.1:0"])
def test_an_address_that_is_none_is_missing(
    host: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert told(capsys)["services"][0]["status"] == "missing"
