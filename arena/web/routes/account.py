"""The page of an account: its sessions, tokens and bots."""

import secrets
from collections.abc import Callable
from typing import Annotated, NamedTuple

from fastapi import HTTPException, Path, Request, Response

from arena.web.html.page_model import Crumb, Page
from arena.web.html.paging import asks_of, listed
from arena.web.http.allowed_hosts import LOOPBACK_NAMES, is_loopback, own_path
from arena.web.http.page_threads import in_site_file_thread
from arena.web.http.security import FORM, SESSION, csrf_of, read_cookie, remove_cookie, set_cookie
from arena.web.live.routing import Router, answer, in_threads, see_other
from arena.web.live.site import Site, TooManyAttempts, Visitor, address_of, site_of
from arena.web.live.visitors import (
    Form,
    asked_for,
    check_csrf,
    member_form,
    member_of,
    new_form_id,
    read_form,
)
from arena.web.organising.deliveries import describe
from arena.web.pages.first_bot import LANGUAGES, steps
from arena.web.site_file import accounts, audit, pending_commands
from arena.web.site_file.site_database import Transaction
from results.base.errors import LedgerError
from results.base.text import counted

MOST = 2**63 - 1
PathNumber = Annotated[int, Path(ge=0, le=MOST)]


MOST_COMMANDS = 20
_TOO_MANY = f"You have {accounts.MOST_TOKENS} tokens. Revoke one that you no longer need."

router = Router()


@router.page("/account")
def _get_account(request: Request) -> Response:
    return answer(request, account_page(request))


@router.post("/account/sessions/{session}/end")
async def _post_session_end(request: Request, session: PathNumber) -> Response:
    who, _ = await member_form(request)
    await noted(
        request,
        who,
        f"ended session {session}",
        lambda db, now: accounts.end_session(db, who.account, session, now),
        "You have no such session. It may have ended already.",
    )
    if session == who.session:
        response = see_other("/")
        remove_cookie(response, request, SESSION)
        return response
    return see_other("/account")


@router.post("/account/tokens/{token}/revoke")
async def _post_token_revoke(request: Request, token: PathNumber) -> Response:
    who, _ = await member_form(request)
    await noted(
        request,
        who,
        f"revoked their own token {token}",
        lambda db, now: accounts.revoke_token(db, who.account, token, now),
        "You have no such token. It may have ended already.",
    )
    return see_other("/account")


@router.post("/account/tokens")
async def _post_token(request: Request) -> Response:
    who, form = await member_form(request)
    made = await in_site_file_thread(_new_token, site_of(request), who, form, address_of(request))
    if made is None:
        return see_other("/account")
    notice = "" if made else _TOO_MANY
    return await in_threads(
        request, lambda: answer(request, account_page(request), token=made, notice=notice)
    )


def _new_token(site: Site, who: Visitor, form: Form, address: str) -> str | None:
    """Return a new token for the member who asks; empty if they have too many, None if the form was sent before."""
    now = site.file.now()
    with site.file.writing() as db:
        if not pending_commands.add(db, form.id, who.account, "new token", {}, now):
            return None
        token = accounts.own_token(db, who.account, now) or ""
        words = f"made themselves token {accounts.tokens_of(db, who.account)[0].id}" if token else _TOO_MANY
        pending_commands.answered(db, form.id, "done" if token else "refused", words, now)
        if token:
            audit.note(db, now, who.account, words, address)
    return token


async def noted(
    request: Request, who: Visitor, what: str, act: Callable[[Transaction, str], bool], missing: str
) -> None:
    """Do something in the site's file, and note in the audit log that `who` did `what`.

    `act` gets the time, and returns whether there was anything to do. If not, raises HTTPException 404, which says what
    is `missing`.
    """
    file = site_of(request).file

    def acted() -> bool:
        now = file.now()
        with file.writing() as db:
            has_acted = act(db, now)
            if has_acted:
                audit.note(db, now, who.account, what, address_of(request))
        return has_acted

    if not await in_site_file_thread(acted):
        raise HTTPException(404, missing)


