"""Plays random games of every game, ruleset and number of seats; reports their length and the speed of the rules.

    python benchmarks/playouts.py [--game NAME] [--games 200] [--seed 1] [--rounds 1] [--standard] [--results FILE]

Counts follow from the seed. Times depend on the machine, so compare only columns of the same run.
Columns: decisions asked per game, forced decisions, moves to choose from (mean and maximum), events, longest
view and longest list of moves in bytes of JSON, µs per decision with `turn` + `advance` and uniform moves,
µs per decision with `turn` + `apply`, and playouts per second with `advance`. Times are CPU times.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.chance import Chance
from arena.core.game import AnyGame, Outcome
from arena.core.ruleset import Ruleset, ruleset
from arena.registry import games
from benchmarks.comparison import Line, add_results_option, keep, ratio_line


@dataclass
class Counts:
    """Totals over the games with one number of seats."""

    asked: int = 0
    forced: int = 0
    moves: int = 0
    listed: int = 0
    most_moves: int = 0
    events: int = 0
    view_bytes: int = 0
    legal_bytes: int = 0


def count(game: AnyGame, rules: Ruleset, seats: int, number: int, seed: int) -> Counts:
    """Play random games, with all calls that a referee makes, and add up the counts."""
    total = Counts()
    for seed_no in range(number):
        rng = random.Random(seed + seed_no)
        state, events = game.deal(seats, rules, Chance(f"{seed}/{seed_no}".encode()))
        total.events += len(events)
        while not isinstance(turn := game.turn(state), Outcome):
            moves: dict[int, Any] = {}
            for decision in turn:
                moves[decision.seat] = game.sample_move(state, decision.seat, rng)
                if decision.forced:
                    total.forced += 1
                    continue
                total.asked += 1
                view = json.dumps(game.view(state, decision.seat), separators=(",", ":"))
                total.view_bytes = max(total.view_bytes, len(view))
                if decision.legal is not None:
                    legal = json.dumps([game.format_move(move) for move in decision.legal])
                    total.legal_bytes = max(total.legal_bytes, len(legal))
                    total.listed += 1
                    total.moves += len(decision.legal)
                    total.most_moves = max(total.most_moves, len(decision.legal))
            state, events = game.apply(state, moves)
            total.events += len(events)
    return total


def playouts(
    game: AnyGame, rules: Ruleset, seats: int, number: int, seed: int, *, pure: bool
) -> tuple[int, float]:
    """Return the number of decisions in random games and the seconds they took, without the deals."""
    starts = [game.deal(seats, rules, Chance(f"{seed}/{seed_no}".encode()))[0] for seed_no in range(number)]
    rng = random.Random(seed)
    made = 0
    began = time.process_time()
    for start in starts:
        state = game.copy(start)
        while not isinstance(turn := game.turn(state), Outcome):
            moves = {
                decision.seat: decision.legal[int(rng.random() * len(decision.legal))]
                if decision.legal
                else game.sample_move(state, decision.seat, rng)
                for decision in turn
            }
            made += len(moves)
            if pure:
                state, _ = game.apply(state, moves)
            else:
                game.advance(state, moves)
    return made, time.process_time() - began


def tables(only: str | None, *, standard: bool = False) -> Iterator[tuple[AnyGame, str, int, Ruleset]]:
    """Yield every game, ruleset and number of seats; if `standard`, only the first ruleset at the smallest table."""
    for name, game in games().items():
        if only in (None, name):
            for rules_name in list(game.info.rulesets)[: 1 if standard else None]:
                rules = ruleset(game.info, rules_name)
                for seats in list(game.seats(rules))[: 1 if standard else None]:
                    yield game, rules_name, seats, game.resolve(rules, seats)


def compared(game: AnyGame, rules: Ruleset, seats: int, number: int, seed: int, rounds: int) -> Line:
    """Return how much faster `advance` is than `apply`."""
    us: dict[bool, list[float]] = {False: [], True: []}
    for round_no in range(rounds):
        for pure, values in us.items():
            made, seconds = playouts(game, rules, seats, number, seed + round_no, pure=pure)
            values.append(seconds / made * 1e6)
    return ratio_line(
        "a decision in a playout: apply ÷ advance",
        f"{game.info.name} {rules.name}, {seats} seats",
        "µs of CPU time",
        ("apply", us[True]),
        ("advance", us[False]),
    )


def main() -> None:
    """Print one line for each game, ruleset and number of seats."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="of the comparison of advance and apply")
    parser.add_argument(
        "--standard", action="store_true", help="only the first ruleset of each game, at its smallest table"
    )
    add_results_option(parser)
    given = parser.parse_args()
    lines = []
    print(
        f"{'game':22} {'seats':>5} {'asked':>7} {'forced':>7} {'moves':>12} {'events':>7} "
        f"{'view B':>6} {'legal B':>7} {'advance':>8} {'apply':>7} {'playouts':>9}"
    )
    for game, rules_name, seats, rules in tables(given.game, standard=given.standard):
        number = given.games
        sums = count(game, rules, seats, number, given.seed)
        made, seconds = playouts(game, rules, seats, number, given.seed, pure=False)
        made_pure, seconds_pure = playouts(game, rules, seats, max(1, number // 4), given.seed, pure=True)
        choice = f"{sums.moves / max(1, sums.listed):.1f} ≤{sums.most_moves:4}"
        print(
            f"{game.info.name + ' ' + rules_name:22} {seats:5} "
            f"{sums.asked / number:7.1f} {sums.forced / number:7.1f} "
            f"{choice:>12} {sums.events / number:7.1f} {sums.view_bytes:6} {sums.legal_bytes:7} "
            f"{seconds / made * 1e6:6.2f}µs {seconds_pure / made_pure * 1e6:5.2f}µs {number / seconds:7.0f}/s"
        )
        if given.results:
            lines.append(compared(game, rules, seats, number, given.seed, given.rounds))
    keep(given.results, lines)


if __name__ == "__main__":
    main()
