"""A game as the author of a bot in it sees it: why the bot forfeited or lost, and its log."""

from fastapi import FastAPI, Request, Response
from msgspec import Struct

from arena.conversation.logs import LogLine, log_lines
from arena.conversation.rebuild import conversation
from arena.core.errors import ArenaError
from arena.core.wording import seat_names, with_names
from arena.league.stored_games import FoundGame, find, log_of, read
from arena.league.why import Page as Why
from arena.league.why import pages
from arena.web.access import member_of
from arena.web.html.page import Crumb, NoPage, Page
from arena.web.live_pages import answer
from arena.web.pages.game import will_be_replayed
from arena.web.pages.league_tabs import league_named, path_of
from arena.web.site import Visitor, site_of
from results.base.errors import MatchUnfinished, UnknownGame
from results.base.text import json_text
from results.store import Store

WIDTH = 80


class OwnSeat(Struct, frozen=True):
    """One seat of the game."""

    seat: int
    bot: str
    why: Why | None
    """None if the game can't be rebuilt."""
    question: str
    """The message of the decision at fault, as JSON; empty if there is none."""
    swings: tuple[tuple[int, int, str], ...]
    """Where it lost most: the decision, how much, and what happened, in words."""
    log: tuple[LogLine, ...]
    kept_bytes: int
    dropped_bytes: int


def add_to(app: FastAPI) -> None:
    """Add the routes."""

    @app.api_route("/leagues/{league}/games/{game}/own", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request, league: str, game: str) -> Response:
        who = member_of(request)
        with site_of(request).stores.borrowed() as store:
            return answer(request, _page(store, who, league, game))


def _page(store: Store, who: Visitor, name: str, game: str) -> Page:
    """Return the page. Raises NoPage, also for games without a bot of the visitor."""
    league = league_named(store, name)
    match_no, _, rotation = game.partition(".")
    if not (match_no.isascii() and match_no.isdigit() and rotation.isascii() and rotation.isdigit()):
        raise NoPage("There is no such game.")
    try:
        found = find(store, league, int(match_no[:12]), int(rotation[:6]))
    except UnknownGame:
        raise NoPage("There is no such game.") from None
    except MatchUnfinished:
        raise NoPage("This game is hidden until all games of its match are in.") from None
    entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
    own = []
    for seat in found.record.seats:
        version = entries[seat.entry_no].version
        if who.organises or (version is not None and version.author == who.account):
            own.append(seat.seat)
    if not own:
        raise NoPage("None of your bots played in this game.")
    will_be_replayed(found)
    return Page(
        path_of(league, "games", game, "own"),
        f"{league.name}/{game}: logs",
        "own_game.html",
        {"league": league, "game": game, "seats": _seats(store, found, own)},
        crumbs=(
            Crumb(league.name, path_of(league)),
            Crumb(f"Match {match_no}", path_of(league, "matches", match_no)),
        ),
    )


def _seats(store: Store, found: FoundGame, own: list[int]) -> list[OwnSeat]:
    try:
        stored = read(store, found)
        explained = {page.seat: page for page in pages(store, found, own, WIDTH)}
    except ArenaError:  # without the replay, a log is still a log
        stored, explained = None, {}
    seats, names = [], seat_names(found.labels)
    for seat in own:
        kept, why = log_of(store, found, seat), explained.get(seat)
        told = conversation(stored, seat) if stored is not None else None
        question = json_text(why.question, indent=1) if why is not None and why.question else ""
        held = len(kept.head) + len(kept.tail)
        lines = tuple(log_lines(kept, told))
        swings = tuple(
            (swing.decision, swing.lost, with_names(" ".join(swing.events), names))
            for swing in (why.swings if why is not None else ())
        )
        seats.append(OwnSeat(seat, names[seat], why, question, swings, lines, held, kept.dropped_bytes))
    return seats
