"""Reports: rows of numbers, names and texts, which JSON and CSV write whole, and in which nothing is drawn."""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import results.reports
from protocol.verdicts import Verdict
from results.records import EntrySpec, LeagueRecord, LeagueState
from results.reports.circles import ClaimRow
from results.reports.columns import ReportRow, csv_lines, json_lines, keys_of, plain_row
from results.reports.comparison_rows import ComparisonRow, RaceRow, TuneRow
from results.reports.faults import (
    FailedAttemptRow,
    FaultRow,
    FaultWithLogRow,
    failed_attempt_rows,
    fault_groups,
    fault_rows,
    fault_with_log_rows,
    latest_faults,
)
from results.reports.fits import FitBy, new_fit
from results.reports.head_to_head import CountedBy, PairRow, pair_rows
from results.reports.history import rating_courses, rating_rows
from results.reports.leagues import event_rows, league_row, league_summary
from results.reports.lost_points import DealRow, duel, losses
from results.reports.move_costs import PriceRow
from results.reports.queue import QueueRow
from results.reports.ranking_columns import RankingRow
from results.reports.rankings import ranking_rows, rankings
from results.reports.statistics import (
    decision_time_rows,
    fault_cause_rows,
    luck_rows,
    seat_rows,
    table_size_rows,
)
from results.store import Store
from tests.support.ledgers import RULES, new_league, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def league(store: Store) -> LeagueRecord:
    """Make a league: a beats b in all games but one, in which a crashes; c ties with b; d has not played."""
    made = new_league(store, 4)
    matches = plan(store, made, *[(0, 1), (1, 2)] * 12, games=2)
    games = []
    for match in matches:
        for rotation in range(2):
            crash = {rotation: Verdict.CRASH} if match.match_no == 0 and rotation == 0 else None
            scores = (3, 3) if match.entries == (1, 2) else (5, 1) if rotation == 0 else (1, 5)
            games.append(played(match, rotation, scores, faults=crash))
    store.append(games)
    store.leagues.add_event(made.uuid, 24, "ended", {"why": "enough"})
    return store.leagues.get(made.name)


def every_row(store: Store, league: LeagueRecord) -> Iterator[ReportRow]:
    """Yield the rows of every report that a store has."""
    yield league_row(store, league)
    yield from rankings(store, league, new_fit(store, league.uuid), 1).rows
    yield from pair_rows(store, league, CountedBy.GAMES)
    yield from rating_rows(store, league)
    yield from fault_rows(store, league)
    yield from fault_with_log_rows(store, league)
    yield from fault_groups(store, league)
    yield from latest_faults(store, league, store.games.faults(league.uuid), 5)
    yield from failed_attempt_rows(store, league)
    yield from event_rows(store, league)
    for statistics in (seat_rows, table_size_rows, fault_cause_rows, decision_time_rows, luck_rows):
        yield from statistics(store, league)
    for entry in store.entries.all(league.uuid):
        found = losses(store, league, entry)
        yield from found.rows if found else ()
    a, b, *_ = store.entries.all(league.uuid)
    both = duel(store, league, a, b, lambda _: ())
    assert both
    yield from both.rows
    yield from both.worse


NESTED = {f"results.reports.{name}" for name in ("quotas", "league_states", "status_rows", "versions")}
"""Modules of rows that are not of one league: they are nested, and tested with `arena status` and `arena bots`."""


def kinds(found: Iterable[type[ReportRow]] = (ReportRow,)) -> Iterator[type[ReportRow]]:
    """Yield every kind of row that the reports of a league have."""
    for kind in found:
        module = kind.__module__
        if module.startswith("results.") and module not in NESTED and kind is not ReportRow:
            yield kind
        yield from kinds(kind.__subclasses__())


def test_rows_hold_numbers_names_and_texts_and_no_drawings(store: Store, league: LeagueRecord) -> None:
    seen = set()
    for row in every_row(store, league):
        seen.add(type(row))
        for value in plain_row(row).values():
            assert isinstance(value, bool | int | float | str | list | None)
            assert str(value).isascii(), f"{value!r}: glyphs are for those who draw"
    elsewhere = {
        ClaimRow,
        ComparisonRow,
        RaceRow,
        TuneRow,
        FailedAttemptRow,
        PriceRow,
        QueueRow,
    }  # of leagues that this one is not
    assert set(kinds()) - seen == elsewhere


