"""The channel: the latest finished games, one after the other, the one in which the lead changed most first."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from arena import registry
from arena.core.errors import ArenaError
from arena.core.replay import steps
from arena.league.stored_games import FoundGame, find, read
from arena.league.why_lost import lead
from arena.web.html.game_art import title_of_game
from arena.web.html.links import Texts, asking, last
from arena.web.html.page_model import Crumb, Page
from arena.web.http.page_threads import takes_long
from arena.web.pages import league_named, path_of, some
from arena.web.pages.game import QUICK_DECISIONS, open_view
from results.base.errors import MatchUnfinished, UnknownGame
from results.base.text import one_line
from results.records import LeagueRecord
from results.store import Store

PATH = ("watch",)
ASKS = ("league", "game")
"""`league`: only its games. `game`: the one that is shown, as LEAGUE/MATCH.ROTATION."""
MOST_GAMES = 12
MOST_OF_LEAGUE = 6
"""Where there are several leagues."""
MOST_FACES = 4
MOST_LOOKED_AT = 60
"""Games of a league that are looked at: in a match that is being played, none may be shown."""
KEPT_S = 60.0
"""For how long the games stay the same, while others are played all the time."""
_MOST_KEPT = 200
_MOST_SWINGS = 2_000
_WHAT = "Finished games of card-playing bots, one after the other, with all hands open."


class ChannelGame(NamedTuple):
    """A game of the channel."""

    name: str
    """LEAGUE/MATCH.ROTATION"""
    league: str
    number: str
    title: str
    """Of what is played."""
    players: str
    faces: Sequence[str]
    """The first few of them."""
    at: str
    asks: str
    """What follows the path of the channel to show this game."""


class Channel(NamedTuple):
    """What the page of a game says of the channel that it is in."""

    games: Sequence[ChannelGame]
    shown: str
    """The name of the game that is shown."""
    next: ChannelGame | None
    """What comes after it; None if there is nothing else."""
    only: LeagueRecord | None
    """The league whose games these are; None for all."""


_KEPT: dict[tuple[str, str], tuple[float, Sequence[FoundGame]]] = {}
"""Games by the store's path and the league's uuid, which is empty for all."""
_SWINGS: dict[tuple[str, int, int, str], int] = {}
"""By the league's uuid, the game, and the fingerprint of its replay, which never changes."""
_NOT_SHOWN = -1
"""The swing of a game that can't be played again."""


def channel(store: Store, league: Texts = (), game: Texts = ()) -> Page:
    """Return a game of the channel, with what comes next. Raises NoPage, TakesLong."""
    only = league_named(store, last(league)) if last(league) else None
    games = [_listed(one, only) for one in _games(store, only)]
    names = [one.name for one in games]
    shown = last(game) or (names[0] if names else "")
    if not shown:
        return Page(PATH, "Watch games", "watch.html", {"only": only}, description=_WHAT)
    here, _, number = shown.rpartition("/")
    page = open_view(store, here, number)
    at = names.index(shown) + 1 if shown in names else 0
    following = next((one for one in [*games[at:], *games[:at]] if one.name != shown), None)
    values = {"channel": Channel(games, shown, following, only)}
    return replace(
        page,
        path=PATH,
        title=f"Watch: {page.title}",
        heading=page.values["game_title"] or page.heading,
        values={**page.values, **values},
        crumbs=(Crumb(only.name, path_of(only)),) if only else (),
        scripts=(*page.scripts, "watch.js") if page.scripts else (),
        description=_WHAT,
    )


def latest_games(
    store: Store, league: LeagueRecord, most: int, most_decisions: int = QUICK_DECISIONS
) -> Iterator[FoundGame]:
    """Yield the latest games of a league that everybody may watch, by the same rule as their pages."""
    unfinished, found = -1, 0
    for game in store.games.all(league.uuid, newest_first=True, limit=MOST_LOOKED_AT):
        if game.match_no == unfinished or game.decisions > most_decisions or not game.has_replay:
            continue
        try:
            yield find(store, league, game.match_no, game.rotation)
        except (MatchUnfinished, UnknownGame):
            unfinished = game.match_no
            continue
        found += 1
        if found == most:
            return


def _games(store: Store, only: LeagueRecord | None) -> Sequence[FoundGame]:
    """Return the games of the channel: rated ones first, by swing. Raises TakesLong."""
    key, now = (str(store.path), only.uuid if only else ""), time.monotonic()
    leagues = {one.uuid: one for one in ([only] if only else store.leagues.all())}
    until, kept = _KEPT.get(key, (0.0, ()))
    if now < until and all(_is_of(leagues.get(one.league.uuid), one) for one in kept):
        return kept
    most = MOST_OF_LEAGUE if len(leagues) > 1 else MOST_GAMES
    found = [game for one in leagues.values() for game in latest_games(store, one, most)]
    found.sort(key=lambda game: game.record.finished_at, reverse=True)
    found = found[:MOST_GAMES]
    if sum(one.record.decisions for one in found if _key(one) not in _SWINGS) > QUICK_DECISIONS:
        takes_long("looking for the most exciting games")
    swings = {_key(one): _known_swing(store, one) for one in found}
    games = sorted(found, key=lambda one: (not one.league.rated, -swings[_key(one)]))
    games = [one for one in games if swings[_key(one)] != _NOT_SHOWN]
    if len(_KEPT) >= _MOST_KEPT:
        _KEPT.clear()
    if games:
        _KEPT[key] = now + KEPT_S, games
    return games


def _is_of(league: LeagueRecord | None, game: FoundGame) -> bool:
    return league is not None and league.name == game.league.name


def _key(game: FoundGame) -> tuple[str, int, int, str]:
    return game.league.uuid, game.record.match_no, game.record.rotation, game.record.fingerprint


def _known_swing(store: Store, game: FoundGame) -> int:
    if (known := _SWINGS.get(_key(game))) is not None:
        return known
    if len(_SWINGS) >= _MOST_SWINGS:
        _SWINGS.clear()
    _SWINGS[_key(game)] = swing = _swing(store, game)
    return swing


def _swing(store: Store, game: FoundGame) -> int:
    """Return by how much the lead of any seat changed at most in one step of a game."""
    try:
        stored = read(store, game)
        with registry.blaming("game", stored.game.info.name, stored.game):
            scores = [tuple(stored.game.scores(step.after)) for step in steps(stored.game, stored.body)]
    except ArenaError:
        return _NOT_SHOWN
    return biggest_swing(scores)


def biggest_swing(scores: Sequence[Sequence[int]]) -> int:
    """Return by how much the lead of any seat over the best of the others changed at most from scores to scores.

    >>> biggest_swing([(0, 0, 0), (3, 0, 0), (3, 8, 0)])
    11
    """
    found = 0
    for before, after in pairwise(scores):
        if before != after and len(after) > 1:
            found = max(found, *(abs(lead(after, seat) - lead(before, seat)) for seat in range(len(after))))
    return found


def _listed(game: FoundGame, only: LeagueRecord | None) -> ChannelGame:
    number = f"{game.record.match_no}.{game.record.rotation}"
    rules = game.league.ruleset
    return ChannelGame(
        f"{game.league.name}/{number}",
        game.league.name,
        number,
        title_of_game(rules.game) if rules else "",
        some([one_line(label) for label in game.labels]),
        game.labels[:MOST_FACES],
        game.record.finished_at,
        asking({"league": only.name if only else "", "game": f"{game.league.name}/{number}"}),
    )
