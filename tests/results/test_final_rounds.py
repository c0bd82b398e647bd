"""A final: deals at the end of a league that nobody sees before it is over."""

from pathlib import Path

import pytest

from results.base.errors import MatchUnfinished
from results.records import EntrySpec
from tests.support.ledgers import RULES, new_store, planned, played


def test_games_of_the_final_are_hidden_until_the_league_is_over(tmp_path: Path) -> None:
    """Also once all games on their own deals are in, and for whoever asks for logs, replays or the list."""
    store = new_store(tmp_path)
    league = store.leagues.create(
        "spring",
        config={"schedule": {"kind": "round-robin", "rounds": 3}, "final_rounds": 2},
        ruleset=RULES,
        entries=[EntrySpec(label, None) for label in "ab"],
    )
    matches = [planned(league, number, (0, 1), round_no=number) for number in range(3)]
    store.matches.plan(league.uuid, matches)
    store.leagues.set_state(league.uuid, "running")
    store.append([played(match) for match in matches])
    assert store.matches.hidden(league.uuid) == {1, 2}
    for read in (store.replays.get, store.replays.logs, store.replays.check_visible):
        read(league.uuid, 0, 0)
        with pytest.raises(MatchUnfinished, match="hidden until the league is over"):
            read(league.uuid, 1, 0)
    store.leagues.set_state(league.uuid, "finished")
    assert not store.matches.hidden(league.uuid)
    assert store.replays.get(league.uuid, 2, 0)
