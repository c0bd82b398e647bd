"""A game whose scores have two decimals, from the first match to pages, files and sums."""

import random
import re
from fractions import Fraction
from functools import reduce
from pathlib import Path

import msgspec
import pytest

from arena.core.ruleset import GameInfo
from results.base.scoring import added
from results.records import SeatRecord
from tests.support.outside import ROOT, arena, arena_json, beside

RANDOM = ROOT / "bots" / "any_game" / "random"
PROJECT = """[project]
name = "coins"
version = "1.0.0"
[project.entry-points."arena.games"]
coins = "coins:GAME"
"""
RULES = '''"""Each takes one of the coins of the deal, and none sees their worth: 1,000.01 to 1,000.42."""
from arena.core.game import Decision, Event, Outcome
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo

class Coins(BaseGame):
    info = GameInfo("coins", "Coins", 1, "Take a coin.", {"plain": {}}, (), decimals=2)
    players = range(1, 3)

    def deal(self, seats, ruleset, chance):
        coins = tuple(100_000 + 10 * one for one in chance.integers("coins", 3, 1, 4))
        coins = (coins[0], coins[1] + 1, coins[2] + 2)
        return [coins, (None,) * seats], (Event("dealt", {}),)

    def turn(self, state):
        coins, taken = state
        if None not in taken:
            return Outcome(self.scores(state))
        return (Decision(taken.index(None), "take", (0, 1, 2)),)

    def apply(self, state, moves):
        self.check(state, moves)
        coins, taken = state
        ((seat, move),) = moves.items()
        return [coins, (*taken[:seat], move, *taken[seat + 1 :])], (Event("taken", {"seat": seat, "coin": move}),)

    def scores(self, state):
        coins, taken = state
        return tuple(0 if one is None else coins[one] for one in taken)

    def view(self, state, seat):
        return {"taken": list(state[1])}

    def format_move(self, move):
        return {"type": "take", "coin": move}

GAME = Coins()
'''


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the game looks installed."""
    package = tmp_path_factory.mktemp("coins")
    (package / "src").mkdir()
    (package / "pyproject.toml").write_text(PROJECT)
    (package / "src" / "coins.py").write_text(RULES)
    return beside(package / "site", str(package))


def played(folder: Path, site: Path, seats: int) -> list[float]:
    """Create and play a league; return the scores of its bot `a`."""
    folder.mkdir()
    bots = "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "{label}"\n' for label in "ab")
    (folder / "league.toml").write_text(
        f'name = "main"\ngame = "coins"\nseats = {seats}\nseed = "1"\nsandbox = "off"\n'
        f'[schedule]\nkind = "round-robin"\nrounds = 12\n{bots}'
    )
    arena("league", "create", "league.toml", cwd=folder, installed=site)
    arena("run", "main", "--workers", "2", cwd=folder, installed=site)
    games = arena_json("replay", "list", "main", "--limit", "1000", cwd=folder, installed=site)
    seated = [seat.split() for game in games for seat in game["seats"].split(", ")]
    return [float(score) for label, score in seated if label == "a"]


@pytest.mark.parametrize("seats", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_scores_have_their_decimals_wherever_they_are_shown(site: Path, tmp_path: Path, seats: int) -> None:
    scores = played(folder := tmp_path / "league", site, seats)
    assert len(scores) == 12 * seats
    assert all(re.fullmatch(r"1000\.[1-4]?[0-2]?", str(score)) for score in scores)
    mean = float(sum(Fraction(str(score)) for score in scores)) / len(scores)
    if seats == 1:
        (row,) = (row for row in arena_json("rankings", cwd=folder, installed=site) if row["label"] == "a")
        assert row["score_mean"] == mean, "the sum of floats is exact"
        assert row["score_best"] == max(scores)
        table = arena("rankings", cwd=folder, installed=site).stdout
        assert f" {mean:.3f} " in table
        assert f" {max(scores):.2f} " in table
    else:
        rows = arena_json("stats", "--view", "tables", cwd=folder, installed=site)
        (row,) = (row for row in rows if row["bot"] == "a")
        assert row["score"] == pytest.approx(mean, abs=1e-12)
    commands = [
        "rankings --fit --fit-by scores --explain",
        "rankings --format csv",
        "stats",
        "replay list --limit 1000",
        "replay show main/0.0",
        "replay export main/0.0",
        *(["why main/0.0"] if seats == 2 else []),
        f"match {RANDOM} {' '.join([str(RANDOM)] * (seats - 1))} --game coins --rotate",
        "db verify",
        "db rebuild",
        "export-site pages",
    ]
    said = {one: arena(*one.split(), cwd=folder, installed=site) for one in commands}
    texts = {name: done.stdout + done.stderr for name, done in said.items()}
    pages = [
        path for path in (folder / "pages").rglob("*") if path.suffix in (".html", ".json", ".csv", ".md")
    ]
    texts |= {str(path.relative_to(folder)): path.read_text() for path in pages}
    assert len(texts) > 20
    for name, text in texts.items():
        assert not re.search(r"\b100,?0[1-4][0-2]\b", text), f"{name} shows units instead of points"
    shown = f"{scores[-1]:,}"
    assert any(shown in text for name, text in texts.items() if name.endswith(".html"))
    assert "everything matches" in texts["db verify"]


def test_sums_of_decimals_are_exact_in_any_order() -> None:
    rng = random.Random(1)
    for decimals in range(5):
        info = GameInfo("coins", "Coins", 1, "", {"plain": {}}, (), decimals=decimals)
        units = [rng.randrange(-(10**9), 10**9) for _ in range(2_000)]
        right = info.points([sum(units)])[0]
        for _ in range(5):
            rng.shuffle(units)
            assert reduce(added, info.points(units)) == right
    assert info.points([25_000, -5, 0]) == (2.5, -0.0005, 0)


def test_whole_scores_stay_whole_in_files_and_messages() -> None:
    for score in (6, 2.5):
        seat = SeatRecord(0, 0, score, 1, None, "", None, 1, 1, 1, 1)
        back = msgspec.json.decode(msgspec.json.encode(seat), type=SeatRecord)
        assert type(back.score) is type(score)
        assert back == seat
