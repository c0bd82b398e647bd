"""The home page: all leagues, and what is being played."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.web.page import Page
from results.query_rows import Standing
from results.records import LeagueRecord
from results.reports.field_states import FieldStates
from results.reports.leagues import LeagueRow, league_row
from results.reports.movement import places
from results.reports.rankings import least_matches_of
from results.runner_notes import GameInPlay
from results.store import Store
from results.store.runner_file import runner_of

LEADERS = 3
MOST_PLAYING = 3
"""Games that are named with each league."""
_ORDER: Mapping[str | None, int] = {
    "running": 0,
    "interrupted": 1,
    "paused": 1,
    "stopped": 2,
    "created": 3,
    "finished": 4,
    None: 5,
}
"""What is played comes first, single games last."""


class Leader(NamedTuple):
    """One of the first bots of a league."""

    rank: int
    label: str
    rating: float


class Card(NamedTuple):
    """What the home page shows of a league."""

    row: LeagueRow
    planned: int
    """Matches, finished or not."""
    leaders: Sequence[Leader]
    decimals: int
    playing: Sequence[GameInPlay]
    more_playing: int
    """Games that are being played besides these."""


def home(store: Store) -> Page:
    """Return the home page."""
    runner = runner_of(store.path)
    notes = runner.notes if runner.is_running else None
    playing: dict[str, list[GameInPlay]] = {}
    for game in notes.playing if notes else ():
        playing.setdefault(game.league, []).append(game)
    cards = [_card(store, league, playing.get(league.name, ())) for league in reversed(store.leagues.all())]
    cards.sort(key=lambda card: (not card.playing, _ORDER.get(card.row.state, 2)))
    return Page((), "Leagues", "home.html", {"cards": cards}, polls_s=10)


def _card(store: Store, league: LeagueRecord, playing: Sequence[GameInPlay]) -> Card:
    return Card(
        row=league_row(store, league),
        planned=store.leagues.progress(league.uuid).matches_planned,
        leaders=_leaders(store, league),
        decimals=league.scale.decimals,
        playing=playing[:MOST_PLAYING],
        more_playing=max(0, len(playing) - MOST_PLAYING),
    )


def _leaders(store: Store, league: LeagueRecord) -> list[Leader]:
    standings = store.ratings.standings(league.uuid)
    if not any(row.matches for row in standings):
        return []
    states = FieldStates(store, league, standings)
    able: list[Standing] = [
        row for row in standings if states.is_shown(row.entry_no) and states.of(row.entry_no).is_ranked
    ]
    found = places(able, least_matches_of(league))
    return [
        Leader(found[row.entry_no].rank, row.label, row.conservative)
        for row in sorted(
            (row for row in able if row.entry_no in found), key=lambda row: found[row.entry_no].rank
        )[:LEADERS]
    ]