def account_page(request: Request) -> Page:
    """Return the page of the account that asks. Raises SignInNeeded."""
    who = member_of(request)
    site = site_of(request)
    now = site.file.now()
    asked = asked_for(request, *asks_of("bots", "sessions", "tokens"))
    here = ("account",)
    with site.file.reading() as db:
        sessions = accounts.open_sessions(db, who.account, now)
        tokens = [
            token
            for token in accounts.tokens_of(db, who.account)
            if token.is_valid(now) and not token.is_invitation
        ]
        values = {
            "sessions": listed(sessions, here, asked, lambda one: one.browser, name="sessions"),
            "this_session": who.session,
            "tokens": listed(tokens, here, asked, lambda one: str(one.id), name="tokens"),
            "token": "",
            "form_id": new_form_id(),
            "commands": [
                (one, describe(one)) for one in pending_commands.newest(db, MOST_COMMANDS, who.account)
            ],
        }
    try:
        with site.stores.borrowed() as store:
            versions = store.versions.all(author=who.account)
            first = steps(store) if not versions else {}
    except LedgerError:  # there is no store yet
        versions, first = [], steps(None)
    newest = {version.bot: version for version in versions}
    return Page(
        here,
        who.account,
        "account.html",
        {
            **first,
            **values,
            "bots": listed(list(newest.values()), here, asked, lambda one: one.bot, name="bots"),
            "role": who.role,
            "extensions": site.extensions,
        },
        scripts=("first-bot.js",) if first else (),
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


class _Door(NamedTuple):
    """A page that begins a session for a secret."""

    path: str
    title: str
    field: str
    """The name of the secret in the form."""
    refused: str
    """The same for wrong, expired, revoked and used ones, so that nobody can find out which ones there were."""
    scripts: tuple[str, ...] = ()


_SIGN_IN = _Door(
    "sign-in",
    "Sign in",
    "token",
    "This token isn't valid, or has expired: check that you pasted all of it, or ask an organiser for an invitation.",
)
_JOIN = _Door(
    "join",
    "Join",
    "code",
    "This invitation isn't valid: it may have been used, or have expired. Ask an organiser for a new one.",
    ("join.js", "send-once.js"),
)


@router.page("/sign-in")
async def _get_sign_in(request: Request) -> Response:  # no other work delays it
    return _door_page(request, _SIGN_IN, own_path(request.query_params.get("next", ""), AFTER))


@router.post("/sign-in")
async def _post_sign_in(request: Request) -> Response:
    return await _posted(request, _SIGN_IN)


@router.page("/join")
async def _get_join(request: Request) -> Response:  # no other work delays it
    return _door_page(request, _JOIN)


@router.post("/join")
async def _post_join(request: Request) -> Response:
    return await _posted(request, _JOIN)


@router.post("/sign-out")
async def _post_sign_out(request: Request) -> Response:
    who, _ = await member_form(request)
    await in_site_file_thread(site_of(request).sign_out, who, address_of(request))
    response = see_other("/")
    remove_cookie(response, request, SESSION)
    return response


async def _posted(request: Request, door: _Door) -> Response:
    form = await read_form(request)
    check_csrf(form, csrf_of(read_cookie(request, FORM)))
    return await in_site_file_thread(_signed_in, request, door, form)


def _signed_in(request: Request, door: _Door, form: Form) -> Response:
    """Begin a session, or return the form again."""
    after = own_path(form.line("next"), AFTER)
    try:
        session = site_of(request).sign_in(request, form.line(door.field), by_link=door is _JOIN)
    except TooManyAttempts as error:
        wait = f"{error} Try again in {counted(error.minutes, 'minute')}. Everything that needs no account still works."
        refused = _door_page(request, door, after, wait, 429)
        refused.headers.update(error.headers)
        return refused
    if session is None:
        return _door_page(request, door, after, door.refused, 403)
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


def _door_page(
    request: Request, door: _Door, after: str = AFTER, problem: str = "", status: int = 200
) -> Response:
    cookie = read_cookie(request, FORM) or secrets.token_urlsafe(32)
    values = {
        "after": after,
        "problem": problem,
        "is_readable": _is_readable_on_the_way(request),
        "languages": LANGUAGES,
    }
    template = f"{door.path.replace('-', '_')}.html"
    page = Page((door.path,), door.title, template, values, scripts=door.scripts)
    response = answer(request, page, status, form_csrf=csrf_of(cookie))
    set_cookie(response, request, FORM, cookie)
    return response
