"""Measures the cost of appending games to the ledger, compared with bare sqlite3 writing the same rows.

Each round runs every variant once. Ratios are computed within a round, and the median over all
rounds is reported, so that other load on the machine has little effect. `bare` writes the game,
seat and replay rows of each chunk with executemany in one transaction, without checks or ratings.
`unrated` is `Store.append` in a league whose first match is never finished, so that ratings wait
for it. `rated` includes the ratings, one change of them for a match, `each game` one for each of its games, as
in new leagues. Times are CPU times, without waits for the disk.

    python benchmarks/ledger_append.py [rounds] [--results FILE]
"""

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import Target, add_results_option, keep, ratio_line, value_line
from benchmarks.made_up_games import made_up_game
from results.records import EntrySpec, GameRecord, MatchRecord, RulesetRecord
from results.store import Store, open_store
from results.store.schema.all_tables import TABLES

CHUNK = 32
CHUNKS = 40
SEATS = 4
ENTRIES = 16
BODY = json.dumps(
    {"moves": [{"seat": i % 4, "move": {"type": "play", "cards": [i]}} for i in range(60)]}
).encode()


def main() -> None:
    """Print the games per second of each variant, and its ratio to the bare one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    add_results_option(parser)
    given = parser.parse_args()
    rounds = given.rounds
    games = made_up_games()
    variants = {"bare": bare, "unrated": unrated, "rated": rated, "each game": rated_games}
    rates: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, variant in variants.items():
            with tempfile.TemporaryDirectory() as folder:
                seconds = variant(Path(folder) / "a.sqlite", games)
            rates[name].append(len(games) / seconds)
    print(f"{CHUNKS} chunks of {CHUNK} games at {SEATS} seats, {rounds} rounds: median (least to most)")
    for name, values in rates.items():
        ratios = [value / bare_value for value, bare_value in zip(values, rates["bare"], strict=True)]
        chunk_ms = 1000 * CHUNK / statistics.median(values)
        print(
            f"{name:>9}: {statistics.median(values):8.0f} games/s "
            f"({min(values):.0f} to {max(values):.0f}), {chunk_ms:6.2f} ms a chunk, "
            f"{statistics.median(ratios):.2f} x bare ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    each_us = {name: [1e6 / value for value in values] for name, values in rates.items()}
    setting, unit, by_hand = f"{SEATS} seats", "µs of CPU time a game", ("bare sqlite3", each_us["bare"])
    checks = "Bare sqlite3 writes the same rows in the same transactions, without checks or ratings."
    keep(
        given.results,
        [
            value_line(
                "append and rate a game",
                setting,
                unit,
                ("rated", each_us["rated"]),
                target=Target(at_most=80),
            ),
            value_line("append a game and rate each", setting, unit, ("each game", each_us["each game"])),
            ratio_line(
                "append and rate ÷ bare sqlite3",
                setting,
                unit,
                ("rated", each_us["rated"]),
                by_hand,
                note=checks,
            ),
            ratio_line(
                "append ÷ bare sqlite3", setting, unit, ("unrated", each_us["unrated"]), by_hand, note=checks
            ),
        ],
    )


def made_up_games() -> list[GameRecord]:
    """Return chunks of games in match order; each match has as many games as seats."""
    rng = Random(1)
    games = []
    for number in range(CHUNK * CHUNKS):
        match_no, rotation = divmod(number, SEATS)
        body = zlib.compress(BODY + str(number).encode())
        games.append(made_up_game(rng, "", match_no, rotation, table_of(match_no), body))
    return games


def table_of(match_no: int) -> tuple[int, ...]:
    """Return the entries of a match."""
    return tuple(Random(match_no).sample(range(ENTRIES), SEATS))


def timed(games: Sequence[GameRecord], write: Callable[[Sequence[GameRecord]], None]) -> float:
    """Return the seconds of CPU time for writing all chunks except the first one, which warms up."""
    write(games[:CHUNK])
    begun = time.process_time()
    for start in range(CHUNK, len(games), CHUNK):
        write(games[start : start + CHUNK])
    return (time.process_time() - begun) * len(games) / (len(games) - CHUNK)


def bare(path: Path, games: Sequence[GameRecord]) -> float:
    """Write the rows with sqlite3 alone."""
    open_store(path, create=True).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = NORMAL")
    insert(connection, "league", id=1, state="created")
    for number in range(ENTRIES):
        insert(connection, "entry", league_id=1, entry_no=number)
    for number in range(len(games) // SEATS):
        insert(connection, "match", league_id=1, match_no=number, games=1, state="planned")
    connection.execute("PRAGMA foreign_keys = ON")

    def write(chunk: Sequence[GameRecord]) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            f"INSERT INTO game VALUES ({', '.join('?' * 9)}, 0, NULL)",  # noqa: S608  # placeholders
            [
                (
                    1,
                    g.match_no,
                    g.rotation,
                    g.fingerprint,
                    g.decisions,
                    g.wall_ns,
                    g.sandbox,
                    g.worker,
                    g.finished_at,
                )
                for g in chunk
            ],
        )
        connection.executemany(
            f"INSERT INTO seat VALUES ({', '.join('?' * 14)}, NULL)",  # noqa: S608  # placeholders
            [
                (
                    1,
                    g.match_no,
                    g.rotation,
                    s.seat,
                    s.entry_no,
                    s.score,
                    s.rank,
                    s.verdict,
                    s.detail,
                    s.at_decision,
                    s.decisions,
                    s.wall_ns,
                    s.max_wall_ns,
                    s.cpu_ns,
                )
                for g in chunk
                for s in g.seats
            ],
        )
        connection.executemany(
            "INSERT INTO replay VALUES (?, ?, ?, ?, ?)",
            [(1, g.match_no, g.rotation, g.body, g.timing) for g in chunk],
        )
        connection.execute("COMMIT")

    seconds = timed(games, write)
    connection.close()
    return seconds


def insert(connection: sqlite3.Connection, table: str, **given: object) -> None:
    """Insert a row; columns that aren't given and need a value get an empty one."""
    row = {column.name: "" for column in TABLES[table].columns if not column.nullable} | given
    columns, places = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(row.values()))  # noqa: S608


