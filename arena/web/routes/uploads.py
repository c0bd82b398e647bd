"""Submitting a bot in the browser: the form, and the pages of uploads."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from starlette.datastructures import UploadFile

from arena.client.api_types import ENDED, Upload
from arena.core.errors import ArenaError
from arena.web.html.advice_words import on_pages
from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.paging import A_PAGE, Asked, asks_of, listed, part_of, said
from arena.web.http.body_limits_and_compression import NotReceived
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live.routing import Router, answer, in_threads, links_for, see_other
from arena.web.live.site import Site, Visitor, address_of, site_of
from arena.web.live.visible_uploads import own_upload, own_upload_count, own_uploads
from arena.web.live.visitors import Form, asked_for, check_csrf, member_of, read_form
from arena.web.pages.first_bot import open_leagues
from arena.web.uploads.receiving import MIB, MOST_LEAGUES
from results.base.errors import LedgerError

POLLS_S = 1
_PIECE_BYTES = 262_144
SUBMIT = Crumb("Submit a bot", ("submit",))


router = Router()


@router.page("/submit")
def _get_submit(request: Request) -> Response:
    who = member_of(request)
    chosen = tuple(request.query_params.getlist("league"))[:20]
    asked = asked_for(request, "league", *asks_of("leagues"))
    return answer(request, _form(site_of(request), who, chosen, asked))


@router.post("/submit")
async def _post_submit(request: Request) -> Response:
    who = member_of(request)
    site = site_of(request)
    form = Form({})
    try:
        number = await in_site_file_thread(site.begin_upload, request, who.account)
        try:
            form = await _archive_form(request, site.reception.limits.receive_s)
            check_csrf(form, who.csrf)
            if form.file is None:
                raise NotReceived(400, "no file was chosen", "choose the archive of your bot")
            await in_site_file_thread(site.reception.name, number, form.file.filename or "", form.leagues)
        except BaseException as error:
            words = str(getattr(error, "detail", error)) or "the form arrived incomplete"
            await in_site_file_thread(site.reception.broken, number, words)
            raise
        await site.reception.receive(number, who.account, _pieces(form.file), address_of(request))
    except (NotReceived, ArenaError) as error:
        status = error.status if isinstance(error, NotReceived) else 400
        if _wants_json(request):
            return JSONResponse({"message": str(error), "hint": on_pages(error.advice)}, status)
        return await in_threads(request, partial(_refused, request, who, form.leagues, error, status))
    finally:
        await request.close()
    if _wants_json(request):
        return JSONResponse({"path": links_for(request).page((), ("uploads", number))}, 201)
    return see_other(f"/uploads/{number}")


@router.page("/uploads")
def _get_uploads(request: Request) -> Response:
    who = member_of(request)
    site, asked = site_of(request), asked_for(request, *asks_of("uploads"))
    text = said(asked, "uploads", "find")
    part = part_of(own_upload_count(site, who, text), "", ("uploads",), asked, name="uploads")
    part = replace(part, is_long=part.is_long or bool(text))
    found = own_uploads(site, who, A_PAGE, part.first - 1, text)
    values = {"uploads": found, "part": part, "is_everybody": who.organises}
    return answer(request, Page(("uploads",), "Uploads", "uploads.html", values, crumbs=(SUBMIT,), polls_s=5))


@router.page("/uploads/{number}")
def _get_upload(request: Request, number: str) -> Response:
    who = member_of(request)
    found = own_upload(site_of(request), who, number)
    if found is None:
        raise NoPage("You have no such upload.")
    trouble = site_of(request).upload_trouble() if found.state == "queued" else ""
    return answer(request, upload_page(found, asked_for(request, *asks_of("places"))), trouble=trouble)


def upload_page(upload: Upload, asked: Asked = MappingProxyType({})) -> Page:
    """Return the page of an upload; `asked`: of the list of its leagues. Raises NoPage."""
    over, here = upload.state in ENDED, ("uploads", upload.id)
    places = listed(upload.places, here, asked, lambda one: f"{one.league} {one.label}", name="places")
    return Page(
        here,
        f"{upload.bot or upload.archive}: {upload.state}",
        "upload.html",
        {
            "upload": upload,
            "places": places,
            "is_over": over,
            "version": upload.version.replace("@", "/").split("/") if upload.version else (),
        },
        crumbs=(SUBMIT, Crumb("Uploads", ("uploads",))),
        polls_s=POLLS_S if not over else 10 if upload.places else 0,
    )


def _allowances(site: Site, account: str) -> list[tuple[str, float, float, int]]:
    """Return the limits on an account's uploads: what, used, limit and decimals. Raises SiteFileError."""
    limits, use = site.reception.limits, site.reception.use(account)
    return [
        ("Uploads today (UTC)", use.today, limits.per_day, 0),
        ("Your uploads in progress", use.in_progress, limits.in_progress, 0),
        ("Kept files of your versions (MiB)", use.kept_bytes / MIB, limits.kept_bytes / MIB, 1),
        ("Everybody's uploads in the queue", use.queue, limits.queue, 0),
    ]


def _form(site: Site, who: Visitor, chosen: Sequence[str], asked: Asked = MappingProxyType({})) -> Page:
    try:
        with site.stores.borrowed() as store:
            leagues = list(open_leagues(store))
    except LedgerError:
        leagues = []
    leagues.sort(key=lambda one: one.name not in chosen)
    return Page(
        ("submit",),
        "Submit a bot",
        "submit.html",
        {
            "leagues": listed(leagues, ("submit",), asked, lambda one: one.name, name="leagues"),
            "chosen": chosen,
            "allowances": _allowances(site, who.account),
            "most_mib": site.reception.limits.body_bytes // MIB,
            "most_minutes": site.reception.limits.check_s / 60,
            "takes_uploads": site.takes_uploads,
            "trouble": site.upload_trouble(),
            "uploads": own_uploads(site, Visitor(who.account), 5),
            "problem": "",
            "hint": "",
        },
        scripts=("submit.js",),
    )


def _refused(
    request: Request, who: Visitor, chosen: Sequence[str], error: ArenaError, status: int
) -> Response:
    page = _form(site_of(request), who, chosen)
    return answer(request, page, status, problem=str(error), hint=error.advice)


async def _archive_form(request: Request, most_s: float) -> Form:
    """Return the form with its archive. Raises NotReceived if it is too slow, HTTPException if it isn't one."""
    try:
        async with asyncio.timeout(most_s):
            return await read_form(request, MOST_LEAGUES + 5, most_files=1)
    except TimeoutError:
        raise NotReceived(408, "the archive took too long to arrive", "try a better connection") from None


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(_PIECE_BYTES):
        yield piece


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")
