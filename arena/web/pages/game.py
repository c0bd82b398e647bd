"""A game, to be watched: with all hands open, or as one seat saw it."""

import re

from arena import registry
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.errors import ArenaError
from arena.core.seat_names import seat_names
from arena.league.stored_games import FoundGame, find, read
from arena.web.game_drawings import STYLES, scripts_of
from arena.web.page import Crumb, NoPage, Page
from arena.web.pages.league_tabs import league_named, path_of
from arena.web.viewer.document import Document, Player, in_script, script_data
from arena.web.viewer.open_view import open_document
from arena.web.viewer.seat_view import seat_document
from results.errors import MatchUnfinished, ReplayNotKept, RulesMissing, UnknownGame
from results.escaping import one_line
from results.records import LeagueRecord
from results.store import Store

MOST_DECISIONS = 6_000
"""Longer games are left to `arena replay`: their pages would be above 300 kB, compressed."""
_NUMBER = re.compile(r"(0|[1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,8})")
_SEAT = re.compile(r"seat-(0|[1-9][0-9]{0,3})")
_SCRIPTS = ("viewer-document.js", "viewer-timeline.js", "viewer-table.js", "viewer.js")


def open_view(store: Store, name: str, number: str) -> Page:
    """Return the page of a game with all hands open. Raises NoPage."""
    return _page(store, name, number, None)


def seat_view(store: Store, name: str, number: str, seat: str) -> Page:
    """Return the page of a game as the seat `seat-2` saw it. Raises NoPage."""
    written = _SEAT.fullmatch(seat)
    if written is None:
        raise NoPage(f"{seat} isn't a seat; write it as seat-0.")
    return _page(store, name, number, int(written[1]))


def _page(store: Store, name: str, number: str, eyes: int | None) -> Page:
    league = league_named(store, name)
    found = _found(store, league, number)
    if eyes is not None and eyes >= len(found.labels):
        raise NoPage(f"Game {number} of {league.name} has seats 0 to {len(found.labels) - 1}.")
    players = _players(store, found)
    document, why_not = _document(store, found, players, eyes)
    game = document.game if document else league.ruleset.game if league.ruleset else ""
    here = path_of(league, "games", number)
    return Page(
        here if eyes is None else (*here, f"seat-{eyes}"),
        f"Game {number}" if eyes is None else f"Game {number}, as {players[eyes].name} saw it",
        "game.html",
        {
            "league": league,
            "number": number,
            "match_no": str(found.record.match_no),
            "played_at": found.record.finished_at,
            "eyes": eyes,
            "players": players,
            "placing": sorted(players, key=lambda player: (player.rank, player.seat)),
            "document": document,
            "why_not": why_not,
            "data": in_script(script_data(document)) if document else None,
            "styles": STYLES,
        },
        crumbs=(
            Crumb(league.name, path_of(league)),
            Crumb(f"Match {found.record.match_no}", path_of(league, "matches", str(found.record.match_no))),
        ),
        scripts=(*scripts_of(game), *_SCRIPTS) if document else (),
    )


def _found(store: Store, league: LeagueRecord, number: str) -> FoundGame:
    written = _NUMBER.fullmatch(number)
    if written is None:
        raise NoPage(f"{number} isn't a game; write match and rotation, such as 12.0.")
    try:
        return find(store, league, int(written[1]), int(written[2]))
    except UnknownGame:
        raise NoPage(f"League {league.name} has no game {number}.") from None
    except MatchUnfinished as error:
        raise NoPage(
            f"{str(error)[:1].upper()}{str(error)[1:]}. Come back when all its games are in."
        ) from None


def _players(store: Store, found: FoundGame) -> list[Player]:
    versions = {entry.entry_no: entry.version for entry in store.entries.all(found.league.uuid)}
    names = seat_names([one_line(label) for label in found.labels])
    return [
        Player(
            seat.seat,
            names[seat.seat],
            found.labels[seat.seat],
            not versions[seat.entry_no],
            seat.score,
            seat.rank,
            None if seat.verdict is None else str(seat.verdict),
            seat.detail,
        )
        for seat in found.record.seats
    ]


def _document(
    store: Store, found: FoundGame, players: list[Player], eyes: int | None
) -> tuple[Document | None, str]:
    """Return the document, or None and why there is none."""
    if found.record.decisions > MOST_DECISIONS:
        count = found.record.decisions
        return (
            None,
            f"This game has {count} decisions, too many to be shown here; `arena replay show` prints it.",
        )
    try:
        stored = read(store, found)
        with registry.blaming("game", stored.game.info.name, stored.game):
            return _made(stored, players, eyes), ""
    except ReplayNotKept:
        return None, "The replay of this game wasn't kept."
    except (RulesMissing, ArenaError) as error:
        return None, f"This game can't be shown: {error}."


def _made(stored: StoredGame, players: list[Player], eyes: int | None) -> Document:
    if eyes is None:
        return open_document(stored, players)
    return seat_document(stored.game, conversation(stored, eyes), players)
