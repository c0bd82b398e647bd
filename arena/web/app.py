"""The application: routes, headers, and pages for what went wrong."""

from collections.abc import Collection, Mapping

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.api.app import create_api
from arena.web.api.http_responses import invalid
from arena.web.html.links import NotUnderstood
from arena.web.html.page_model import NoPage, Page
from arena.web.html.rendering import render
from arena.web.http.allowed_hosts import EVERY, below, for_requests, only_names, sent_path
from arena.web.http.body_limits_and_compression import body_limits, compression
from arena.web.http.page_threads import Crowded, in_site_file_thread
from arena.web.http.security import HEADERS, SESSION, read_cookie, security
from arena.web.http.server import in_pieces
from arena.web.live.routing import links_for, see_other
from arena.web.live.site import Site, Visitor
from arena.web.live.visitors import SignInNeeded
from arena.web.organising.deliveries import FormReused
from arena.web.routes import (
    account,
    new_league,
    organiser,
    own_version,
    play,
    public,
    uploads,
)
from arena.web.site_file.site_database import SiteFileError
from arena.web.uploads.receiving import too_large
from results.base.errors import LedgerError

_WITHOUT_VISITORS = ("/static/", "/api/v")
"""Files are the same for everybody, and programs send a token instead of a cookie."""


def recognised(app: ASGIApp, site: Site) -> ASGIApp:
    """Middleware: looks the session of a cookie up, for `Site.signed_in`."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if not sent_path(scope).startswith(_WITHOUT_VISITORS) and read_cookie(request, SESSION):
            await in_site_file_thread(site.recognise, request)
        await app(scope, receive, send)

    return for_requests(app, answer)


def create_app(
    site: Site,
    hosts: Collection[str] = (EVERY,),
    *,
    addresses: bool = False,
    prefix: str = "",
    name: str = "",
) -> FastAPI:
    """Return the application of a site.

    `hosts`: the names it answers to, from `names_for`; others are refused. `addresses`: whether it answers to all
    addresses too. `prefix`: the path that the site is below, such as `/ladder`; see `check_prefix`. `name`: the host
    name under which the public finds it by https; empty if that isn't known.
    """
    app = FastAPI(title="Arena", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    app.state.public_name = name
    app.mount("/api", create_api(site))
    own = (account, new_league, organiser, own_version, uploads, play)
    theirs = [one.router for one in site.extensions]
    # The last one has a route for all paths.
    for router in (*(one.router for one in own), *theirs, public.router):
        app.router.routes.extend(router.routes)
    for kind in _EXPECTED:
        app.add_exception_handler(kind, _failed)
    app.add_exception_handler(Exception, _bug)
    archives = site.reception.limits
    app.add_middleware(recognised, site=site)
    app.add_middleware(compression)
    app.add_middleware(body_limits, upload_bytes=archives.body_bytes, too_large=too_large(archives))
    if prefix:
        app.add_middleware(below, prefix=prefix)
    app.add_middleware(only_names, names=frozenset(hosts), addresses=addresses)
    app.add_middleware(security, owns_host=not prefix)
    app.add_middleware(in_pieces)
    return app


_EXPECTED: tuple[type[Exception], ...] = (
    *(NoPage, NotUnderstood, RequestValidationError, HTTPException, SignInNeeded, FormReused),
    *(LedgerError, SiteFileError, Crowded, ClientDisconnect),
)
"""What ends a request without being a mistake in Arena."""


def _failed(request: Request, error: Exception) -> Response:
    """Answer a request that can't be answered as it was meant."""
    headers: Mapping[str, str] | None = None
    status, title, text = 503, "The store can't be read now", str(error)
    match error:
        case SignInNeeded():
            return see_other(error.sign_in_path)
        case ClientDisconnect():  # nobody reads the answer, and nothing is wrong here
            return Response(status_code=400)
        case NoPage():
            status, title = 404, "Not found"
        case NotUnderstood():
            status, title = 400, "This address can't be understood"
        case RequestValidationError():
            status, title, text = 422, "This address can't be understood", invalid(error)
        case HTTPException():
            status, title, text = error.status_code, "This didn't work", str(error.detail)
            headers = error.headers
        case SiteFileError():
            title, text = "Accounts can't be used now", f"{error}: {error.hint}."
        case FormReused():
            status, title = 409, "Sent before"
            text = "This form was sent before, with other contents. Load its page again and resend it."
        case Crowded():
            title, headers = "Busy", error.headers
            text = f"{error.words.capitalize()}. {error.hint.capitalize()}; other pages still work."
    return _error_page(request, status, title, text, headers)


def _bug(request: Request, _error: Exception) -> Response:
    """Answer a request that Arena failed at. The server prints the traceback; no middleware sees this response."""
    words = "This is a mistake in Arena. The server's output says where; nothing was lost."
    return _error_page(request, 500, "Arena failed", words, HEADERS)


def _error_page(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    who = getattr(request.state, "visitor", None)  # nobody has looked below /static/
    if not isinstance(who, Visitor):
        who = Visitor()
    page = Page((), title, "error.html", {"text": text, "status": status})
    return HTMLResponse(
        render(page, links_for(request), **request.app.state.site.values(who)),
        status_code=status,
        headers={**(headers or {}), "Cache-Control": "no-store"},
    )
