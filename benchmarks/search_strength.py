"""Measures what `arena_engine.search` is worth in each game, against reference bots and against random moves.

    python benchmarks/search_strength.py [--ms 20] [--matches 40] [--only bread-basket/counter] [--at-random]

Prints a table for `docs/thinking-ahead.md`. A match is two games on one deal with the seats exchanged; at larger tables
half of the seats search in one game, the others in the other. Time is CPU time, so other programs on the machine
change little. Errors are standard errors over matches. With `--at-random`, playouts make random moves instead of the
policy's.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [
    str(ROOT),
    *(str(ROOT / "examples" / name / "src") for name in ("goofspiel", "kuhn", "whist")),
]

from arena import registry  # noqa: E402 - only now is it found
from arena.core.game import AnyGame  # noqa: E402
from arena.core.ruleset import ruleset  # noqa: E402
from arena.engine import ForwardModel, search  # noqa: E402
from benchmarks.in_process import Player, play  # noqa: E402

vars(search)["monotonic"] = time.process_time


@dataclass(frozen=True)
class Table:
    """Where the search plays, and against whom."""

    game: str
    rules: str
    seats: int
    opponent: str
    """The folder of a bot in `bots`."""
    options: tuple[tuple[str, int], ...] = ()
    matches: int = 1
    """How many times as many as asked for."""

    @property
    def name(self) -> str:
        return f"{self.game}/{Path(self.opponent).name}"


SHORT = (("hands", 2),)
RANDOM = "any_game/random"
TABLES = (
    Table("bread-basket", "tens", 2, RANDOM),
    Table("bread-basket", "tens", 2, "bread_basket/greedy"),
    Table("bread-basket", "tens", 2, "bread_basket/counter"),
    Table("bread-and-chocolate", "pagat", 2, RANDOM, SHORT),
    Table("bread-and-chocolate", "pagat", 2, "bread_and_chocolate/greedy", SHORT),
    Table("sandwich", "fr", 4, RANDOM),
    Table("sandwich", "fr", 4, "sandwich/greedy"),
    Table("goofspiel", "carry", 2, RANDOM),
    Table("kuhn", "plain", 2, RANDOM, matches=10),
    Table("whist", "english", 4, RANDOM),
)


def rules_of(name: str) -> AnyGame:
    """Return a game of Arena's, or of `examples`."""
    if name in registry.games():
        return registry.game(name)
    found: AnyGame = import_module(name if name == "kuhn" else f"{name}.game").GAME
    return found


def searcher(rules: AnyGame, seconds: float, at_random: bool, worlds: list[int]) -> Callable[[Any, Any], Any]:
    """Return a bot that searches, and notes in how many worlds it has tried its moves."""

    def choose(ask: Any, game: Any) -> Any:
        model = ForwardModel(game, rules)
        if at_random:
            model.foresight = replace(model.foresight, policy=rules.sample_move)
        found = search.search(model, ask, seconds)
        worlds.append(found.candidates[0].worlds)
        return found.move

    return choose


def measure(table: Table, ms: float, matches: int, at_random: bool) -> str:
    """Play the matches of a table; return its line."""
    game = rules_of(table.game)
    rules = game.resolve(ruleset(game.info, table.rules, dict(table.options)), table.seats)
    worlds: list[int] = []
    ours = searcher(game, ms / 1000, at_random, worlds)
    shares, leads = [], []
    for number in range(matches * table.matches):
        share, lead = [], []
        for turned in range(2):
            own = [seat for seat in range(table.seats) if (seat + turned) % 2 == 0]
            players = [
                Player("search", choose=ours) if seat in own else Player(table.opponent)
                for seat in range(table.seats)
            ]
            rng = random.Random(f"{number}/{turned}")
            scores = play(game, rules, players, f"strength/{number}", rng).scores
            mine = [scores[seat] for seat in own]
            others = [score for seat, score in enumerate(scores) if seat not in own]
            share.append(fmean([(a > b) + (a == b) / 2 for a in mine for b in others]))
            lead.append(fmean(mine) - fmean(others))
        shares.append(fmean(share))
        leads.append(fmean(lead))
    figures = [f"{shown(shares, '.2f')}", f"{shown(leads, '+.1f')}", f"{fmean(worlds):.0f}", str(len(shares))]
    return f"| {table.game} `{table.rules}` {table.seats} | `{Path(table.opponent).name}` | {' | '.join(figures)} |"


def shown(figures: list[float], form: str) -> str:
    """Return a mean with its standard error."""
    return f"{format(fmean(figures), form)} ± {format(stdev(figures) / sqrt(len(figures)), form.lstrip('+'))}"


def main() -> None:
    """Measure the tables, or those that are named."""
    read = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    read.add_argument("--ms", type=float, default=20.0)
    read.add_argument("--matches", type=int, default=40)
    read.add_argument("--only", action="append", default=[])
    read.add_argument("--at-random", action="store_true")
    asked = read.parse_args()
    print("| Game | Against | Share | Points a game | Worlds | Matches |\n|---|---|---|---|---:|---:|")
    for table in TABLES:
        if not asked.only or table.name in asked.only:
            print(measure(table, asked.ms, asked.matches, asked.at_random), flush=True)


if __name__ == "__main__":
    main()
