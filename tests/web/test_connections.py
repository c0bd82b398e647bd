"""Clients that read nothing, send slowly, come in crowds, or send what a proxy reads otherwise; with real sockets."""

import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from arena.web.app import create_app
from arena.web.http.server import ConnectionLimits, Server, in_pieces, listen
from arena.web.live.site import Site
from tests.support.waiting import eventually

LARGE_BYTES = 24 << 20
"""More than what the kernel keeps of a connection."""


@contextmanager
def served(app: FastAPI, crowd: ConnectionLimits | None = None) -> Iterator[tuple[Server, tuple[str, int]]]:
    """Yield a server in a thread, and its address."""
    listener = listen("127.0.0.1", 0)
    started = threading.Event()
    server = Server(app, listener, started.set, limits=crowd)
    thread = threading.Thread(target=server.answer)
    thread.start()
    try:
        assert started.wait(60)
        yield server, listener.getsockname()[:2]
    finally:
        server.ask_to_stop()
        server.ask_to_stop()
        thread.join()


def large_app() -> FastAPI:
    app, content = FastAPI(), b"x" * LARGE_BYTES

    @app.api_route("/large", methods=["GET", "POST"])
    def large() -> Response:
        return Response(content)

    @app.get("/small")
    def small() -> Response:
        return Response(b"small")

    app.add_middleware(in_pieces)
    return app


def asking(
    address: tuple[str, int], path: str, method: str = "GET", headers: str = "", body: str = ""
) -> socket.socket:
    """Return a connection that has asked for a path and reads nothing. `headers` end in CRLF."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    found.settimeout(60)
    found.connect(address)
    found.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n{body}".encode())
    return found


def test_an_answer_never_waits_for_the_one_who_reads_to_confirm_its_head() -> None:
    with served(large_app()) as (server, address), asking(address, "/small") as asked:
        assert asked.recv(15) == b"HTTP/1.1 200 OK"
        (connection,) = server.server_state.connections
        sent_by = connection.transport.get_extra_info("socket")
        assert sent_by.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.fixture(scope="module")
def small_server() -> Iterator[tuple[str, int]]:
    """Yield the address of a server whose `/body` answers with the body of a request, once it has all of it."""
    app = large_app()

    @app.post("/body")
    async def body(request: Request) -> Response:
        return Response(await request.body())

    app.add_exception_handler(ClientDisconnect, lambda _request, _error: Response())
    with served(app) as (_, address):
        yield address


def statuses(address: tuple[str, int], sent: bytes) -> tuple[list[int], bytes]:
    """Send a request and another one after it, and read to the end; return the statuses and the last answer's body."""
    follows = b"GET /small HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(address, timeout=60) as one:
        one.sendall(sent + follows)
        answers = b"".join(iter(lambda: one.recv(65_536), b""))
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", answers)], answers.rpartition(
        b"\r\n\r\n"
    )[2]


CHUNKED, CHUNKS = "Transfer-Encoding: chunked", "5\r\nabcde\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (f"Content-Length: 5\r\n{CHUNKED}", CHUNKS),
        (f"{CHUNKED}\r\nContent-Length: 20", CHUNKS),
        (f"content-length: 0\r\n{CHUNKED.upper()}", CHUNKS),
        ("Content-Length: 5\r\nContent-Length: 5", "abcde"),
        ("Content-Length: 5, 5", "abcde"),
        ("Content-Length: 5\r\nContent-Length: 6", "abcde"),
        ("Content-Length: +5", "abcde"),
        ("Content-Length : 5", "abcde"),
        ("Transfer-Encoding:\r\n chunked", CHUNKS),
        ("Transfer-Encoding: identity", CHUNKS),
        ("Transfer-Encoding: chunked, chunked", CHUNKS),
        (f"{CHUNKED}\r\n{CHUNKED}", CHUNKS),
        ("X: a\r\n\tb\r\nContent-Length: 5", "abcde"),
        ("X: a\nContent-Length: 5", "abcde"),
        ("X: a\rContent-Length: 5", "abcde"),
        ("Content-Length: 5\n", "abcde"),
    ],
)
def test_a_request_that_a_proxy_could_read_otherwise_is_refused_and_nothing_after_it_is_answered(
    small_server: tuple[str, int], headers: str, body: str
) -> None:
    sent = f"POST /body HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n\r\n{body}".encode()
    assert statuses(small_server, sent)[0] == [400]


@pytest.mark.parametrize("chunks", [CHUNKS, "5\r\nabcde\r\n0\r\n\n", "5;a='\r'\r\nabcde\r\n0\r\nX: a\n\r\n"])
def test_a_chunked_body_is_read_and_is_the_last_of_its_connection(
    small_server: tuple[str, int], chunks: str
) -> None:
    sent = f"POST /body HTTP/1.1\r\nHost: localhost\r\n{CHUNKED}\r\n\r\n{chunks}".encode()
    assert statuses(small_server, sent) == ([200], b"abcde")
    assert statuses(small_server, sent.replace(b"HTTP/1.1", b"HTTP/1.0"))[0] == [400]


