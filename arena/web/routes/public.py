"""The public pages and the static files."""

import re
from codecs import BOM_UTF8

from fastapi import FastAPI, Request, Response

from arena.web.downloads import FORMS, Refusal, download, is_download
from arena.web.links import Path, path_of
from arena.web.live_pages import links_for
from arena.web.own_paths import sent_path
from arena.web.page import NotUnderstood
from arena.web.rendering import CONTENT_TYPES, render, static_files
from arena.web.site import Site, site_of
from arena.web.site_map import find

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

    @app.api_route("/leagues/{path:path}.csv", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/leagues/{path:path}.json", methods=["GET", "HEAD"], include_in_schema=False)
    def table(request: Request) -> Response:
        if is_download(asked_path(request)):
            return public_table(site_of(request), request)
        return public_page(site_of(request), request)  # a name that ends like a file

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request) -> Response:
        return public_page(site_of(request), request)


def public_page(site: Site, request: Request) -> Response:
    """Return a public page, or 304 if the browser has it already."""
    found = find(asked_path(request), asked_for(request))
    who = site.signed_in(request)

    def make() -> bytes:
        with site.stores.borrowed() as store:
            page = found.make(store)
        return render(page, links_for(request), **who.values()).encode()

    address = "\n".join((who.key, repr(found.names), found.entry.pattern, repr(found.asked)))
    made = site.kept_pages.get(
        address, site.stores.content(), make, found.entry.kept_s, states=site.stores.states()
    )
    tag = f'"{made.tag}"'
    headers = {"ETag": tag, "Cache-Control": "no-store" if who.key else "no-cache", "Vary": "Cookie"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(made.content, media_type=_HTML, headers=headers)


def public_table(site: Site, request: Request) -> Response:
    """Return a table to download; CSV with a byte order mark if the address asks for it with `bom=1`."""
    path, asked = asked_path(request), asked_for(request)
    form = path[2].rpartition(".")[2]
    mark = BOM_UTF8 if asked.pop("bom", ()) == ("1",) and form == "csv" else b""

    def make() -> bytes:
        with site.stores.borrowed() as store:
            return download(store, path, asked)

    try:
        address, states = f"download\n{path!r}\n{asked!r}", site.stores.states()
        made = site.kept_pages.get(address, site.stores.content(), make, states=states)
    except NotUnderstood as error:
        return Response(f"{error}\n", 400, media_type="text/plain; charset=utf-8")
    except Refusal as refusal:
        return Response(f"{refusal}\n", refusal.status, media_type="text/plain; charset=utf-8")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{path[1]}-{path[2]}")
    return Response(
        mark + made.content,
        media_type=FORMS[form],
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"},
    )


def asked_path(request: Request) -> Path:
    """Return the path of the page that a request asks for; names may have escaped slashes."""
    return path_of(sent_path(request.scope))


def asked_for(request: Request) -> dict[str, tuple[str, ...]]:
    """Return what follows the path of a request, in which a page finds what it understands."""
    query = request.query_params
    return {name: tuple(query.getlist(name)) for name in query}
