"""Rating settings: draws measured, parameters refused, ratings taken over from earlier leagues."""

from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec import structs

from arena.config.league_file import BotTable, LeagueFile
from arena.config.mistakes import UnknownKey, in_file
from arena.core.chance import Chance
from arena.core.errors import BadFile, UsageError
from arena.core.game import Outcome, ranks_of
from arena.core.ruleset import GameInfo, Rotations, Ruleset
from arena.league.create import create
from arena.league.definition.checked_definition import Definition, resolve
from arena.league.definition.rating import (
    HIGHEST,
    LOWEST,
    draw_probability,
    rating_plan,
    tie_rate,
    with_draws,
    with_predecessors,
)
from arena.league.definition.read import plan
from results.ratings.base import Rating, taken_over
from results.records import EntrySpec, LeagueRecord, VersionRecord
from results.store import Store
from tests.support.leagues import measured_once, simple, write_bot
from tests.support.ledgers import new_store, played
from tests.support.ledgers import plan as plan_matches
from tests.support.points import Points, offer

NEW = Rating(25.0, 25 / 3)


def file(game: str = "bread-basket", seats: int | tuple[int, ...] = 2, **rating: Any) -> LeagueFile:
    return LeagueFile(
        "x",
        game,
        (BotTable(path="."),),
        seats=seats,
        rating=rating,
    )


def definition(game: str = "bread-basket", seats: int | tuple[int, ...] = 2) -> Definition:
    return resolve(file(game, seats), 6)


# Draws


class Lots:
    """The deal says at once who wins; `even`: now and then nobody does."""

    info = GameInfo("lots", "Lots", 1, "", {"plain": {}}, ())

    def __init__(self, *, even: bool = False) -> None:
        self.even = even

    def deal(self, seats: int, _rules: Ruleset, chance: Chance) -> tuple[tuple[int, ...], tuple[()]]:
        lots = chance.permutation("lots", range(seats + self.even))
        return (tuple(range(seats)) if seats not in lots[:seats] else (0,) * seats), ()

    def turn(self, state: tuple[int, ...]) -> Outcome:
        return Outcome(state, ranks_of(state))

    def copy(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return state


@pytest.mark.parametrize(
    ("even", "rotations", "low", "high"),
    [
        (False, "off", 0.0, 0.0),  # the last seat always wins
        (False, "cyclic", 1.0, 1.0),  # once each
        (True, "off", 0.55, 0.75),  # two of three lots are even
    ],
)
def test_ties_by_hand(even: bool, rotations: Rotations, low: float, high: float) -> None:
    game: Any = Lots(even=even)
    assert low <= tie_rate(game, definition().rulesets[2], 2, rotations) <= high


def test_two_seats_draw_as_often_as_may_be() -> None:
    assert draw_probability(definition()) == HIGHEST


@pytest.mark.slow
def test_the_figure_is_the_same_everywhere_and_held_in_its_bounds() -> None:
    assert draw_probability(definition(seats=4)) == 0.128
    assert LOWEST <= draw_probability(definition("sandwich", 6)) < 0.05


@pytest.mark.slow
def test_of_several_table_sizes_the_mean_is_taken() -> None:
    two, four = (
        tie_rate(s.game, s.rulesets[n], n, s.rotations) for n in (2, 4) for s in (definition(seats=n),)
    )
    assert draw_probability(definition(seats=(2, 4))) == round((two + four) / 2, 3)


# Parameters


def options_of(**rating: Any) -> dict[str, Any]:
    return with_draws(rating_plan(file(**rating)), definition()).options


def test_what_the_file_sets_is_not_measured() -> None:
    assert options_of(draw_probability=0.3, beta=2.0) == {
        "mu": 25.0,
        "sigma": 25 / 3,
        "beta": 2.0,
        "tau": 0.0,
        "draw_probability": 0.3,
        "rates": "games",
    }
    assert options_of(rates="matches")["draw_probability"] == HIGHEST
    assert options_of()["draw_probability"] == draw_probability(definition(), by_games=True) < HIGHEST


@pytest.mark.parametrize(
    ("rating", "words"),
    [
        (
            {"draw_probability": 0.0},
            r"x: rating\.draw_probability: must be a number from 0\.001 to 0\.99, not 0",
        ),
        (
            {"draw_probability": 1.0},
            r"x: rating\.draw_probability: must be a number from 0\.001 to 0\.99, not 1",
        ),
        ({"beta": "wide"}, r'x: rating\.beta: must be a number.*, not "wide"'),
        ({"k": 20}, r"x: unknown key 'k'"),
        ({"inherits": True}, r"x: unknown key 'inherits'; did you mean 'inherit'?"),
        ({"inherit": 1}, r"x: rating\.inherit: expected true or false"),
    ],
)
def test_what_can_not_be_had_is_refused(rating: dict[str, Any], words: str) -> None:
    with pytest.raises(BadFile, match=words), in_file("x"):
        rating_plan(file(**rating))


def test_an_unknown_system_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match=r"rating\.system: there is no rating system 'glicko'") as caught:
        rating_plan(file(system="glicko"))
    assert "trueskill" in caught.value.hint


