"""The organiser's page of accounts."""

from collections import defaultdict
from datetime import datetime, timedelta

from fastapi import FastAPI, HTTPException, Request, Response

from arena.core.errors import UsageError
from arena.web.access import organiser_of
from arena.web.forms import Form, new_form_id, organiser_form
from arena.web.html.page import Page
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live_pages import answer, see_other
from arena.web.routes.organiser import ORGANISE
from arena.web.site import Site, Visitor, address_of, site_of
from arena.web.site_file import accounts, audit, commands
from results.base.clock import utc_text

MOST_DAYS = 36_500
_NO_END = "leave the field empty for a token that never expires"


def add_to(app: FastAPI) -> None:
    """Add the routes."""

    @app.api_route("/organiser/accounts", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request) -> Response:
        organiser_of(request)
        return answer(request, _page(site_of(request)))

    @app.post("/organiser/accounts", include_in_schema=False)
    async def invite(request: Request) -> Response:
        who, form = await organiser_form(request)
        return await in_site_file_thread(_invited, request, who, form)

    @app.post("/organiser/accounts/{name}/revoke", include_in_schema=False)
    async def revoke(request: Request, name: str) -> Response:
        who, _ = await organiser_form(request)
        site = site_of(request)
        if name == who.account:
            raise HTTPException(400, "You can't revoke yourself. Ask another organiser.")

        def close() -> None:
            now = site.file.now()
            with site.file.writing() as db:
                accounts.close_account(db, name, now)
                audit.note(db, now, who.account, f"revoked the account {name}", address_of(request))

        try:
            await in_site_file_thread(close)
        except accounts.UnknownAccount as error:
            raise HTTPException(404, str(error)) from None
        return see_other("/organiser/accounts")


def _invited(request: Request, who: Visitor, form: Form) -> Response:
    """Invite somebody; return the page with the token, or with what is wrong."""
    site = site_of(request)
    try:
        token = _invite(site, who, form, address_of(request))
    except UsageError as error:
        page = _page(site, problem=str(error), hint=error.advice, typed=defaultdict(str, form.fields))
        return answer(request, page, 400)
    return answer(
        request, _page(site, token=token, invited=form.line("account_name"), invited_role=_role_in(form))
    )


def _invite(site: Site, who: Visitor, form: Form, address: str) -> str:
    """Give an account a new token; return it. Raises UsageError."""
    name, days = form.line("account_name"), form.line("days")
    if days and not (days.isascii() and days.isdigit()):
        raise UsageError(f"{days[:100]!r} is not a number of days", _NO_END)
    if days and not (len(days) < 9 and 0 < int(days) <= MOST_DAYS):
        raise UsageError(f"a token expires after 1 to {MOST_DAYS:,} days, not after {days[:100]}", _NO_END)
    role, change_role = _role_in(form), bool(form.line("change_role"))
    if change_role and name == who.account and role != who.role:
        raise UsageError("you can't change your own role", "ask another organiser")
    now = site.file.now()
    until = utc_text(datetime.fromisoformat(now) + timedelta(days=int(days))) if days else None
    with site.file.writing() as db:
        if not commands.add(db, form.id, who.account, "invite", {"name": name, "role": role}, now):
            raise UsageError(
                "this form was sent before, and its token was shown then", "invite again if it was lost"
            )
        before = accounts.find(db, name)
        try:
            token = accounts.invite(db, name, role, who.account, now, until, change_role=change_role)
        except accounts.OtherRole as other:
            other.advice = (
                f"for another token of an {other.role}, choose that role; to make {name} an {role}, "
                "also tick “Change the role of an existing account”"
            )
            raise
        number = accounts.tokens_of(db, name)[0].id
        was = f" (was {before.role})" if before and before.role != role else ""
        words = f"invited {name} as {role}{was}, token {number}"
        commands.answered(db, form.id, "done", words, now)
        audit.note(db, now, who.account, words, address)
    return token


def _role_in(form: Form) -> accounts.Role:
    return "organiser" if form.line("account_role") == "organiser" else "author"


def _page(site: Site, **more: object) -> Page:
    now = site.file.now()
    with site.file.reading() as db:
        rows = [
            {
                "account": account,
                "tokens": sum(token.is_valid(now) for token in accounts.tokens_of(db, account.name)),
                "sessions": len(accounts.open_sessions(db, account.name, now)),
            }
            for account in accounts.every(db)
        ]
    values = {
        "rows": rows,
        "token": "",
        "invited": "",
        "invited_role": "",
        "problem": "",
        "hint": "",
        "typed": defaultdict(str),
        "form_id": new_form_id(),
        **more,
    }
    return Page(("organiser", "accounts"), "Accounts", "organiser_accounts.html", values, (ORGANISE,))
