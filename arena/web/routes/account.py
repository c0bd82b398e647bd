"""The page of an account: its sessions, tokens and bots."""

from collections.abc import Callable
from typing import Annotated

from fastapi import FastAPI, HTTPException, Path, Request, Response

from arena.web.access import member_of
from arena.web.forms import member_form
from arena.web.html.page import Page
from arena.web.http.page_threads import in_site_file_thread
from arena.web.http.session_cookie import SESSION, remove_cookie
from arena.web.live_pages import answer, see_other
from arena.web.organising.command_told import told
from arena.web.site import Visitor, address_of, site_of
from arena.web.site_file import accounts, audit, commands
from arena.web.site_file.file import Transaction
from results.base.errors import LedgerError

MOST = 2**63 - 1
PathNumber = Annotated[int, Path(ge=0, le=MOST)]


MOST_COMMANDS = 20


def add_to(app: FastAPI) -> None:
    """Add the routes."""

    @app.api_route("/account", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request) -> Response:
        return answer(request, account_page(request))

    @app.post("/account/sessions/{session}/end", include_in_schema=False)
    async def end_session(request: Request, session: PathNumber) -> Response:
        who = await _end(request, accounts.end_session, session, f"ended session {session}", "session")
        if session == who.session:
            response = see_other("/")
            remove_cookie(response, request, SESSION)
            return response
        return see_other("/account")

    @app.post("/account/tokens/{token}/revoke", include_in_schema=False)
    async def revoke_token(request: Request, token: PathNumber) -> Response:
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
            "commands": [(one, told(one)) for one in commands.newest(db, MOST_COMMANDS, who.account)],
        }
    try:
        with site.stores.borrowed() as store:
            versions = store.versions.all(author=who.account)
    except LedgerError:  # there is no store yet
        versions = []
    newest = {version.bot: version for version in versions}
    return Page(
        ("account",),
        who.account,
        "account.html",
        {**values, "bots": list(newest.values()), "role": who.role},
    )