def test_another_rating_system_brings_its_own_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, Points())
    assert options_of(system="points") == {"first": 0.0, "step": 1.0}, "nothing is measured for it"
    assert options_of(system="points", step=3, inherit=True) == {"first": 0.0, "step": 3.0}
    with pytest.raises(UnknownKey, match=r"^unknown key 'beta'") as caught:
        rating_plan(file(system="points", beta=3.0))
    assert caught.value.hint == "keys here: system, inherit, widen, first, step"


# Where ratings start


def test_widening_by_hand() -> None:
    assert taken_over(Rating(30, 3), 4, NEW) == Rating(30, 5)
    assert taken_over(Rating(30, 3), 0, NEW) == Rating(30, 3)
    assert taken_over(Rating(30, 8), 8, NEW) == Rating(30, NEW.sigma)


def version(number: int, bot: str = "crumb", author: str = "ann") -> VersionRecord:
    return VersionRecord(number, author, bot, number, str(number), None, {}, {}, None, "")


def test_a_predecessor_is_the_last_older_version_with_the_same_arguments() -> None:
    versions = {
        1: version(1),
        2: version(2),
        3: version(3),
        4: version(4, "other"),
        5: version(5, author="ben"),
    }
    specs = [EntrySpec(str(n), n) for n in (2, 1, 3, 4, 5)]
    specs += [EntrySpec("fast", 3, ("--fast",)), EntrySpec("person", None), EntrySpec("again", 3)]
    found = with_predecessors(specs, versions)
    assert [spec.predecessor for spec in found] == [None, None, 0, None, None, None, None, 0]


