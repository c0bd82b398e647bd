"""Answers of the API: JSON with entity tags, and problems with a message and a hint."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.requests import ClientDisconnect

from arena.client.api_types import VERSION, Problem
from arena.core.errors import ArenaError, UnknownName
from arena.web.html.advice_words import in_the_api, names_request
from arena.web.html.page_model import NoPage
from arena.web.http.body_limits_and_compression import NotReceived, answer_packed
from arena.web.http.page_cache import Content
from arena.web.http.page_threads import Crowded
from arena.web.live.site import site_of
from arena.web.site_file.site_database import SiteFileError
from results.base.errors import (
    AmbiguousName,
    LeagueClosed,
    LeagueUnfinished,
    LedgerError,
    MatchUnfinished,
    ReplayNotKept,
    RulesMissing,
    UnknownGame,
    UnknownInStore,
)
from results.base.text import counted
from results.store import Store

JSON = "application/json"
_TEMPLATE = "#/components/schemas/{name}"
_PROBLEMS = {
    400: "The archive is empty or incomplete.",
    401: "The token is missing or not valid.",
    403: "Your account may not do this.",
    404: "Nothing has this name.",
    408: "The archive didn't arrive in time.",
    409: "This isn't possible now.",
    413: "The archive is too large.",
    422: "A parameter is not valid.",
    429: "Too many requests, or a limit is reached.",
    503: "The store or the file of accounts can't be used now.",
    507: "The server has no room left.",
}


COMPONENTS: dict[str, Any] = {}
"""The schemas of all types that routes name, by name."""


def gives(
    kind: Any, *problems: int, status: int = 200, what: str = "The answer."
) -> dict[int | str, dict[str, Any]]:
    """Return what a route answers: `kind` if it succeeds, and problems with these status codes."""
    found: dict[int | str, dict[str, Any]] = {status: {"description": what, "content": _schema(kind)}}
    if status == 200:
        found[304] = {"description": "Nothing has changed since the `ETag` in `If-None-Match`."}
    for problem in sorted({*problems, 401, 422, 429, 503}):
        found[problem] = {"description": _PROBLEMS[problem], "content": _schema(Problem)}
    return found


def _schema(kind: Any) -> dict[str, Any]:
    (schema,), components = msgspec.json.schema_components([kind], ref_template=_TEMPLATE)
    COMPONENTS.update(components)
    return {JSON: {"schema": schema}}


_LONG_S = 90
"""From here on, waits are told in minutes."""


class NotAllowed(ArenaError):
    """The account may not do this, or the request isn't possible."""

    def __init__(self, status: int, message: str, hint: object = "") -> None:
        super().__init__(message, hint)
        self.status = status


def invalid(error: RequestValidationError) -> str:
    """Return what is wrong with the first parameter that isn't valid, in a line."""
    first = error.errors()[0]
    where = ".".join(map(str, first.get("loc", ())[1:]))
    return f"{where}: {first.get('msg', 'not valid')}"[:500]


async def public(request: Request, make: Callable[[Store], object]) -> Response:
    """Return what `make` finds in the store, for everybody; the same for the same address while the store is the same.

    `make` returns a value to be written as JSON, or bytes that are JSON.
    """
    site = site_of(request)

    def content() -> Content:
        with site.stores.borrowed() as store:
            return Content(written(make(store)))

    query = sorted(
        request.query_params.multi_items(), key=lambda item: item[0]
    )  # of one name, the last counts
    address = f"api\n{request.scope['path']!r}\n{query!r}"  # names may contain `?` and line breaks
    made = await site.made(request, request.scope["route"].path, address, content)
    return _tagged(request, made.content, made.tag, "no-cache", made.packed)


def private(request: Request, value: object, status: int = 200) -> Response:
    """Return a value for the one who asks alone."""
    content = written(value)
    if status != 200:
        return Response(content, status, {"Cache-Control": "no-store"}, JSON)
    return _tagged(request, content, sha256(content).hexdigest()[:20], "no-store")


def written(value: object) -> bytes:
    """Return a value as JSON; bytes are JSON already."""
    return value if isinstance(value, bytes) else msgspec.json.encode(value)


def _tagged(request: Request, content: bytes, tag: str, cache: str, packed: bytes = b"") -> Response:
    headers = {"Cache-Control": cache, "Vary": "Authorization"}
    return answer_packed(request.headers, content, packed, JSON, headers, tag)


def problem(
    status: int,
    message: str,
    advice: object = "",
    headers: Any = None,
    *,
    prefix: str = "",
    requests: bool = False,
) -> Response:
    """Return why a request failed. `prefix`: of the site that it was sent to, for advice that names a command.

    `requests`: whether the advice is a text that names requests.
    """
    said = Problem(message, in_the_api(advice, prefix), requests or names_request(advice))
    content = msgspec.json.encode(said)
    return Response(content, status, {**(headers or {}), "Cache-Control": "no-store"}, JSON)


def _again(headers: Mapping[str, str] | None) -> str:
    """Return when to try again, as the headers of a refusal say it; empty if they don't."""
    wait = (headers or {}).get("Retry-After", "")
    if not wait:
        return ""
    is_long = int(wait) > _LONG_S
    return (
        f"try again in {counted(-(-int(wait) // 60), 'minute') if is_long else counted(int(wait), 'second')}"
    )


def problem_of(error: Exception, prefix: str = "") -> Response:
    """Return what an error says, without the places of this machine. `prefix`: as in `problem`."""
    match error:
        case AnyHTTPException():
            return problem(error.status_code, str(error.detail), _again(error.headers), error.headers)
        case ClientDisconnect():
            return problem(400, "the connection was interrupted")
        case Crowded():
            return problem(503, error.words, error.hint, error.headers)
        case NotAllowed() | NotReceived():
            wait = {"Retry-After": "60"} if error.status in (429, 503) else None
            return problem(error.status, str(error), error.advice, wait, prefix=prefix)
        case UnknownInStore():
            api = f"{prefix}/api/{VERSION}"
            hint = f"GET {api}/leagues lists the leagues, {api}/versions the versions"
            return problem(404, str(error), hint, requests=True)
        case UnknownName() | UnknownGame() | ReplayNotKept() | RulesMissing() | NoPage():
            return problem(404, str(error), getattr(error, "advice", ""), prefix=prefix)
        case MatchUnfinished() | LeagueClosed() | LeagueUnfinished() | AmbiguousName():
            return problem(409, str(error), error.advice, prefix=prefix)
        case SiteFileError():
            return problem(503, "accounts can't be used now", "tell the organiser, and try again later")
        case LedgerError():
            return problem(503, "the store can't be read now", "try again later")
        case ArenaError():
            return problem(409, str(error), error.advice, prefix=prefix)
    return problem(500, "the server has failed", "this is a bug in Arena: please report it")
