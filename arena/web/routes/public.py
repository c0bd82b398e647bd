"""The public pages and the static files."""

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from arena.client.api_types import VERSION
from arena.web.api.app import document
from arena.web.html.links import NotUnderstood, Path, last, path_of
from arena.web.html.page_model import FileWish, Page, PageRefused
from arena.web.html.rendering import CONTENT_TYPES, render, static_files
from arena.web.http.allowed_hosts import prefix_of, sent_path
from arena.web.http.body_limits_and_compression import PackedFile, answer_file, answer_packed, packed_file
from arena.web.http.page_cache import Content
from arena.web.http.page_threads import result_of
from arena.web.http.security import POLICY_ELSEWHERE
from arena.web.live.routing import Router, answer, links_for
from arena.web.live.site import Site, Visitor, site_of
from arena.web.live.visitors import asked_for
from arena.web.pages.first_bot import KIT_ASKS, kit, kit_name
from arena.web.public.feeds_and_sitemap import robots
from arena.web.public.table_downloads import Refusal
from arena.web.public.url_map import File, find, find_file
from results.base.errors import StoreMissing

router = Router()


@router.page("/api")
def _get_api(request: Request) -> Response:
    return answer(request, _api_page(document()))


def _api_page(document: Mapping[str, Any]) -> Page:
    groups: dict[str, list[tuple[str, str, Mapping[str, Any], str]]] = {}
    for path, methods in document["paths"].items():
        for method, found in methods.items():
            success = next(answer for status, answer in found["responses"].items() if status.startswith("2"))
            gives = _kind(success["content"]["application/json"]["schema"])
            groups.setdefault(found["tags"][0], []).append((method, path, found, gives))
    types = {name: one for name, one in document["components"]["schemas"].items() if one.get("properties")}
    values = {"groups": groups, "types": types, "version": VERSION, "kind": _kind, "bounds": _bounds}
    return Page(("api",), "The JSON API", "api.html", values)


