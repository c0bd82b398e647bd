"""The organiser's pages: what goes on, and changes to leagues."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from types import MappingProxyType

import msgspec
from fastapi import HTTPException, Request, Response
from msgspec import inspect

from arena.core.errors import ArenaError, UsageError
from arena.league.changes.base import LeagueChange
from arena.league.changes.whole_league import Extend, possible
from arena.league.inbox.dispatch import CHANGES
from arena.league.inbox.files import InboxView
from arena.submissions.manifest import plays
from arena.web.html.links import LiveLinks
from arena.web.html.page_model import MOST_CONTACT, MOST_TEXT, MOST_TITLE, About, Crumb, NoPage, Page
from arena.web.html.paging import A_PAGE, Asked, asks_of, listed, part_of, said
from arena.web.http.allowed_hosts import prefix_of
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live.routing import Router, answer, in_threads, see_other
from arena.web.live.site import Site, Visitor, address_of, site_of
from arena.web.live.visitors import Form, asked_for, new_form_id, organiser_form, organiser_of
from arena.web.organising.deliveries import describe, describe_line
from arena.web.organising.league_file_text import refuse_not_starting
from arena.web.play_tables.setup import bots_to_enter
from arena.web.routes.account import PathNumber, noted
from arena.web.site_file import accounts, audit, pending_commands
from arena.web.site_file.site_database import Transaction
from results.base.clock import utc_text
from results.base.errors import LedgerError, UnknownLeague
from results.reports.league_states import state_of_entry
from results.reports.leagues import league_row
from results.reports.status import StatusReader
from results.reports.status_rows import CommandRow
from results.store import runner_of

ORGANISE = Crumb("Organise", ("organiser",))
POLLS_S = 5
MOST_COMMANDS = 10
MOST_ASKED = 200
"""Changes of the site that the list of the inbox leaves out, because the audit log has them."""
_MOST_DIGITS = 100

router = Router()


@router.page("/organiser")
def _get_overview(request: Request) -> Response:
    organiser_of(request)
    asked = asked_for(request, *asks_of("leagues", "absent", "quotas"))
    return answer(request, _overview(site_of(request), asked))


@router.page("/organiser/leagues/{league}")
def _get_league(request: Request, league: str) -> Response:
    organiser_of(request)
    return answer(request, _league_page(site_of(request), league, asked_for(request, *asks_of("entries"))))


@router.page("/organiser/leagues/{league}/{action}")
def _get_change(request: Request, league: str, action: str) -> Response:  # noqa: ARG001 - of the form that was refused
    organiser_of(request)
    return see_other(LiveLinks().page((), ("organiser", "leagues", league)))


@router.post("/organiser/leagues/{league}/{action}")
async def _post_change(request: Request, league: str, action: str) -> Response:
    who, form = await organiser_form(request)
    site = site_of(request)
    try:
        change = change_of(action, league, form)
        if change is not None:
            await in_threads(request, partial(refuse_not_starting, site.stores.path, change))
    except LedgerError:
        raise  # the store can't be read
    except (BadField, ArenaError) as error:
        page = await in_threads(request, partial(_league_page, site, league))
        return answer(
            request, page, 400, problem=str(error), typed=defaultdict(str, form.fields, action=action)
        )
    if change is None:
        raise HTTPException(404, "There is no such change.")
    give = partial(site.deliveries.give, who.account, form.id, change, address_of(request))
    command = await in_threads(request, give)
    return see_other(f"/account/commands/{command.uuid}")


def _overview(site: Site, asked: Asked) -> Page:
    with site.stores.borrowed() as store:
        waiting, files = InboxView(store.files).look()
        rows = [
            CommandRow(kind=one.kind, by=one.by, since=one.submitted_at, file=one.file) for one in waiting
        ]
        status = StatusReader(store).read(runner_of(site.stores.path), rows, files)
        with site.file.reading() as db:
            given = pending_commands.newest(db, MOST_ASKED)
        # What was asked for on the site has a table of its own.
        records = [store.commands.find(one.uuid) for one in given if one.state == "refused"]
        told = {(one.kind, one.by, one.taken_at) for one in records if one is not None}
    waiting_elsewhere = [
        row for row in status.inbox.waiting if not any(one.uuid in row.file for one in given)
    ]
    here = ("organiser",)
    values = {
        "status": status,
        "leagues": listed(status.leagues, here, asked, lambda row: row.name, name="leagues"),
        "absent": listed(status.absent, here, asked, lambda row: f"{row.league} {row.bot}", name="absent"),
        "quotas": listed(status.quotas, here, asked, lambda row: f"{row.league} {row.who}", name="quotas"),
        "runner_words": site.runner_words(),
        "unconfined": site.confinement.trouble if site.confinement else "",
        "upload_trouble": site.upload_trouble(),
        "commands": [(one, describe(one)) for one in given[:MOST_COMMANDS]],
        "waiting": waiting_elsewhere[:A_PAGE],
        "more_waiting": max(0, len(waiting_elsewhere) - A_PAGE),
        "refused": [row for row in status.inbox.refused if (row.kind, row.by, row.at) not in told][:A_PAGE],
    }
    return Page(("organiser",), "Organise", "organiser.html", values, polls_s=POLLS_S)


def _league_page(site: Site, name: str, asked: Asked = MappingProxyType({})) -> Page:
    with site.stores.borrowed() as store:
        try:
            league = store.leagues.get(name)
        except UnknownLeague as error:
            raise NoPage(str(error)) from None
        if league.ruleset is None:
            raise NoPage("Single games can't be changed.")
        roster = store.entries.roster(league.uuid)
        entries = store.entries.all(league.uuid)
        labels = {entry.entry_no: entry.label for entry in entries}
        here = ("organiser", "leagues", league.name)
        listing = listed(entries, here, asked, lambda one: one.label, name="entries")
        values: dict[str, object] = {
            "league": league_row(store, league),
            "paused": roster.league_paused,
            "entries": [(entry.label, state_of_entry(roster, entry.entry_no)) for entry in listing.rows],
            "part": listing.part,
            "labels": labels,
            "fields": {action: fields_of(kind) for action, kind in CHANGES.items() if kind.has_form},
            "possible": possible(store, league.name),
            "bots": [one.name for one in bots_to_enter(store) if plays(one.games, league.ruleset.game)][
                :A_PAGE
            ],
            "form_id": new_form_id,
            "problem": "",
            "typed": defaultdict(str),
        }
    return Page(here, league.name, "organise_league.html", values, (ORGANISE,))


class BadField(Exception):
    """A field of a form has a value that can't be used; the text says which and why."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a change that can be typed; its bounds are those of the change."""

    type: inspect.StrType | inspect.IntType | inspect.FloatType
    title: str
    hint: str
    default: object
    """What an empty field means; NODEFAULT if it has to be filled in."""

    def value_of(self, typed: str) -> object:
        """Return what somebody typed as a value of the field. Raises BadField."""
        if not typed and self.default is not msgspec.NODEFAULT:
            return self.default
        if not typed:
            raise BadField(f"{self.title}: this field can't be empty")
        most = self.type.max_length if isinstance(self.type, inspect.StrType) else _MOST_DIGITS
        if most is not None and len(typed) > most:
            raise BadField(f"{self.title}: at most {most} characters are allowed, and these are {len(typed)}")
        return typed if isinstance(self.type, inspect.StrType) else self._number(self.type, typed)

    def _number(self, kind: inspect.IntType | inspect.FloatType, typed: str) -> float:
        whole = isinstance(kind, inspect.IntType)
        try:
            value = int(typed) if whole else float(typed)
        except ValueError:
            raise BadField(f"{self.title}: {typed!r} is not a {'whole ' if whole else ''}number") from None
        least, most = kind.gt if kind.ge is None else kind.ge, kind.le
        if least is None or most is None:
            raise AssertionError(f"{self.title} has no bounds")
        if not least <= value <= most or value == kind.gt:
            from_least = f"{least}" if kind.gt is None else f"more than {least}"
            raise BadField(f"{self.title}: {typed} is out of bounds; from {from_least} to {most:,}")
        return value


