"""Compresses answers, but not for visitors who are signed in.

Their pages hold what forms send back, next to text that others may choose; the length of a compressed page could tell
it. Source: Gluck, Harris and Prado, "BREACH: reviving the CRIME attack", 2013.
"""

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send


class Compression:
    """Middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressed = GZipMiddleware(app, minimum_size=1000, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        knows_us = scope["type"] == "http" and "arena-" in Headers(scope=scope).get("cookie", "")
        await (self._plain if knows_us else self._compressed)(scope, receive, send)
