"""What an account may ask with its token: games and changes of its own bots, uploads; of organisers, every change."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID, uuid4

import msgspec
from fastapi import APIRouter, Header, Path, Query, Request, Response
from msgspec import Struct

from arena.client.api_types import VERSION, Command, Upload, Who
from arena.conversation.narration import Log
from arena.core.errors import ArenaError
from arena.league.changes.base import Change
from arena.league.changes.entries import Replace, Retire
from arena.league.inbox.dispatch import CHANGES
from arena.league.stored_games import FoundGame, find
from arena.league.why_lost import Page, game_log, pages, seats_to_explain
from arena.web.api.access import member, visitor_of
from arena.web.api.http_responses import NotAllowed, gives, private
from arena.web.api.public import GameNumber, League, numbers
from arena.web.html.advice_words import in_the_api
from arena.web.http.allowed_hosts import prefix_of
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live.routing import InThreads, in_threads
from arena.web.live.site import Visitor, address_of, site_of
from arena.web.live.visible_uploads import own_upload, own_uploads
from arena.web.organising.deliveries import FormReused
from arena.web.organising.league_file_text import refuse_not_starting
from arena.web.pages.game import will_be_replayed
from arena.web.site_file import pending_commands
from arena.web.site_file.pending_commands import SiteCommand
from results.base.errors import LedgerError
from results.store.entries import named

MOST_WIDTH = 200
SeatNumber = Annotated[int | None, Query(description="Only this seat, from 0.", ge=0, le=100)]
BotName = Annotated[
    str | None, Query(description="Only this bot, by its name in the league.", max_length=200)
]
Key = Annotated[
    UUID | None,
    Header(
        alias="Idempotency-Key",
        description="A UUID of version 4. A request with the same key is carried out once, however often it is sent.",
    ),
]


router = APIRouter(route_class=InThreads)


@router.get("/whoami", tags=["account"], responses=gives(Who))
def whoami(request: Request) -> Response:
    """Return whose token was sent; nobody without a token."""
    who = visitor_of(request)
    return private(request, Who(who.account or None, who.role if who.account else None))


@router.get("/leagues/{league}/games/{game}/log", tags=["own games"], responses=gives(Log, 403, 404, 409))
def log(
    request: Request, league: League, game: GameNumber, bot: BotName = None, seat: SeatNumber = None
) -> Response:
    """Return what your bots wrote to standard error in a game, once all games of its match are in."""
    who = member(request)
    with site_of(request).stores.borrowed() as store:
        found = find(store, store.leagues.get(league), *numbers(game))
        return private(request, game_log(store, found, own_seats(found, who, bot, seat)))


@router.get(
    "/leagues/{league}/games/{game}/why", tags=["own games"], responses=gives(list[Page], 403, 404, 409)
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


@router.get("/commands/{command}", tags=["own bots"], responses=gives(Command, 404))
def command(request: Request, command: UUID) -> Response:
    """Return a change that you have asked for, and what became of it."""
    who = member(request)
    with site_of(request).file.reading() as db:
        found = pending_commands.find(db, str(command))
    if found is None or (not who.owns(found.account)):
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
    own = [number for number in meant if who.owns_entry(found.entries[number])]
    if not own:
        raise NotAllowed(403, "only its author sees this", "look at the games of your own bots")
    will_be_replayed(found)
    return own


_UploadId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
_BODY = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


@router.post(
    "/uploads",
    tags=["uploads"],
    responses=gives(
        Upload, 400, 408, 409, 413, 507, status=201, what="The archive has arrived and is waiting."
    ),
    status_code=201,
    openapi_extra={"requestBody": _BODY},
)
async def upload(
    request: Request,
    name: Annotated[str, Query(description="The name of the file.", max_length=255)] = "bot.zip",
    league: Annotated[
        list[str] | None, Query(description="A league to enter; may be repeated.", max_length=20)
    ] = None,
) -> Response:
    """Upload the archive of a bot. `GET /uploads/{upload}` tells what becomes of it."""
    who = member(request)
    site = site_of(request)
    number = await in_site_file_thread(site.begin_upload, request, who.account, name, league or ())
    await site.reception.receive(number, who.account, request.stream(), address_of(request))
    found = await in_site_file_thread(own_upload, site, who, number)
    if found is None:
        raise NotAllowed(404, "the upload has ended")
    return private(request, found, 201)


@router.get("/uploads", tags=["uploads"], responses=gives(list[Upload]))
def uploads(
    request: Request, limit: Annotated[int, Query(description="At most this many.", ge=1, le=100)] = 20
) -> Response:
    """Return your uploads, the newest first; organisers see those of everybody."""
    who = member(request)
    return private(request, own_uploads(site_of(request), who, limit))


@router.get("/uploads/{upload}", tags=["uploads"], responses=gives(Upload, 404))
def one_upload(request: Request, upload: _UploadId) -> Response:
    """Return one of your uploads, and what has become of it so far."""
    who = member(request)
    found = own_upload(site_of(request), who, upload)
    if found is None:
        own = f"{prefix_of(request.scope)}/api/{VERSION}/uploads"
        raise NotAllowed(404, "there is no such upload", f"GET {own} lists yours")
    return private(request, found)


_MOST_BODY_BYTES = 65_536


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """A change to a league."""

    kind: str
    """Such as `pause`, `resume`, `bench`, `extend`, `add`, `retire`, `replace`, `rename`, `season`."""
    data: dict[str, Any]
    """The details, by kind: `league`, and what the command of this name takes."""


_WISH = gives(Wish)[200]["content"]


@router.post(
    "/commands",
    tags=["organising"],
    responses=gives(Command, 403, 404, 409, 413, status=202, what="The change was asked for."),
    status_code=202,
    openapi_extra={"requestBody": {"required": True, "content": _WISH}},
)
async def give_command(request: Request, key: Key = None) -> Response:
    """Change a league, as the commands below `arena league` do; authors may `retire` and `replace` their own bots."""
    who = member(request)
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY_BYTES:
            raise NotAllowed(413, f"a command has at most {_MOST_BODY_BYTES:,} bytes")
    change = _change(body)
    if not who.organises:
        change = await in_threads(request, partial(_own_change, request, who, change))
        return await in_threads(request, partial(given, request, who, change, key))
    try:
        await in_threads(request, partial(refuse_not_starting, site_of(request).stores.path, change))
    except LedgerError:
        raise  # the store can't be read
    except ArenaError as error:
        raise NotAllowed(409, str(error), error.advice) from None
    return await in_threads(request, partial(given, request, who, change, key))


def _own_change(request: Request, who: Visitor, change: Change) -> Change:
    """Return a change of an author, in which one entry and one version are named. Raises NotAllowed."""
    if not isinstance(change, Retire | Replace):
        raise NotAllowed(403, "only organisers may do this", "ask one of them")
    with site_of(request).stores.borrowed() as store:
        entry = store.entries.find(store.leagues.get(change.league).uuid, change.entry)
        version = store.versions.find(change.bot) if isinstance(change, Replace) and change.bot else None
    if not who.owns_entry(entry):
        raise NotAllowed(403, f"{entry.label} is not your bot", "only its author may do this")
    if version is not None and not who.owns(version.author):
        raise NotAllowed(403, f"{version.reference} is not your bot", "name a version of your own")
    of_version = {} if version is None else {"bot": version.reference}
    return msgspec.structs.replace(change, entry=entry.label, **of_version)


@router.get("/commands", tags=["organising"], responses=gives(list[Command]))
def newest(request: Request) -> Response:
    """Return the latest changes that you have asked for; organisers see those of everybody."""
    who = member(request)
    with site_of(request).file.reading() as db:
        found = pending_commands.newest(db, 100, None if who.organises else who.account)
    return private(request, [told(request, one) for one in found])


def _change(body: bytes) -> Change:
    """Return the change in a request. Raises NotAllowed."""
    try:
        wish = msgspec.json.decode(body, type=Wish)
        kind = CHANGES.get(wish.kind)
        if kind is None:
            raise NotAllowed(
                422, f"there is no change {wish.kind[:100]!r}", f"available: {', '.join(CHANGES)}"
            )
        return msgspec.convert(wish.data, kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotAllowed(422, f"the body is not a change: {error}", "see /api for its form") from None