def _kind(schema: Mapping[str, Any]) -> str:
    """Return the type that a schema describes, in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(str(one) for one in schema["enum"])
    kind = schema.get("type", "any value")
    if kind == "array":
        items = schema.get("items")
        return f"list of {_kind(items)}" if isinstance(items, Mapping) else "list"
    return str(kind)


def _bounds(schema: Mapping[str, Any]) -> str:
    """Return what a parameter may be."""
    for one in schema.get("anyOf", ()):
        if one.get("type") != "null":
            schema = {**schema, **one}
    words = [str(schema.get("type", ""))]
    words += [
        f"{text} {schema[key]}"
        for key, text in (
            ("minimum", "from"),
            ("maximum", "to"),
            ("maxLength", "at most"),
            ("pattern", "pattern"),
        )
        if key in schema
    ]
    if schema.get("default") is not None:
        words.append(f"default {schema['default']}")
    return ", ".join(filter(None, words))


_FOR_GOOD = "public, max-age=31536000, immutable"
_HTML = "text/html; charset=utf-8"


@router.get("/static/{name}")
async def _get_static(request: Request, name: str) -> Response:  # no other work delays it
    content = static_files().get(name)
    if content is None:
        return Response("There is no such file.\n", 404, media_type="text/plain")
    media_type = CONTENT_TYPES[name.rpartition(".")[2]]
    if (packed := _PACKED.get(name)) is None:
        packed = _PACKED[name] = _PACKING.submit(packed_file, content, media_type)
    file = await result_of(packed)
    return answer_file(request.headers, file, media_type, {"Cache-Control": _FOR_GOOD})


_PACKED: "dict[str, Future[PackedFile]]" = {}
"""The static files that were asked for, by name; each is compressed once, by one thread for all."""
_PACKING = ThreadPoolExecutor(1, "static-files")


@router.get("/robots.txt")
async def _get_robots(request: Request) -> Response:
    content = robots(links_for(request), prefix_of(request.scope))
    return Response(content, media_type="text/plain; charset=utf-8")


@router.get("/favicon.ico")
async def _get_icon() -> Response:
    return RedirectResponse("/static/icon.svg", 308)


@router.get("/kit.zip")
async def _get_kit(request: Request) -> Response:
    return await _kit(site_of(request), request)


async def _kit(site: Site, request: Request) -> Response:
    """Return the archive of a new bot of whoever asks; there are few of them, so they are kept."""
    who = site.signed_in(request).account
    asked = asked_for(request)
    game, language = (last(asked.get(name, ())) for name in KIT_ASKS)

    def make() -> Content:
        try:
            return Content(kit(game, language, who))
        except NotUnderstood as error:
            return Content(f"{error}\n".encode(), 400)

    made = await site.made(request, "kit.zip", f"kit\n{who}\n{game!r}\n{language!r}", make)
    if made.status != 200:
        return Response(made.content, made.status, media_type="text/plain; charset=utf-8")
    headers = {
        "Content-Disposition": f'attachment; filename="{kit_name(game)}.zip"',
        "Cache-Control": "no-store",
    }
    return Response(made.content, media_type="application/zip", headers=headers)


@router.page("/{path:path}")
async def _get_page(request: Request) -> Response:
    return await public_page(site_of(request), request)


async def public_page(site: Site, request: Request) -> Response:
    """Return a public page or file, or 304 if the browser has it already."""
    if (file := find_file(asked_path(request))) is not None:
        return await _public_file(site, request, *file)
    found = find(asked_path(request), asked_for(request))
    elsewhere = found.entry.for_other_sites
    who = Visitor() if elsewhere else site.signed_in(request)
    linked = links_for(request)

    def make() -> Content:
        status = 200
        try:
            with site.stores.borrowed() as store:
                page = found.make(store)
        except PageRefused as refused:
            page, status = refused.page, refused.status
        except StoreMissing:
            if found.entry.needs_store:
                raise
            page = found.make(None)
        return Content(render(page, linked, **site.values(who)).encode(), status)

    pattern = found.entry.pattern
    address = "\n".join((who.key, linked.origin, repr(found.names), pattern, repr(found.asked)))
    entry = found.entry
    made = await site.made(request, pattern, address, make, entry.kept_s, beside_store=entry.beside_store)
    if made.status != 200:
        return Response(made.content, made.status, {"Cache-Control": "no-store"}, _HTML)
    headers = {"Cache-Control": "no-store" if who.key else "no-cache"}
    headers |= {"Content-Security-Policy": POLICY_ELSEWHERE} if elsewhere else {"Vary": "Cookie"}
    return answer_packed(request.headers, made.content, made.packed, _HTML, headers, made.tag)


async def _public_file(site: Site, request: Request, file: File, names: Mapping[str, str]) -> Response:
    """Return a file, or 304; CSV with a byte order mark if the address asks for it with `bom=1`."""
    asked = asked_for(request, *file.asks) if file.asks else {}
    wish = FileWish(links_for(request), site.about.name, asked)

    def make() -> Content:
        with site.stores.borrowed() as store:
            try:
                return Content(file.make(store, wish, **names))
            except NotUnderstood as error:
                return Content(f"{error}\n".encode(), 400)
            except Refusal as refusal:
                return Content(f"{refusal}\n".encode(), refusal.status)

    address = "\n".join(("file", file.pattern, wish.links.whole(()), repr(names), repr(asked)))
    made = await site.made(request, file.pattern.rpartition("/")[2], address, make, file.kept_s)
    if made.status != 200:
        return Response(made.content, made.status, media_type="text/plain; charset=utf-8")
    headers = {"Cache-Control": f"public, max-age={file.kept_s:.0f}" if file.kept_s else "no-cache"}
    if file.is_table:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(asked_path(request)[1:]))
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
        if name.endswith(".csv") and request.query_params.getlist("bom") == ["1"]:
            made = replace(made, content=BOM_UTF8 + made.content, packed=b"")
    return answer_packed(request.headers, made.content, made.packed, file.media_type, headers, made.tag)


def asked_path(request: Request) -> Path:
    """Return the path of the page that a request asks for; names may have escaped slashes."""
    return path_of(sent_path(request.scope))