def test_json_and_csv_write_every_field_under_its_key(store: Store, league: LeagueRecord) -> None:
    by_kind: dict[type[ReportRow], list[ReportRow]] = {}
    for row in every_row(store, league):
        by_kind.setdefault(type(row), []).append(row)
    for kind, rows in by_kind.items():
        keys = keys_of(kind)
        assert keys == tuple(plain_row(rows[0]))
        assert len(keys) == len(set(keys))
        assert all(re.fullmatch(r"[a-z0-9_]+", key) for key in keys)
        written = json.loads("".join(json_lines(rows, keys)))
        assert [list(row) for row in written] == [list(keys)] * len(rows)
        assert "".join(csv_lines(rows, keys)).splitlines()[0] == ",".join(keys)
        assert "".join(csv_lines([], keys)) == ",".join(keys) + "\n", "a heading stands above no rows too"
    assert keys_of(PairRow)[-3:] == ("share", "low", "high")
    assert keys_of(FaultWithLogRow) == (*keys_of(FaultRow), "log")
    assert "fit_share" in keys_of(RankingRow)


def test_percentages_are_those_of_the_results(store: Store, league: LeagueRecord) -> None:
    pairs = {(row.bot, row.opponent): row for row in pair_rows(store, league, CountedBy.MATCHES)}
    assert (pairs["b", "c"].tied, pairs["b", "c"].share_percent) == (12, 50.0)
    assert not pairs["b", "c"].is_one_sided
    assert pairs["a", "b"].is_one_sided
    assert pairs["a", "b"].low_percent > 50
    assert ("a", "d") not in pairs
    (crash,) = fault_cause_rows(store, league)
    assert (crash.bot, crash.cause, crash.games, crash.of_games) == ("a", "crash", 1, 24)
    assert crash.rate_percent == pytest.approx(100 / 24)
    (of_a,) = [row for row in luck_rows(store, league) if row.bot == "a"]
    assert {row.bot for row in luck_rows(store, league)} >= {None, "a", "b", "c"}
    assert of_a.matches == 12


def test_a_comparison_is_of_the_same_cards_by_opponent_seat_and_hand(store: Store) -> None:
    league = new_league(store, 3, labels=("old", "new", "other"))
    bad, even = plan(store, league, (0, 1, 2), (0, 1, 2), games=3)
    scores = {0: (10, 4, 1), 1: (0, 6, 3), 2: (2, 8, 5)}  # old, new, other; other, old, new; new, other, old
    store.append([played(bad, rotation, points) for rotation, points in scores.items()])
    store.append([played(even, rotation, (1, 1, 1)) for rotation in range(3)])
    old, new, _ = store.entries.all(league.uuid)
    found = duel(store, league, old, new, lambda game: [(5, 5, 5), [seat.score for seat in game.seats]])
    assert found
    every, *rows = found.rows
    assert (every.deals, every.new, every.old, every.difference) == (2, -1, 2, -3)
    assert [every.low, every.high] == pytest.approx([-9, 3]), "mean of -6 and 0, two errors of 3"
    assert {row.where: row.difference for row in rows} == {
        "in seat 0": -6,
        "in seat 1": -3,
        "in seat 2": 0,
        "against other": -2,
        "in hand 1": 0,
        "in hand 2": -3,
    }
    assert rows[0].where == "in seat 0"
    lost = DealRow(new_game="spring/0.2", old_game="spring/0.0", seat=0, new=-4.5, old=7.5, old_won=True)
    assert found.worse == (lost,)
    other_way = duel(store, league, new, old, lambda _: ())
    assert other_way
    assert other_way.rows[0].difference == 3
    assert not other_way.worse, "old is last in no game"


