"""What programs of others fetch: feeds, pictures for previews, addresses for search engines, the symbol of the site.

All of it is the same for everybody, is kept for a while, and is made once for all who ask.
"""

from collections.abc import Callable

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from arena.web.html.links import LiveLinks
from arena.web.html.rendering import DRAWS_PREVIEWS
from arena.web.http.addresses import prefix_of
from arena.web.http.page_cache import Content
from arena.web.live.router import Router, links_for
from arena.web.live.site import site_of
from arena.web.pages import FEED, PREVIEW
from arena.web.public.export import exported_paths
from arena.web.public.feeds import MEDIA_TYPE, feed, is_feed, robots, sitemap
from arena.web.public.previews import is_preview, preview
from arena.web.routes.public import asked_path, if_new, public_page
from results.store import Store

FEED_S = 60.0
PREVIEW_S = 600.0
SITEMAP_S = 3600.0
MATCHES_IN_SITEMAP = 20
"""Of each league, the latest."""

router = Router()


@router.page("/leagues/{path:path}/" + FEED)
@router.page("/bots/{path:path}/" + FEED)
async def _get_feed(request: Request) -> Response:
    path = asked_path(request)
    if not is_feed(path):  # a name that is called like it
        return await public_page(site_of(request), request)
    name = site_of(request).about.name
    return await _kept(
        request, FEED, MEDIA_TYPE, lambda store, linked: feed(store, path, linked, name), FEED_S
    )


@router.page("/leagues/{path:path}/" + PREVIEW)
async def _get_preview(request: Request) -> Response:
    path, site = asked_path(request), site_of(request)
    if not is_preview(path) or not DRAWS_PREVIEWS:
        return await public_page(site, request)
    return await _kept(
        request, PREVIEW, "image/png", lambda store, _: preview(store, path, site.about.name), PREVIEW_S
    )


@router.page("/sitemap.xml")
async def _get_sitemap(request: Request) -> Response:
    def make(store: Store, linked: LiveLinks) -> bytes:
        return sitemap(exported_paths(store, MATCHES_IN_SITEMAP), linked)

    return await _kept(request, "sitemap", "application/xml", make, SITEMAP_S)


@router.get("/robots.txt")
async def _get_robots(request: Request) -> Response:
    content = robots(links_for(request), prefix_of(request.scope))
    return Response(content, media_type="text/plain; charset=utf-8")


@router.get("/favicon.ico")
async def _get_icon() -> Response:
    return RedirectResponse("/static/icon.svg", 308)


async def _kept(
    request: Request, kind: str, content_type: str, make: Callable[[Store, LiveLinks], bytes], kept_s: float
) -> Response:
    """Return a file that is made at most once in `kept_s` seconds. For `kind`, see `Site.made`."""
    site, linked = site_of(request), links_for(request)

    def content() -> Content:
        with site.stores.borrowed() as store:
            return Content(make(store, linked))

    address = f"{kind}\n{asked_path(request)!r}\n{linked.origin}"
    made = await site.made(request, kind, address, content, kept_s)
    return if_new(request, made, content_type, {"Cache-Control": f"public, max-age={kept_s:.0f}"})
