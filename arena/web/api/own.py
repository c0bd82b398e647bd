"""What an account may ask about its own bots: logs, why they lost; and retiring or replacing them in leagues."""

from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Header, Path, Query, Request, Response

from arena.client.answers import Command, Log, SeatLog, Who
from arena.conversation.narration import log_lines
from arena.conversation.rebuild import conversation
from arena.core.errors import ArenaError
from arena.league.changes.change import Change
from arena.league.changes.field import Replace, Retire
from arena.league.stored_games import FoundGame, find, log_of, read
from arena.league.why import Page, pages, seats_to_explain
from arena.web.api.answering import NotAllowed, Schemas, member, private, visitor_of
from arena.web.api.public import GameNumber, League, numbers
from arena.web.html.page import in_the_api
from arena.web.http.addresses import prefix_of
from arena.web.live.site import Visitor, address_of, site_of
from arena.web.organising.deliveries import FormReused
from arena.web.pages.game import will_be_replayed
from arena.web.site_file import commands
from arena.web.site_file.commands import SiteCommand
from results.base.errors import UnknownEntry
from results.records import EntryRecord
from results.store import Store
from results.store.entries import named

MOST_WIDTH = 200
SeatNumber = Annotated[int | None, Query(description="Only this seat, from 0.", ge=0, le=100)]
BotName = Annotated[
    str | None, Query(description="Only this bot, by its name in the league.", max_length=200)
]
EntryNumber = Annotated[int, Path(description="The number of the entry.", ge=0, le=10**9)]
Key = Annotated[
    UUID | None,
    Header(
        alias="Idempotency-Key",
        description="A UUID of version 4. A request with the same key is carried out once, however often it is sent.",
    ),
]


def add_to(router: APIRouter, schemas: Schemas) -> None:
    """Add the routes."""

    @router.get("/whoami", tags=["account"], responses=schemas.gives(Who))
    def whoami(request: Request) -> Response:
        """Return whose token was sent; nobody without a token."""
        who = visitor_of(request)
        return private(request, Who(who.account or None, who.role if who.account else None))

    @router.get(
        "/leagues/{league}/games/{game}/log", tags=["own games"], responses=schemas.gives(Log, 403, 404, 409)
    )
    def log(
        request: Request, league: League, game: GameNumber, bot: BotName = None, seat: SeatNumber = None
    ) -> Response:
        """Return what your bots wrote to standard error in a game, once all games of its match are in."""
        who = member(request)
        with site_of(request).stores.borrowed() as store:
            found = find(store, store.leagues.get(league), *numbers(game))
            return private(request, _log(store, found, own_seats(found, who, bot, seat)))

    @router.get(
        "/leagues/{league}/games/{game}/why",
        tags=["own games"],
        responses=schemas.gives(list[Page], 403, 404, 409),
    )
    def why(
        request: Request,
        league: League,
        game: GameNumber,
        bot: BotName = None,
        seat: SeatNumber = None,
        width: Annotated[int, Query(description="Widest picture, in columns.", ge=20, le=MOST_WIDTH)] = 80,
    ) -> Response:
        """Return why your bots forfeited or lost a game: the question, the answer, the log, where they lost most."""
        who = member(request)
        with site_of(request).stores.borrowed() as store:
            found = find(store, store.leagues.get(league), *numbers(game))
            seats = own_seats(found, who, bot, seat)
            if bot is None and seat is None:
                seats = [number for number in seats_to_explain(found) if number in seats]
            return private(request, pages(store, found, seats, width))

    @router.post(
        "/leagues/{league}/entries/{entry_no}/retire",
        tags=["own bots"],
        responses=schemas.gives(Command, 403, 404, 409, status=202, what="The change was asked for."),
        status_code=202,
    )
    def retire(request: Request, league: League, entry_no: EntryNumber, key: Key = None) -> Response:
        """Retire a bot from a league for good."""
        who = member(request)
        label = _own_entry(request, who, league, entry_no).label
        return given(request, who, Retire(league, label), key)

    @router.post(
        "/leagues/{league}/entries/{entry_no}/replace",
        tags=["own bots"],
        responses=schemas.gives(Command, 403, 404, 409, status=202, what="The change was asked for."),
        status_code=202,
    )
    def replace(
        request: Request,
        league: League,
        entry_no: EntryNumber,
        version: Annotated[
            str | None,
            Query(description="`author/bot@3`; default: the newest version of the same bot.", max_length=200),
        ] = None,
        key: Key = None,
    ) -> Response:
        """Let another version take over from a bot in a league, with its rating."""
        who = member(request)
        old = _own_entry(request, who, league, entry_no)
        return given(request, who, Replace(league, old.label, _own_version(request, who, version)), key)

    @router.get("/commands/{command}", tags=["own bots"], responses=schemas.gives(Command, 404))
    def command(request: Request, command: UUID) -> Response:
        """Return a change that you have asked for, and what became of it."""
        who = member(request)
        with site_of(request).file.reading() as db:
            found = commands.find(db, str(command))
        if found is None or (found.account != who.account and not who.organises):
            raise NotAllowed(404, "you have no such command")
        return private(request, told(request, found))


