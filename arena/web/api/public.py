"""What everybody may ask: leagues, rankings, matches, games, faults, versions."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from msgspec import structs

from arena.client.api_types import Entry, Game, Match, Seat
from arena.league.definition.stored import format_places
from arena.web.api.http_responses import gives, public
from arena.web.live.routing import InThreads
from results.records import LeagueRecord
from results.records.query_rows import FinishedGame
from results.reports.columns import row_from
from results.reports.faults import FaultRow, fault_rows
from results.reports.fits import cached_fit, fit_by_of
from results.reports.league_states import state_of_entry
from results.reports.leagues import LeagueRow, league_row
from results.reports.ranking_columns import Rankings
from results.reports.rankings import rankings
from results.reports.versions import VersionPage, version_page
from results.store import Store

MOST_ROWS = 500
MOST_NUMBER = 10**12
League = Annotated[str, Path(description="The league's name.", max_length=200)]
GameNumber = Annotated[
    str, Path(description="Match number and rotation, such as `12.0`.", pattern=r"^[0-9]{1,12}\.[0-9]{1,6}$")
]
Limit = Annotated[int, Query(description="At most this many.", ge=1, le=MOST_ROWS)]
Before = Annotated[int, Query(description="Only matches below this number.", ge=0, le=MOST_NUMBER)]
_Name = Annotated[str, Path(max_length=100)]

router = APIRouter(route_class=InThreads)


@router.get("/leagues", tags=["leagues"], responses=gives(list[LeagueRow]))
async def leagues(request: Request) -> Response:
    """Return all leagues with their progress."""
    return await public(request, lambda store: [league_row(store, league) for league in store.leagues.all()])


@router.get("/leagues/{league}", tags=["leagues"], responses=gives(LeagueRow, 404))
async def league(request: Request, league: League) -> Response:
    """Return the progress of one league."""
    return await public(request, lambda store: league_row(store, store.leagues.get(league)))


@router.get("/leagues/{league}/rankings", tags=["leagues"], responses=gives(Rankings, 404))
async def league_rankings(
    request: Request,
    league: League,
    min_matches: Annotated[
        int | None, Query(description="Matches that a bot needs for a rank.", ge=1, le=1_000_000)
    ] = None,
) -> Response:
    """Return the rankings of a league. The rows have the columns of `arena rankings --format json`."""
    return await public(request, lambda store: _rankings(store, store.leagues.get(league), min_matches))


@router.get("/leagues/{league}/entries", tags=["leagues"], responses=gives(list[Entry], 404))
async def entries(request: Request, league: League) -> Response:
    """Return all bots that play or have played in a league."""
    return await public(request, lambda store: _entries(store, store.leagues.get(league)))


@router.get("/leagues/{league}/matches", tags=["games"], responses=gives(list[Match], 404))
async def matches(
    request: Request, league: League, before: Before = MOST_NUMBER, limit: Limit = 100
) -> Response:
    """Return the matches of a league, planned ones too, the newest first."""
    return await public(request, lambda store: _matches(store, store.leagues.get(league), before, limit))


@router.get("/leagues/{league}/games", tags=["games"], responses=gives(list[Game], 404))
async def games(
    request: Request,
    league: League,
    before: Before = MOST_NUMBER,
    limit: Limit = 100,
    bot: Annotated[str | None, Query(description="Only games of this bot.", max_length=200)] = None,
) -> Response:
    """Return the finished games of a league, the newest first."""

    def make(store: Store) -> list[Game]:
        found = store.leagues.get(league)
        entries = [] if bot is None else [store.entries.find(found.uuid, bot).entry_no]
        after = (before, 0)
        listed = store.games.all(found.uuid, entries=entries, after=after, newest_first=True, limit=limit)
        return _games(store, found, listed)

    return await public(request, make)


@router.get("/leagues/{league}/games/{game}", tags=["games"], responses=gives(Game, 404))
async def game(request: Request, league: League, game: GameNumber) -> Response:
    """Return one finished game."""

    def make(store: Store) -> Game:
        found = store.leagues.get(league)
        return _games(store, found, [store.games.get(found.uuid, *numbers(game))])[0]

    return await public(request, make)


@router.get(
    "/leagues/{league}/games/{game}/replay", tags=["games"], responses=gives(dict[str, Any], 404, 409)
)
async def replay(request: Request, league: League, game: GameNumber) -> Response:
    """Return a game whole, as `arena replay export` does, once all games of its match are in."""
    return await public(
        request, lambda store: store.replays.get(store.leagues.get(league).uuid, *numbers(game)).body
    )


@router.get("/leagues/{league}/faults", tags=["games"], responses=gives(list[FaultRow], 404))
async def faults(request: Request, league: League, limit: Limit = 100) -> Response:
    """Return the latest games that bots of a league forfeited, the newest first."""
    return await public(
        request, lambda store: fault_rows(store, store.leagues.get(league))[: -limit - 1 : -1]
    )


@router.get("/versions", tags=["bots"], responses=gives(list[str]))
async def versions(
    request: Request,
    author: Annotated[str | None, Query(max_length=100)] = None,
    bot: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Return the names of all versions, of an author, or of a bot: `author/bot@3`."""
    return await public(
        request, lambda store: [one.reference for one in store.versions.all(author=author, bot=bot)]
    )


