"""Compares random playouts of Arena's games, by their rules in Python, with RLCard and with OpenSpiel's C++ games.

    python benchmarks/peers/playouts_in_process.py [--rounds 7] [--seconds 0.3] [--results FILE]

All play in one process, without bots, and choose uniformly among the legal moves. Deals count. Times are CPU times of
a decision. Arena's games are played by `turn` and `advance`, in their first rulesets at their smallest tables.
"""

import argparse
import random
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from arena.core.chance import Chance
from arena.core.game import AnyGame, Outcome
from arena.core.ruleset import Ruleset
from benchmarks.comparison import Line, Target, add_results_option, keep, ratio_line
from benchmarks.peers.asked import peer
from benchmarks.peers.environments import NotThere
from benchmarks.peers.inside.rounds import cpu_us
from benchmarks.playouts import tables

RLCARD = (
    "Another game of shedding cards; its rules are in Python too. RLCard also encodes what the player sees as an "
    "array after every move, which `advance` doesn't."
)
OPEN_SPIEL = (
    "Other card games, whose rules are in C++: crazy eights, gin rummy, go fish, hearts, oh hell; their geometric "
    "mean. Python calls them for each move, and draws the cards of the deal."
)


def playing(game: AnyGame, rules: Ruleset, seats: int) -> Callable[[], int]:
    """Return what plays one game and returns its decisions."""
    numbers = iter(range(10**9))
    rng = random.Random(1)

    def play() -> int:
        state, _ = game.deal(seats, rules, Chance(next(numbers).to_bytes(8, "big")))
        decisions = 0
        while not isinstance(turn := game.turn(state), Outcome):
            moves = {}
            for decision in turn:
                legal = decision.legal
                moves[decision.seat] = (
                    legal[int(rng.random() * len(legal))]
                    if legal
                    else game.sample_move(state, decision.seat, rng)
                )
            decisions += len(moves)
            game.advance(state, moves)
        return decisions

    return play


def measured(
    package: str, program: str, ours: Mapping[str, Callable[[], int]], rounds: int, seconds: float
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the times of ours and theirs, a value for each round. Raises NotThere."""
    own: dict[str, list[float]] = {name: [] for name in ours}
    theirs: dict[str, list[float]] = {}
    with peer(package, program) as asked:
        for _ in range(rounds):
            for name, value in asked.cpu_us(seconds).items():
                theirs.setdefault(name, []).append(value)
            for name, play in ours.items():
                own[name].append(cpu_us(play, seconds))
    return own, theirs


def compared(
    own: Mapping[str, Sequence[float]],
    peer_name: str,
    theirs: Sequence[float],
    target: Target | None,
    note: str,
) -> list[Line]:
    """Return the lines of each of our games against one of theirs."""
    return [
        ratio_line(
            f"a decision in a playout: {peer_name} ÷ Arena",
            name,
            "µs of CPU time",
            (peer_name, theirs),
            ("Arena", values),
            target,
            note=note,
        )
        for name, values in own.items()
    ]


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each game and round")
    add_results_option(parser)
    given = parser.parse_args()
    ours = {
        f"{game.info.name} {name}, {seats} seats": playing(game, rules, seats)
        for game, name, seats, rules in tables(None, standard=True)
    }
    lines: list[Line] = []
    skipped = []
    try:
        own, theirs = measured("rlcard", "rlcard_uno.py", ours, given.rounds, given.seconds)
        for name, values in theirs.items():
            target = Target(at_least=5) if name == "RLCard UNO" else None
            lines += compared(own, name, values, target, RLCARD)
    except NotThere as why:
        skipped.append(str(why))
    try:
        own, theirs = measured("open_spiel", "open_spiel_cards.py", ours, given.rounds, given.seconds)
        mean = [statistics.geometric_mean(values) for values in zip(*theirs.values(), strict=True)]
        lines += compared(own, "OpenSpiel's C++ card games", mean, Target(at_least=1), OPEN_SPIEL)
        for name, values in theirs.items():
            lines += compared(own, f"OpenSpiel {name}", values, None, OPEN_SPIEL)
    except NotThere as why:
        skipped.append(str(why))
    for one in lines:
        print(f"{one.name}, {one.setting}: {one.median:.2f} ({one.min:.2f} to {one.max:.2f})")
    keep(given.results, lines, "; ".join(skipped))


if __name__ == "__main__":
    main()
