"""Bodies of HTTP: how large those of requests may be, and the compression of answers."""

import asyncio
import gzip
from collections.abc import Mapping
from typing import NamedTuple

import brotli
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.core.errors import ArenaError
from arena.web.http.allowed_hosts import for_requests, refusal, sent_path

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


def body_limits(
    app: ASGIApp,
    body_s: float = BODY_S,
    upload_bytes: int = MOST_BYTES,
    too_large: NotReceived | None = None,
) -> ASGIApp:
    """Middleware. `body_s`: as the constant; `upload_bytes`: of an archive, and what refuses one with more."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        path, headers = sent_path(scope), Headers(scope=scope)
        most, refused = MOST_BYTES, NotReceived(413, f"At most {MOST_BYTES // 2**20} MiB can be sent here.")
        if path.startswith(UPLOADS):
            most, refused = upload_bytes + _AROUND_BYTES, too_large or refused
        length = headers.get("content-length", "0")
        if len(path) > MOST_PATH_CHARS or len(scope.get("query_string", b"")) > MOST_QUERY_BYTES:
            await _refuse(NotReceived(414, "This address is too long."), scope, receive, send)
            return
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
            await _refuse(refused, scope, receive, send)
            return
        taken, is_whole, begun = 0, False, False
        deadline = asyncio.get_running_loop().time() + body_s + int(length) / _BYTES_PER_S

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
                raise _Refused(refused)
            return message

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await app(scope, limited, noting)
        except _Refused as error:
            if begun:
                raise
            await _refuse(error.why, scope, receive, send)

    return for_requests(app, answer)


async def _refuse(why: NotReceived, scope: Scope, receive: Receive, send: Send) -> None:
    await refusal(scope, why.status, str(why), why.hint, {"Connection": "close"})(scope, receive, send)


_LEVEL = 5
_KEPT_LEVEL = 8
"""Of answers that are sent many times: twice the time, and up to a tenth fewer bytes."""
_LEAST_BYTES = 1_000


def compression(app: ASGIApp) -> ASGIApp:
    """Middleware: compresses answers, except those to browsers with a cookie of ours."""
    compressed = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if _knows_us(Headers(scope=scope)) else compressed)(scope, receive, send)

    return for_requests(app, answer)


def packed(body: bytes) -> bytes:
    """Return a body compressed, for answers that are sent many times; empty if it isn't worth it."""
    return gzip.compress(body, _KEPT_LEVEL, mtime=0) if len(body) >= _LEAST_BYTES else b""


def answer_packed(
    asked: Headers, body: bytes, packed_body: bytes, media_type: str, headers: Mapping[str, str], tag: str
) -> Response:
    """Return an answer with a body, or with what `packed` has made of it if that may be sent.

    304 if whoever asks has the body with this `tag` already.
    """
    headers = {**headers, "ETag": f'"{tag}"'}
    if asked.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    by_encoding = {"gzip": packed_body} if packed_body and not _knows_us(asked) else {}
    return answer_file(asked, PackedFile(body, by_encoding), media_type, headers)


class PackedFile(NamedTuple):
    """A body, and what it is compressed into."""

    content: bytes
    by_encoding: Mapping[str, bytes]
    """Whichever comes first is the smallest; empty if it may be sent only as it is, or isn't worth it."""


def packed_file(content: bytes, media_type: str) -> PackedFile:
    """Return a file compressed as far as it goes, which takes a tenth of a second for a large one.

    For files that say nothing about anybody: browsers with a cookie of ours get them compressed too.
    """
    if len(content) < _LEAST_BYTES or not media_type.startswith(("text/", "image/svg")):
        return PackedFile(content, {})
    return PackedFile(content, {"br": brotli.compress(content), "gzip": gzip.compress(content, 9, mtime=0)})


def answer_file(asked: Headers, file: PackedFile, media_type: str, headers: Mapping[str, str]) -> Response:
    """Return an answer with a body in the smallest encoding that whoever asks takes."""
    listed = [one.partition(";") for one in asked.get("accept-encoding", "").split(",")]
    taken = {name.strip() for name, _, quality in listed if quality.strip() != "q=0"}
    found = next((name for name in file.by_encoding if name in taken), "")
    answer = Response(file.by_encoding.get(found, file.content), headers=headers, media_type=media_type)
    if file.by_encoding:
        answer.headers.add_vary_header("Accept-Encoding")
    if found:
        answer.headers["Content-Encoding"] = found
    return answer


def _knows_us(asked: Headers) -> bool:
    return "arena-" in asked.get("cookie", "")
