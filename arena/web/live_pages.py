"""Answers with a page that only a live site has, such as a form."""

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse

from arena.web.links import LiveLinks
from arena.web.own_paths import prefix_of
from arena.web.page import Page
from arena.web.rendering import fingerprint, render
from arena.web.site import site_of


def links_for(request: Request) -> LiveLinks:
    """Return the links of the pages that a request gets."""
    return LiveLinks(fingerprint(), prefix_of(request.scope))


def answer(request: Request, page: Page, status: int = 200, **more: object) -> HTMLResponse:
    """Return a page for the one who asks. No browser or proxy keeps it. `more`: further values for the template."""
    who = site_of(request).signed_in(request)
    return HTMLResponse(
        render(page, links_for(request), **{**who.values(), **more}),
        status_code=status,
        headers={"Cache-Control": "no-store", "Vary": "Cookie"},
    )


def see_other(path: str) -> RedirectResponse:
    """Return a redirect after a form, so that reloading the next page sends nothing again.

    `path`: of this site, without its prefix, which `Prefix` adds.
    """
    return RedirectResponse(path, status_code=303, headers={"Cache-Control": "no-store"})
