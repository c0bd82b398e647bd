"""Finds out who sends a request before a page is made, so that pages don't wait for the site's file."""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.own_paths import sent_path
from arena.web.session_cookie import SESSION, read_cookie
from arena.web.site import Site
from arena.web.site_file_threads import in_site_file_thread

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
