"""Bodies of HTTP: how large those of requests may be, and the compression of answers."""

import asyncio
import gzip
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.core.errors import ArenaError
from arena.web.http.addresses import sent_path

MOST_BYTES = 1_048_576
"""Of a request's body, unless it is one of `UPLOADS`."""
UPLOADS = ("/submit", "/api/v1/uploads")
"""Beginnings of the paths that archives are sent to."""
_AROUND_BYTES = 1_048_576
"""What a form adds to an archive, at most."""
BODY_S = 60.0
"""How long a body may take. Longer ones may take longer in proportion, at 64 KiB in a second."""
_BYTES_PER_S = 65_536
MOST_PATH_CHARS = 4_096
MOST_QUERY_BYTES = 16_384
"""Of what follows the path. It is taken apart before anything is known about it."""


class NotReceived(ArenaError):
    """A body isn't received."""

    exit_code = 2

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        """`status`: the HTTP status code that says why."""
        super().__init__(message, hint)
        self.status = status


class _Refused(Exception):
    """A body is refused while it is read; not a `NotReceived`, which whoever reads it might catch."""

    def __init__(self, why: NotReceived) -> None:
        super().__init__()
        self.why = why


class BodyLimits:
    """Middleware. `body_s`, `most_bytes`: as the constants of this module.

    `upload_bytes`: of an archive, and `refusal`: of one with more.
    """

    def __init__(
        self,
        app: ASGIApp,
        body_s: float = BODY_S,
        most_bytes: int = MOST_BYTES,
        upload_bytes: int = MOST_BYTES,
        refusal: NotReceived | None = None,
    ) -> None:
        self._app = app
        self._body_s = body_s
        self._most_bytes = most_bytes
        self._upload_bytes = upload_bytes
        self._refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, headers = sent_path(scope), Headers(scope=scope)
        most = self._most_bytes
        refusal = NotReceived(413, f"At most {most // 2**20} MiB can be sent here.")
        if path.startswith(UPLOADS):
            most, refusal = self._upload_bytes + _AROUND_BYTES, self._refusal or refusal
        length = headers.get("content-length", "0")
        if len(path) > MOST_PATH_CHARS or len(scope.get("query_string", b"")) > MOST_QUERY_BYTES:
            await self._refuse(NotReceived(414, "This address is too long."), scope, receive, send)
            return
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
            await self._refuse(refusal, scope, receive, send)
            return
        taken, is_whole, begun = 0, False, False
        deadline = asyncio.get_running_loop().time() + self._body_s + int(length) / _BYTES_PER_S

        async def limited() -> Message:
            nonlocal taken, is_whole
            try:
                async with asyncio.timeout_at(None if is_whole else deadline):
                    message = await receive()
            except TimeoutError:
                raise _Refused(NotReceived(408, "This took too long to send.")) from None
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if taken > most:
                raise _Refused(refusal)
            return message

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, limited, noting)
        except _Refused as error:
            if begun:
                raise
            await self._refuse(error.why, scope, receive, send)

    @staticmethod
    async def _refuse(why: NotReceived, scope: Scope, receive: Receive, send: Send) -> None:
        status, words, headers = why.status, str(why), {"Connection": "close"}
        said = f"{words}\n{why.hint}\n" if why.hint else f"{words}\n"
        refusal: Response = PlainTextResponse(said, status_code=status, headers=headers)
        if sent_path(scope).startswith("/api/"):
            content = {"message": words, "hint": why.hint}
            refusal = JSONResponse(content, status_code=status, headers=headers)
        await refusal(scope, receive, send)


_LEVEL = 5
_LEAST_BYTES = 1_000


class Compression:
    """Middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressed = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        knows_us = scope["type"] == "http" and _knows_us(Headers(scope=scope))
        await (self._plain if knows_us else self._compressed)(scope, receive, send)


def packed(body: bytes) -> bytes:
    """Return a body compressed, for answers that are sent many times; empty if it isn't worth it."""
    return gzip.compress(body, _LEVEL, mtime=0) if len(body) >= _LEAST_BYTES else b""


def answer_packed(
    asked: Headers, body: bytes, packed_body: bytes, media_type: str, headers: Mapping[str, str]
) -> Response:
    """Return an answer with a body, or with what `packed` has made of it if that may be sent."""
    if not packed_body or _knows_us(asked) or "gzip" not in asked.get("accept-encoding", ""):
        return Response(body, headers=dict(headers), media_type=media_type)
    answer = Response(packed_body, headers={**headers, "Content-Encoding": "gzip"}, media_type=media_type)
    answer.headers.add_vary_header("Accept-Encoding")
    return answer


def _knows_us(asked: Headers) -> bool:
    return "arena-" in asked.get("cookie", "")
