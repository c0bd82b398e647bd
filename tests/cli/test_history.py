"""`arena history`: how ratings came about, drawn and listed."""

import csv
import io
import json
from pathlib import Path

from arena.cli.display.tables import LEVELS, band, sparkline
from results.reports.history import Moment, without_gaps
from tests.support.leagues import arena_here
from tests.support.ledgers import new_league, new_store, plan, played


def test_a_sparkline_by_hand() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8], 0, 8) == LEVELS + LEVELS[-1]
    assert sparkline([None, -5, 99], 0, 8) == " ▁█"
    assert sparkline([3, 3], 3, 3) == "▅▅", "no difference at all lies in the middle"
    assert sparkline([], 0, 1) == ""


def test_a_band_by_hand() -> None:
    assert band([None, (0.0, 9.0), (2.0, 1.0)], 4) == [
        "    3.00 ┤ ░░",
        "    2.00 ┤ ░●",
        "    1.00 ┤ ░░",
        "    0.00 ┤ ●",
    ]
    assert band([None], 4) == []
    assert band([(5.0, 0.0)], 3) == ["    5.00 ┤●", "    4.00 ┤", "    3.00 ┤"]


def test_gaps_are_filled_by_what_came_before() -> None:
    a, b = Moment(1, 2), Moment(3, 4)
    assert without_gaps([None, a, None, b, None]) == [None, a, a, b, b]


def league(folder: Path, matches: int = 40) -> None:
    """Make a league of a, b, c and d in which a always beats b, and c and d have not met anybody."""
    with new_store(folder) as store:
        planned = plan(store, new_league(store), *[(0, 1)] * matches)
        store.append([played(match, 0, (9, 1)) for match in planned])


def test_every_bot_that_played_has_a_line(tmp_path: Path) -> None:
    league(tmp_path)
    shown = arena_here("history", cwd=tmp_path).stdout
    (a,) = [line for line in shown.splitlines() if line.strip().startswith("a ")]
    (b,) = [line for line in shown.splitlines() if line.strip().startswith("b ")]
    assert "█" in a
    assert "▁" not in a
    assert "▁" in b
    assert "█" not in b
    assert "25.00" in a
    assert not [line for line in shown.splitlines() if line.strip().startswith(("c ", "d "))]


def test_a_single_bot_is_drawn_with_its_uncertainty(tmp_path: Path) -> None:
    league(tmp_path)
    shown = arena_here("history", "--bot", "a", cwd=tmp_path).stdout
    plot = [line for line in shown.splitlines() if "┤" in line]
    assert len(plot) == 15
    columns = max(len(line) for line in plot) - plot[0].index("┤") - 1
    assert columns == 40, "one for each match of a short league"
    assert sum(line.count("●") for line in plot) == columns
    assert "over 40 matches of the league; now " in shown
    assert all(len(line) <= 80 for line in plot)


def test_the_other_formats_have_the_rating_after_every_match(tmp_path: Path) -> None:
    league(tmp_path)
    rows = list(csv.DictReader(io.StringIO(arena_here("history", "--format", "csv", cwd=tmp_path).stdout)))
    assert len(rows) == 80
    assert {row["label"] for row in rows} == {"a", "b"}
    of_b = json.loads(arena_here("history", "-b", "b", "--format", "json", cwd=tmp_path).stdout)
    assert [row["match_no"] for row in of_b] == list(range(40))


def test_where_nothing_was_played_that_is_said(tmp_path: Path) -> None:
    league(tmp_path, matches=0)
    assert "no match is rated yet" in arena_here("history", cwd=tmp_path).stderr
    assert "no match is rated yet" in arena_here("history", "--bot", "a", cwd=tmp_path).stderr


def test_a_bot_that_has_not_played_and_one_that_does_not_exist(tmp_path: Path) -> None:
    league(tmp_path)
    assert "c has not played yet" in arena_here("history", "--bot", "c", cwd=tmp_path).stderr
    refused = arena_here("history", "--bot", "zoe", cwd=tmp_path)
    assert refused.returncode != 0
    assert "zoe" in refused.stderr
