"""The application: routes, headers, and pages for what went wrong."""

from collections.abc import Sequence

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from arena.web.links import LiveLinks
from arena.web.page import NoPage, Page
from arena.web.rendering import fingerprint, render
from arena.web.routes import public
from arena.web.security import Security
from arena.web.site import Site, site_of
from results.errors import LedgerError


def create_app(site: Site, hosts: Sequence[str] = ("*",)) -> FastAPI:
    """Return the application of a site. `hosts`: the names it answers to; others are refused."""
    app = FastAPI(title="Arena", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.site = site
    public.add_to(app)
    public.add_pages_to(app)
    app.add_exception_handler(NoPage, _no_page)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(LedgerError, _no_store)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(Security)
    return app


def _no_page(request: Request, error: Exception) -> Response:
    return _error_page(request, 404, "Not found", str(error))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type alone
    return _error_page(request, error.status_code, "This didn't work", str(error.detail))


def _no_store(request: Request, error: Exception) -> Response:
    return _error_page(request, 503, "The store can't be read now", str(error))


def _error_page(request: Request, status: int, title: str, text: str) -> Response:
    page = Page((), title, "error.html", {"text": text, "status": status})
    who = site_of(request).signed_in(request)
    return HTMLResponse(
        render(page, LiveLinks(fingerprint()), **who.values()),
        status_code=status,
        headers={"Cache-Control": "no-store"},
    )
