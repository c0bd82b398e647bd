"""The page of an account: its sessions, tokens and bots."""

import secrets
from collections.abc import Callable
from typing import Annotated

from fastapi import HTTPException, Path, Request, Response

from arena.web.html.page import Crumb, Page
from arena.web.http.addresses import LOOPBACK_NAMES, is_loopback, own_path
from arena.web.http.page_threads import in_site_file_thread
from arena.web.http.security import (
    FORM,
    SESSION,
    csrf_of,
    read_cookie,
    remove_cookie,
    set_cookie,
)
from arena.web.live.requests import Form, check_csrf, member_form, member_of, read_form
from arena.web.live.routing import Router, answer, see_other
from arena.web.live.site import TooManyAttempts, Visitor, address_of, site_of
from arena.web.organising.deliveries import describe
from arena.web.site_file import accounts, audit, pending_commands
from arena.web.site_file.file import Transaction
from results.base.errors import LedgerError
from results.base.text import counted

MOST = 2**63 - 1
PathNumber = Annotated[int, Path(ge=0, le=MOST)]


MOST_COMMANDS = 20

router = Router()


@router.page("/account")
def _get_account(request: Request) -> Response:
    return answer(request, account_page(request))


@router.post("/account/sessions/{session}/end")
async def _post_session_end(request: Request, session: PathNumber) -> Response:
    who = await _end(request, accounts.end_session, session, f"ended session {session}", "session")
    if session == who.session:
        response = see_other("/")
        remove_cookie(response, request, SESSION)
        return response
    return see_other("/account")


@router.post("/account/tokens/{token}/revoke")
async def _post_token_revoke(request: Request, token: PathNumber) -> Response:
    await _end(request, accounts.revoke_token, token, f"revoked their own token {token}", "token")
    return see_other("/account")


async def _end(
    request: Request, end: Callable[[Transaction, str, int, str], bool], number: int, noted: str, what: str
) -> Visitor:
    """End a session or a token of the account that asks, and note it; return who asks. Raises HTTPException 404."""
    who, _ = await member_form(request)
    site = site_of(request)

    def ended() -> bool:
        now = site.file.now()
        with site.file.writing() as db:
            is_ended = end(db, who.account, number, now)
            if is_ended:
                audit.note(db, now, who.account, noted, address_of(request))
        return is_ended

    if not await in_site_file_thread(ended):
        raise HTTPException(404, f"You have no such {what}. It may have ended already.")
    return who


def account_page(request: Request) -> Page:
    """Return the page of the account that asks. Raises SignInNeeded."""
    who = member_of(request)
    site = site_of(request)
    now = site.file.now()
    with site.file.reading() as db:
        values = {
            "sessions": accounts.open_sessions(db, who.account, now),
            "this_session": who.session,
            "tokens": [token for token in accounts.tokens_of(db, who.account) if token.is_valid(now)],
            "commands": [
                (one, describe(one)) for one in pending_commands.newest(db, MOST_COMMANDS, who.account)
            ],
        }
    try:
        with site.stores.borrowed() as store:
            versions = store.versions.all(author=who.account)
    except LedgerError:  # there is no store yet
        versions = []
    newest = {version.bot: version for version in versions}
    return Page(
        ("account",), who.account, "account.html", {**values, "bots": list(newest.values()), "role": who.role}
    )


POLLS_S = 2


@router.page("/account/commands/{uuid}")
def _get_command(request: Request, uuid: str) -> Response:
    who = member_of(request)
    with site_of(request).file.reading() as db:
        command = pending_commands.find(db, uuid)
    if command is None or not who.owns(command.account):
        raise HTTPException(404, "You have asked for nothing with this number.")
    said = describe(command)
    return answer(
        request,
        Page(
            ("account", "commands", uuid),
            f"{said.what.capitalize()}: {command.state}",
            "command.html",
            {"command": command, "words": said},
            crumbs=(Crumb(who.account, ("account",)),),
            polls_s=POLLS_S if command.state == "waiting" else 0,
        ),
    )


AFTER = "/account"
"""Where to go after a sign-in, unless the link says otherwise."""
_REFUSED = "This token isn't valid, or has expired: check that you pasted all of it, or ask an organiser for a new one."
"""The same for wrong, expired and revoked tokens, so that nobody can find out which ones there were."""


@router.page("/sign-in")
async def _get_sign_in(request: Request) -> Response:  # no other work delays it
    return _sign_in_page(request, own_path(request.query_params.get("next", ""), AFTER))


@router.post("/sign-in")
async def _post_sign_in(request: Request) -> Response:
    form = await read_form(request)
    check_csrf(form, csrf_of(read_cookie(request, FORM)))
    return await in_site_file_thread(_signed_in, request, form)


@router.post("/sign-out")
async def _post_sign_out(request: Request) -> Response:
    who, _ = await member_form(request)
    await in_site_file_thread(site_of(request).sign_out, who, address_of(request))
    response = see_other("/")
    remove_cookie(response, request, SESSION)
    return response


def _signed_in(request: Request, form: Form) -> Response:
    """Begin a session, or return the form again."""
    after = own_path(form.line("next"), AFTER)
    try:
        session = site_of(request).sign_in(request, form.line("token"))
    except TooManyAttempts as error:
        wait = f"{error} Try again in {counted(error.minutes, 'minute')}. Everything that needs no account still works."
        refused = _sign_in_page(request, after, wait, 429)
        refused.headers.update(error.headers)
        return refused
    if session is None:
        return _sign_in_page(request, after, _REFUSED, 403)
    response = see_other(after)
    set_cookie(response, request, SESSION, session)
    remove_cookie(response, request, FORM)
    return response


def _is_readable_on_the_way(request: Request) -> bool:
    """Return whether a token sent now would cross a network unencrypted, as far as that can be seen here."""
    if request.url.scheme == "https":
        return False
    is_here = request.client is not None and is_loopback(request.client.host)
    return not is_here or request.url.hostname not in LOOPBACK_NAMES


def _sign_in_page(request: Request, after: str, problem: str = "", status: int = 200) -> Response:
    cookie = read_cookie(request, FORM) or secrets.token_urlsafe(32)
    values = {"after": after, "problem": problem, "is_readable": _is_readable_on_the_way(request)}
    page = Page(("sign-in",), "Sign in", "sign_in.html", values)
    response = answer(request, page, status, form_csrf=csrf_of(cookie))
    set_cookie(response, request, FORM, cookie)
    return response
