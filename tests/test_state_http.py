"""The http adapter against real servers on the loopback interface, most of them ill-behaved."""

from __future__ import annotations

import ipaddress
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hotato import assert_ as A
from hotato.errors import EvidenceError, StateAdapterError
from hotato.state import address
from hotato.state.config import parts_of_url
from hotato.state_adapter import HttpStateAdapter, load_state_adapter

SECRET = "c4nary-s3cret-value"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        pass

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        self.server.asked.append((self.command, self.path, dict(self.headers), self.rfile.read(size)))
        getattr(self, urlsplit(self.path).path.split("/")[1] or "root", self.missing)()

    do_POST = do_GET

    def missing(self) -> None:
        self.answer(b"nothing here", 404)

    def root(self) -> None:
        self.answer(b"hello")

    def orders(self) -> None:
        self.answer(json.dumps({"data": [{"id": "A-1", "status": "open", "amount": 19.99}], "none": []}).encode())

    def slow(self) -> None:
        time.sleep(3)

    def drip(self) -> None:
        try:
            for byte in b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 60:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)
        except OSError:
            pass

    def huge(self) -> None:
        try:
            self.send_response(200)
            self.end_headers()
            for _ in range(2000):
                self.wfile.write(b" " * 65536)
        except OSError:
            pass
        self.close_connection = True

    def html(self) -> None:
        self.answer(b"<html>not json</html>")

    def twice(self) -> None:
        self.answer(b'{"a": 1, "a": 2}')

    def latin(self) -> None:
        self.answer(b'{"a": "\xe9"}')

    def packed(self) -> None:
        self.answer(b"\x1f\x8b", Content_Encoding="gzip")

    def lists(self) -> None:
        self.answer(b"[]")

    def broken(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def cut(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"{")
        self.close_connection = True

    def down(self) -> None:
        self.answer(b"down", 503)

    def flaky(self) -> None:
        self.server.count += 1
        self.answer(b"{}", 503) if self.server.count < 3 else self.answer(b'{"up": true}')

    def error(self) -> None:
        self.answer(SECRET.encode(), 500)

    def moved(self) -> None:
        self.answer(b"", 302, Location="/orders")

    def away(self) -> None:
        self.answer(b"", 302, Location="http://localhost:1/orders")

    def round(self) -> None:
        self.answer(b"", 302, Location="/round")

    def cookie(self) -> None:
        self.answer(b"{}", Set_Cookie="session=1")


class Quiet(ThreadingHTTPServer):
    """A server whose clients may hang up without a word on standard error."""

    def handle_error(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    served = Quiet(("127.0.0.1", 0), Handler)
    served.asked, served.connections, served.count = [], 0, 0
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield served
    served.shutdown()


def config(server: Any, **fields: Any) -> dict[str, Any]:
    paths = "slow drip huge html twice latin packed lists broken cut down flaky error moved away round cookie".split()
    resources: dict[str, Any] = {name: {"path_template": f"/{name}"} for name in paths}
    resources["orders"] = {
        "path_template": "/orders/{id}",
        "response_pointer": "/data/0",
        "params_map": {"of": "owner"},
    }
    resources["posted"] = {**resources["orders"], "method": "POST"}
    resources["nothing"] = {"path_template": "/orders", "response_pointer": "none.0"}
    resources["gone"] = {"path_template": "/gone"}
    return {
        "adapter": "http",
        "base_url": f"http://127.0.0.1:{server.server_port}",
        "allow_http": True,
        "egress_opt_in": True,
        "timeout": 1.0,
        "resources": resources,
        **fields,
    }


def problems(settings: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(EvidenceError) as caught:
        load_state_adapter(settings)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def test_a_record_is_read_where_the_pointer_leads(server: Any) -> None:
    adapter = load_state_adapter(config(server))
    assert adapter.query("orders", id="A-1") == {"id": "A-1", "status": "open", "amount": 19.99}


def test_a_pointer_to_nothing_and_a_404_are_no_record(server: Any) -> None:
    adapter = load_state_adapter(config(server))
    assert adapter.query("nothing") is None
    assert adapter.query("gone") is None


def test_filters_fill_the_path_and_the_rest_is_sent_by_its_mapped_name(server: Any) -> None:
    adapter = load_state_adapter(config(server))
    adapter.query("orders", id="a/../b?x=1#y z", of=7, paid=True)
    assert server.asked[-1][:2] == ("GET", "/orders/a%2F..%2Fb%3Fx%3D1%23y%20z?owner=7&paid=true")
    adapter.query("posted", id=3, of=None, paid=True)
    method, path, _, body = server.asked[-1]
    assert (method, path, json.loads(body)) == ("POST", "/orders/3", {"owner": None, "paid": True})


@pytest.mark.parametrize("value", ["", ".", "..", None])
def test_a_filter_that_would_lead_elsewhere_is_not_sent(server: Any, value: Any) -> None:
    before = len(server.asked)
    with pytest.raises(StateAdapterError, match="filter 'id'"):
        load_state_adapter(config(server)).query("orders", id=value)
    assert len(server.asked) == before


CAUSES = {
    "slow": "no answer within",
    "drip": "no answer within",
    "huge": "larger than 1000000 bytes",
    "html": "not JSON",
    "twice": "not JSON",
    "latin": "not UTF-8",
    "packed": "compressed",
    "lists": "a list where a record",
    "broken": "connection failed",
    "cut": "connection failed",
    "down": "status 503",
    "error": "status 500",
    "away": "redirect to another host",
    "round": "more than 3 redirects",
}


@pytest.mark.parametrize("name", CAUSES)
def test_what_keeps_a_record_from_being_read_is_inconclusive(server: Any, name: str) -> None:
    started = time.monotonic()
    ctx = A.build_context(state_adapter=load_state_adapter(config(server, timeout=0.8)))
    result = A.evaluate_assertion({"id": "a", "kind": "state", "resource": name, "expect": {"a": 1}}, ctx)
    assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")
    assert CAUSES[name] in result["reason"]
    assert SECRET not in json.dumps(result)
    assert ctx.state_evidence == []
    assert time.monotonic() - started < 3


def test_a_redirect_on_the_host_is_followed(server: Any) -> None:
    assert load_state_adapter(config(server)).query("moved") is not None


def test_an_attempt_is_repeated_on_503_and_not_on_500(server: Any) -> None:
    adapter = load_state_adapter(config(server, timeout=5))
    server.count = 0
    assert adapter.query("flaky") == {"up": True}
    before = len(server.asked)
    with pytest.raises(StateAdapterError):
        adapter.query("error")
    assert len(server.asked) == before + 1


def test_a_cookie_is_not_sent_back(server: Any) -> None:
    adapter = load_state_adapter(config(server))
    adapter.query("cookie")
    adapter.query("cookie")
    assert "Cookie" not in server.asked[-1][2]


def test_a_system_that_is_not_there_is_inconclusive(server: Any) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        adapter = load_state_adapter(config(server, base_url=f"http://127.0.0.1:{one.getsockname()[1]}"))
        with pytest.raises(StateAdapterError, match="connection failed"):
            adapter.query("orders", id=1)


def test_proxies_of_the_environment_are_not_asked(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert load_state_adapter(config(server)).query("orders", id=1) is not None


def test_a_thousand_assertions_share_connections_and_equal_questions_are_asked_once(server: Any) -> None:
    ctx = A.build_context(state_adapter=load_state_adapter(config(server)))
    assertions = [
        {"id": f"a{n}", "kind": "state", "resource": "orders", "filters": {"id": n % 50}, "expect": {"status": "open"}}
        for n in range(1000)
    ]
    asked, connections = len(server.asked), server.connections
    envelope = A.run_assertions({"version": 1, "assertions": assertions}, ctx)
    assert envelope["summary"]["deterministic"]["pass"] == 1000
    assert len(server.asked) - asked == 50
    assert server.connections - connections == 1
    assert len(ctx.state_evidence) == 50
    A.run_assertions({"version": 1, "assertions": assertions[:1]}, ctx)
    assert len(server.asked) - asked == 51, "a new run asks anew"


@pytest.mark.parametrize(
    ("auth", "header", "sent"),
    [
        ({"type": "bearer", "token_env": "T"}, "Authorization", f"Bearer {SECRET}"),
        (
            {"type": "basic", "username": "u", "password_env": "T"},
            "Authorization",
            "Basic dTpjNG5hcnktczNjcmV0LXZhbHVl",
        ),
        ({"type": "header", "headers": {"X-Key": {"env": "T"}}}, "X-Key", SECRET),
        ({"type": "header", "headers": {"X-Team": {"value": "qa"}}}, "X-Team", "qa"),
    ],
)
def test_who_asks_is_taken_from_the_environment(
    server: Any, monkeypatch: pytest.MonkeyPatch, auth: dict[str, Any], header: str, sent: str
) -> None:
    monkeypatch.setenv("T", SECRET)
    adapter = load_state_adapter(config(server, auth=auth))
    adapter.query("orders", id=1)
    assert server.asked[-1][2][header] == sent
    assert SECRET not in repr(vars(adapter))


def test_a_missing_secret_is_refused_by_the_name_of_its_variable(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_THERE", raising=False)
    with pytest.raises(EvidenceError, match="NOT_THERE") as caught:
        load_state_adapter(config(server, auth={"type": "bearer", "token_env": "NOT_THERE"}))
    assert [(p.code, p.path) for p in caught.value.problems] == [("secret", "auth.token_env")]


def test_without_the_opt_in_no_socket_is_made(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was made")

    settings = config(server)
    del settings["egress_opt_in"]
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert problems(settings) == [("egress", "")]


REFUSED = """
https://169.254.169.254 https://169.254.1.1 https://0.0.0.0 https://[::] https://[fe80::1] https://[::ffff:169.254.169.254]
https://[fd00:ec2::254] https://2130706433 https://0177.0.0.1 https://0x7f.0.0.1 https://0x7f000001 https://127.1
https://localhost. https://example.com. https://bücher.example https://a@example.com https://a:b@example.com
https://example.com#@evil.example https://example.com?x=1 https://example.com\\@evil.example file:///etc/passwd
ftp://example.com data:text/plain,x https:///x https://exa%6dple.com https://example.com:99999 https://a/../b
https://[64:ff9b::a9fe:a9fe] https://224.0.0.1 https://255.255.255.255 https://100.100.100.200 https://168.63.129.16
https://-a.example https://a-.example https://a..example https://[2002:a9fe:a9fe::] https://[::169.254.169.254] http://example.com https://exam\tple.com
""".split("\n")


@pytest.mark.parametrize("url", " ".join(REFUSED).split(" ")[1:-1])
def test_an_address_that_is_no_system_of_record_is_refused(url: str) -> None:
    settings = {"adapter": "http", "egress_opt_in": True, "base_url": url, "resources": {"r": {"path_template": "/r"}}}
    assert ("address", "base_url") in problems(settings)


NAMED = [
    ("127.0.0.1", "private"), ("10.1.2.3", "private"), ("172.16.0.1", "private"), ("192.168.1.1", "private"),
    ("100.64.0.1", "private"), ("::1", "private"), ("fc00::1", "private"), ("::ffff:10.0.0.1", "private"),
    ("169.254.169.254", "never"), ("0.0.0.0", "never"), ("fe80::1", "never"), ("::ffff:169.254.169.254", "never"),
    ("93.184.216.34", "public"), ("2606:2800:220:1::1", "public"),
    ("192.0.0.8", "private"), ("192.0.0.9", "public"), ("192.0.2.1", "private"), ("198.19.0.1", "private"),
    ("198.51.100.1", "private"), ("203.0.113.1", "private"), ("172.31.0.1", "private"), ("172.32.0.1", "public"),
    ("100::1", "never"), ("2001:5::1", "private"), ("2001:20::1", "public"), ("2001:4:112::1", "public"),
    ("2001:1::1", "public"), ("2001:db8::1", "private"), ("3fff::1", "private"), ("fdff::1", "private"),
    ("::10.10.10.10", "private"), ("::2", "never"), ("64:ff9b::a0a:a0a", "private"), ("2002:a0a:a0a::", "private"),
    ("2001:0:5db8:d822::5601:5601", "never"), ("2001:0:a0a:a0a::a247:27dd", "public"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "sort"), NAMED)
def test_a_name_is_resolved_once_and_its_addresses_are_judged(
    written: str, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (written, port))]

    assert address.sort_of(ipaddress.ip_address(written)) == sort
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    if sort == "public":
        assert address.resolve("crm.example", 443, [], 1) == [written]
    else:
        with pytest.raises(StateAdapterError, match="allow_hosts"):
            address.resolve("crm.example", 443, [], 1)
    assert address.resolve("crm.example", 443, ["crm.example"], 1) == [str(ipaddress.ip_address(written))]
    assert len(looked_up) == 2


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("localhost", True), ("/run/postgresql", True), ("127.8.0.1", True), ("::1", True), ("::ffff:127.0.0.1", True),
        ("localhost.example", False), ("10.0.0.1", False), ("::2", False), ("::ffff:10.0.0.1", False), ("crm", False),
    ],
)  # fmt: skip
def test_this_machine_is_known_by_how_it_is_written(host: str, is_here: bool) -> None:
    assert address.is_local(host) is is_here


def test_a_name_of_which_no_address_is_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [])
    with pytest.raises(StateAdapterError, match="cannot be resolved"):
        address.resolve("crm.example", 443, [], 1)


def test_localhost_stands_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    here = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: here)
    assert address.resolve("localhost", 443, [], 1) == ["127.0.0.1"]


def test_a_name_that_resolves_inside_is_refused_unless_it_is_listed(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *a, **k: real("127.0.0.1", *a, **k))
    url = f"http://crm.example:{server.server_port}"
    with pytest.raises(StateAdapterError, match="allow_hosts"):
        load_state_adapter(config(server, base_url=url)).query("orders", id=1)
    assert load_state_adapter(config(server, base_url=url, allow_hosts=["crm.example"])).query("orders", id=1)
    assert server.asked[-1][2]["Host"] == f"crm.example:{server.server_port}"


def test_every_problem_of_a_config_is_told_with_its_place(tmp_path: Any) -> None:
    path = tmp_path / "crm.yaml"
    path.write_text(
        "adapter: http\n"
        "base_url: https://crm.example\n"
        "egress_opt_in: true\n"
        "time_out: 3\n"
        "resources:\n"
        "  orders: {path_template: orders, methd: GET}\n"
    )
    with pytest.raises(EvidenceError) as caught:
        load_state_adapter(path)
    told = [(p.code, p.line, p.column, p.guess) for p in caught.value.problems]
    assert told == [("unknown_field", 4, 1, "timeout"), ("unknown_field", 6, 35, "method")]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"path_template": "orders"}, "address"),
        ({"path_template": "//evil.example/x"}, "address"),
        ({"path_template": "/a/../b"}, "address"),
        ({"path_template": "/{a"}, "address"),
        ({"path_template": "/{a}", "params_map": {"a": "b"}}, "needless_field"),
        ({"path_template": "/", "params_map": {"a": "c", "b": "c"}}, "duplicate_item"),
        ({"path_template": "/", "method": "DELETE"}, "wrong_value"),
    ],
)
def test_a_resource_that_cannot_be_asked_for_is_refused(fields: dict[str, Any], code: str) -> None:
    url = "https://crm.example"
    settings = {"adapter": "http", "egress_opt_in": True, "base_url": url, "resources": {"r": fields}}
    assert code in [one for one, _ in problems(settings)]


