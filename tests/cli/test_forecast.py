"""What `arena league create --dry-run` and `arena compare` say beforehand of how many matches they need."""

import json
import re
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from arena import registry
from arena.cli.display.matches_needed import (
    _say_planned,
    how_rough,
    say_forecast,
    say_league_forecast,
    say_undecided,
    where_results_choose,
)
from arena.config.league_file import BotTable, LeagueFile, RankingTable
from arena.league.definition.checked_definition import resolve
from arena.league.forecast.luck import ComparisonForecast, KnownLuck, Source
from arena.league.forecast.power_analysis import LeagueForecast, forecast_league
from results.analysis.sample_size import ComparisonLength, Spread
from results.analysis.sequential_test import Question
from tests.cli.comparisons import comparison
from tests.support.leagues import arena_here, simple, write_bot, write_league

By = Literal["places", "scores"]
Said = pytest.CaptureFixture[str]


def heard(said: Said) -> str:
    """Return what was said, in one line."""
    return " ".join(said.readouterr().err.split())


def test_a_dry_run_says_how_many_matches_tell_two_bots_apart(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=10, bots=4, seats=2)
    file.write_text(file.read_text().replace("hands = 1", "hands = 2"))
    done = arena_here("league", "create", file.name, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stderr.split())
    assert "two equal bots easily differ by" in told
    assert re.search(
        r"to separate two bots that differ by 2 points of share, the league needs about [\d,]+ matches "
        r"\([\d,]+ games\); for 1 point of share, four times as many",
        told,
    )
    assert "warning: the planned 60 matches can separate only bots" in told
    assert "hint: raise rounds in [schedule] for more matches dry run: nothing was created" in told


def test_one_bot_has_nobody_to_be_told_apart_from(capsys: Said) -> None:
    file = LeagueFile(
        "friday", game="bread-basket", seats=2, schedule={"kind": "ladder"}, bots=(BotTable(path="x"),)
    )
    say_league_forecast(resolve(file, 1), None)
    assert "is known once there are two" in heard(capsys)


def test_a_ladder_is_promised_nothing_that_was_not_measured(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=10, bots=4, seats=2)
    file.write_text(re.sub(r"\[schedule\][^\[]*", '[schedule]\nkind = "ladder"\n\n', file.read_text()))
    done = arena_here("league", "create", file.name, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stderr.split())
    assert "rough estimate: assumes that all bots meet equally often." in told
    assert "2 to 7 times as many if they were close" in told
    assert "how many matches the league will play isn't known in advance" in told


def test_only_schedules_that_look_at_results_are_rough() -> None:
    assert where_results_choose(registry.schedule("round-robin"), by_scores=False) is None
    assert "weren't measured" not in (where_results_choose(registry.schedule("ladder"), by_scores=True) or "")
    assert "such as swiss, weren't measured" in (
        where_results_choose(registry.schedule("swiss"), by_scores=True) or ""
    )


def planned(by: By) -> LeagueForecast:
    """Return the forecast of a league of three."""
    file = LeagueFile(
        "friday",
        game="bread-basket",
        seats=2,
        schedule={"rounds": 1},
        ranking=RankingTable(by=by),
        bots=(BotTable(path="x"),),
    )
    found = forecast_league(resolve(file, 3), None)
    assert found is not None
    return found


def test_no_gap_of_scores_is_beyond_what_shares_can_tell(capsys: Said) -> None:
    few = planned("scores")
    assert few.told_gap is not None
    spread = few.luck[2].spread
    most = spread.score / spread.share
    assert few.most_gap == most
    _say_planned(few, by_scores=True)
    words = (
        f"the planned 3 matches can separate only bots that differ by more than {most:.0f} points per game"
    )
    assert words in heard(capsys)
    _say_planned(replace(few, told_gap=0.9 * most), by_scores=True)
    assert (
        f"the planned 3 matches can separate only bots that differ by {0.9 * most:.0f} points per game"
        in heard(capsys)
    )


def test_no_gap_of_shares_is_over_100_points(capsys: Said) -> None:
    few = planned("places")
    assert few.told_gap is not None
    for told, words in (
        (5.07, "warning: the planned 3 matches can't separate any two bots"),
        (1.0, "warning: the planned 3 matches can't separate any two bots"),
        (0.99, "warning: the planned 3 matches can separate only bots that differ by 99 points of share"),
    ):
        _say_planned(replace(few, told_gap=told), by_scores=False)
        assert words in heard(capsys)