def given(request: Request, who: Visitor, change: Change, key: UUID | None) -> Response:
    """Ask for a change; return what became of it so far. Raises NotAllowed."""
    if key is not None and key.version != 4:
        raise NotAllowed(422, "Idempotency-Key is not a UUID of version 4")
    try:
        found = site_of(request).deliveries.give(
            who.account, str(key or uuid4()), change, address_of(request)
        )
    except FormReused:
        raise NotAllowed(409, "another request had this Idempotency-Key", "use a new key") from None
    if found.state == "refused":
        raise NotAllowed(409, found.answer, found.advice)
    return private(request, told(request, found), 202)


def told(request: Request, command: SiteCommand) -> Command:
    """Return a command as the API tells it."""
    hint = in_the_api(command.advice, prefix_of(request.scope))
    return Command(command.uuid, command.kind, command.state, command.answer, hint)


def own_seats(found: FoundGame, who: Visitor, bot: str | None, seat: int | None) -> list[int]:
    """Return the seats of a game that are meant; organisers see all. Raises NotAllowed."""
    chosen = found.entries if bot is None else named(found.entries, bot)
    meant = [
        one.seat
        for one in found.record.seats
        if (seat is None or one.seat == seat) and found.entries[one.seat] in chosen
    ]
    if not meant:
        raise NotAllowed(404, f"{found.name} has no such seat", "leave out `bot` and `seat`")
    own = [number for number in meant if who.organises or _is_own(found.entries[number], who)]
    if not own:
        raise NotAllowed(403, "only its author sees this", "look at the games of your own bots")
    will_be_replayed(found)
    return own


def _is_own(entry: EntryRecord, who: Visitor) -> bool:
    return bool(who.account) and entry.version is not None and entry.version.author == who.account


def _log(store: Store, found: FoundGame, seats: list[int]) -> Log:
    stored, unknown = None, ""
    try:
        stored = read(store, found)
    except ArenaError as error:  # without the replay, a log is still a log
        unknown = str(error)
    logs = []
    for seat in seats:
        kept = log_of(store, found, seat)
        try:
            told_seat = conversation(stored, seat) if stored is not None else None
        except ArenaError as error:
            told_seat, unknown = None, str(error)
        held = len(kept.head) + len(kept.tail)
        lines = tuple(log_lines(kept, told_seat))
        logs.append(SeatLog(seat, found.labels[seat], lines, held, kept.dropped_bytes))
    return Log(found.name, tuple(logs), unknown)


def _own_entry(request: Request, who: Visitor, league: str, entry_no: int) -> EntryRecord:
    """Return an entry that the visitor may change. Raises NotAllowed."""
    with site_of(request).stores.borrowed() as store:
        found = store.leagues.get(league)
        entries = store.entries.all(found.uuid)
    for entry in entries:
        if entry.entry_no == entry_no:
            if not (who.organises or _is_own(entry, who)):
                raise NotAllowed(403, f"{entry.label} is not your bot", "only its author may do this")
            return entry
    raise UnknownEntry("entry", str(entry_no), [str(entry.entry_no) for entry in entries])


def _own_version(request: Request, who: Visitor, version: str | None) -> str | None:
    """Return the name of a version that the visitor may use. Raises NotAllowed."""
    if version is None:
        return None
    with site_of(request).stores.borrowed() as store:
        found = store.versions.find(version)
    if not who.organises and found.author != who.account:
        raise NotAllowed(403, f"{found.reference} is not your bot", "name a version of your own")
    return found.reference
