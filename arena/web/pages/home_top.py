"""The top of the home page: what the site is, the latest finished game on a table, and the games that are installed."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakKeyDictionary
from zlib import compress

from markupsafe import Markup

from arena.core.ruleset import GameInfo
from arena.league.stored_games import FoundGame
from arena.web.html.game_art import art_of, games_with_art, scripts_of
from arena.web.html.page_model import NoPage, Page
from arena.web.html.paging import part_of
from arena.web.pages.first_bot import LANGUAGES
from arena.web.pages.game import shown_document, watched
from arena.web.pages.watch_channel import latest_games
from arena.web.play_tables.setup import Opponent, first_rivals
from arena.web.viewer.document import MARK, Document, Step, in_script, log_lines, script_data
from results.records import LeagueRecord
from results.records.query_rows import Progress
from results.store import Store

TITLE = "Card games, played by bots"
MOST_STEPS = 14
"""Of the game: only the last ones are played."""
MOST_PACKED_BYTES = 9_000
MOST_DECISIONS = 400
"""Longer games take too long to be replayed for a page that everybody opens."""
MOST_TRIED = 3
MOST_PLAYED = 3
"""Games of which bots to play against are shown."""
KEPT_S = 60.0
"""For how long a game stays, while others are played all the time."""
_WORDS = 160


class FrontGame(NamedTuple):
    """A finished game for the first page."""

    uuid: str
    """Of its league."""
    league: str
    number: str
    title: str
    """Of what is played."""
    art: str
    names: Sequence[str]
    data: Markup
    scripts: tuple[str, ...]


NOTHING: dict[str, Any] = {"games": (), "languages": (), "game": None, "rivals": ()}
"""Instead, on further pages of the leagues."""
_SHOWN: WeakKeyDictionary[Store, tuple[float, FrontGame | None]] = WeakKeyDictionary()
_NONE: WeakKeyDictionary[Store, Sequence[Progress]] = WeakKeyDictionary()
"""How far all leagues were when none of their games could be shown."""


def front(store: Store, leagues: Sequence[LeagueRecord]) -> dict[str, Any]:
    """Return what the top of the home page shows. `leagues`: all of them."""
    return {**_without_store(), "game": _front_game(store, leagues)}


def empty() -> Page:
    """Return the home page of a site without a store."""
    values = {**_without_store(), "cards": [], "results": [], "is_front": True}
    return Page((), TITLE, "home.html", values, polls_s=10, part=part_of(0, "", ()))


def _without_store() -> dict[str, Any]:
    games = games_with_art()
    return {
        **NOTHING,
        "games": games,
        "languages": LANGUAGES,
        "rivals": rivals_of(sorted(games, key=lambda one: not one[0].steps)[:MOST_PLAYED]),
        "form_id": str(uuid4()),
    }


def rivals_of(games: Sequence[tuple[GameInfo, str]]) -> list[tuple[GameInfo, str, Sequence[Opponent]]]:
    """Return games with their pictures and the bots to begin with; without those that no bot of Arena's plays."""
    return [(game, art, some) for game, art in games if (some := first_rivals(game.name))]


def _front_game(store: Store, leagues: Sequence[LeagueRecord]) -> FrontGame | None:
    now = time.monotonic()
    until, shown = _SHOWN.get(store, (0.0, None))
    if shown is not None and now < until and any(_is_of(one, shown) for one in leagues):
        return shown
    progress = [store.leagues.progress(one.uuid) for one in leagues]
    if _NONE.get(store) == progress:
        return None
    found = [game for league in leagues for game in latest_games(store, league, 1, MOST_DECISIONS)]
    found.sort(key=_is_shown_before, reverse=True)
    for game in found[:MOST_TRIED]:
        if (made := _made(store, game)) is not None:
            _SHOWN[store] = now + KEPT_S, made
            return made
    _NONE[store] = progress
    return None


def _is_of(league: LeagueRecord, shown: FrontGame) -> bool:
    return (league.uuid, league.name) == (shown.uuid, shown.league)


def _is_shown_before(game: FoundGame) -> tuple[bool, bool, str]:
    """Order games of leagues before single ones, those played to the end before others, then by time."""
    is_whole = all(seat.verdict is None for seat in game.record.seats)
    return game.league.ruleset is not None, is_whole, game.record.finished_at


def _made(store: Store, found: FoundGame) -> FrontGame | None:
    """Return a game as it is played on the page; None if it can't be shown."""
    number = f"{found.record.match_no}.{found.record.rotation}"
    try:
        document, _ = shown_document(watched(store, found.league.name, number), None)
    except NoPage:
        return None
    if document is None:
        return None
    return FrontGame(
        found.league.uuid,
        found.league.name,
        number,
        document.title,
        art_of(document.game),
        document.names,
        _data(document),
        ("front-page.js", *scripts_of(document.game)[1:]),
    )


def _data(document: Document) -> Markup:
    """Return the last steps of a game for the script, with a line of words each: as many as are small enough."""
    most = MOST_STEPS
    while True:
        shown = _last_steps(document, most)
        data = script_data(shown)
        for one, step in zip(data["steps"], shown.steps, strict=True):
            one["l"] = " ".join(_sentences(shown, step))[:_WORDS]
        packed = in_script({**data, "known": {}, "known_to_all": []})
        if most <= 1 or len(compress(packed.encode())) <= MOST_PACKED_BYTES:
            return packed
        most //= 2


def _sentences(document: Document, step: Step) -> Iterable[str]:
    kind = "told" if step.told else "move"
    for line in log_lines(document, step):
        if line.kind == kind:
            yield line.text.replace(MARK, "")


def _last_steps(document: Document, most: int) -> Document:
    """Return a document that begins later: its first step has the whole view, without its events."""
    steps = list(_with_views(document.steps))[-most:]
    if len(steps) == len(document.steps):
        return document
    return replace(document, steps=(replace(steps[0], told=(), moves=(), times=()), *steps[1:]))


def _with_views(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield steps with the views and scores that hold after each."""
    before = Step(None, ())
    for step in steps:
        before = replace(
            step,
            view=before.view if step.view is None else step.view,
            seat_views=step.seat_views or before.seat_views,
            scores=before.scores if step.scores is None else step.scores,
        )
        yield before
