"""How much a request may send, and for how long: larger and slower ones are refused before they are read."""

import asyncio
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.own_paths import sent_path

MOST_BYTES = 1_048_576
"""Of a request's body, unless `LARGER` has its path."""
LARGER: dict[str, int] = {"/submit": 49 * 2**20, "/api/v1/uploads": 49 * 2**20}
"""Longest bodies, in bytes, by the beginning of the path."""
BODY_S = 60.0
"""How long a body may take. Longer ones may take longer in proportion, at 64 KiB in a second."""
_BYTES_PER_S = 65_536
MOST_PATH_CHARS = 4_096
MOST_QUERY_BYTES = 16_384
"""Of what follows the path. It is taken apart before anything is known about it."""


class _TooLarge(Exception):
    pass


class _TooSlow(Exception):
    pass


class BodyLimits:
    """Middleware. `body_s`, `most_bytes`, `larger`: as the constants of this module."""

    def __init__(
        self,
        app: ASGIApp,
        body_s: float = BODY_S,
        most_bytes: int = MOST_BYTES,
        larger: Mapping[str, int] = LARGER,
    ) -> None:
        self._app = app
        self._body_s = body_s
        self._most_bytes = most_bytes
        self._larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, headers = sent_path(scope), Headers(scope=scope)
        most = max(
            (size for start, size in self._larger.items() if path.startswith(start)), default=self._most_bytes
        )
        length = headers.get("content-length", "0")
        if len(path) > MOST_PATH_CHARS or len(scope.get("query_string", b"")) > MOST_QUERY_BYTES:
            await self._refuse(414, "This address is too long.", scope, receive, send)
            return
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
            await self._refuse(413, f"At most {most:,} bytes can be sent here.", scope, receive, send)
            return
        taken, is_whole, begun = 0, False, False
        deadline = asyncio.get_running_loop().time() + self._body_s + int(length) / _BYTES_PER_S

        async def limited() -> Message:
            nonlocal taken, is_whole
            try:
                async with asyncio.timeout_at(None if is_whole else deadline):
                    message = await receive()
            except TimeoutError:
                raise _TooSlow from None
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if taken > most:
                raise _TooLarge
            return message

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, limited, noting)
        except _TooLarge:
            if begun:
                raise
            await self._refuse(413, f"At most {most:,} bytes can be sent here.", scope, receive, send)
        except _TooSlow:
            if begun:
                raise
            await self._refuse(408, "This took too long to send.", scope, receive, send)

    @staticmethod
    async def _refuse(status: int, words: str, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {"Connection": "close"}
        refusal: Response = PlainTextResponse(f"{words}\n", status_code=status, headers=headers)
        if sent_path(scope).startswith("/api/"):
            refusal = JSONResponse({"message": words, "hint": ""}, status_code=status, headers=headers)
        await refusal(scope, receive, send)
