"""Compresses answers, but not for visitors who are signed in.

Their pages hold what forms send back, next to text that others may choose; the length of a compressed page could tell
it. Source: Gluck, Harris and Prado, "BREACH: reviving the CRIME attack", 2013.
"""

import gzip
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

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
