"""Measures the luck of a match for each game, ruleset and table size, with reference bots; writes the games' luck.json.

    python benchmarks/luck.py [--game NAME] [--ruleset NAME] [--seats N] [--part 0.1] [--dry-run]

Reference bots and versions of them that make a quarter of their moves at random play in this process, a random table
on each deal, in the seats of the game's default rotation. `results.analysis.sample_size` takes the luck from these
matches, and from their games as matches of one game each (rotations = "off"). Standard errors are by deal. All games
follow from seeds, the same on every machine. Figures that aren't measured again stay in the file.

Left out are the bots that need a process of their own to play (they think against the clock, or ahead by the rules),
and `rememberer`, which takes seconds for a game.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.game import ranks_with_faults
from arena.core.ruleset import ruleset
from arena.core.seatings import seatings
from arena.registry import game as game_named
from benchmarks.in_process import Player, play
from results.analysis.sample_size import Spread, spread
from results.records.query_rows import SeatResult

ROOT = Path(__file__).parents[1]
NOISE = 0.25

Rows = NDArray[np.int64]


def _players(folder: str, *bots: str) -> tuple[Player, ...]:
    """Return players by the names of bots; a name that ends with ~ makes some of its moves at random."""
    return tuple(Player(f"{folder}/{bot.rstrip('~')}", NOISE if bot.endswith("~") else 0.0) for bot in bots)


PLAYERS: Mapping[str, Sequence[Player]] = {
    "bread-basket": _players(
        "bread_basket", "counter", "greedy", "reader", "crumb", "worrier", "counter~", "greedy~"
    ),
    "bread-and-chocolate": _players(
        "bread_and_chocolate", "blocker", "greedy", "listener", "blocker~", "greedy~", "listener~"
    ),
    "sandwich": _players(
        "sandwich", "learner", "greedy", "apprentice", "bland", "learner~", "greedy~", "bland~"
    ),
}


class Setting(NamedTuple):
    """One kind of table, and on how many deals it is measured."""

    game: str
    ruleset: str
    seats: int
    deals: int


SETTINGS = (
    *(
        Setting("bread-basket", "tens", seats, deals)
        for seats, deals in ((2, 200), (3, 70), (4, 100), (5, 60), (6, 50))
    ),
    *(
        Setting("bread-basket", rules, seats, deals)
        for rules in ("none", "extra")
        for seats, deals in ((2, 120), (3, 40), (4, 60))
    ),
    *(
        Setting("bread-and-chocolate", "shram", seats, deals)
        for seats, deals in ((2, 500), (3, 300), (4, 250), (5, 200))
    ),
    *(Setting("bread-and-chocolate", rules, 2, 300) for rules in ("pagat", "gamerules")),
    *(Setting("sandwich", "en", seats, deals) for seats, deals in ((3, 50), (4, 60), (5, 40), (6, 34))),
    *(
        Setting("sandwich", rules, seats, deals)
        for rules in ("fr", "de", "es")
        for seats, deals in ((3, 30), (4, 36))
    ),
)


def main() -> None:
    """Measure, print, and write the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(PLAYERS))
    parser.add_argument("--ruleset")
    parser.add_argument("--seats", type=int)
    parser.add_argument("--part", type=float, default=1.0, help="the part of the deals to play")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    given = parser.parse_args()
    print("| game | ruleset | seats | rotations | matches × games | share | score |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for setting in SETTINGS:
        wanted = zip((given.game, given.ruleset, given.seats), setting, strict=False)
        if not all(asked in (None, value) for asked, value in wanted):
            continue
        found = measured(setting, round(setting.deals * given.part))
        for rotations, one in found.items():
            print(
                f"| {setting.game} | {setting.ruleset} | {setting.seats} | {rotations} | {one.matches} × {one.games} "
                f"| {one.share:.3f} ± {one.share_error:.3f} | {one.score:.2f} ± {one.score_error:.2f} |",
                flush=True,
            )
        if not given.dry_run:
            _write(setting, found)


def measured(setting: Setting, deals: int) -> dict[str, Spread]:
    """Return the luck by rotations: the game's default, and `off`."""
    game = game_named(setting.game)
    of_deals = list(_played(setting, deals))
    games = int(of_deals[0][:, 1].max()) + 1
    whole = spread(of_deals, setting.seats, games)
    alone = spread([_each_alone(of_deals, games)], setting.seats, 1)
    if whole is None or alone is None:
        raise SystemExit(f"{setting}: too few matches, or nothing differs")
    clustered = sqrt(alone.matches / deals)  # the games of a deal may repeat each other
    return {
        game.info.rotations: whole,
        "off": Spread(
            seats=alone.seats,
            games=1,
            matches=alone.matches,
            share=alone.share,
            share_error=alone.share_error * clustered,
            score=alone.score,
            score_error=alone.score_error * clustered,
        ),
    }


def _played(setting: Setting, deals: int) -> Iterator[Rows]:
    """Yield the seats of each deal's games, with the columns of `SeatResult`."""
    for deal in range(deals):
        name = f"luck/{setting.game}/{setting.ruleset}/{setting.seats}/{deal}"
        players = range(len(PLAYERS[setting.game]))
        table = tuple(random.Random(name).sample(players, setting.seats))
        yield match_of(setting, table, deal, name)


def match_of(setting: Setting, table: Sequence[int], match_no: int, name: str) -> Rows:
    """Play a match between players by number, in this order; `name` fixes the deal and all else.

    Return its seats, with the columns of `SeatResult`.
    """
    game = game_named(setting.game)
    rules = game.resolve(ruleset(game.info, setting.ruleset, {}), setting.seats)
    rows = []
    for rotation, seating in enumerate(seatings(tuple(table), game.info.rotations)):
        rng = random.Random(f"{name}/{rotation}")
        outcome = play(game, rules, [PLAYERS[setting.game][one] for one in seating], name, rng)
        ranks = ranks_with_faults(outcome.scores, {})
        rows += [
            SeatResult(match_no, rotation, seat, seating[seat], ranks[seat], outcome.scores[seat], 0)
            for seat in range(setting.seats)
        ]
    return np.array(rows, dtype=np.int64)


def _each_alone(of_deals: Sequence[Rows], games: int) -> Rows:
    """Return the same games as matches of one game each."""
    rows = np.concatenate(of_deals)
    rows[:, 0] = rows[:, 0] * games + rows[:, 1]
    rows[:, 1] = 0
    return rows


def _write(setting: Setting, found: Mapping[str, Spread]) -> None:
    """Put the figures of one setting into its game's file."""
    game = game_named(setting.game)
    path = ROOT / "arena" / "games" / setting.game.replace("-", "_") / "luck.json"
    old = json.loads(path.read_text()) if path.exists() else {"measured": []}
    new = [
        {
            "ruleset": setting.ruleset,
            "seats": setting.seats,
            "rotations": rotations,
            "games": one.games,
            "matches": one.matches,
            "share": round(one.share, 4),
            "share_error": round(one.share_error, 4),
            "score": round(one.score, 3),
            "score_error": round(one.score_error, 3),
        }
        for rotations, one in found.items()
    ]
    kept = [
        one
        for one in old["measured"]
        if (one["ruleset"], one["seats"]) != (setting.ruleset, setting.seats)
        and old["rules_version"] == game.info.version
    ]
    order = {
        (one.ruleset, one.seats): number for number, one in enumerate(SETTINGS) if one.game == setting.game
    }
    both: list[dict[str, Any]] = sorted(kept + new, key=lambda one: order[one["ruleset"], one["seats"]])
    lines = ",\n".join(f"  {json.dumps(one)}" for one in both)
    path.write_text(f'{{"rules_version": {json.dumps(game.info.version)},\n "measured": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
