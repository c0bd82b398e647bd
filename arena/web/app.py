"""The application: routes, headers, and pages for what went wrong."""

from collections.abc import Mapping, Sequence

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from arena.web.access import SignInNeeded
from arena.web.compression import Compression
from arena.web.links import LiveLinks
from arena.web.live_pages import see_other
from arena.web.page import NoPage, Page
from arena.web.rendering import fingerprint, render
from arena.web.routes import account, public, sign_in
from arena.web.security import Security
from arena.web.site import Site, Visitor, site_of
from arena.web.site_file.errors import SiteFileError
from results.errors import LedgerError


def create_app(site: Site, hosts: Sequence[str] = ("*",)) -> FastAPI:
    """Return the application of a site. `hosts`: the names it answers to; others are refused."""
    app = FastAPI(title="Arena", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.site = site
    for routes in (sign_in, account, public):
        routes.add_to(app)
    public.add_pages_to(app)
    app.add_exception_handler(NoPage, _no_page)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(LedgerError, _no_store)
    app.add_exception_handler(SiteFileError, _no_site_file)
    app.add_exception_handler(SignInNeeded, _sign_in_first)
    app.add_middleware(Compression)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(Security)
    return app


def _no_page(request: Request, error: Exception) -> Response:
    return _error_page(request, 404, "Not found", str(error))


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


def _error_page(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse(
            {"error": text}, status_code=status, headers={**(headers or {}), "Cache-Control": "no-store"}
        )
    page = Page((), title, "error.html", {"text": text, "status": status})
    try:
        who = site_of(request).signed_in(request)
    except SiteFileError:
        who = Visitor()
    return HTMLResponse(
        render(page, LiveLinks(fingerprint()), **who.values()),
        status_code=status,
        headers={**(headers or {}), "Cache-Control": "no-store"},
    )
