"""The application: routes, headers, and pages for what went wrong."""

from collections.abc import Collection, Mapping
from functools import cache

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.access import SignInNeeded
from arena.web.api.answering import invalid
from arena.web.api.app import create_api, document
from arena.web.bodies import BodyLimits, Compression
from arena.web.html.page import NoPage, NotUnderstood, Page
from arena.web.html.rendering import render
from arena.web.http.connections import Pieces
from arena.web.http.hosts import EVERY, Hosts
from arena.web.http.own_paths import Prefix, sent_path
from arena.web.http.page_threads import Crowded, in_site_file_thread
from arena.web.http.security import HEADERS, Security
from arena.web.http.session_cookie import SESSION, read_cookie
from arena.web.live_pages import InThreads, links_for, see_other
from arena.web.organising.deliveries import FormReused
from arena.web.routes import (
    account,
    api_page,
    audit_log,
    commands,
    new_league,
    organiser,
    organiser_accounts,
    own_games,
    own_versions,
    play,
    public,
    sign_in,
    uploads,
)
from arena.web.site import Site, Visitor
from arena.web.site_file.file import SiteFileError
from results.base.errors import LedgerError

_WITHOUT_VISITORS = ("/static/", "/api/v")
"""Files are the same for everybody, and programs send a token instead of a cookie."""


class Visitors:
    """Middleware: looks the session of a cookie up, for `Site.signed_in`."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and not sent_path(scope).startswith(_WITHOUT_VISITORS):
            request = Request(scope)
            if read_cookie(request, SESSION):
                await in_site_file_thread(self._site.recognise, request)
        await self._app(scope, receive, send)


def create_app(
    site: Site, hosts: Collection[str] = (EVERY,), *, addresses: bool = False, prefix: str = ""
) -> FastAPI:
    """Return the application of a site.

    `hosts`: the names it answers to, from `hosts.names_for`; others are refused. `addresses`: whether it answers to all
    addresses too. `prefix`: the path that the site is below, such as `/ladder`; see `own_paths.check_prefix`.
    """
    app = FastAPI(title="Arena", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    app.mount("/api", create_api(site))
    app.router.routes.extend(_routes())
    app.add_exception_handler(NoPage, _no_page)
    app.add_exception_handler(NotUnderstood, _not_understood)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(Crowded, _crowded)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(LedgerError, _no_store)
    app.add_exception_handler(SiteFileError, _no_site_file)
    app.add_exception_handler(SignInNeeded, _sign_in_first)
    app.add_exception_handler(FormReused, _form_reused)
    app.add_exception_handler(ClientDisconnect, _broken_off)
    app.add_exception_handler(Exception, _bug)
    app.add_middleware(Visitors, site=site)
    app.add_middleware(Compression)
    app.add_middleware(BodyLimits, uploads=site.reception.limits)
    if prefix:
        app.add_middleware(Prefix, prefix=prefix)
    app.add_middleware(Hosts, names=frozenset(hosts), addresses=addresses)
    app.add_middleware(Security, owns_host=not prefix)
    app.add_middleware(Pieces)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return the routes of every site. They don't know it, and making them takes longer than all else of a site."""
    made = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    made.router.route_class = InThreads
    api_page.add_to(made, document)
    for routes in (
        sign_in,
        account,
        commands,
        new_league,
        organiser_accounts,
        audit_log,
        organiser,
        own_games,
        own_versions,
        uploads,
        play,
        public,
    ):
        routes.add_to(made)
    public.add_pages_to(made)
    return tuple(made.routes)


def _no_page(request: Request, error: Exception) -> Response:
    return _error_page(request, 404, "Not found", str(error))


def _not_understood(request: Request, error: Exception) -> Response:
    return _error_page(request, 400, "This address can't be understood", str(error))


def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type alone
    return _error_page(request, 422, "This address can't be understood", invalid(error))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type alone
    return _error_page(request, error.status_code, "This didn't work", str(error.detail), error.headers)


def _no_store(request: Request, error: Exception) -> Response:
    return _error_page(request, 503, "The store can't be read now", str(error))


def _no_site_file(request: Request, error: Exception) -> Response:
    assert isinstance(error, SiteFileError)  # noqa: S101 - registered for this type alone
    return _error_page(request, 503, "Accounts can't be used now", f"{error}: {error.hint}.")


def _sign_in_first(_request: Request, error: Exception) -> Response:
    assert isinstance(error, SignInNeeded)  # noqa: S101 - registered for this type alone
    return see_other(error.sign_in_path)


def _form_reused(request: Request, _error: Exception) -> Response:
    return _error_page(
        request,
        409,
        "Sent before",
        "This form was sent before, with other contents. Load its page again and resend it.",
    )


def _crowded(request: Request, error: Exception) -> Response:
    assert isinstance(error, Crowded)  # noqa: S101 - registered for this type alone
    words = f"{error.words.capitalize()}. {error.hint.capitalize()}; other pages work meanwhile."
    return _error_page(request, 503, "Busy", words, error.headers)


def _broken_off(_request: Request, _error: Exception) -> Response:
    """Answer a request whose sender has gone away: nobody reads it, and nothing is wrong here."""
    return Response(status_code=400)


def _bug(request: Request, _error: Exception) -> Response:
    """Answer a request that Arena failed at. The server prints the traceback; no middleware sees this response."""
    words = "This is a mistake in Arena. The server's output says where; nothing was lost."
    return _error_page(request, 500, "Arena failed", words, HEADERS)


def _error_page(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    return _html(request, Page((), title, "error.html", {"text": text, "status": status}), status, headers)


def _html(request: Request, page: Page, status: int, headers: Mapping[str, str] | None = None) -> Response:
    who = getattr(request.state, "visitor", None)  # nobody has looked below /static/
    if not isinstance(who, Visitor):
        who = Visitor()
    return HTMLResponse(
        render(page, links_for(request), **who.values()),
        status_code=status,
        headers={**(headers or {}), "Cache-Control": "no-store"},
    )
