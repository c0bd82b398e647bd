"""However large a league, a schedule gives no more matches at once than can be planned in a moment."""

import sys
from typing import Any

import pytest
from arena_conformance.simulated_leagues import Simulated, by_strength

from arena import registry
from arena.schedules import elimination, gauntlet, swiss
from arena.schedules.base import MOST_AT_ONCE, Field, Pairing, Summary

LARGE = Field(tuple(range(300)), (2,))
MOST = {
    "elimination": elimination.EliminationSettings(best_of=999),
    "gauntlet": gauntlet.GauntletSettings(challengers=150, rounds=1_000_000),
    "swiss": swiss.SwissSettings(rounds=10_000, matches=100),
}


@pytest.mark.parametrize("name", MOST)
def test_no_more_than_so_many_are_given_at_once(name: str) -> None:
    schedule = registry.schedule(name)
    summary = Summary(0, tally=schedule.tally(LARGE, MOST[name]))
    given = schedule.next_matches(LARGE, MOST[name], summary)
    assert given
    assert MOST_AT_ONCE / 2 < len(given) <= MOST_AT_ONCE
    assert sys.getsizeof(given) + len({id(one) for one in given}) * sys.getsizeof(given[0]) < 1_000_000


@pytest.mark.parametrize(
    ("module", "settings", "field"),
    [
        (swiss, swiss.SwissSettings(rounds=3, matches=4), Field(tuple(range(9)), (2,))),
        (swiss, swiss.SwissSettings(rounds=3, matches=3), Field(tuple(range(10)), (4,))),
        (gauntlet, gauntlet.GauntletSettings(3, 4), Field(tuple(range(9)), (2,))),
        (gauntlet, gauntlet.GauntletSettings(3, 4), Field(tuple(range(9)), (3, 2))),
        (gauntlet, gauntlet.GauntletSettings(2, 3), Field(tuple(range(11)), (4,))),
    ],
)
def test_a_round_in_pieces_is_the_same_round(
    module: Any, settings: Any, field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played() -> tuple[list[Pairing], int]:
        league = Simulated(module.SCHEDULE, field, settings, by_strength)
        return league.pairings, len(league.blocks)

    whole, blocks = played()
    monkeypatch.setattr(module, "MOST_AT_ONCE", 5)
    assert played()[0] == whole
    assert played()[1] > blocks


def test_an_elimination_in_pieces_has_the_same_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    field, settings = Field(tuple(range(11)), (2,)), elimination.EliminationSettings(best_of=5)

    def winner() -> int:
        league = Simulated(elimination.SCHEDULE, field, settings, by_strength)
        return elimination.SCHEDULE.placing(field, settings, league.results)[0].entry

    assert winner() == 0
    monkeypatch.setattr(elimination, "MOST_AT_ONCE", 2)
    assert winner() == 0
