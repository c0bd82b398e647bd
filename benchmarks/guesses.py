"""Measures guesses: by a guesser that goes on from decision to decision, and by a new one for each guess.

    python benchmarks/guesses.py [--worlds 32] [--games 4] [--rounds 1] [--old FOLDER] [--results FILE]

In random games of the games with hidden cards, at each decision the seat that decides guesses. The warm side takes the
events since the seat's last decision and makes `--worlds` guesses; all of its time is divided by their number. The cold
side calls `guess`. With --old, the cold side is that of another copy of Arena in the same rounds. Times are CPU times.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, sys.argv[2] if sys.argv[1:2] == ["--cold-side-of"] else str(Path(__file__).parents[1]))

from arena.core.chance import Chance
from arena.core.game import AnyGame, Outcome, Seen
from arena.core.ruleset import Ruleset, ruleset
from arena.registry import games

TABLES = (
    ("bread-basket", "tens", 2),
    ("bread-and-chocolate", "pagat", 2),
    ("bread-and-chocolate", "gamerules", 2),
    ("bread-and-chocolate", "shram", 2),
    ("bread-and-chocolate", "shram", 5),
    ("sandwich", "en", 4),
    ("sandwich", "fr", 3),
    ("sandwich", "fr", 6),
)
COLD_SHARE = 0.2
"""The share of decisions at which the cold side guesses."""


class Moment(NamedTuple):
    """A decision, the number of events before it, and what the seat sees."""

    seat: int
    told: int
    view: Mapping[str, Any]


def moments(
    game: AnyGame, rules: Ruleset, seats: int, seed: str
) -> tuple[list[Moment], list[list[Any]], list[Any]]:
    """Return the decisions of a random game, the events as each seat sees them, and what each knows alone."""
    rng = random.Random(seed)
    state, dealt = game.deal(seats, rules, Chance(seed.encode()))
    private = [game.private(state, seat) for seat in range(seats)]
    told = [[event.seen_by(seat) for event in dealt] for seat in range(seats)]
    found = []
    while not isinstance(turn := game.turn(state), Outcome):
        found += [Moment(one.seat, len(told[0]), game.view(state, one.seat)) for one in turn]
        state, events = game.apply(state, {one.seat: game.sample_move(state, one.seat, rng) for one in turn})
        for seat in range(seats):
            told[seat] += [event.seen_by(seat) for event in events]
    return found, told, private


def cold_us(game: AnyGame, rules: Ruleset, seats: int, seed: str) -> float:
    """Return the CPU time of a guess, in µs, if nothing is kept from guess to guess."""
    found, told, private = moments(game, rules, seats, seed)
    rng, chosen = random.Random(seed), random.Random("chosen")
    spent, made = 0.0, 0
    for moment in found:
        if chosen.random() < COLD_SHARE:
            seen = Seen(
                rules, seats, moment.seat, private[moment.seat], moment.view, told[moment.seat][: moment.told]
            )
            began = time.process_time()
            game.guess(seen, rng)
            spent += time.process_time() - began
            made += 1
    return spent / made * 1e6


def warm_us(game: AnyGame, rules: Ruleset, seats: int, seed: str, worlds: int) -> float:
    """Return the CPU time of a guess, in µs, of guessers that are kept during the game."""
    from arena.core.foresight import foresight

    found, told, private = moments(game, rules, seats, seed)
    rng = random.Random(seed)
    guessers = [foresight(game).guesser(rules, seats, seat, private[seat]) for seat in range(seats)]
    heard = [0] * seats
    spent = 0.0
    for moment in found:
        events = told[moment.seat][heard[moment.seat] : moment.told]
        heard[moment.seat] = moment.told
        began = time.process_time()
        guessers[moment.seat].hear(events)
        guessers[moment.seat].worlds(moment.view, worlds, rng)
        spent += time.process_time() - began
    return spent / (len(found) * worlds) * 1e6


def tables(number: int) -> Iterator[tuple[AnyGame, Ruleset, int, list[str]]]:
    """Yield each table with the seeds of its games."""
    for name, rules_name, seats in TABLES:
        game = games()[name]
        rules = game.resolve(ruleset(game.info, rules_name), seats)
        yield game, rules, seats, [f"{rules_name}/{seats}/{game_no}" for game_no in range(number)]


def cold_side(number: int) -> list[float]:
    """Return the mean CPU time of a cold guess at each table."""
    return [
        sum([cold_us(game, rules, seats, seed) for seed in seeds]) / number
        for game, rules, seats, seeds in tables(number)
    ]


def main() -> None:
    """Print one line for each table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=32, help="guesses of the warm side at each decision")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--old", type=Path, help="a copy of Arena whose `guess` is the cold side")
    from benchmarks.comparison import add_results_option, keep, ratio_line

    add_results_option(parser)
    given = parser.parse_args()
    cold: list[list[float]] = []
    warm: list[list[float]] = []
    for _ in range(given.rounds):
        if given.old is None:
            cold.append(cold_side(given.games))
        else:
            command = [sys.executable, __file__, "--cold-side-of", str(given.old.resolve()), str(given.games)]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            cold.append(json.loads(run.stdout))
        warm.append(
            [
                sum([warm_us(game, rules, seats, seed, given.worlds) for seed in seeds]) / given.games
                for game, rules, seats, seeds in tables(given.games)
            ]
        )
    lines = [
        ratio_line(
            "a guess: warm ÷ cold",
            f"{game.info.name} {rules.name}, {seats} seats, {given.worlds} worlds a decision",
            "µs of CPU time",
            ("a guesser that goes on", [values[number] for values in warm]),
            ("a new guesser each time", [values[number] for values in cold]),
        )
        for number, (game, rules, seats, _) in enumerate(tables(0))
    ]
    for line in lines:
        print(
            f"{line.setting:60} {line.sides[0].values[0]:7.0f} {line.sides[1].values[0]:7.0f} {line.median:6.3f}"
        )
    keep(given.results, lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cold-side-of"]:
        print(json.dumps(cold_side(int(sys.argv[3]))))
    else:
        main()
