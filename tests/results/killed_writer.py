"""A process that enters games until it is killed: run by the tests, not imported.

python killed_writer.py STORE SEED [PAUSE_S [SEGMENT_GAMES]]: appends the games that the league still
lacks, in a random order and random chunks, and prints each chunk's keys once it is stored. Replays
move to a segment whenever there are so many.
"""

import sys
import time
from random import Random

from results.store import open_store
from results.store.segments import moving_replays
from tests.support.ledgers import NOW, played


def main() -> None:
    """Append until nothing is left, then print `done`."""
    path, seed, *more = sys.argv[1:]
    pause_s = float(more[0]) if more else 0.0
    if more[1:]:
        moving_replays.SEGMENT_GAMES = int(more[1])
    rng = Random(seed)
    with open_store(path, now=lambda: NOW) as store, store.holding("runs league spring"):
        league = store.leagues.get("spring").uuid
        there = store.games.keys(league)
        left = [
            played(match, rotation)
            for match in store.matches.open(league)
            for rotation in range(match.games)
            if (match.match_no, rotation) not in there
        ]
        # Nearly in order, as workers deliver them.
        left.sort(key=lambda game: game.match_no + rng.randrange(12))
        while left:
            size = rng.randrange(1, 9)
            chunk, left = left[:size], left[size:]
            store.append(chunk)
            print(" ".join(f"{game.match_no}.{game.rotation}" for game in chunk), flush=True)  # noqa: T201  # its word to the test
            time.sleep(pause_s)
    print("done", flush=True)  # noqa: T201  # likewise


if __name__ == "__main__":
    main()
