"""The quick way to ask several bots at once and the general one give the same game, whatever the bots do."""

from pathlib import Path
from typing import Any

import pytest

from arena.core.durations import NS_PER_MS
from arena.players import bot, bot_decision, quick_ask, quick_asks
from arena.players.pool import BotPool, PoolLimits
from arena.referee.referee import Referee, _Playing
from results.records import GameRecord
from tests.players.bench import new_token
from tests.players.test_quick_ask import BOTS, CLOCK, outcome
from tests.players.zoo import python_bot
from tests.referee.bids import BIDS
from tests.referee.tables import play, ticket

ENTRIES = (0, 1, 1)
"""Who sits at the table: the bot of the test, and two processes of a good one."""
QUICK = ("writes to its log",)
"""Those in the quick suite."""


def games(folder: Path, body: str) -> list[GameRecord]:
    """Play two games in which all are asked at once, and then one of them alone."""
    programs = {0: python_bot(folder / "bot", body), 1: python_bot(folder / "good")}
    records = []
    with BotPool(programs, folder / "place", new_token(), PoolLimits(startup_ms=30_000)) as pool:
        for number in range(2):
            given = ticket(BIDS, len(ENTRIES), match_no=number)
            players = [pool.take(entry, (given.league, number), seat) for seat, entry in enumerate(ENTRIES)]
            records.append(play(BIDS, players, Referee(CLOCK), given))
            for seat, (entry, player) in enumerate(zip(ENTRIES, players, strict=True)):
                pool.give_back(entry, player, seat)
            pool.end_dismissed()
    return records


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in BOTS]
)
def test_both_ways_give_the_same_game(name: str, tmp_path: Path) -> None:
    quick = games(tmp_path / "quick", BOTS[name])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bot, "ask", bot_decision.ask)
        patch.setattr(quick_asks, "ask_all", bot_decision.ask_all)
        patch.setattr(_Playing, "_is_plain", lambda _: False)
        general = games(tmp_path / "general", BOTS[name])
    assert [outcome(record) for record in quick] == [outcome(record) for record in general]


def test_answers_at_once_take_the_quick_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def general(*_: Any) -> None:
        pytest.fail("asked the general way")

    monkeypatch.setattr(quick_ask, "QUIET_MS", 10_000)
    monkeypatch.setattr(quick_asks, "QUIET_MS", 10_000)
    monkeypatch.setattr(quick_asks, "QUIET_NS", 10_000 * NS_PER_MS)
    monkeypatch.setattr(bot_decision.Question, "begin", general)
    monkeypatch.setattr(bot_decision.Question, "take_over", general)
    assert all(seat.verdict is None for record in games(tmp_path, "") for seat in record.seats)