def test_events_have_no_dry_run(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("")
    done = arena_here("league", "create", "events.jsonl", "--dry-run", cwd=tmp_path)
    assert done.returncode == 2
    assert "--dry-run is for league files" in " ".join(done.stderr.split())
    assert not (tmp_path / "arena.sqlite").exists()


def forecast(pace: float | None = None, source: Source = Source.STORE) -> ComparisonForecast:
    spread = Spread(
        seats=2,
        games=2,
        matches=812,
        share=0.5,
        share_error=0.01,
        score=10.0,
        score_error=0.3,
    )
    return ComparisonForecast(
        KnownLuck(spread, source, 3),
        ComparisonLength(1234.5, 2001.2),
        ComparisonLength(1800.0, 3000.0),
        pace,
    )


def test_a_comparison_says_how_long_it_takes(capsys: Said) -> None:
    say_forecast(Question(0.05, 0.05), 5000, 2, forecast(20.0))
    told = heard(capsys)
    assert "estimated from 812 matches of 3 leagues with these rules" in told
    assert "takes about 1,230 matches (2,460 games), 2 min if the mean shares differ by 0.05" in told
    assert "and fewer if they differ by more" in told
    assert (
        "90 % of such comparisons end within 2,000 matches; half the difference takes longest, equal bots about 1,800"
        in told
    )
    assert "warning" not in told
    assert "rough" not in told


def test_luck_of_random_players_is_said_to_be_rough(capsys: Said) -> None:
    say_forecast(Question(0.05, 0.05), 5000, 2, forecast(source=Source.RANDOM))
    told = heard(capsys)
    assert (
        "812 matches of random players, as nothing else is known of these rules at this table size)" in told
    )
    assert "rough: " in told
    luck = forecast(source=Source.RANDOM).luck
    assert how_rough(luck) != how_rough(luck, by_scores=True)


def test_a_budget_that_is_too_small_is_said_to_be(capsys: Said) -> None:
    say_forecast(Question(0.01, 0.05), 1500, 2, forecast())
    told = heard(capsys)
    assert "takes about 1,230 matches (2,460 games) if the mean shares differ by 0.01" in told
    assert "warning: the budget allows at most 1,500 matches (3,000 games), which may be too few" in told
    assert "--budget 4000" in told


def test_a_comparison_without_an_answer_says_what_it_excludes(capsys: Said) -> None:
    say_undecided(comparison(more_matches=333.3))
    told = heard(capsys)
    assert "with 95 % confidence, b leads a by at most 0.072, and a leads b by at most 0.031" in told


@pytest.mark.slow
def test_a_comparison_forecasts_before_it_begins_and_when_it_ends(tmp_path: Path) -> None:
    for number in range(2):
        write_bot(tmp_path, f"pick{number}", simple(0))  # they play alike
    arguments = (
        "--game",
        "bread-basket",
        "--workers",
        "1",
        "--sandbox",
        "off",
        "--budget",
        "64",
        "--option",
        "hands=1",
    )
    done = arena_here("compare", "pick0", "pick1", *arguments, cwd=tmp_path)
    assert done.returncode == 12, done.stderr
    said = " ".join(done.stderr.split())
    assert "if the mean shares differ by 0.05, and fewer" in said
    assert "of random players, as nothing else is known" in said
    assert "random players need" in said
    assert "the budget allows at most 32 matches (64 games), which may be too few" in said
    assert max(len(line) for line in done.stderr.splitlines() if "warning" not in line) <= 80
    answered = r"undecided whether .*; an answer may take about [\d,]+ matches more: --budget \d+$"
    assert re.search(answered, " ".join(done.stdout.split())), "the last line is the answer"
    done = arena_here("compare", "pick0", "pick1", *arguments, "--format", "json", cwd=tmp_path)
    (row,) = json.loads(done.stdout)
    assert row["more_matches"] > 0
    assert row["forecast_most"] > row["forecast_matches"] > 100
    assert row["luck_from"] == "random players"