def test_a_body_with_a_length_leaves_the_connection_open(small_server: tuple[str, int]) -> None:
    sent = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde"
    assert statuses(small_server, sent * 2) == ([200, 200, 200], b"small")


@pytest.mark.parametrize("path", ["/small", "/body", "/large"])
def test_a_body_that_ends_in_nonsense_is_no_mistake_of_the_server(
    small_server: tuple[str, int], path: str, caplog: pytest.LogCaptureFixture
) -> None:
    begun = asking(small_server, path, "POST", f"{CHUNKED}\r\n", "5\r\nabcde")
    with caplog.at_level(logging.ERROR), begun as one:
        if path != "/body":
            assert one.recv(9)  # the answer has begun
        with suppress(ConnectionError):
            one.sendall(b"nonsense")
            while one.recv(65_536):
                pass
    assert not caplog.records


def unsent_bytes(server: Server) -> int:
    return sum(one.transport.get_write_buffer_size() for one in list(server.server_state.connections))


@pytest.mark.slow
def test_a_client_that_reads_nothing_is_cut_off_and_holds_little_until_then() -> None:
    with (
        served(large_app(), ConnectionLimits((), stall_s=1.0)) as (server, address),
        ExitStack() as open_ones,
    ):
        for _ in range(5):
            open_ones.enter_context(asking(address, "/large"))
        assert eventually(lambda: unsent_bytes(server) > 5 * 32_768)
        assert unsent_bytes(server) < 5 * 200_000
        assert httpx2.get(f"http://{address[0]}:{address[1]}/small").text == "small"
        assert eventually(lambda: not server.server_state.connections and not server.server_state.tasks)


def test_a_client_that_reads_slowly_gets_everything() -> None:
    with (
        served(large_app(), ConnectionLimits((), stall_s=1.0)) as (_, address),
        httpx2.stream("GET", f"http://{address[0]}:{address[1]}/large", timeout=60) as answer,
    ):
        assert sum(map(len, answer.iter_raw())) == LARGE_BYTES


def test_an_address_may_have_only_so_many_connections_unless_it_stands_for_many() -> None:
    crowd = ConnectionLimits(("10.0.0.0/8",), most_of_address=2)
    assert [crowd.enter("203.0.113.9") for _ in range(3)] == [True, True, False]
    crowd.leave("203.0.113.9")
    crowd.leave("203.0.113.9")
    assert crowd.enter("203.0.113.9")
    assert [crowd.enter(f"2001:db8:1:2::{last}") for last in (1, 2, 3)] == [True, True, False]
    assert all(crowd.enter(host) for host in ("10.1.2.3", "127.0.0.1", "::1", "::ffff:127.0.0.1") * 9)


def test_too_many_connections_of_an_address_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.http.server.is_loopback", lambda _: False)
    with (
        served(large_app(), ConnectionLimits((), most_of_address=2)) as (server, address),
        ExitStack() as open_ones,
    ):
        for _ in range(2):
            open_ones.enter_context(asking(address, "/small"))
        assert eventually(lambda: len(server.server_state.connections) == 2)
        with socket.create_connection(address, timeout=60) as third:
            assert b"503 Service Unavailable" in third.recv(1_000)
        assert eventually(lambda: len(server.server_state.connections) == 2)


@pytest.mark.slow
def test_five_hundred_that_read_nothing_stop_nobody(demo_store: Path) -> None:
    site, content = Site.of(demo_store), b"x" * LARGE_BYTES
    app = create_app(site)
    app.router.routes.insert(0, Route("/large", lambda _request: Response(content)))
    with served(app, ConnectionLimits((), stall_s=5.0)) as (server, address), ExitStack() as open_ones:
        for _ in range(500):
            open_ones.enter_context(asking(address, "/large"))
        assert eventually(lambda: unsent_bytes(server) > 500 * 32_768)
        assert unsent_bytes(server) < 500 * 200_000
        with httpx2.Client(base_url=f"http://{address[0]}:{address[1]}", timeout=60) as reader:
            for path in ("/", "/leagues/bread", "/rules", "/api/v1/leagues"):
                assert reader.get(path).status_code == 200
        assert eventually(lambda: not server.server_state.connections)
    site.close()


@pytest.mark.slow
def test_more_connections_than_there_is_room_for_leave_the_server_whole(demo_store: Path) -> None:
    site = Site.of(demo_store)
    with served(create_app(site)) as (server, address):
        most = server.config.limit_concurrency
        assert most is not None
        with ExitStack() as open_ones:
            for _ in range(most + 400):
                one = open_ones.enter_context(socket.socket())
                one.settimeout(60)
                with suppress(OSError):
                    one.connect(address)
            assert eventually(lambda: len(server.server_state.connections) <= most + 101)
            with suppress(httpx2.HTTPError):
                assert httpx2.get(f"http://{address[0]}:{address[1]}/rules").status_code == 503
        assert eventually(lambda: not server.server_state.connections)
        assert httpx2.get(f"http://{address[0]}:{address[1]}/rules").status_code == 200
    site.close()