class Leagues:
    """A store, and leagues in it of two bots that can be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store: Store = new_store(folder)
        for name in ("one", "two"):
            write_bot(folder, name, simple(0))

    def change(self, name: str) -> None:
        with (self.folder / name / "bot.py").open("a") as source:
            source.write("# changed\n")

    def create(self, name: str, *, bots: tuple[str, ...] = ("one", "two"), **rating: Any) -> LeagueRecord:
        made = structs.replace(file(**rating), name=name, bots=tuple(BotTable(path=bot) for bot in bots))
        with measured_once():
            return create(self.store, plan(made, self.folder, name))

    def play(self, league: LeagueRecord, matches: int = 20) -> dict[str, Rating]:
        """Let the first win so many matches; return the ratings by label."""
        planned = plan_matches(self.store, league, *[(0, 1)] * matches)
        self.store.append([played(match, 0, (9, 1)) for match in planned])
        return {row.label: Rating(row.mu, row.sigma) for row in self.store.ratings.standings(league.uuid)}

    def priors(self, league: LeagueRecord) -> dict[str, Rating | None]:
        return {entry.label: entry.prior for entry in self.store.entries.all(league.uuid)}


def test_ratings_are_taken_over_only_where_that_is_wanted(tmp_path: Path) -> None:
    leagues = Leagues(tmp_path)
    last = leagues.play(leagues.create("first"))
    assert leagues.priors(leagues.create("second")) == {"one": None, "two": None}
    third = leagues.create("third", inherit=True, widen=1.0)
    assert leagues.priors(third) == {label: taken_over(rating, 1.0, NEW) for label, rating in last.items()}
    standing = {row.label: row for row in leagues.store.ratings.standings(third.uuid)}
    assert standing["one"].mu == last["one"].mu, "it starts from there"


def test_a_new_version_starts_from_the_last_one_of_the_newest_league(tmp_path: Path) -> None:
    leagues = Leagues(tmp_path)
    leagues.play(leagues.create("first"), 3)
    leagues.change("one")
    newest = leagues.play(leagues.create("second"), 20)
    leagues.create("empty")
    leagues.change("one")
    write_bot(tmp_path, "three", simple(1))
    priors = leagues.priors(leagues.create("third", bots=("one", "two", "three"), inherit=True))
    assert priors["one"] == taken_over(newest["one"], 25 / 6, NEW)
    assert priors["two"] == taken_over(newest["two"], 25 / 6, NEW)
    assert priors["three"] is None


def test_nothing_is_taken_over_from_other_rules_or_another_scale(tmp_path: Path) -> None:
    leagues = Leagues(tmp_path)
    leagues.play(leagues.create("first", beta=2.0))
    assert set(leagues.priors(leagues.create("second", inherit=True)).values()) == {None}
    leagues.play(leagues.create("third", game="sandwich", seats=3, bots=("one", "one", "two")))
    assert set(leagues.priors(leagues.create("fourth", inherit=True)).values()) == {None}


@pytest.mark.parametrize(("rotations", "is_taken"), [("off", True), ("cyclic", False)])
def test_ratings_of_matches_are_taken_over_as_ratings_of_games_only_if_a_match_is_a_game(
    tmp_path: Path, rotations: Literal["off", "cyclic"], is_taken: bool
) -> None:
    leagues = Leagues(tmp_path)
    before = structs.replace(
        file(rates="matches"),
        name="first",
        rotations=rotations,
        bots=(BotTable(path="one"), BotTable(path="two")),
    )
    with measured_once():
        first = create(leagues.store, plan(before, tmp_path, "first"))
    games = 1 if is_taken else 2
    planned = plan_matches(leagues.store, first, *[(0, 1)] * 3, games=games)
    leagues.store.append([played(match, rotation, (9, 1)) for match in planned for rotation in range(games)])
    priors = leagues.priors(leagues.create("second", inherit=True))
    assert (priors["one"] is not None) is is_taken


def test_an_older_version_does_not_inherit_from_a_newer_one(tmp_path: Path) -> None:
    leagues = Leagues(tmp_path)
    leagues.create("empty")
    leagues.change("one")
    leagues.play(leagues.create("first"))
    older = structs.replace(
        file(inherit=True), name="second", bots=(BotTable(version="one@1"), BotTable(path="two"))
    )
    priors = leagues.priors(create(leagues.store, plan(older, tmp_path, "second")))
    assert priors["one"] is None
    assert priors["two"] is not None


def test_a_mistyped_rating_system_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no rating system 'trueskil'; did you mean 'trueskill'\?"):
        rating_plan(file(system="trueskil"))


def test_the_keys_of_a_schedule_include_its_kind() -> None:
    with pytest.raises(UsageError) as caught:
        resolve(structs.replace(file(), schedule={"bout": 6}), 6)
    assert caught.value.hint.startswith("keys here: kind, ")
