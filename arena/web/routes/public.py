"""The public pages and the static files."""

from fastapi import FastAPI, Request, Response

from arena.web.links import LiveLinks
from arena.web.rendering import CONTENT_TYPES, fingerprint, render, static_files
from arena.web.site import Site, site_of
from arena.web.site_map import page_at

_FOR_GOOD = "public, max-age=31536000, immutable"
_HTML = "text/html; charset=utf-8"


def add_to(app: FastAPI) -> None:
    """Add the routes. The one of pages fits every path, so it comes last."""

    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        content = static_files().get(name)
        if content is None:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        return Response(
            content,
            media_type=CONTENT_TYPES[name.rpartition(".")[2]],
            headers={"Cache-Control": _FOR_GOOD},
        )


def add_pages_to(app: FastAPI) -> None:
    """Add the route of all public pages."""

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request) -> Response:
        return public_page(site_of(request), request)


def public_page(site: Site, request: Request) -> Response:
    """Return a public page, or 304 if the browser has it already."""
    path = tuple(part for part in request.scope["path"].split("/") if part)
    who = site.signed_in(request)

    def make() -> bytes:
        with site.stores.borrowed() as store:
            found = page_at(store, path)
        return render(found, LiveLinks(fingerprint()), **who.values()).encode()

    made = site.kept_pages.get(f"{who.key}\n{'/'.join(path)}", site.stores.version(), make)
    tag = f'"{made.tag}"'
    headers = {"ETag": tag, "Cache-Control": "no-store" if who.key else "no-cache", "Vary": "Cookie"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(made.content, media_type=_HTML, headers=headers)