@router.get("/versions/{author}/{bot}/{number}", tags=["bots"], responses=gives(VersionPage, 404))
async def version(
    request: Request, author: _Name, bot: _Name, number: Annotated[int, Path(ge=1, le=1_000_000)]
) -> Response:
    """Return what is known of a version: its manifest, its check, its leagues, its latest faults."""
    return await public(request, lambda store: _version(store, author, bot, number))


def numbers(game: str) -> tuple[int, int]:
    """Return the match and the rotation of a game such as `12.0`."""
    match_no, _, rotation = game.partition(".")
    return int(match_no), int(rotation)


def _rankings(store: Store, league: LeagueRecord, least_matches: int | None) -> Rankings:
    fit = cached_fit(store, league.uuid, fit_by_of(league))
    return rankings(store, league, fit, least_matches, by_format=format_places(store, league))


def _entries(store: Store, league: LeagueRecord) -> list[Entry]:
    roster = store.entries.roster(league.uuid)
    found = [(entry, state_of_entry(roster, entry.entry_no)) for entry in store.entries.all(league.uuid)]
    labels = {entry.entry_no: entry.label for entry, _ in found}
    return [
        row_from(
            entry,
            Entry,
            version=entry.version.reference if entry.version else None,
            retired=state.is_gone,
            state=state.state,
            state_why=state.why if state.heir is None else labels[state.heir],
        )
        for entry, state in found
    ]


def _matches(store: Store, league: LeagueRecord, before: int, limit: int) -> list[Match]:
    end = min(before, store.leagues.progress(league.uuid).matches_planned)
    labels = store.entries.labels(league.uuid)
    found = store.matches.all(league.uuid, first=max(0, end - limit), last=end - 1) if end else []
    return [
        row_from(match, Match, entries=tuple(labels[number] for number in match.entries))
        for match in reversed(found)
    ]


def _games(store: Store, league: LeagueRecord, games: list[FinishedGame]) -> list[Game]:
    labels, hidden = store.entries.labels(league.uuid), store.matches.hidden(league.uuid)
    return [
        row_from(
            game,
            Game,
            game=f"{game.match_no}.{game.rotation}",
            league=league.name,
            is_visible=game.match_no not in hidden,
            seats=tuple(row_from(seat, Seat, bot=labels[seat.entry_no]) for seat in game.seats),
        )
        for game in games
    ]


def _version(store: Store, author: str, bot: str, number: int) -> VersionPage:
    page = version_page(store, store.versions.find(f"{author}/{bot}@{number}"), format_places)
    build = {key: value for key, value in page.build.items() if key != "words"}  # the log is its author's
    return structs.replace(page, build=build)