@cache
def fields_of(kind: type[LeagueChange]) -> Mapping[str, FormField]:
    """Return the fields of a change that can be typed, by name; the league is in the address."""
    struct = inspect.type_info(kind)
    if not isinstance(struct, inspect.StructType):
        raise AssertionError("a change is a struct")
    found = {}
    for field in struct.fields:
        options = field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,)
        for option in options:
            said = (option.extra_json_schema or {}) if isinstance(option, inspect.Metadata) else {}
            inner = option.type if isinstance(option, inspect.Metadata) else option
            if field.name != "league" and isinstance(
                inner, inspect.StrType | inspect.IntType | inspect.FloatType
            ):
                title, hint = str(said.get("title", field.name)), str(said.get("description", ""))
                found[field.name] = FormField(inner, title, hint, field.default)
    return found


def change_of(action: str, league: str, form: Form) -> LeagueChange | None:
    """Return the change that a form asks for; None if there is no such form. Raises BadField."""
    kind = CHANGES.get(action)
    if kind is None or not kind.has_form:
        return None
    values = {name: field.value_of(form.line(name)) for name, field in fields_of(kind).items()}
    if kind is Extend and not any(values.values()):
        raise BadField("Say how much longer the league goes on")
    try:
        return msgspec.convert({"league": league, **values}, kind)
    except msgspec.ValidationError as error:  # of the league's name in the address, which no field has
        raise BadField(f"the league can't be changed: {error}") from None


