"""A match of several games ends with a line for each bot."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.cli.commands.match import bot_sums
from protocol.verdicts import Verdict
from results.records import LeagueRecord
from tests.support.leagues import arena, simple, write_bot
from tests.support.ledgers import planned, played


def test_the_sums_of_three_games_by_hand() -> None:
    match = planned(cast("LeagueRecord", SimpleNamespace(uuid="x")), 0, (0, 1, 2), 3)
    games = [
        played(match, 0, (5, 1, 3)),
        played(match, 1, (4, 4, 0)),  # seats: 2, 0, 1
        played(match, 2, (9, 9, 9), faults={2: Verdict.CRASH}),  # seats: 1, 2, 0
    ]
    players = tuple(SimpleNamespace(label=name) for name in ("ann", "bob", "eve"))
    rows = bot_sums(
        cast("Any", SimpleNamespace(games=games, sides=())), cast("Any", SimpleNamespace(players=players))
    )
    told: list[Any] = [(row.bot, row.points, row.share_percent, row.mean_rank, row.forfeits) for row in rows]
    assert told == [
        ("eve", 16, pytest.approx(100 * (0.5 + 0.75 + 0.75) / 3), pytest.approx((2 + 1 + 1) / 3), 0),
        ("ann", 18, pytest.approx(100 * (1 + 0.75 + 0) / 3), pytest.approx((1 + 1 + 3) / 3), 1),
        ("bob", 10, pytest.approx(100 * (0 + 0 + 0.75) / 3), pytest.approx((3 + 3 + 1) / 3), 0),
    ]
    assert rows[0].mean_ms == pytest.approx(sum(1_000_000 + seat for seat in (2, 0, 1)) / 30 / 1e6)
    assert rows[0].max_ms == pytest.approx(0.300002)
    assert rows[0].total_s == pytest.approx(3_000_003 / 1e9)


@pytest.mark.slow
def test_the_sums_are_shown_below_the_games_and_not_exported(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two")):
        write_bot(tmp_path, name, simple(number))
    command = ("match", "./one", "./two", "-g", "bread-basket", "--seed", "5")
    shown = arena(*command, "--rotate", cwd=tmp_path).stdout
    assert "all 2 games together" in shown
    assert shown.index("all 2 games together") > shown.rindex(" 0.1 ")
    assert "together" not in arena(*command, cwd=tmp_path).stdout, "one game needs no sum"
    assert "together" not in arena(*command, "--rotate", "--format", "csv", cwd=tmp_path).stdout
