"""Messages of webhooks reach the machine that was checked, by HTTPS, and nothing else in any network."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arena_webhooks.addresses import all_public, is_public, target_of
from arena_webhooks.sending import Outcome, Sender

from arena.core.errors import UsageError
from tests.plugins.webhooks.https_server import NAME, PUBLIC, Https, https

ADDRESS = f"https://{NAME}/services/T000/secret?wait=true"
BODY = b'{"content": "a"}'


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Https]:
    with https(tmp_path) as found:
        yield found


@pytest.mark.parametrize(
    "address",
    [
        *(
            "http://hooks.example/a",
            "https://hooks.example:8443/a",
            "https://hooks.example:80/",
            "ftp://hooks.example/a",
        ),
        *("https://user@hooks.example/a", "https://user:pass@hooks.example/", "https://hooks.example/a#b"),
        *(
            "https://localhost/a",
            "https://metadata/a",
            "https://127.0.0.1/a",
            "https://[::1]/a",
            "https://127.1/a",
        ),
        *(
            "https://2130706433/a",
            "https://0x7f.1/a",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://1.0x7f/a",
        ),
        *(
            "https://hooks.example./a",
            "https://hooks..example/a",
            "https://-a.example/",
            "https://a_b.example/",
        ),
        *("https://hooks.example/a\r\nHost: b", "https://hooks.example/a b", "https://hooks.example/é"),
        *(
            "https://ｈooks.example/a",
            "https://hooks。example/a",
            "https://hooks.example\\@evil.example/",
            "",
        ),
        *(
            "https:hooks.example/a",
            "//hooks.example/a",
            "https://hooks.example?a",
            f"https://hooks.example/{'a' * 500}",
        ),
        *("https://" + "a." * 130 + "example/",),
    ],
)
def test_other_addresses_are_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(UsageError) as error:
        target_of(address)
    assert not address or address not in f"{error.value} {error.value.hint}"


def test_an_address_is_a_name_and_a_path() -> None:
    assert target_of(ADDRESS) == (NAME, "/services/T000/secret?wait=true")
    assert target_of("https://Hooks.Example:443") == ("hooks.example", "/")
    assert target_of("https://xn--bcher-kva.example/1").host == "xn--bcher-kva.example"
    assert target_of("https://3.example/").host == "3.example"


@pytest.mark.parametrize(
    "machine",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1"),
        *("198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1", "239.1.1.1", "240.0.0.1"),
        *(
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:7f00:1",
            "::127.0.0.1",
        ),
        *("64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:0808:0808::1"),
        *("2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "fc00::1", "fd00:ec2::254"),
        *("fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1", "3fff::1", "5f00::1", "4000::1"),
        *("", "localhost", "8.8.8", "08.8.8.8", "8.8.8.8:80", "0x7f.0.0.1"),
    ],
)
def test_no_machine_of_another_network_is_public(machine: str) -> None:
    assert not is_public(machine)
    assert not all_public([PUBLIC, machine])


def test_public_machines_are() -> None:
    assert all_public(["8.8.8.8", PUBLIC, "172.32.0.1", "2606:4700::1111", "2a00:1450:4001:830::200e"])
    assert not all_public([])


def test_a_message_arrives_with_the_name_and_the_body(server: Https) -> None:
    assert server.sender().post(ADDRESS, BODY) == Outcome("sent", "delivered")
    head, _, body = server.heard[0].partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /services/t000/secret?wait=true http/1.1"
    assert f"host: {NAME}" in lines
    assert "content-type: application/json" in lines
    assert body == BODY
    assert server.names == [NAME]
    assert server.connected == [PUBLIC]


def test_a_name_is_looked_up_once_so_another_answer_changes_nothing(server: Https) -> None:
    sender = server.sender((PUBLIC,), ("127.0.0.1",))
    assert sender.post(ADDRESS, BODY).became == "sent"
    assert server.resolved == [NAME]
    assert server.connected == [PUBLIC]
    assert sender.post(ADDRESS, BODY) == Outcome(
        "refused", "its host name leads into a network that isn't public"
    )
    assert server.connected == [PUBLIC]


@pytest.mark.parametrize("machines", [("10.0.0.1",), (PUBLIC, "::1"), ("169.254.169.254", PUBLIC), ()])
def test_one_machine_that_is_not_public_is_enough_to_refuse(server: Https, machines: tuple[str, ...]) -> None:
    assert server.sender(machines).post(ADDRESS, BODY).became == "refused"
    assert not server.connected


def test_a_server_without_a_certificate_for_the_name_hears_nothing(tmp_path: Path) -> None:
    with https(tmp_path, "evil.example.org") as server:
        outcome = server.sender().post(ADDRESS, BODY)
        assert outcome == Outcome("later", "its certificate isn't valid")
        assert not server.heard


@pytest.mark.parametrize(
    ("answer", "became", "words"),
    [
        (
            b"302 Found\r\nLocation: https://10.0.0.1/",
            "refused",
            "it answered 302, and redirects aren't followed",
        ),
        (
            b"307 Temporary Redirect\r\nLocation: /b",
            "refused",
            "it answered 307, and redirects aren't followed",
        ),
        (b"404 Not Found", "refused", "it answered 404"),
        (b"429 Too Many Requests", "later", "it answered 429"),
        (b"503 Oh <b>no</b>", "later", "it answered 503"),
        (b"200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999999999999", "sent", "delivered"),
    ],
)
def test_only_the_status_of_an_answer_counts(server: Https, answer: bytes, became: str, words: str) -> None:
    server.answers = lambda connection: connection.sendall(b"HTTP/1.1 " + answer + b"\r\n\r\nsecret")
    assert server.sender().post(ADDRESS, BODY) == (became, words)
    assert len(server.heard) == 1


def _drips(connection: socket.socket) -> None:
    for _ in range(1_000):
        connection.sendall(b"H")
        time.sleep(0.02)


def _continues(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.02)


def _is_silent(connection: socket.socket) -> None:
    connection.recv(1)


@pytest.mark.parametrize("answers", [_drips, _continues, _is_silent])
def test_slow_answers_end_with_the_time(server: Https, answers: Callable[[socket.socket], None]) -> None:
    server.answers = answers
    outcome = server.sender(total_s=0.3).post(ADDRESS, BODY)
    assert outcome == Outcome("later", "it didn't answer in time, or not by HTTPS")


def test_an_endless_body_is_not_read(server: Https) -> None:
    sent = threading.Event()

    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                connection.sendall(b"x" * 65_536)
        except OSError:
            sent.set()

    server.answers = endless
    assert server.sender().post(ADDRESS, BODY).became == "sent"
    assert sent.wait(10)


def test_a_slow_handshake_ends_with_the_time() -> None:
    """A server that never shakes hands holds no thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    sender = Sender(
        lambda *_, **__: [(2, 1, 6, "", (PUBLIC, 443))],
        lambda _, timeout_s: socket.create_connection(listener.getsockname(), timeout_s),
        ssl.create_default_context(),
        0.3,
    )
    with listener:
        assert sender.post(ADDRESS, BODY).became == "later"


def test_what_is_no_https_or_nothing_at_all_is_tried_again(server: Https) -> None:
    server.answers = lambda connection: connection.sendall(b"220 mail.example ESMTP\r\n" * 3)
    assert server.sender().post(ADDRESS, BODY).became == "later"

    def fails(*_: object, **__: object) -> list[tuple[object, ...]]:
        raise socket.gaierror(-2, "unknown")

    assert Sender(fails).post(ADDRESS, BODY) == Outcome("later", "its host name isn't known")

    def refuses(*_: object) -> socket.socket:
        raise ConnectionRefusedError

    sender = Sender(lambda *_, **__: [(2, 1, 6, "", (PUBLIC, 443))], refuses)
    assert sender.post(ADDRESS, BODY) == Outcome("later", "its host can't be reached")
    assert sender.post("https://10.0.0.1/secret", BODY).became == "refused"


def test_no_proxy_of_the_environment_is_asked(server: Https, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert server.sender().post(ADDRESS, json.dumps({}).encode()).became == "sent"
