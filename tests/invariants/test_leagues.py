"""A league of a fixed seed comes out as it always did: games, conversations, ratings, reports.

What must not change is written down in leagues.json. A league that is new gets its facts with
`pytest tests/invariants --update`; facts that are there change only where the rules or the arithmetic were meant to.
"""

import json
from pathlib import Path

import pytest

from arena.league.create import create_at
from arena.league.definition.read import read_plan
from tests.invariants.bots import write_bot
from tests.invariants.facts import Facts, Written, facts_of, said
from tests.support.example_leagues import BOTS, INHERITING, LEAGUES, QUICK, League
from tests.support.game_tables import RULESETS
from tests.support.leagues import arena, play_here

FILE = Path(__file__).parent / "leagues.json"


@pytest.fixture
def written(update: bool) -> Written:
    return Written(FILE, update=update)


def write_bots(folder: Path) -> None:
    for name, (habit, author) in BOTS.items():
        write_bot(folder, name, habit, author)


def play(folder: Path, league: League, name: str = "league") -> Facts:
    """Play a league whole, in a store beside the bots; return what is told of it."""
    file = folder / f"{name}.toml"
    file.write_text(league.text(name))
    create_at(folder / "arena.sqlite", read_plan(file))  # which measures draws as users have them measured
    assert play_here(folder, name)
    return facts_of(folder, name)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in LEAGUES]
)
def test_a_league_comes_out_as_it_did(name: str, tmp_path: Path, written: Written) -> None:
    write_bots(tmp_path)
    written.holds(name, play(tmp_path, LEAGUES[name]))


@pytest.mark.slow
def test_inherited_ratings_are_what_they_were(tmp_path: Path, written: Written) -> None:
    write_bots(tmp_path)
    play(tmp_path, LEAGUES["round-robin"], "before")
    written.holds("inherit", play(tmp_path, INHERITING, "after"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["round-robin", "rotations-balanced"])
def test_worker_processes_come_to_the_same(name: str, tmp_path: Path, written: Written) -> None:
    """Leagues by commands alone, in processes, as a user runs them."""
    write_bots(tmp_path)
    (tmp_path / "league.toml").write_text(LEAGUES[name].text())
    arena("league", "create", "league.toml", cwd=tmp_path)
    arena("run", "league", "--workers", "2", cwd=tmp_path)
    written.same(name, facts_of(tmp_path, "league"))
    arena("league", "reveal", "league", cwd=tmp_path)
    arena("league", "verify-deals", "league", cwd=tmp_path)


@pytest.mark.slow
def test_a_comparison_comes_to_the_answer_it_did(tmp_path: Path, written: Written) -> None:
    write_bots(tmp_path)
    options = ("--game", "bread-basket", "--option", "hands=1", "--seed", "5", "--budget", "24")
    done = arena(
        *("compare", "bob", "cat", *options, "-w", "1", "--sandbox", "off", "--format", "json"),
        cwd=tmp_path,
        check=False,
    )
    (row,) = json.loads(done.stdout)
    written.holds("compare", {"exit code": str(done.returncode), "answer": json.dumps(row)})


def test_every_ruleset_is_written_down() -> None:
    listed = json.loads(said(Path.cwd(), "games", "--format", "json"))
    assert {(row["name"], row["ruleset"]) for row in listed} == {
        (game, ruleset) for game, rulesets in RULESETS.items() for ruleset in rulesets
    }
