"""How far forecasts are off that take the luck of a match from random players, where reference bots were measured too.

    python benchmarks/random_luck.py

For each ruleset and table size in the luck.json of Arena's games: the matches that a forecast by random players asks
for, divided by those of a forecast by reference bots. That is the ratio of the two variances. All follows from seeds.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.ruleset import ruleset
from arena.league.definition.rating import random_matches
from arena.league.forecast.luck import measured_luck
from arena.registry import game as game_named
from benchmarks.luck import SETTINGS
from results.analysis.sample_size import spread


def main() -> None:
    """Print the ratios as a table, and their range."""
    print("| game | ruleset | seats | by places | by scores |")
    print("| --- | --- | --- | --- | --- |")
    ratios = []
    for setting in SETTINGS:
        game = game_named(setting.game)
        rules = game.resolve(ruleset(game.info, setting.ruleset, {}), setting.seats)
        rotations = game.info.rotations
        measured = measured_luck(game, rules, setting.seats, rotations)
        rows = [row for match in random_matches(game, rules, setting.seats, rotations) for row in match]
        if measured is None:
            raise SystemExit(f"{setting}: not measured with these rotations; run benchmarks/luck.py")
        drawn = spread([rows], setting.seats, measured.games)
        if drawn is None:
            print(f"| {setting.game} | {setting.ruleset} | {setting.seats} | always level | |", flush=True)
            continue
        places = (drawn.share / measured.share) ** 2
        scores = (drawn.score / measured.score) ** 2
        ratios.append((places, scores))
        print(
            f"| {setting.game} | {setting.ruleset} | {setting.seats} | {places:.2f} | {scores:.2f} |",
            flush=True,
        )
    for name, of_measure in zip(("places", "scores"), zip(*ratios, strict=True), strict=True):
        print(f"by {name}: {min(of_measure):.2f} to {max(of_measure):.2f} in {len(of_measure)} settings")


if __name__ == "__main__":
    main()
