"""`arena accounts invite|list|revoke`: the accounts of the site."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.messages import answer, say
from arena.core.errors import UsageError
from arena.web.site_file import accounts as site_accounts
from arena.web.site_file import audit
from arena.web.site_file.accounts import Role
from arena.web.site_file.site_database import SiteFile, site_file_of
from results.base.clock import to_the_second, utc_text
from results.base.permissions import user_name
from results.reports.columns import Column, ReportRow

app = typer.Typer(no_args_is_help=True)


@app.callback()
def accounts() -> None:
    """Invite authors and organisers to the site, and revoke accounts."""


NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The account's name, which is also the author of its bots.")
]


class AccountRow(ReportRow, frozen=True, kw_only=True):
    """An account."""

    account: Annotated[str, Column(priority=0)]
    role: Annotated[str, Column(priority=1)]
    """`author` or `organiser`."""
    state: Annotated[str, Column(priority=2)]
    """`open` or `revoked`."""
    tokens: Annotated[int, Column()]
    """Valid ones."""
    invitations: Annotated[int, Column()]
    """Links that can still be used."""
    sessions: Annotated[int, Column()]
    """Browsers that are signed in."""
    since: Annotated[str, Column(priority=6)]
    """UTC, to the second."""


@app.command()
def invite(
    name: NameArgument,
    organiser: Annotated[bool, typer.Option("--organiser")] = False,
    change_role: Annotated[bool, typer.Option("--change-role")] = False,
    expires: Annotated[str | None, typer.Option(metavar="DURATION")] = None,
    link: Annotated[str | None, typer.Option(metavar="URL")] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Print a new token for an account, or a link that works once, and create the account if needed.

    It is shown only this once. Anyone who has it can sign in as NAME and submit bots of this author. An account
    that exists keeps its role; an invitation to another role is refused unless you add --change-role.

    Options:
        organiser: Let the account create and change leagues and invite others.
        change_role: Give an account that exists this role; without it, another role is refused.
        expires: How long the token is valid, such as 30d or 12h; default: without end; a link 7d, at most 90d.
        link: Print a link that opens one session, instead of a token: the site's address.
    """
    file = _file(store)
    lasts = None if expires is None else options.given_span("--expires", expires)
    if link is not None:
        lasts = _of_a_link(link, lasts)
    until = None if lasts is None else utc_text(datetime.now(UTC) + lasts)
    role: Role = "organiser" if organiser else "author"
    with file.writing() as db:
        now = file.now()
        before = site_accounts.find(db, name)
        try:
            token = site_accounts.invite(
                db, name, role, _who(), now, until, change_role=change_role, by_link=link is not None
            )
        except site_accounts.OtherRole as other:
            same = "add --organiser" if other.role == "organiser" else "leave out --organiser"
            other.advice = (
                f"for another token of an {other.role}, {same}; to make {name} an {role}, add --change-role"
            )
            raise
        number = site_accounts.tokens_of(db, name)[0].id
        was = f" (was {before.role})" if before and before.role != role else ""
        kind = "token" if link is None else "invitation"
        audit.note(db, now, _who(), f"invited {name} as {role}{was}, {kind} {number}")
    if link is not None:
        answer(site_accounts.join_link(link, token))
        say(f"invitation {number} of {name}, an {role}, shown only now; it works once")
        return
    answer(token)
    say(f"token {number} of {name}, an {role}, shown only now; it opens the sign-in page of `arena serve`")


def _of_a_link(site: str, lasts: timedelta | None) -> timedelta:
    """Return how long an invitation to a site is valid. Raises UsageError."""
    if not re.fullmatch(r"https?://[^\s#?]+", site):
        raise UsageError(f"--link: {site} is no address of a site", "write it as https://arena.example")
    most = timedelta(days=site_accounts.MOST_INVITED_DAYS)
    if lasts is not None and lasts > most:
        raise UsageError(f"--expires: an invitation is valid for {most.days} days at most", "choose fewer")
    return lasts or timedelta(days=site_accounts.INVITED_DAYS)


@app.command("list")
def list_accounts(store: options.Store = options.DEFAULT_STORE, form: options.Form = Format.TABLE) -> None:
    """Show all accounts."""
    file, rows = _file(store), []
    if file.exists:
        with file.reading() as db:
            now = file.now()
            invitations = site_accounts.open_invitations(db, now)
            for account in site_accounts.every(db):
                invited = [one for one in invitations if one.account == account.name]
                rows.append(
                    AccountRow(
                        account=account.name,
                        role=account.role,
                        state="open" if account.is_open else "revoked",
                        tokens=site_accounts.valid_tokens(db, account.name, now),
                        invitations=len(invited),
                        sessions=len(site_accounts.open_sessions(db, account.name, now)),
                        since=to_the_second(account.created_at),
                    )
                )
    empty = (
        f"no accounts yet; start with: arena accounts invite NAME --organiser{options.naming_store(store)}"
    )
    list_rows(AccountRow, rows, form, f"accounts in {file.path}", empty)


@app.command()
def revoke(name: NameArgument, store: options.Store = options.DEFAULT_STORE) -> None:
    """Close an account: its tokens and sessions end at once. Its bots stay.

    Invite the same name again to open it again, with a new token.
    """
    file = _file(store)
    with file.writing() as db:
        now = file.now()
        site_accounts.close_account(db, name, now)
        audit.note(db, now, _who(), f"revoked the account {name}")
    answer(f"{name} can't sign in any more")


def _file(store: Path) -> SiteFile:
    """Return the site's file next to a store, which needn't exist yet."""
    if not store.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {store.absolute().parent}", "create it first")
    return SiteFile(site_file_of(store))


def _who() -> str:
    return f"command line ({user_name()})"
