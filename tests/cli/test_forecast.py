"""What `arena league create --dry-run` and `arena compare` say beforehand of how many matches they need."""

import json
import re
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from arena import registry
from arena.cli.display.forecast import (
    _say_planned,
    certainty_of,
    how_rough,
    say_forecast,
    say_undecided,
    show_forecast,
    where_results_choose,
)
from arena.cli.display.tables import Format
from arena.config.league_file import BotTable, LeagueFile, RankingTable
from arena.league.definition.checked_definition import resolve
from arena.league.forecast.luck import ComparisonForecast, KnownLuck, Source
from arena.league.forecast.power_analysis import LeagueForecast, forecast_league
from results.analysis.sample_size import ComparisonLength, Spread
from results.analysis.sequential_test import Question
from results.reports.comparisons import GapUnit
from tests.cli.comparisons import comparison
from tests.support.leagues import arena_here, simple, write_bot, write_league

By = Literal["places", "scores"]
Said = pytest.CaptureFixture[str]


def heard(said: Said) -> str:
    """Return what was said, in one line."""
    return " ".join(said.readouterr().err.split())


def test_a_dry_run_says_how_many_matches_tell_two_bots_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    file = write_league(tmp_path, rounds=10, bots=4, seats=2)
    file.write_text(file.read_text().replace("hands = 1", "hands = 2"))
    done = arena_here("league", "create", file.name, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    told = " ".join(done.stdout.split())
    assert (
        "Matches until 8 of 10 leagues show which of two bots is better, by places at tables of 2 (95 % confidence):"
        in told
    )
    assert "2 points of share" in told
    assert "two equal bots easily differ by" in told
    said = " ".join(done.stderr.split())
    assert "warning: the planned 60 matches can separate only bots" in said
    assert re.search(
        r"hint: for a difference of 2 points of share, plan [\d,]+ matches: raise rounds in \[schedule\] dry run",
        said,
    )
    assert "dry run: nothing was created" in said


def test_one_bot_has_nobody_to_be_told_apart_from(capsys: Said) -> None:
    file = LeagueFile(
        "friday", game="bread-basket", seats=2, schedule={"kind": "ladder"}, bots=(BotTable(path="x"),)
    )
    show_forecast(resolve(file, 1), None, Format.TABLE)
    assert "is known once there are two" in heard(capsys)


def test_a_ladder_is_promised_nothing_that_was_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    file = write_league(tmp_path, rounds=10, bots=4, seats=2)
    text = re.sub(r"\[schedule\][^\[]*", '[schedule]\nkind = "ladder"\n\n', file.read_text())
    file.write_text(text)
    done = arena_here("league", "create", file.name, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert (
        "Matches until a league shows which of two bots is better, by places at tables of 2 (95 % confidence):"
        in told
    )
    assert "8 leagues of 10" not in told
    assert "rough estimate: assumes that all bots meet equally often." in told
    assert "2 to 7 times as many if they were close" in told


def test_a_gauntlet_is_told_about_its_challenger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    file = write_league(tmp_path, rounds=10, bots=4, seats=2)
    file.write_text(file.read_text().replace("round-robin", "gauntlet"))
    done = arena_here("league", "create", file.name, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert (
        "Matches until a league shows which of a challenger and another bot is better, by places at tables of 2 "
        "(95 % confidence):" in told
    )
    assert "two bots that aren't challengers takes 2 times as many matches of the league" in told
    assert "the planned 30 matches can separate" in " ".join(done.stderr.split())


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
    _say_planned(few, GapUnit.SCORE)
    words = (
        f"the planned 3 matches can separate only bots that differ by more than {most:.0f} points per game"
    )
    assert words in heard(capsys)
    _say_planned(replace(few, told_gap=0.9 * most), GapUnit.SCORE)
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
        _say_planned(replace(few, told_gap=told, told_share=told), GapUnit.SHARE)
        assert words in heard(capsys)


@pytest.mark.parametrize("by", ["places", "scores"])
def test_the_hint_names_a_row_of_the_table(by: By) -> None:
    found = planned(by)
    rows = {gap.gap: gap.matches_of_league for gap in found.gaps}
    assert rows[found.wanted_gap] == found.wanted_matches


def test_nothing_is_promised_for_schedules_that_were_not_measured() -> None:
    assert certainty_of(registry.schedule("round-robin")) == "8 of 10 leagues show"
    assert {
        certainty_of(registry.schedule(name)) for name in ("gauntlet", "ladder", "swiss", "elimination")
    } == {"a league shows"}


@pytest.mark.slow
def test_a_dry_run_prints_the_same_figures_as_json(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=2000, bots=4, seats=2)
    file.write_text(file.read_text() + '[ranking]\nby = "scores"\n')
    done = arena_here("league", "create", file.name, "--dry-run", "--format", "json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert len(rows) == 4
    assert {row["unit"] for row in rows} == {"score"}
    assert {row["planned_matches"] for row in rows} == {12_000}
    for row in rows:
        assert row["games_of_league"] == row["games"] * row["matches_of_league"]
        assert (row["gap"] >= row["told_gap"]) == (row["matches_of_league"] <= 12_000)
    assert "warning: the planned" not in done.stderr
    assert "the planned 12,000 matches can separate only bots" in done.stderr
    done = arena_here("league", "create", file.name, "--format", "json", cwd=tmp_path)
    assert done.returncode == 2
    assert "add --dry-run" in done.stderr
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
    say_undecided(comparison(more_matches=333.3), 2)
    told = heard(capsys)
    assert "with 95 % confidence, b leads a by at most 0.072, and a leads b by at most 0.031" in told
    assert "an answer may take about 333 matches (666 games) more: --budget 1466" in told


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
    assert done.stdout.splitlines()[-1].startswith("undecided whether"), "the last line is the answer"
    assert "an answer may take about" in said
    done = arena_here("compare", "pick0", "pick1", *arguments, "--format", "json", cwd=tmp_path)
    (row,) = json.loads(done.stdout)
    assert row["more_matches"] > 0
    assert row["forecast_most"] > row["forecast_matches"] > 100
    assert row["luck_from"] == "random players"