def test_rankings_know_their_league(store: Store, league: LeagueRecord) -> None:
    report = rankings(store, league)
    assert report.league == league_summary(store, league)
    assert (report.league.games, report.league.weakest_isolation) == (48, "none")
    assert (report.rated_matches, report.least_matches, report.fit) == (24, 10, None)
    assert [row.rank for row in report.rows] == [1, 2, 3, None]
    assert (report.rows[0].label, report.rows[-1].label, report.rows[-1].needs) == ("a", "d", 10)
    assert report.rows[-1].share_percent is None


def late_winner(store: Store, state: LeagueState) -> list[tuple[str, int | None]]:
    """Return the ranking of a league in which a late entry, c, has won its two matches, and a is ahead of b."""
    league = store.leagues.create(
        "by-mu",
        config={"game": "bread-basket"},
        ruleset=RULES,
        entries=[EntrySpec(name, None) for name in "abc"],
    )
    matches = plan(store, league, *[(0, 1)] * 20, (2, 1), (2, 1))
    scores = [(1, 0), (0, 1)] * 9 + [(1, 0)] * 4
    store.append([played(match, 0, score) for match, score in zip(matches, scores, strict=True)])
    store.leagues.set_state(league.uuid, state)
    return [(row.label, row.rank) for row in ranking_rows(store, store.leagues.get(league.uuid))]


def test_rankings_are_by_the_estimate_and_a_few_lucky_matches_are_no_rank(store: Store) -> None:
    assert late_winner(store, "running") == [("a", 1), ("b", 2), ("c", None)]
    rows = ranking_rows(store, store.leagues.get("by-mu"))
    assert rows[2].mu is not None
    assert rows[0].mu is not None
    assert rows[2].mu > rows[0].mu


def test_a_finished_league_ranks_who_played_half_as_much_as_usual(store: Store) -> None:
    assert late_winner(store, "finished") == [("a", 1), ("b", 2), ("c", None)]


@pytest.mark.parametrize(
    ("by", "state", "first"),
    [
        ("scores", "finished", "b"),
        ("places", "finished", "a"),
        ("scores", "running", "a"),
    ],
)
def test_a_league_by_scores_is_ordered_by_points_once_it_is_over(
    store: Store, by: str, state: LeagueState, first: str
) -> None:
    league = store.leagues.create(
        "points",
        config={"game": "bread-basket", "ranking": {"by": by}},
        ruleset=RULES,
        entries=[EntrySpec(name, None) for name in "ab"],
    )
    matches = plan(store, league, *[(0, 1)] * 20)
    store.append([played(match, 0, (0, 90) if match.match_no % 5 == 2 else (9, 8)) for match in matches])
    store.leagues.set_state(league.uuid, state)
    league = store.leagues.get(league.uuid)
    assert ranking_rows(store, league)[0].label == "a", "nothing is fitted yet"
    new_fit(store, league.uuid, FitBy.SCORES)
    report = rankings(store, league)
    assert report.by_fit is (first == "b")
    assert [row.label for row in report.rows] == [row.label for row in ranking_rows(store, league)]
    assert (report.rows[0].label, report.rows[0].rank, report.rows[1].rank) == (first, 1, 2)


def test_courses_end_where_the_rankings_are(store: Store, league: LeagueRecord) -> None:
    now = {row.label: row.mu for row in ranking_rows(store, league)}
    courses = rating_courses(store, league, 8)
    assert {course.label for course in courses} == {"a", "b", "c"}
    for course in courses:
        assert len(course.moments) == 8
        last = course.moments[-1]
        assert last is not None
        assert last.mu == course.mu == now[course.label]


def test_reports_need_no_terminal() -> None:
    for module in pkgutil.iter_modules(results.reports.__path__, "results.reports."):
        source = Path(str(importlib.import_module(module.name).__file__)).read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (rich|typer|arena)\b", source, re.MULTILINE)


def test_games_behind_an_unfinished_match_are_counted_as_not_rated_yet(store: Store) -> None:
    league = new_league(store)
    matches = plan(store, league, (0, 1), (1, 0), (0, 1))
    store.append([played(matches[0]), played(matches[2])])
    assert rankings(store, league).waiting_games == 1
    store.append([played(matches[1])])
    assert rankings(store, league).waiting_games == 0
