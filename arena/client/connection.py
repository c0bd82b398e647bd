"""One request to a server: within limits on time and size, without redirects. The server is not trusted."""

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import IO

from arena.client.address import Address
from arena.core.errors import ArenaError

QUIET_S = 30.0
"""How long the server may be silent."""
WHOLE_S = 120.0
"""How long a request may take altogether, apart from sending a body."""
MOST_BYTES = 16_777_216
"""Largest answer."""
_PIECE_BYTES = 65_536


class NoAnswer(ArenaError):
    """The server can't be reached, or doesn't answer as one of Arena."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered."""

    status: int
    content: bytes
    etag: str | None
    location: str | None
    retry_after: str | None


def request(
    address: Address,
    method: str,
    path: str,
    *,
    token: str | None = None,
    body: IO[bytes] | bytes | None = None,
    size: int = 0,
    headers: Mapping[str, str] | None = None,
    whole_s: float = WHOLE_S,
) -> Answer:
    """Send a request and return the answer, whatever its status. `size`: of `body`, in bytes.

    The token goes to this server and no other one: redirects are answers like others. Raises NoAnswer.
    """
    send = {
        "Accept": "application/json",
        "User-Agent": f"arena/{version('arena-league')}",
        "Connection": "close",
        **(headers or {}),
        **({"Authorization": f"Bearer {token}"} if token else {}),
        **(
            {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
            if body is not None
            else {}
        ),
    }
    connection = _connection(address)
    late = threading.Event()
    most_s = whole_s + (size / 10_000 if body is not None else 0)
    watch = threading.Timer(most_s, _cut, (connection, late))
    watch.daemon = True
    watch.start()
    try:
        try:
            connection.request(method, address.path + path, body=body, headers=send)
        except (BrokenPipeError, ConnectionResetError):
            if body is None:
                raise
            # The server may have refused the rest of the body, and says why.
        response = connection.getresponse()
        content = bytearray()
        while piece := response.read1(_PIECE_BYTES):
            content += piece
            if len(content) > MOST_BYTES:
                raise NoAnswer(f"the answer of {address} is larger than {MOST_BYTES // 1_048_576} MiB")
        if late.is_set():
            raise TimeoutError
        return Answer(
            response.status,
            bytes(content),
            response.getheader("ETag"),
            response.getheader("Location"),
            response.getheader("Retry-After"),
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _in_words(address, TimeoutError() if late.is_set() else error) from None
    finally:
        watch.cancel()
        connection.close()


def _connection(address: Address) -> http.client.HTTPConnection:
    if address.scheme == "https":
        return http.client.HTTPSConnection(
            address.host, address.port, timeout=QUIET_S, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(address.host, address.port, timeout=QUIET_S)


def _cut(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """End a request that takes too long, however busy the server keeps it."""
    late.set()
    open_socket = connection.sock
    if open_socket is not None:
        try:
            open_socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            connection.close()


def _in_words(address: Address, error: Exception) -> NoAnswer:
    if isinstance(error, ssl.SSLCertVerificationError):
        return NoAnswer(
            f"the certificate of {address} is not valid: {error.verify_message}",
            "check the address; don't send it your token before this is mended",
        )
    if isinstance(error, ssl.SSLError):
        return NoAnswer(f"{address} doesn't speak https: {error.reason}", "check the address")
    if isinstance(error, TimeoutError):
        return NoAnswer(f"{address} doesn't answer", "try again later")
    if isinstance(error, socket.gaierror):
        return NoAnswer(f"there is no server {address.host}: {error.strerror}", "check the address")
    if isinstance(error, OSError):
        return NoAnswer(
            f"{address} can't be reached: {error.strerror or error}", "check the address, and whether it runs"
        )
    return NoAnswer(f"{address} doesn't answer as a web server does", "check the address")
