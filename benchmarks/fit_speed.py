"""How long a fit of a whole league takes: reading its games, summing them up, and the fit itself.

    python benchmarks/fit_speed.py [--games 10000 100000 400000] [--by places|scores]

The league has 500 bots and matches of four games at tables of four. Its games are written straight into the tables of a
temporary store, without replays. Times are CPU seconds of one process, the least of three rounds.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.point_strengths import least_squares
from results.records import EntrySpec, RulesetRecord
from results.store import open_store

BOTS, SEATS, GAMES_A_MATCH, ROUNDS = 500, 4, 4, 3


def main() -> None:
    """Measure, and print a line for each number of games."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, nargs="+", default=[10_000, 100_000, 400_000])
    parser.add_argument("--by", choices=("places", "scores"), default="places")
    given = parser.parse_args()
    print("| games | reading | sums | fit | all, CPU s |")
    print("| --- | --- | --- | --- | --- |")
    for games in given.games:
        with tempfile.TemporaryDirectory() as folder:
            times = measured(Path(folder, "arena.sqlite"), games, by_scores=given.by == "scores")
        shown = " | ".join(f"{one:.2f}" for one in (*times, sum(times)))
        print(f"| {games:,} | {shown} |", flush=True)


def measured(path: Path, games: int, *, by_scores: bool) -> tuple[float, float, float]:
    """Return the CPU seconds of reading the seats, of their sums, and of the fit."""
    matches = games // GAMES_A_MATCH
    league = made_up(path, matches)
    measure = Measure.SCORES if by_scores else Measure.SHARES
    rounds = []
    with open_store(path) as store:
        for _ in range(ROUNDS):
            begun = time.process_time()
            blocks = list(store.seats.arrays(league, games))
            read = time.process_time()
            sums = match_sums(blocks, measure)
            summed = time.process_time()
            (least_squares if by_scores else fit)(sums)
            rounds.append((read - begun, summed - read, time.process_time() - summed))
    return min(rounds, key=sum)


def made_up(path: Path, matches: int) -> str:
    """Make a store with a league of so many matches; return its uuid."""
    with open_store(path, create=True) as store:
        league = store.leagues.create(
            "spring",
            config={"game": "bread-basket"},
            ruleset=RulesetRecord("bread-basket", 1, "tens", "{}"),
            entries=[EntrySpec(f"bot{number}", None) for number in range(BOTS)],
        )
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 0.5, BOTS)
    first = rng.integers(0, BOTS, (matches, 1))
    tables = (first + np.array([0, 1, 7, 31]) * rng.integers(1, 9, (matches, 1))) % BOTS
    entries = np.stack([np.roll(tables, turn, axis=1) for turn in range(GAMES_A_MATCH)], axis=1)
    worth = strengths[entries] + rng.normal(0, 1, entries.shape)
    ranks = 1 + (worth[..., None, :] > worth[..., :, None]).sum(axis=-1)
    scores = np.round(100 * worth).astype(np.int64)
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA foreign_keys = OFF")
    raw.executemany(
        "INSERT INTO match (league_id, match_no, round_no, entries, games, why, state) "
        "VALUES (1, ?, 0, '[]', 4, '', 'done')",
        ((match,) for match in range(matches)),
    )
    raw.executemany(
        "INSERT INTO seat (league_id, match_no, rotation, seat, entry_no, score, rank, detail, decisions, wall_ns, "
        "max_wall_ns, cpu_ns) VALUES (1, ?, ?, ?, ?, ?, ?, '', 30, 3000000, 400000, 2000000)",
        (
            (*place, entry, score, rank)
            for place, entry, score, rank in zip(
                np.ndindex(entries.shape),
                entries.ravel().tolist(),
                scores.ravel().tolist(),
                ranks.ravel().tolist(),
                strict=True,
            )
        ),
    )
    raw.executemany(
        "INSERT INTO rating_point (league_id, match_no, entry_no, mu, sigma) VALUES (1, ?, ?, 25.0, 1.0)",
        ((match, int(entry)) for match, table in enumerate(tables) for entry in set(table.tolist())),
    )
    raw.execute(
        "INSERT INTO rating (league_id, entry_no, mu, sigma, last_match_no, last_change) "
        "SELECT league_id, entry_no, 25.0, 1.0, max(match_no), 0.0 FROM rating_point GROUP BY league_id, entry_no"
    )
    raw.execute("UPDATE progress SET next_match_no = ?", (matches,))
    raw.commit()
    raw.close()
    return league.uuid


if __name__ == "__main__":
    main()
