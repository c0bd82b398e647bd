"""A server as its client sees it: a method for each question, with typed answers."""

import http.client
import re
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import IO, Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from arena.client.api_types import VERSION, Problem, Upload, Who
from arena.client.server_tokens import Address
from arena.conversation.narration import Log
from arena.core.errors import ArenaError, UsageError
from arena.league.why_lost import Page
from results.reports.leagues import LeagueRow
from results.reports.ranking_columns import Rankings

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
            response.status, bytes(content), response.getheader("Location"), response.getheader("Retry-After")
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
            "check the address; don't send it your token before this is fixed",
        )
    if isinstance(error, ssl.SSLError):
        return NoAnswer(f"{address} doesn't speak https: {error.reason}", "check the address")
    if isinstance(error, TimeoutError):
        return NoAnswer(f"{address} doesn't answer", "try again later")
    if isinstance(error, socket.gaierror):
        return NoAnswer(f"there is no server {address.host}: {error.strerror}", "check the address")
    if isinstance(error, OSError):
        return NoAnswer(
            f"{address} can't be reached: {error.strerror or error}",
            "check the address, and whether the server is running",
        )
    return NoAnswer(f"{address} doesn't answer as a web server does", "check the address")


T = TypeVar("T")
_MOST_CHARS = 2_000
MOST_DEEP = 64
"""How deeply an answer may be nested, so that whatever shows it can walk it."""
_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""Strings and brackets. A string that never ends is one to the end, so that each byte is looked at once."""


class ServerRefused(UsageError):
    """The server refuses a request."""


@dataclass(slots=True)
class Server:
    """A server, and the token that it is sent, if any."""

    address: Address
    token: str | None = None

    def whoami(self) -> Who:
        """Return whose token this is. Raises NoAnswer, ServerRefused, as all methods."""
        return self._get("/whoami", Who)

    def leagues(self) -> list[LeagueRow]:
        """Return all leagues."""
        return self._get("/leagues", list[LeagueRow])

    def rankings(self, league: str, least_matches: int | None = None) -> Rankings:
        """Return the rankings of a league."""
        query = "" if least_matches is None else f"?min_matches={least_matches}"
        return self._get(f"/leagues/{_part(league)}/rankings{query}", Rankings)

    def log(self, league: str, game: str, seats: "SeatChoice") -> Log:
        """Return logs of own seats of a game, such as `12.0`."""
        return self._get(f"/leagues/{_part(league)}/games/{_part(game)}/log{seats.query}", Log)

    def why(self, league: str, game: str, seats: "SeatChoice", width: int) -> list[Page]:
        """Return why own seats of a game forfeited or lost; pictures are at most `width` columns wide."""
        query = f"{seats.query}{'&' if seats.query else '?'}width={width}"
        return self._get(f"/leagues/{_part(league)}/games/{_part(game)}/why{query}", list[Page])

    def submit(self, body: IO[bytes] | bytes, size: int, name: str, leagues: Sequence[str]) -> Upload:
        """Upload an archive of `size` bytes; return the upload, which has only begun."""
        query = urlencode([("name", name), *(("league", league) for league in leagues)])
        answer = self._ask("POST", f"/uploads?{query}", body=body, size=size)
        return self._decoded(answer, Upload)

    def upload(self, number: str) -> Upload:
        """Return an upload by its id."""
        return self._get(f"/uploads/{_part(number)}", Upload)

    def page(self, *path: str) -> str:
        """Return the address of one of its pages."""
        return "/".join((str(self.address), *map(_part, path)))

    def _get(self, path: str, kind: type[T]) -> T:
        return self._decoded(self._ask("GET", path), kind)

    def _ask(self, method: str, path: str, **more: Any) -> Answer:
        answer = request(self.address, method, f"/api/{VERSION}{path}", token=self.token, **more)
        if 200 <= answer.status < 300:
            return answer
        if 300 <= answer.status < 400:
            where = (answer.location or "")[:_MOST_CHARS]
            raise ServerRefused(
                f"{self.address} sends you on to {where!r}",
                "if you trust that address, use it in the command",
            )
        problem = _problem(answer)
        if answer.status == 401:
            raise ServerRefused(
                problem.message if problem else "the server doesn't accept your token",
                f"ask an organiser of the site for a new token, then: arena sign-in {self.address}",
            )
        if problem is None and answer.status == 404:
            raise NoAnswer(
                f"{self.address} answers, but not as a server of Arena with the API {VERSION}",
                "give the whole address of its home page, with the path if it has one; or it runs an older version",
            )
        if problem is None:
            raise NoAnswer(f"{self.address} failed with status {answer.status}", "try again later")
        hint = problem.hint
        if answer.retry_after and answer.retry_after.isdigit() and not hint:
            hint = f"try again in {answer.retry_after[:6]} seconds"
        if problem.names_request:
            hint = f"its pages show what exists: {self.address}"
        raise ServerRefused(problem.message, hint)

    def _decoded(self, answer: Answer, kind: type[T]) -> T:
        try:
            if _depth(answer.content) > MOST_DEEP:
                raise ValueError("nested too deeply")
            return msgspec.json.decode(answer.content, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise NoAnswer(
                f"the answer of {self.address} is not what this version of Arena expects",
                "it may run another version; if it is newer, upgrade Arena here",
            ) from None


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """Which seats of a game are meant; all own ones if nothing is chosen."""

    bot: str | None = None
    seat: int | None = None

    @property
    def query(self) -> str:
        """As the query of an address, empty or from `?` on."""
        chosen = [("bot", self.bot), ("seat", self.seat)]
        given = [(name, value) for name, value in chosen if value is not None]
        return f"?{urlencode(given)}" if given else ""


def _depth(content: bytes) -> int:
    depth = deepest = 0
    for found in _MARKS.finditer(content):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        deepest = max(deepest, depth)
    return deepest


def _part(text: str) -> str:
    return quote(text, safe="")


def _problem(answer: Answer) -> Problem | None:
    """Return what a refusal says; None if it isn't one of the API."""
    try:
        found = msgspec.json.decode(answer.content, type=Problem)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return Problem(found.message[:_MOST_CHARS], found.hint[:_MOST_CHARS])