_DAYS = f"leave the field empty for {accounts.INVITED_DAYS} days"


@router.page("/organiser/accounts")
def _get_accounts(request: Request) -> Response:
    organiser_of(request)
    asked = asked_for(request, *asks_of("accounts", "invitations"))
    return answer(request, _accounts_page(site_of(request), asked))


@router.post("/organiser/accounts")
async def _post_invite(request: Request) -> Response:
    who, form = await organiser_form(request)
    return await in_site_file_thread(_invited, request, who, form)


@router.post("/organiser/accounts/{name}/revoke")
async def _post_account_revoke(request: Request, name: str) -> Response:
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


@router.post("/organiser/accounts/{name}/invitations/{number}/revoke")
async def _post_invitation_revoke(request: Request, name: str, number: PathNumber) -> Response:
    who, _ = await organiser_form(request)

    def revoke(db: Transaction, now: str) -> bool:
        still_open = [(one.account, one.id) for one in accounts.open_invitations(db, now)]
        return (name, number) in still_open and accounts.revoke_token(db, name, number, now)

    missing = "There is no such invitation. It may have been used, or have expired."
    await noted(request, who, f"revoked invitation {number} of {name}", revoke, missing)
    return see_other("/organiser/accounts")


def _invited(request: Request, who: Visitor, form: Form) -> Response:
    """Invite somebody; return the page with the token, or with what is wrong."""
    site = site_of(request)
    try:
        code, until = _invite(site, who, form, address_of(request))
    except UsageError as error:
        page = _accounts_page(
            site, problem=str(error), hint=error.advice, typed=defaultdict(str, form.fields)
        )
        return answer(request, page, 400)
    name, role = form.line("account_name"), _role_in(form)
    link = accounts.join_link(f"{request.url.scheme}://{request.url.netloc}{prefix_of(request.scope)}", code)
    return answer(
        request, _accounts_page(site, link=link, until=until, invited=name, invited_role=role, by=who.account)
    )


