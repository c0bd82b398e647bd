"""A game, to be watched: with all hands open, or as one seat saw it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from markupsafe import Markup

from arena import registry
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.errors import ArenaError, CorruptReplay
from arena.core.move_words import seat_names
from arena.core.replay import Step as Played
from arena.core.replay import sides_in, steps
from arena.league.move_prices import DearMove, Prices, dearest, in_points, kept_prices
from arena.league.stored_games import FoundGame, find, read
from arena.web.html.game_art import scripts_of, title_of_game
from arena.web.html.links import Path
from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.rendering import score
from arena.web.http.page_threads import takes_long
from arena.web.pages import PREVIEW, league_named, path_of, some
from arena.web.viewer.document import Document, Player, in_script, log_lines, packed, script_data
from arena.web.viewer.views import open_document, seat_document
from results.base.errors import (
    LedgerError,
    MatchUnfinished,
    ReplayNotKept,
    RulesMissing,
    SegmentAway,
    StoreDamaged,
    UnknownGame,
)
from results.base.text import one_line
from results.records import LeagueRecord
from results.store import Store

MOST_DEAR = 8
MOST_DECISIONS = 6_000
"""Longer games are left to `arena replay`: their pages would be above 300 kB, compressed."""
QUICK_DECISIONS = 600
"""Playing a longer game again takes more than about a third of a second."""
_OF_THE_GAME = (ReplayNotKept, RulesMissing, StoreDamaged)
"""Errors of the ledger for which a game's page says why it can't be shown."""
_NUMBER = re.compile(r"(0|[1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,8})")
_SEAT = re.compile(r"seat-(0|[1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class Watched:
    """A game that is watched, with what all views of it have in common."""

    league: LeagueRecord
    number: str
    """MATCH.ROTATION"""
    found: FoundGame
    players: Sequence[Player]
    stored: StoredGame | None
    """None if it can't be shown."""
    played: Sequence[Played]
    """Every step of it."""
    why_not: str
    """Why it can't be shown; empty if it can."""
    is_damaged: bool = False
    """Whether its replay is damaged."""
    games: int = 1
    """Of its match."""
    prices: Sequence[Prices] = ()
    """Of the moves of its seats, where they are known."""

    @property
    def next_game(self) -> str:
        """The number of the next game of its match; empty for the last one."""
        after = self.found.record.rotation + 1
        return f"{self.found.record.match_no}.{after}" if after < self.games else ""

    @property
    def path(self) -> Path:
        """Of the open view; those of the seats follow it."""
        return path_of(self.league, "games", self.number)

    def document(self, eyes: int | None) -> Document | None:
        """Return what a seat saw, or everything for None; None if it can't be shown."""
        if self.stored is None:
            return None
        if eyes is None:
            return open_document(self.stored, self.players, self.played)
        told = conversation(self.stored, eyes, self.played)
        return seat_document(self.stored.game, told, self.players)


def open_view(store: Store, name: str, number: str) -> Page:
    """Return the page of a game with all hands open. Raises NoPage."""
    return _live_page(watched(store, name, number), None)


def seat_view(store: Store, name: str, number: str, seat: str) -> Page:
    """Return the page of a game as the seat `seat-2` saw it. Raises NoPage."""
    written = _SEAT.fullmatch(seat)
    if written is None:
        raise NoPage(f"{seat} isn't a seat; write it as seat-0.")
    game, eyes = watched(store, name, number), int(written[1])
    if eyes >= len(game.players):
        raise NoPage(f"Game {number} of {game.league.name} has seats 0 to {len(game.players) - 1}.")
    return _live_page(game, eyes)


def embedded(store: Store, name: str, number: str) -> Page:
    """Return a game with all hands open for pages of other sites. Raises NoPage."""
    return replace(open_view(store, name, number), is_embedded=True)


class ExportedViews(NamedTuple):
    """A game for an exported folder."""

    pages: Sequence[Page]
    """The open view first."""
    script_path: Path
    script: bytes
    """What the pages share; empty if the game can't be shown."""
    is_damaged: bool
    """Whether the game can't be shown because its replay is damaged."""


def exported_views(store: Store, name: str, number: str) -> ExportedViews:
    """Return all pages of a game for an exported folder. Raises NoPage."""
    game = watched(store, name, number)
    documents = {eyes: shown_document(game, eyes) for eyes in (None, *range(len(game.players)))}
    shown = [document for document, _ in documents.values() if document]
    file = (*game.path[:-1], f"{number}.js")
    pages = [_page(game, eyes, *made, None, file if shown else None) for eyes, made in documents.items()]
    return ExportedViews(pages, file, packed(shown) if shown else b"", game.is_damaged)


def _live_page(game: Watched, eyes: int | None) -> Page:
    document, why_not = shown_document(game, eyes)
    return _page(game, eyes, document, why_not, in_script(script_data(document)) if document else None, None)


