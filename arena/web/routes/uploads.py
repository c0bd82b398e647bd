"""Submitting a bot in the browser: the form, and the pages of uploads."""

from collections.abc import Sequence
from functools import partial

from fastapi import HTTPException, Request, Response
from fastapi.responses import JSONResponse
from msgspec import Struct

from arena.client.answers import ENDED, Upload
from arena.core.errors import ArenaError
from arena.league.changes.change import subject
from arena.web.html.page import Crumb, NoPage, Page
from arena.web.html.wording import on_pages
from arena.web.http.bodies import NotReceived
from arena.web.http.page_threads import in_site_file_thread
from arena.web.http.security import is_csrf
from arena.web.live.own_uploads import own_upload, own_uploads
from arena.web.live.requests import ArchiveForm, member_of, read_archive_form
from arena.web.live.routing import Router, answer, in_threads, links_for, see_other
from arena.web.live.site import Site, Visitor, address_of, site_of
from arena.web.uploads.receiving import MIB
from results.base.errors import LedgerError
from results.records import LeagueRecord
from results.store import Store

POLLS_S = 1
MOST_SHOWN = 50
SUBMIT = Crumb("Submit a bot", ("submit",))


class Allowance(Struct, frozen=True):
    """One limit on uploads, and how much of it is used."""

    what: str
    used: float
    limit: float
    unit: str = ""
    decimals: int = 0


router = Router()


@router.page("/submit")
def _get_submit(request: Request) -> Response:
    who = member_of(request)
    chosen = tuple(request.query_params.getlist("league"))[:20]
    return answer(request, _form(site_of(request), who, chosen))


@router.post("/submit")
async def _post_submit(request: Request) -> Response:
    who = member_of(request)
    site = site_of(request)
    chosen: tuple[str, ...] = ()
    try:
        number = await in_site_file_thread(_begin, site, who, request)
        try:
            sent = await read_archive_form(request, site.reception.limits)
        except BaseException as error:
            await in_site_file_thread(
                site.reception.broken, number, str(error) or "the form didn't arrive whole"
            )
            raise
        chosen = sent.leagues
        try:
            await _receive(site, who, number, sent, request)
        finally:
            await sent.close()
    except (NotReceived, ArenaError) as error:
        status = error.status if isinstance(error, NotReceived) else 400
        if _wants_json(request):
            return JSONResponse({"message": str(error), "hint": on_pages(error.advice)}, status)
        return await in_threads(request, partial(_refused, request, who, chosen, error, status))
    if _wants_json(request):
        return JSONResponse({"path": links_for(request).page((), ("uploads", number))}, 201)
    return see_other(f"/uploads/{number}")


@router.page("/uploads")
def _get_uploads(request: Request) -> Response:
    who = member_of(request)
    found = own_uploads(site_of(request), who, MOST_SHOWN)
    values = {"uploads": found, "is_everybody": who.organises}
    return answer(request, Page(("uploads",), "Uploads", "uploads.html", values, crumbs=(SUBMIT,), polls_s=5))


@router.page("/uploads/{number}")
def _get_upload(request: Request, number: str) -> Response:
    who = member_of(request)
    found = own_upload(site_of(request), who, number)
    if found is None:
        raise NoPage("You have no such upload.")
    trouble = site_of(request).upload_trouble() if found.state == "queued" else ""
    return answer(request, upload_page(found), trouble=trouble)


def upload_page(upload: Upload) -> Page:
    """Return the page of an upload."""
    over = upload.state in ENDED
    return Page(
        ("uploads", upload.id),
        f"{upload.bot or upload.archive}: {upload.state}",
        "upload.html",
        {
            "upload": upload,
            "is_over": over,
            "version": upload.version.replace("@", "/").split("/") if upload.version else (),
        },
        crumbs=(SUBMIT, Crumb("Uploads", ("uploads",))),
        polls_s=POLLS_S if not over else 10 if upload.places else 0,
    )


def _open_leagues(store: Store) -> list[LeagueRecord]:
    """Return the leagues that bots can enter now."""
    found = []
    for league in store.leagues.all():
        if league.ruleset is None:
            continue
        try:
            subject(store, league.name).changes_at()
        except ArenaError:
            continue
        found.append(league)
    return found


def _allowances(site: Site, account: str) -> list[Allowance]:
    """Return the limits on an account's uploads, and what is used of them. Raises SiteFileError."""
    limits, use = site.reception.limits, site.reception.use(account)
    return [
        Allowance("Uploads today (UTC)", use.today, limits.per_day),
        Allowance("Your uploads in progress", use.in_progress, limits.in_progress),
        Allowance("Kept files of your versions", use.kept_bytes / MIB, limits.kept_bytes / MIB, "MiB", 1),
        Allowance("Everybody's uploads in the queue", use.queue, limits.queue),
    ]


def _form(site: Site, who: Visitor, chosen: Sequence[str]) -> Page:
    try:
        with site.stores.borrowed() as store:
            leagues = _open_leagues(store)
    except LedgerError:
        leagues = []
    return Page(
        ("submit",),
        "Submit a bot",
        "submit.html",
        {
            "leagues": leagues,
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
    """Return the form again, with what is wrong."""
    page = _form(site_of(request), who, chosen)
    return answer(request, page, status, problem=str(error), hint=error.advice)


def _begin(site: Site, who: Visitor, request: Request) -> str:
    """Take a place in the queue before anything is read. Raises NotReceived."""
    if not site.takes_uploads:
        raise NotReceived(503, "this server takes no uploads", "ask its organiser")
    if trouble := site.upload_trouble():
        raise NotReceived(503, trouble, "tell its organiser, and try again later")
    length = request.headers.get("content-length", "")
    size = int(length[:20]) if length.isascii() and length.isdigit() else None
    limit = site.reception.limits.body_bytes
    if size is not None and limit < size <= limit + 65_536:
        size = limit
    return site.reception.begin(who.account, "", (), size)


async def _receive(site: Site, who: Visitor, number: str, sent: ArchiveForm, request: Request) -> None:
    """Put the archive of a form in the queue. Raises NotReceived and HTTPException; then the upload has ended."""
    try:
        if not is_csrf(sent.csrf, who.csrf):
            raise HTTPException(
                403,
                "This form comes from another session, or from another site. Load its page again and resend it.",
            )
        if sent.file is None:
            raise NotReceived(400, "no file was chosen", "choose the archive of your bot")
        await in_site_file_thread(site.reception.name, number, sent.name, sent.leagues)
    except (NotReceived, ArenaError, HTTPException) as error:
        await in_site_file_thread(site.reception.broken, number, str(getattr(error, "detail", error)))
        raise
    await site.reception.receive(number, who.account, sent.pieces(), address_of(request))


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")
