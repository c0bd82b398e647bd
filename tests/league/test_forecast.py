"""Forecasts of leagues and comparisons: what is known of the luck, best first, and what follows from it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from arena.config.league_file import BotTable, LeagueFile, RankingTable, StopTable
from arena.league.definition.checked_definition import Definition, resolve
from arena.league.forecast.luck import (
    LEAST_MATCHES,
    OWN_MATCHES,
    Source,
    forecast_comparison,
    games_per_s,
    known_luck,
    measured_luck,
    still_to_play,
)
from arena.league.forecast.power_analysis import forecast_league
from arena.submissions.entering import enter
from results.analysis.sequential_test import Question, SequentialTest
from results.records import EntrySpec, LeagueRecord, MatchRecord, RulesetRecord
from results.records.roster import COMPARISON
from results.store import Store
from tests.support.leagues import simple, write_bot
from tests.support.ledgers import new_store, played
from tests.support.submissions import take_in


def definition(entries: int = 6, **given: Any) -> Definition:
    of_file: dict[str, Any] = {"game": "bread-basket", "seats": 2, **given}
    return resolve(LeagueFile("friday", bots=(BotTable(path="x"),), **of_file), entries)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def league(
    store: Store,
    like: Definition,
    name: str,
    matches: int,
    *,
    ahead: int = 3,
    rotations: str | None = None,
    entries: list[EntrySpec] | None = None,
    rated: bool = True,
) -> LeagueRecord:
    """Store a league of two that plays like a definition; its games end with scores of 0 to `ahead`."""
    rules = like.ruleset
    found = store.leagues.create(
        name,
        config={"game": rules.game, "rotations": rotations or like.rotations},
        ruleset=RulesetRecord(rules.game, rules.version, rules.name, rules.key),
        entries=entries or [EntrySpec("a", None), EntrySpec("b", None)],
        rated=rated,
    )
    games = like.games_of(2)
    planned = [MatchRecord(found.uuid, number, 0, (0, 1), games) for number in range(matches)]
    store.matches.plan(found.uuid, planned)
    rng = Random(name)
    store.append(
        [
            structs.replace(
                played(match, rotation, [rng.randrange(ahead + 1), rng.randrange(ahead + 1)]),
                finished_at=f"2026-01-31T{match.match_no // 60:02}:{match.match_no % 60:02}:{30 * rotation:02}.000Z",
            )
            for match in planned
            for rotation in range(games)
        ]
    )
    return found


def test_a_league_of_the_store_is_known_best(store: Store) -> None:
    ours = definition()
    league(store, ours, "first", LEAST_MATCHES)
    league(store, definition(options={"hands": 1}), "others", LEAST_MATCHES, ahead=99)
    league(store, ours, "unrotated", LEAST_MATCHES, rotations="off", ahead=99)
    known = known_luck(ours, 2, store)
    assert known is not None
    assert (known.source, known.leagues, known.spread.matches) == (Source.STORE, 1, LEAST_MATCHES)
    assert 1 < known.spread.score < 2, "two games with scores of 0 to 3"
    league(store, ours, "second", LEAST_MATCHES)
    both = known_luck(ours, 2, store)
    assert both is not None
    assert (both.leagues, both.spread.matches) == (2, 2 * LEAST_MATCHES)


def test_leagues_with_too_few_matches_tell_less_than_the_game(store: Store) -> None:
    ours = definition()
    league(store, ours, "first", LEAST_MATCHES - 1)
    known = known_luck(ours, 2, store)
    assert known is not None
    assert known.source is Source.GAME
    assert known.spread == measured_luck(ours.game, ours.rulesets[2], 2, "cyclic"), (
        "with two seats, it is balanced"
    )


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ({}, Source.GAME),
        ({"rotations": "off"}, Source.GAME),
        ({"ruleset": "tens", "options": {"hands": 2}}, Source.GAME),
        ({"options": {"hands": 1}}, Source.RANDOM),
        ({"rotations": "mirror"}, Source.RANDOM),
    ],
)
def test_what_a_game_does_not_say_random_players_show(given: dict[str, Any], source: Source) -> None:
    known = known_luck(definition(**given), 2, None)
    assert known is not None
    assert known.source is source
    assert 0.3 < known.spread.share < 1.1


def test_comparisons_of_the_same_bots_are_known_best_of_all(store: Store, tmp_path: Path) -> None:
    ours = definition(2)
    specs = []
    for pick, name in enumerate(("one", "two")):
        version = enter(store, take_in(write_bot(tmp_path, name, simple(pick)), store))
        specs.append(EntrySpec(name, version.id))
    league(store, ours, "main", LEAST_MATCHES)
    compared = league(store, ours, "compare-1", LEAST_MATCHES, entries=specs, rated=False, ahead=1)
    store.leagues.add_event(compared.uuid, 0, COMPARISON, {"difference": 0.05, "error_rate": 0.05})
    question, bots = Question(0.05, 0.05), ["tests/one", "tests/two"]
    forecast = forecast_comparison(ours, question, store, bots)
    assert forecast is not None
    assert forecast.luck.source is Source.COMPARISONS
    other = forecast_comparison(ours, question, store, ["tests/one", "tests/three"])
    assert other is not None
    assert other.luck.source is Source.STORE
    assert forecast.at_difference.mean < other.at_difference.mean, "their scores differ by less"
    assert forecast.at_difference.mean < forecast.at_difference.most
    league_of = known_luck(ours, 2, store)
    assert league_of is not None
    assert league_of.source is Source.STORE, "comparisons say little of a league"


def test_the_pace_is_that_of_the_newest_games(store: Store) -> None:
    ours = definition()
    assert games_per_s(store, ours) is None
    league(store, ours, "first", 40)
    assert games_per_s(store, ours) == pytest.approx(1 / 30)
    assert games_per_s(store, definition(options={"hands": 1})) is None


def test_a_league_is_told_how_far_it_comes() -> None:
    forecast = forecast_league(definition(schedule={"kind": "round-robin", "rounds": 10}), None)
    assert forecast is not None
    assert forecast.planned_matches == 150
    assert forecast.told_gap is not None
    assert forecast.is_far_too_short
    assert forecast.wanted_gap == 0.02
    of_two = forecast_league(definition(2), None)
    assert of_two is not None
    assert of_two.wanted_matches is not None
    assert forecast.wanted_matches is not None
    assert forecast.wanted_matches == pytest.approx(5 * of_two.wanted_matches, rel=0.01), (
        "each meets five others"
    )
    long = forecast_league(definition(schedule={"kind": "round-robin", "rounds": 1000}), None)
    assert long is not None
    assert long.told_gap == pytest.approx(0.02 * (forecast.wanted_matches / 15_000) ** 0.5, rel=0.01)
    assert not long.is_far_too_short
    assert forecast.games_per_s is None


def test_a_league_about_scores_is_told_in_points() -> None:
    forecast = forecast_league(definition(ranking=RankingTable("scores")), None)
    by_places = forecast_league(definition(), None)
    assert forecast is not None
    assert by_places is not None
    spread = forecast.luck[2].spread
    assert forecast.wanted_gap == pytest.approx(0.02 * spread.score / spread.share)
    assert forecast.wanted_matches == by_places.wanted_matches


@pytest.mark.parametrize(
    ("given", "matches", "made_longer_by"),
    [
        ({"schedule": {"kind": "ladder"}}, None, ""),
        ({"schedule": {"kind": "ladder"}, "stop": StopTable(matches=500)}, 500, "matches in [stop]"),
        ({"schedule": {"kind": "ladder"}, "stop": StopTable(games=300)}, 300, "games in [stop]"),
        (
            {"schedule": {"kind": "ladder"}, "seats": (2, 4), "stop": StopTable(matches=300)},
            300,
            "matches in [stop]",
        ),
        (
            {"schedule": {"kind": "round-robin", "rounds": 4}, "stop": StopTable(matches=20)},
            20,
            "matches in [stop]",
        ),
        (
            {"schedule": {"kind": "round-robin", "rounds": 4}, "stop": StopTable(games=60)},
            30,
            "games in [stop]",
        ),
        (
            {"schedule": {"kind": "round-robin", "rounds": 4}, "stop": StopTable(games=6000)},
            60,
            "rounds in [schedule]",
        ),
        ({"schedule": {"kind": "swiss", "rounds": 4}}, 12, "matches in [schedule]"),
    ],
)
def test_the_planned_matches_are_those_of_the_schedule_and_of_stop(
    given: dict[str, Any], matches: int | None, made_longer_by: str
) -> None:
    forecast = forecast_league(definition(**given), None)
    assert forecast is not None
    assert forecast.planned_matches == matches
    assert (forecast.told_gap is None) == (matches is None)
    assert " and ".join(forecast.made_longer_by) == made_longer_by


def test_what_is_left_of_a_comparison_follows_from_its_own_results() -> None:
    test = SequentialTest(Question(0.05, 0.05))
    for _ in range(OWN_MATCHES // 3):
        assert still_to_play(test) is None
        for result in (0.5, 0.0, -0.5):
            test.add(result)
    left = still_to_play(test)
    assert left is not None
    assert 300 < left.mean < 1500
