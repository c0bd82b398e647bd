"""Which rows `arena rankings` shows: the first ones, those around a bot, and in a terminal not thousands of them."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from arena.cli.display.rankings import MOST_IN_A_TERMINAL, NEIGHBOURS, Choice, chosen
from results.base.errors import UnknownEntry
from results.reports.ranking_columns import Rankings
from results.reports.rankings import rankings
from results.store import Store
from tests.support.leagues import arena_here
from tests.support.ledgers import new_league, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with a league in which a beats b, b beats c, and c beats d, ten times each."""
    store = new_store(tmp_path)
    league = new_league(store, 4, "spring")
    matches = plan(store, league, *[(0, 1), (1, 2), (2, 3)] * 10)
    store.append([played(match, 0, (5, 1)) for match in matches])
    return store


@pytest.fixture
def many(store: Store) -> Rankings:
    """Return rankings of more bots than a terminal shows: bot-0, bot-1 and so on."""
    report = rankings(store, store.leagues.get("spring"))
    rows = [
        structs.replace(report.rows[0], label=f"bot-{number}", rank=number + 1)
        for number in range(MOST_IN_A_TERMINAL + 50)
    ]
    return structs.replace(report, rows=tuple(rows))


def labels(report: Rankings) -> list[str]:
    return [row.label for row in report.rows]


def test_a_terminal_shows_the_first_bots_and_says_how_to_see_the_others(many: Rankings) -> None:
    shown, note = chosen(many, Choice(), in_a_terminal=True)
    assert labels(shown) == labels(many)[:MOST_IN_A_TERMINAL]
    assert note.startswith("100 of 150 bots: --top 150 shows all")


def test_a_file_gets_all_bots(many: Rankings) -> None:
    assert chosen(many, Choice(), in_a_terminal=False) == (many, "")


def test_all_can_be_shown_in_a_terminal(many: Rankings) -> None:
    assert chosen(many, Choice(top=150), in_a_terminal=True) == (many, "")


@pytest.mark.parametrize(("place", "first", "last"), [(0, 0, 5), (3, 0, 8), (70, 65, 75), (149, 144, 149)])
def test_a_bot_is_shown_with_those_next_to_it(many: Rankings, place: int, first: int, last: int) -> None:
    assert NEIGHBOURS == 5
    shown, note = chosen(many, Choice(around=f"bot-{place}"), in_a_terminal=True)
    assert labels(shown) == labels(many)[first : last + 1]
    assert not note


def test_a_bot_that_is_not_shown_is_an_error(many: Rankings) -> None:
    rows = tuple(structs.replace(row, state="retired") if row.rank == 1 else row for row in many.rows)
    with pytest.raises(UnknownEntry, match="bot-0"):
        chosen(structs.replace(many, rows=rows), Choice(active=True, around="bot-0"), in_a_terminal=False)


def test_ranks_stay_those_of_the_whole_table(store: Store) -> None:
    done = arena_here("rankings", "--top", "2", "--format", "json", cwd=store.path.parent)
    assert [(row["rank"], row["label"]) for row in json.loads(done.stdout)] == [(1, "a"), (2, "b")]
    done = arena_here("rankings", "--around", "3", "--format", "json", cwd=store.path.parent)
    assert [row["rank"] for row in json.loads(done.stdout)] == [1, 2, 3, 4], "an entry has a number, too"


def test_both_at_once_are_refused(store: Store) -> None:
    done = arena_here("rankings", "--top", "2", "--around", "a", cwd=store.path.parent)
    assert done.returncode == 2
    assert "--top and --around can't be combined" in done.stderr