def unrated(path: Path, games: Sequence[GameRecord]) -> float:
    """Append to a league whose first match is never finished."""
    return appended(path, games, waiting=1)


def rated(path: Path, games: Sequence[GameRecord]) -> float:
    """Append to a league, including ratings."""
    return appended(path, games, waiting=0)


def rated_games(path: Path, games: Sequence[GameRecord]) -> float:
    """Append to a league whose ratings change with each game."""
    return appended(path, games, waiting=0, rates="games")


def appended(path: Path, games: Sequence[GameRecord], waiting: int, rates: str = "matches") -> float:
    """Append all games, after a number of matches that are never played."""
    store = open_store(path, create=True)
    league = league_of(store, rates)
    count = len(games) // SEATS + waiting
    store.matches.plan(
        league, [MatchRecord(league, n, 0, table_of(n - waiting), SEATS) for n in range(count)]
    )
    seconds = timed([moved(game, league, waiting) for game in games], store.append)
    store.close()
    return seconds


def league_of(store: Store, rates: str) -> str:
    """Make a league and return its uuid."""
    entries = [EntrySpec(f"bot {number}", None) for number in range(ENTRIES)]
    rules = RulesetRecord("made-up", 1, "plain", "{}")
    return store.leagues.create(
        "benchmark",
        config={},
        ruleset=rules,
        entries=entries,
        rating_options={"rates": rates},
    ).uuid


def moved(game: GameRecord, league: str, waiting: int) -> GameRecord:
    """Return a copy of the game for this league, with its match number moved up."""
    fields = {name: getattr(game, name) for name in game.__struct_fields__}
    return GameRecord(**{**fields, "league": league, "match_no": game.match_no + waiting})


if __name__ == "__main__":
    main()
