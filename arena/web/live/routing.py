"""Routes of a live site and their responses: the threads they run in, and pages that only a live site has."""

from collections.abc import Callable
from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from fastapi.types import DecoratedCallable
from starlette.routing import Match
from starlette.types import Scope

from arena.web.html.links import LiveLinks, plain_name
from arena.web.html.page_model import Page
from arena.web.html.rendering import fingerprint, render
from arena.web.http.allowed_hosts import prefix_of
from arena.web.live.site import address_of, site_of

_T = TypeVar("_T")


class InThreads(APIRoute):
    """A route whose function runs in the site's threads for routes, unless it is a coroutine.

    FastAPI would run it in one of the 40 threads that it has for everything.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint if iscoroutinefunction(endpoint) else _in_threads(endpoint), **more)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request fits, with the names of its path as users wrote them."""
        match, found = super().matches(scope)
        names = found.get("path_params", {})
        return match, {**found, "path_params": {key: plain_name(name) for key, name in names.items()}}


class Router(APIRouter):
    """Routes of pages, whose functions run in the site's threads. The document of the API leaves them out."""

    def __init__(self) -> None:
        super().__init__(route_class=InThreads, include_in_schema=False)

    def page(self, path: str) -> Callable[[DecoratedCallable], DecoratedCallable]:
        """Return what makes a function answer GET and HEAD for a path."""
        return self.api_route(path, methods=["GET", "HEAD"])


def _in_threads(endpoint: Callable[..., Response]) -> Callable[..., Any]:
    """Return a coroutine that runs a function with a parameter `request` in the site's threads."""

    @wraps(endpoint)
    async def answered(request: Request, **kwargs: Any) -> Response:
        return await in_threads(request, partial(endpoint, request=request, **kwargs))

    return answered


async def in_threads(request: Request, function: Callable[[], _T]) -> _T:
    """Return what a function returns, which runs in the threads for routes, and raise what it raises.

    Requests for one route wait for each other. Raises Crowded.
    """
    kind = request.scope["route"].path
    return await site_of(request).threads.routes.run(kind, address_of(request), function)


def links_for(request: Request) -> LiveLinks:
    """Return the links of the pages that a request gets."""
    return LiveLinks(fingerprint(), prefix_of(request.scope), origin_of(request))


def origin_of(request: Request) -> str:
    """Return what the public addresses of the site begin with; empty unless a request came by https to its first name.

    Nothing else that a request says can be in it, because pages are kept for others.
    """
    name = str(getattr(request.app.state, "public_name", ""))
    is_public = (
        bool(name) and request.url.scheme == "https" and request.headers.get("host", "").lower() == name
    )
    return f"https://{name}" if is_public else ""


def answer(request: Request, page: Page, status: int = 200, **more: object) -> HTMLResponse:
    """Return a page for the one who asks. No browser or proxy keeps it. `more`: further values for the template."""
    site = site_of(request)
    return HTMLResponse(
        render(page, links_for(request), **{**site.values(site.signed_in(request)), **more}),
        status_code=status,
        headers={"Cache-Control": "no-store", "Vary": "Cookie"},
    )


def see_other(path: str) -> RedirectResponse:
    """Return a redirect after a form, so that reloading the next page sends nothing again.

    `path`: of this site, without its prefix, which `below` adds.
    """
    return RedirectResponse(path, status_code=303, headers={"Cache-Control": "no-store"})