def _page(
    game: Watched,
    eyes: int | None,
    document: Document | None,
    why_not: str,
    data: Markup | None,
    data_file: Path | None,
) -> Page:
    """Return a view, either with its data in it or with the file that has those of all views."""
    league, number, players, found = game.league, game.number, game.players, game.found
    rules = document.game if document else league.ruleset.game if league.ruleset else ""
    game_title = title_of_game(rules)
    by = [player.name for player in players]
    shown_by = some(by) if eyes is None else f"{some(by)}, as {players[eyes].name} saw it"
    placing = sorted(players, key=lambda player: (player.rank, player.seat))
    where = tuple(filter(None, (game_title, league.name)))
    own = ("packed-game.js",) if data_file else ()
    return Page(
        game.path if eyes is None else (*game.path, f"seat-{eyes}"),
        " · ".join((shown_by, *where)),
        "game.html",
        {
            "league": league,
            "number": number,
            "match_no": str(found.record.match_no),
            "played_at": found.record.finished_at,
            "eyes": eyes,
            "players": players,
            "next_game": game.next_game,
            "game_title": game_title,
            "channel": None,
            "placing": placing,
            "dear": _dear(game, eyes),
            "title_with_scores": " · ".join(
                (some([f"{player.name} {score(player.score)}" for player in placing]), *where)
            ),
            "document": document,
            "log_lines": log_lines,
            "has_log": eyes is None or data is not None,
            "why_not": why_not,
            "data": data,
            "data_file": data_file,
        },
        crumbs=(
            Crumb(league.name, path_of(league)),
            Crumb(f"Match {found.record.match_no}", path_of(league, "matches", str(found.record.match_no))),
        ),
        scripts=("viewer-page.js", *scripts_of(rules)[1:], *own) if document else (),
        heading=shown_by,
        description=f"A game of {game_title or 'cards'} between {some(by)} in {league.name}, "
        "to be watched move by move.",
        preview=(*game.path, PREVIEW) if eyes is None else (),
    )


def _dear(game: Watched, eyes: int | None) -> list[tuple[int, DearMove, str]]:
    """Return the moves that cost most, the dearest first: of which seat, and how many points; of one for its eyes."""
    if game.stored is None:
        return []
    names = [player.name for player in game.players]
    found = [
        (prices.seat, one, in_points(one.price))
        for prices in game.prices
        if eyes in (None, prices.seat)
        for one in dearest(
            game.stored, conversation(game.stored, prices.seat, game.played), prices, names, in_words=True
        )
        if one.price.is_significant
    ]
    return sorted(found, key=lambda one: -one[1].price.price)[:MOST_DEAR]


def watched(store: Store, name: str, number: str) -> Watched:
    """Return a game to be watched, played again by the rules. Raises NoPage."""
    league = league_named(store, name)
    found = found_game(store, league, number)
    stored: StoredGame | None = None
    played: Sequence[Played] = ()
    why_not, is_damaged = "", False
    if found.record.decisions > MOST_DECISIONS:
        count = found.record.decisions
        why_not = f"This game has {count} decisions, too many to be shown here."
    else:
        will_be_replayed(found)
        try:
            stored = read(store, found)
            with registry.blaming("game", stored.game.info.name, stored.game):
                played = list(steps(stored.game, stored.body))
        except ArenaError as error:
            if isinstance(error, LedgerError) and not isinstance(error, _OF_THE_GAME):
                raise  # the store can't be read
            stored, why_not = None, _words(error)
            is_damaged = isinstance(error, (StoreDamaged, CorruptReplay))
    games = store.matches.get(league.uuid, found.record.match_no).games
    prices = kept_prices(store.cache, found.record.fingerprint, len(found.record.seats)) if stored else ()
    players = _players(found, sides_in(stored.game, stored.body) if stored else ())
    return Watched(league, number, found, players, stored, played, why_not, is_damaged, games, prices)


def will_be_replayed(found: FoundGame) -> None:
    """Move to a thread for slow work before a long game is played again. Raises TakesLong."""
    if found.record.decisions > QUICK_DECISIONS:
        takes_long("replaying long games")


def _words(error: Exception) -> str:
    if isinstance(error, SegmentAway):
        return f"This game can't be shown now: {error}. The organiser can bring it back."
    if isinstance(error, ReplayNotKept):
        return "The replay of this game wasn't kept."
    return f"This game can't be shown: {error}."


def found_game(store: Store, league: LeagueRecord, number: str) -> FoundGame:
    """Return a game, `MATCH.ROTATION`, if its match is finished. Raises NoPage."""
    written = _NUMBER.fullmatch(number)
    if written is None:
        raise NoPage(f"{number} isn't a game; write match and rotation, such as 12.0.")
    try:
        return find(store, league, int(written[1]), int(written[2]))
    except UnknownGame:
        raise NoPage(f"League {league.name} has no game {number}.") from None
    except MatchUnfinished as error:
        raise NoPage(
            f"{str(error)[:1].upper()}{str(error)[1:]}. Come back when all its games are finished."
        ) from None


def _players(found: FoundGame, sides: Sequence[int]) -> list[Player]:
    names = seat_names([one_line(label) for label in found.labels])
    return [
        Player(
            seat.seat,
            names[seat.seat],
            found.labels[seat.seat],
            not entry.version,
            seat.score,
            seat.rank,
            None if seat.verdict is None else str(seat.verdict),
            seat.detail,
            sides[seat.seat] if sides else None,
        )
        for seat, entry in zip(found.record.seats, found.entries, strict=True)
    ]


def shown_document(game: Watched, eyes: int | None) -> tuple[Document | None, str]:
    """Return the document, or None and why there is none."""
    if game.stored is None:
        return None, game.why_not
    try:
        with registry.blaming("game", game.stored.game.info.name, game.stored.game):
            return game.document(eyes), ""
    except ArenaError as error:
        return None, _words(error)
