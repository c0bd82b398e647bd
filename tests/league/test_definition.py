"""What a league file comes to where formats, table sizes and authors play together."""

from pathlib import Path
from typing import Any

import pytest

from arena import registry
from arena.config.league_file import BotTable, LeagueFile
from arena.core.errors import UsageError
from arena.league.definition.checked_definition import Definition, Lineup, resolve
from arena.league.definition.read import read_plan
from tests.support.tree import LEAGUE_FILES


def definition(
    entries: int,
    schedule: dict[str, Any],
    lineup: Lineup | None = None,
    game: str = "bread-basket",
    **keys: Any,
) -> Definition:
    file = LeagueFile("x", game, (BotTable(path="x"),), schedule=schedule, **keys)
    return resolve(file, entries, lineup=lineup or Lineup())


def test_a_swiss_gets_the_rules_of_every_table_size_it_needs() -> None:
    made = definition(10, {"kind": "swiss", "rounds": 3}, seats=4)
    assert sorted(made.rulesets) == [3, 4]
    assert made.total_matches == 9
    assert made.total_games == 3 * (4 + 6 + 6)
    assert not made.endless


def test_a_table_size_that_the_game_has_not_is_refused() -> None:
    with pytest.raises(UsageError, match=r"swiss of 7 bots at 3 needs tables of 2: fr is for 3 to 6"):
        definition(7, {"kind": "swiss"}, game="sandwich", seats=3)


def test_an_elimination_ends_by_its_results() -> None:
    made = definition(8, {"kind": "elimination"}, seats=2)
    assert made.total_matches is None
    assert made.total_games is None
    assert not made.endless


def test_mixed_sizes_are_counted_each() -> None:
    made = definition(4, {"kind": "round-robin"}, seats=(2, 3))
    assert made.total_matches == 6 + 4
    assert made.total_games == 6 * 2 + 4 * 6


AUTHORS = Lineup(authors={0: "ada", 1: "ada", 2: "bob"})


def test_bots_of_one_author_are_kept_apart_unless_it_is_allowed() -> None:
    with pytest.raises(
        UsageError, match="same_author: the bots are by 2 authors, too few for tables of 3"
    ) as refused:
        definition(3, {}, AUTHORS, seats=3)
    assert "same_author = true" in refused.value.hint
    assert definition(3, {}, AUTHORS, seats=3, same_author=True).field.authors == {}
    assert definition(3, {}, AUTHORS, seats=2).total_matches == 2
    assert definition(3, {}, AUTHORS, seats=2, same_author=True).total_matches == 3


def test_where_all_bots_are_of_one_author_nobody_is_kept_apart() -> None:
    alone = Lineup(authors=dict.fromkeys(range(3), "ada"))
    assert definition(3, {}, alone, seats=3).total_matches == 1


def test_what_is_known_of_the_entries_later_comes_to_the_same() -> None:
    file = LeagueFile("x", "sandwich", (BotTable(path="x"),), schedule={"kind": "swiss"}, seats=4)
    lineup = Lineup(authors={k: f"author {k % 3}" for k in range(9)}, labels={0: "ann"})
    later = resolve(file, 9).with_lineup(lineup)
    assert later == resolve(file, 9, lineup=lineup)
    assert later.file is file
    assert later.field.labels == {0: "ann"}


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have draws guessed, as to measure them takes longer than all else."""
    monkeypatch.setattr("arena.league.definition.rating.draw_probability", lambda _, **_how: 0.1)


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize("file", LEAGUE_FILES, ids=lambda file: file.stem)
def test_examples_hold_together(file: Path) -> None:
    plan = read_plan(file)
    assert plan.file.name == file.stem
    assert plan.definition.standing is (file.stem == "standing-ladder"), "all others end by themselves"


@pytest.mark.usefixtures("unmeasured")
def test_every_schedule_has_an_example() -> None:
    kinds = {read_plan(file).definition.schedule.name for file in LEAGUE_FILES}
    ours = {
        name
        for name, schedule in registry.schedules().items()
        if type(schedule).__module__.startswith("arena.schedules.")
    }
    assert kinds == ours


@pytest.mark.parametrize(
    ("game", "seats", "rotations", "games"),
    [
        ("bread-basket", 4, "balanced", 4),
        ("bread-basket", 3, "balanced", 6),
        ("bread-and-chocolate", 2, "cyclic", 2),
        ("sandwich", 4, "balanced", 4),
    ],
)
def test_rotations_by_default(game: str, seats: int, rotations: str, games: int) -> None:
    """In Bread Basket and Sandwich it matters who sits next to whom, so neighbours change."""
    made = definition(4, {}, game=game, seats=seats)
    assert made.rotations == rotations
    assert made.games_of(seats) == games


@pytest.mark.parametrize(("entries", "size"), [(2, 4), (4, 4), (5, 4), (6, 6), (9, 6)])
def test_tables_are_as_large_as_the_rules_and_the_bots_allow(
    monkeypatch: pytest.MonkeyPatch, entries: int, size: int
) -> None:
    monkeypatch.setattr(registry.game("bread-basket"), "seats", lambda _: range(4, 7, 2), raising=False)
    file = LeagueFile("x", "bread-basket", (BotTable(path="x"),) * entries, schedule={"kind": "ladder"})
    assert resolve(file, entries).field.seats == (size,)


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        (range(4, 5), "is for 4 players, not 5"),
        (range(4, 7, 2), "is for 4 or 6 players, not 5"),
        (range(0), "no number"),
    ],
)
def test_a_size_that_the_rules_do_not_allow_is_refused_with_those_they_do(
    monkeypatch: pytest.MonkeyPatch, allowed: range, said: str
) -> None:
    monkeypatch.setattr(registry.game("bread-basket"), "seats", lambda _: allowed, raising=False)
    with pytest.raises(UsageError, match=said):
        definition(5, {}, seats=5 if allowed else None)