def test_the_adapter_can_be_made_from_a_mapping(server: Any) -> None:
    adapter = HttpStateAdapter(config(server))
    adapter.ping()
    assert adapter.query("orders", id=1) is not None
    adapter.close()


def test_a_base_url_keeps_its_path() -> None:
    assert parts_of_url("https://Crm.example:8443/v1/") == ("https", "crm.example", 8443, "/v1")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_a_certificate_is_checked_against_the_name_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=crm.example"
    words = [*made.split(), "-addext", "subjectAltName=DNS:crm.example", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    served = Quiet(("127.0.0.1", 0), Handler)
    served.asked, served.connections = [], 0
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    served.socket = context.wrap_socket(served.socket, server_side=True)
    threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *a, **k: real("127.0.0.1", *a, **k))
    base = {"allow_http": False, "ca_file": "cert.pem", "allow_hosts": ["crm.example", "other.example"]}
    try:
        url = f"https://crm.example:{served.server_port}"
        adapter = load_state_adapter(config(served, base_url=url, **base), tmp_path)
        assert adapter.query("orders", id=1) is not None
        other = url.replace("crm", "other")
        for settings, folder in (
            (config(served, base_url=other, **base), tmp_path),
            (config(served, base_url=url), None),
        ):
            refused = load_state_adapter({**settings, "allow_hosts": base["allow_hosts"]}, folder)
            with pytest.raises(StateAdapterError, match="connection failed"):
                refused.query("orders", id=1)
        assert len(served.asked) == 1
    finally:
        served.shutdown()
