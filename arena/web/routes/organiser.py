"""The organiser's pages: what goes on, and changes to leagues."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from urllib.parse import quote

import msgspec
from fastapi import FastAPI, HTTPException, Request, Response
from msgspec import inspect

from arena.core.errors import ArenaError
from arena.league.changes.change import LeagueChange
from arena.league.changes.whole_league import Extend, possible
from arena.league.inbox.delivery import CHANGES
from arena.league.inbox.files import InboxView
from arena.submissions.manifest import plays
from arena.web.access import organiser_of
from arena.web.forms import Form, new_form_id, organiser_form
from arena.web.html.page import Crumb, NoPage, Page
from arena.web.live_pages import answer, in_threads, see_other
from arena.web.organising.command_told import told
from arena.web.organising.league_plans import refuse_not_starting
from arena.web.seats.opponents import bots_to_enter
from arena.web.site import Site, address_of, site_of
from arena.web.site_file import commands
from results.base.errors import LedgerError, UnknownLeague
from results.reports.leagues import league_row
from results.reports.states import state_of_entry
from results.reports.status import StatusReader
from results.reports.status_rows import CommandRow
from results.store import runner_of

ORGANISE = Crumb("Organise", ("organiser",))
POLLS_S = 5
MOST_COMMANDS = 10
MOST_ASKED = 200
"""Changes of the site that the list of the inbox leaves out, because the audit log has them."""
_MOST_DIGITS = 100


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

    @app.api_route("/organiser/leagues/{league}/{action}", methods=["GET", "HEAD"], include_in_schema=False)
    def back(request: Request, league: str, action: str) -> Response:  # noqa: ARG001 - of the form that was refused
        organiser_of(request)
        return see_other(f"/organiser/leagues/{quote(league, safe='')}")

    @app.post("/organiser/leagues/{league}/{action}", include_in_schema=False)
    async def change_league(request: Request, league: str, action: str) -> Response:
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


def _overview(site: Site) -> Page:
    with site.stores.borrowed() as store:
        waiting, files = InboxView(store.files).look()
        rows = [
            CommandRow(kind=one.kind, by=one.by, since=one.submitted_at, file=one.file) for one in waiting
        ]
        status = StatusReader(store).read(runner_of(site.stores.path), rows, files)
        with site.file.reading() as db:
            asked = commands.newest(db, MOST_ASKED)
        # What was asked for on the site has a table of its own.
        records = [store.commands.find(one.uuid) for one in asked if one.state == "refused"]
        listed = {(one.kind, one.by, one.taken_at) for one in records if one is not None}
    values = {
        "status": status,
        "runner_words": site.runner_words(),
        "unconfined": site.confinement.trouble if site.confinement else "",
        "upload_trouble": site.upload_trouble(),
        "commands": [(one, told(one)) for one in asked[:MOST_COMMANDS]],
        "waiting": [row for row in status.inbox.waiting if not any(one.uuid in row.file for one in asked)],
        "refused": [row for row in status.inbox.refused if (row.kind, row.by, row.at) not in listed],
    }
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
            "fields": {action: fields_of(kind) for action, kind in CHANGES.items() if kind.has_form},
            "possible": possible(store, league.name),
            "bots": [one.name for one in bots_to_enter(store) if plays(one.games, league.ruleset.game)],
            "form_id": new_form_id,
            "problem": "",
            "typed": defaultdict(str),
        }
    return Page(
        ("organiser", "leagues", league.name), league.name, "organise_league.html", values, (ORGANISE,)
    )


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
            told = (option.extra_json_schema or {}) if isinstance(option, inspect.Metadata) else {}
            inner = option.type if isinstance(option, inspect.Metadata) else option
            if field.name != "league" and isinstance(
                inner, inspect.StrType | inspect.IntType | inspect.FloatType
            ):
                title, hint = str(told.get("title", field.name)), str(told.get("description", ""))
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
