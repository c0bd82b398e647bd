"""What takes longer than a moment says so, in a terminal and in a pipe."""

import io
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from arena.cli.display import long_work
from tests.cli.hostile_store import hostile_store
from tests.support.leagues import arena_here, write_league
from tests.support.waiting import eventually

LONG = [
    ("stats --view lottery", "arena_lottery.lottery", "lottery", "computing lottery"),
    (
        "stats --view coalitions --format csv",
        "arena_fair_play.reports",
        "current_coalitions",
        "computing coalitions",
    ),
    ("rankings --fit", "results.reports.fits", "new_fit", "fitting strengths to all matches"),
    ("matrix", "arena.cli.commands.matrix", "ordering_fit", "counting pairs of bots"),
    ("history", "arena.cli.commands.history", "rating_courses", "reading the ratings after all matches"),
    (
        "history --bot a",
        "arena.cli.commands.history",
        "rating_courses",
        "reading the ratings after all matches",
    ),
    ("replay list spring", "arena.cli.commands.replay", "league_summary", "counting games"),
    ("replay list spring --format csv", "results.store.games", "Games.all", "reading rows"),
    ("replay verify spring", "arena.cli.commands.replay", "body_of", "verifying replays"),
    ("faults", "arena.cli.commands.faults", "fault_groups", "reading faults"),
    ("faults --log", "arena.cli.commands.faults", "fault_with_log_rows", "reading faults and logs"),
    ("league list", "arena.cli.commands.league.show_commands", "league_row", "counting games of leagues"),
    ("league verify-deals seeded", "arena.league.deal_audit", "audit", "deriving every deal"),
    ("db rebuild", "arena.cli.commands.db", "fold_again", "recomputing ratings and totals"),
    ("db backup copy", "results.store.store", "Store.backup", "copying"),
    ("db backup --all folder", "arena.web.upkeep.backups", "back_up", "copying"),
    ("db digest", "results.store.games", "Games.fingerprint", "reading all games"),
    (
        "league create league.toml --name new --dry-run",
        "arena.cli.commands.league.create",
        "read_plan",
        "reading the bots",
    ),
    (
        "league create league.toml --name new --dry-run",
        "arena.league.forecast.power_analysis",
        "forecast_league",
        "estimating how",
    ),
]
"""Commands, what of their work takes long, and what is said meanwhile."""
QUICK = {"replay list spring --format csv", "stats --view lottery", "db digest"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("long")
    hostile_store(made, ["a", "b", "c"], "text", "bot")
    league = write_league(made, rounds=1)
    league.write_text(league.read_text().replace('name = "test"', 'name = "seeded"'))
    assert arena_here("league", "create", league, cwd=made).returncode == 0
    return made


def until_said(words: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return work that takes until these words have been said."""

    def slowly(*arguments: Any, **settings: Any) -> Any:
        err = sys.stderr
        assert isinstance(err, io.StringIO)
        assert eventually(lambda: words in err.getvalue())
        return work(*arguments, **settings)

    return slowly


@pytest.mark.parametrize(
    ("command", "module", "name", "words"),
    [pytest.param(*one, marks=[pytest.mark.slow] * (one[0] not in QUICK)) for one in LONG],
)
def test_a_pipe_gets_a_line(
    folder: Path, command: str, module: str, name: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "QUIET_S", 0.0)
    owner: Any = import_module(module)
    *outer, name = name.split(".")
    for one in outer:
        owner = getattr(owner, one)
    monkeypatch.setattr(owner, name, until_said(words, getattr(owner, name)))
    league = [] if command.startswith(("db", "league", "replay")) else ["spring"]
    first, *rest = command.split()
    done = arena_here(first, *league, *rest, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(words) == 1


def test_quick_work_says_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "QUIET_S", 60.0)
    done = arena_here("stats", "spring", "--view", "lottery", "--format", "csv", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_gets_a_clock_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(long_work, "QUIET_S", 0.0)
    monkeypatch.setattr(long_work, "LEAST_S", 0.0)
    monkeypatch.setattr(long_work, "error_console", lambda: Console(file=out, force_terminal=True, width=80))
    with long_work.busy("thinking [hard]") as work:
        assert eventually(lambda: "thinking [hard]" in out.getvalue())
        assert list(work.over("abcd", 4, "cards")) == [*"abcd"]
        assert eventually(lambda: re.search(r": [1-4] of 4 cards · \d+ s left", out.getvalue()) is not None)
    assert "0:00:0" in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K"), "the line is cleared"
