"""The organiser's pages: what goes on, and changes to leagues."""

from collections import defaultdict
from collections.abc import Callable

import msgspec
from fastapi import FastAPI, HTTPException, Request, Response

from arena.league.changes.commands import (
    Add,
    Bench,
    Change,
    Extend,
    Pause,
    Resume,
    Retire,
    Season,
    Unbench,
)
from arena.league.changes.possible import possible
from arena.league.inbox.look import InboxView
from arena.web.access import organiser_of
from arena.web.forms import Form, new_form_id, organiser_form
from arena.web.live_pages import answer, see_other
from arena.web.page import Crumb, NoPage, Page
from arena.web.site import Site, address_of, site_of
from arena.web.site_file import commands
from arena.web.site_file_threads import in_site_file_thread
from results.errors import UnknownLeague
from results.reports.leagues import league_row
from results.reports.states import state_of_entry
from results.reports.status import StatusReader
from results.reports.status_rows import CommandRow
from results.store import runner_of

ORGANISE = Crumb("Organise", ("organiser",))
POLLS_S = 5
MOST_COMMANDS = 10


def add_to(app: FastAPI) -> None:
    """Add the routes."""

    @app.api_route("/organiser", methods=["GET", "HEAD"], include_in_schema=False)
    def overview(request: Request) -> Response:
        organiser_of(request)
        return answer(request, _overview(site_of(request)))

    @app.api_route("/organiser/leagues/{league}", methods=["GET", "HEAD"], include_in_schema=False)
    def league_page(request: Request, league: str) -> Response:
        organiser_of(request)
        return answer(request, _league_page(site_of(request), league))

    @app.post("/organiser/leagues/{league}/{action}", include_in_schema=False)
    async def change_league(request: Request, league: str, action: str) -> Response:
        who, form = await organiser_form(request)
        site = site_of(request)
        make = CHANGES.get(action)
        if make is None:
            raise HTTPException(404, "There is no such change.")
        try:
            change = make(league, form)
        except _BadField as error:
            page = await in_site_file_thread(_league_page, site, league)
            return answer(
                request, page, 400, problem=str(error), typed=defaultdict(str, form.fields, action=action)
            )
        command = await in_site_file_thread(
            site.deliveries.give, who.account, form.id, change, address_of(request)
        )
        return see_other(f"/account/commands/{command.uuid}")


class _BadField(Exception):
    """A field of a form has a value that can't be used."""


def _number(form: Form, name: str, least: float = 0) -> float:
    """Return a number that somebody typed; 0 for an empty field. Raises _BadField."""
    text = form.line(name)
    if not text:
        return 0
    try:
        value = float(text) if "." in text else int(text)
    except ValueError:
        raise _BadField(f"{name}: {text!r} is not a number") from None
    if not least <= value <= 1e12:
        raise _BadField(f"{name}: {text} is out of bounds; at least {least:g}")
    return value


def _extend(league: str, form: Form) -> Change:
    given = {name: _number(form, name) for name in ("matches", "games", "minutes", "rounds")}
    if not any(given.values()):
        raise _BadField("say by how many matches, games, minutes or rounds")
    return _valid(Extend, league=league, **given)


def _add(league: str, form: Form) -> Change:
    if not (bot := form.line("bot")):
        raise _BadField("name a bot")
    return _valid(Add, league=league, bot=bot, label=form.line("label") or None)


def _season(league: str, form: Form) -> Change:
    return _valid(Season, league=league, matches=_number(form, "matches", 1), next=form.line("next") or None)


def _valid(kind: type[Change], **values: object) -> Change:
    """Return a change with checked values. Raises _BadField."""
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _BadField(str(error)) from None


CHANGES: dict[str, Callable[[str, Form], Change]] = {
    "pause": lambda league, form: _valid(
        Pause, league=league, entry=form.line("entry") or None, why=form.line("why")
    ),
    "resume": lambda league, form: _valid(Resume, league=league, entry=form.line("entry") or None),
    "extend": _extend,
    "season": _season,
    "bench": lambda league, form: _valid(
        Bench, league=league, entry=form.line("entry"), why=form.line("why")
    ),
    "unbench": lambda league, form: _valid(Unbench, league=league, entry=form.line("entry")),
    "retire": lambda league, form: _valid(Retire, league=league, entry=form.line("entry")),
    "add": _add,
}
"""By the end of the form's path."""


def _overview(site: Site) -> Page:
    with site.stores.borrowed() as store:
        waiting, files = InboxView(store.files).look()
        rows = [
            CommandRow(kind=one.kind, by=one.by, since=one.submitted_at, file=one.file) for one in waiting
        ]
        status = StatusReader(store).read(runner_of(site.stores.path), rows, files)
    with site.file.reading() as db:
        newest = commands.newest(db, MOST_COMMANDS)
    values = {"status": status, "runner_words": site.runner_words(), "commands": newest}
    return Page(("organiser",), "Organise", "organiser.html", values, polls_s=POLLS_S)


def _league_page(site: Site, name: str) -> Page:
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
        values: dict[str, object] = {
            "league": league_row(store, league),
            "paused": roster.league_paused,
            "entries": [(entry.label, state_of_entry(roster, entry.entry_no)) for entry in entries],
            "labels": labels,
            "stoppable": [
                label for number, label in labels.items() if state_of_entry(roster, number).state == "active"
            ],
            "possible": possible(store, league.name),
            "bots": sorted(f"{author}/{bot}" for author, bot in store.versions.bot_names()),
            "form_id": new_form_id,
            "problem": "",
            "typed": defaultdict(str),
        }
    return Page(
        ("organiser", "leagues", league.name), league.name, "organise-league.html", values, (ORGANISE,)
    )