def _invite(site: Site, who: Visitor, form: Form, address: str) -> tuple[str, str]:
    """Invite an account; return the code and until when it is valid. Raises UsageError."""
    name, days = form.line("account_name"), form.line("days")
    most = accounts.MOST_INVITED_DAYS
    if days and not (days.isascii() and days.isdigit()):
        raise UsageError(f"{days[:100]!r} is not a number of days", _DAYS)
    if days and not (len(days) < 9 and 0 < int(days) <= most):
        raise UsageError(f"an invitation expires after 1 to {most} days, not after {days[:100]}", _DAYS)
    role, change_role = _role_in(form), bool(form.line("change_role"))
    if change_role and name == who.account and role != who.role:
        raise UsageError("you can't change your own role", "ask another organiser")
    now = site.file.now()
    lasts = timedelta(days=int(days) if days else accounts.INVITED_DAYS)
    until = utc_text(datetime.fromisoformat(now) + lasts)
    with site.file.writing() as db:
        if not pending_commands.add(db, form.id, who.account, "invite", {"name": name, "role": role}, now):
            raise UsageError(
                "this form was sent before, and its link was shown then", "invite again if it was lost"
            )
        before = accounts.find(db, name)
        try:
            code = accounts.invite(
                db, name, role, who.account, now, until, change_role=change_role, by_link=True
            )
        except accounts.OtherRole as other:
            other.advice = (
                f"for another link of an {other.role}, choose that role; to make {name} an {role}, "
                "also tick “Change the role of an existing account”"
            )
            raise
        number = accounts.tokens_of(db, name)[0].id
        was = f" (was {before.role})" if before and before.role != role else ""
        words = f"invited {name} as {role}{was}, invitation {number}"
        pending_commands.answered(db, form.id, "done", words, now)
        audit.note(db, now, who.account, words, address)
    return code, until


def _role_in(form: Form) -> accounts.Role:
    return "organiser" if form.line("account_role") == "organiser" else "author"


def _accounts_page(site: Site, asked: Asked = MappingProxyType({}), **more: object) -> Page:
    now = site.file.now()
    here = ("organiser", "accounts")
    with site.file.reading() as db:
        listing = listed(accounts.every(db), here, asked, lambda one: one.name, name="accounts")
        rows = [
            {
                "account": account,
                "tokens": accounts.valid_tokens(db, account.name, now),
                "sessions": len(accounts.open_sessions(db, account.name, now)),
            }
            for account in listing.rows
        ]
        invitations = accounts.open_invitations(db, now)
    values = {
        "rows": rows,
        "part": listing.part,
        "invitations": listed(invitations, here, asked, lambda one: one.account, name="invitations"),
        "days": accounts.INVITED_DAYS,
        "most_days": accounts.MOST_INVITED_DAYS,
        "link": "",
        "invited": "",
        "invited_role": "",
        "problem": "",
        "hint": "",
        "typed": defaultdict(str),
        "form_id": new_form_id(),
        **more,
    }
    return Page(here, "Accounts", "organiser_accounts.html", values, (ORGANISE,))


@router.page("/organiser/settings")
def _get_settings(request: Request) -> Response:
    organiser_of(request)
    return answer(request, _settings_page(site_of(request), site_of(request).about))


@router.post("/organiser/settings")
async def _post_settings(request: Request) -> Response:
    who, form = await organiser_form(request)
    given = {
        "title": form.line("site_title"),
        "text": form.text("site_text").strip(),
        "contact": form.line("site_contact"),
    }
    try:
        about = About(**given)
    except UsageError as error:
        page = _settings_page(site_of(request), About(), given, str(error))
        return await in_threads(request, partial(answer, request, page, 400))
    await in_site_file_thread(site_of(request).say_about, about, who.account, address_of(request))
    return see_other("/organiser/settings")


def _settings_page(
    site: Site, about: About, typed: Mapping[str, str] | None = None, problem: str = ""
) -> Page:
    """Return the form; `typed`: what was refused, with the `problem`."""
    values = {
        "typed": typed or {"title": about.title, "text": about.text, "contact": about.contact},
        "most": {"title": MOST_TITLE, "text": MOST_TEXT, "contact": MOST_CONTACT},
        "problem": problem,
        "extensions": site.extensions,
    }
    return Page(("organiser", "settings"), "Settings of the site", "settings.html", values, (ORGANISE,))


@router.page("/organiser/audit")
def _get_audit_log(request: Request) -> Response:
    organiser_of(request)
    asked = asked_for(request, *asks_of("lines"))
    text = said(asked, "lines", "find")
    with site_of(request).file.reading() as db:
        part = part_of(audit.count(db, text), "", ("organiser", "audit"), asked, name="lines")
        rows = [describe_line(db, line) for line in audit.newest(db, A_PAGE, part.first - 1, text)]
    values = {"rows": rows, "part": replace(part, is_long=part.is_long or bool(text))}
    return answer(request, Page(("organiser", "audit"), "Audit log", "audit.html", values, (ORGANISE,)))
