"""The page on which members set up where news of their bots and leagues is sent, and try it out."""

from functools import partial

from fastapi import HTTPException, Request, Response

from arena.core.errors import UsageError
from arena.web.html.page_model import Crumb, Page
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live.routing import Router, answer, see_other
from arena.web.live.site import Site, Visitor, address_of, site_of
from arena.web.live.visitors import Form, member_form, member_of, new_form_id
from arena.web.routes.account import PathNumber, noted
from arena.web.site_file import audit, pending_commands
from arena_webhooks import tables
from arena_webhooks.addresses import MOST_CHARS, target_of
from arena_webhooks.news import Given, body

HERE = ("account", "webhooks")
POLLS_S = 2
MOST_MESSAGES = 20
_MISSING = "You have no such webhook. It may have been removed already."
_TOO_OFTEN = (
    f"You have sent {tables.MOST_TESTS} test messages in an hour, or had {tables.MOST_PER_HOUR} messages. "
    "Try again later."
)

router = Router()


@router.page("/account/webhooks")
def _get_webhooks(request: Request) -> Response:
    return answer(request, _page(request))


@router.post("/account/webhooks")
async def _post_webhook(request: Request) -> Response:
    who, form = await member_form(request)
    try:
        await in_site_file_thread(_added, site_of(request), who, form, address_of(request))
    except UsageError as error:
        problem = f"{error}: {error.hint}"
        chosen = [event for event in tables.EVENTS if form.line(event)]
        page = await in_site_file_thread(partial(_page, request, problem, chosen))
        return answer(request, page, 400)
    return see_other("/account/webhooks")


def _added(site: Site, who: Visitor, form: Form, address: str) -> None:
    """Add a webhook, unless the form was sent before. Raises UsageError, which doesn't have the address in it."""
    given, now = form.line("address"), site.file.now()
    host = target_of(given).host
    events = [event for event in tables.EVENTS if form.line(event)]
    with site.file.writing() as db:
        if not pending_commands.add(db, form.id, who.account, "new webhook", {"name": host}, now):
            return
        number = tables.add(db, who.account, given, host, events, now)
        words = f"added webhook {number} to {host}"
        pending_commands.answered(db, form.id, "done", words, now)
        audit.note(db, now, who.account, words, address)


@router.post("/account/webhooks/{number}/remove")
async def _post_remove(request: Request, number: PathNumber) -> Response:
    who, _ = await member_form(request)
    removal = f"removed webhook {number}"
    await noted(request, who, removal, lambda db, _: tables.remove(db, who.account, number), _MISSING)
    return see_other("/account/webhooks")


@router.post("/account/webhooks/{number}/test")
async def _post_test(request: Request, number: PathNumber) -> Response:
    who, _ = await member_form(request)
    site = site_of(request)

    def queued() -> bool:
        with site.file.writing() as db:
            mine = [one for one in tables.of_account(db, who.account) if one.number == number]
            if not mine or mine[0].ended_at:
                raise HTTPException(404, _MISSING)
            words = ("A test message for ", Given(who.account), ": this webhook works.")
            return tables.send(db, mine[0], tables.TEST, body(words), site.file.now())

    if not await in_site_file_thread(queued):
        raise HTTPException(429, _TOO_OFTEN, headers={"Retry-After": "3600"})
    return see_other("/account/webhooks")


def _page(request: Request, problem: str = "", chosen: list[tables.Event] | None = None) -> Page:
    """Return the page of whoever asks. The address that was typed isn't shown again, as it is a secret."""
    who, site = member_of(request), site_of(request)
    with site.file.reading() as db:
        mine = tables.of_account(db, who.account)
        messages = tables.messages_of(db, who.account, MOST_MESSAGES)
    values = {
        "webhooks": mine,
        "hosts": {one.number: one.host for one in mine},
        "messages": messages,
        "events": tables.EVENTS,
        "chosen": list(tables.EVENTS) if chosen is None else chosen,
        "most": tables.MOST,
        "most_chars": MOST_CHARS,
        "most_failures": tables.MOST_FAILURES,
        "problem": problem,
        "form_id": new_form_id(),
    }
    is_sending = any(one.state in ("waiting", "sending") for one in messages)
    crumbs = (Crumb(who.account, ("account",)),)
    return Page(
        HERE, "Webhooks", "arena_webhooks:webhooks.html", values, crumbs, polls_s=POLLS_S if is_sending else 0
    )
