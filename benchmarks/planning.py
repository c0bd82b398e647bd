"""Measures the CPU time that schedules take to plan: a ladder's matches, and the rounds of a Swiss, in large fields.

The results are made up. Each ladder begins with ratings as after some matches, and is planned block by block, with the
lag of a new league on a few cores; after a block, the ratings of those who played are moved. "16 at a time": as in
leagues from before the lag followed the size of the field. "In the ledger": all that a run does to plan the first
matches of a league, from the store to the store. The Swiss is played from its first round on.

    python benchmarks/planning.py [--blocks 12] [--rounds 6] [--entries 2000 10000] [--results FILE]
"""

import argparse
import random
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.config.league_file import BotTable, LeagueFile
from arena.league.definition.checked_definition import resolve
from arena.league.definition.stored import StoredDefinition
from arena.league.running.match_planner import Planner
from arena.schedules.base import Field, Finished, Summary
from arena.schedules.ladder import SCHEDULE as LADDER
from arena.schedules.ladder import LadderSettings
from arena.schedules.swiss import SCHEDULE as SWISS
from arena.schedules.swiss import SwissSettings
from benchmarks.comparison import Line, Target, add_results_option, keep, value_line
from results.base.scoring import UNIT
from results.ratings.base import Rating
from results.records import EntrySpec, RulesetRecord
from results.store import open_store

FIRST = "Blocks after the first, which is a line of its own."


def ladder_ms(
    entries: int, seats: int, blocks: int, *, joined: bool, settings: LadderSettings | None = None
) -> list[float]:
    """Plan a ladder; return the CPU time of a match in milliseconds, by block.

    `joined`: whether a tenth of the field joined late, so that the rules for a moving field hold. `settings`: default,
    those of a new league on a few cores.
    """
    rng = random.Random(entries)
    late = dict.fromkeys(range(0, entries, 10), 5 * entries) if joined else {}
    field = Field(entries=tuple(range(entries)), seats=(seats,), joined=late)
    if settings is None:
        settings = msgspec.structs.replace(LadderSettings(), **LADDER.following(field, LadderSettings(), 1))
    ratings = {e: Rating(rng.gauss(25, 6), rng.uniform(1.5, 4)) for e in field.entries if rng.random() < 0.98}
    matches = {e: rng.randrange(8, 20) for e in field.entries}
    latest = {e: 16 * entries // 2 - rng.randrange(entries) for e in field.entries}
    planned = 16 * entries // 2
    pairs: dict[tuple[int, int], int] = {}
    unseen: dict[int, int] = {}
    waiting: list[tuple[int, ...]] = []
    found = []
    for _ in range(blocks):
        summary = Summary(
            planned,
            max(0, planned - len(waiting)),
            matches,
            unseen,
            pairs,
            ratings=ratings,
            latest=latest,
        )
        begun_s = time.process_time()
        LADDER.rests(field, settings, summary)
        tables = LADDER.next_matches(field, settings, summary) or ()
        found.append((time.process_time() - begun_s) * 1000 / len(tables))
        for match_no, table in enumerate(tables, planned):
            for entry in table.entries:
                matches[entry] += 1
                unseen[entry] = unseen.get(entry, 0) + 1
                latest[entry] = match_no
            for place, one in enumerate(table.entries):
                for other in table.entries[:place]:
                    pair = (min(one, other), max(one, other))
                    pairs[pair] = pairs.get(pair, 0) + 1
        planned += len(tables)
        waiting += [table.entries for table in tables]
        while len(waiting) > 2 * settings.block:
            for entry in waiting.pop(0):
                unseen[entry] -= 1
                before = ratings.get(entry, field.scale.start)
                ratings = {
                    **ratings,
                    entry: Rating(before.mu + rng.gauss(0, 0.5), max(0.8, before.sigma * 0.97)),
                }
    return found


def in_the_ledger_ms(entries: int, seats: int, matches: int) -> list[float]:
    """Plan the first matches of a ladder in a store; return the CPU time of each of them in milliseconds, by block."""
    with TemporaryDirectory() as folder, open_store(Path(folder, "arena.sqlite"), create=True) as store:
        file = LeagueFile(
            name="big",
            game="bread-basket",
            seats=seats,
            schedule={"kind": "ladder", "lag": "auto"},
            bots=(BotTable(path="."),),
        )
        definition = resolve(file, entries)
        rules = definition.ruleset
        league = store.leagues.create(
            "big",
            config=msgspec.to_builtins(file),
            ruleset=RulesetRecord(rules.game, rules.version, rules.name, rules.key),
            entries=[EntrySpec(f"bot-{number}", None) for number in range(entries)],
        )
        planner = Planner(store, league, StoredDefinition(store, league), store.leagues.secret(league.uuid))
        found = []
        while planner.planned < matches:
            begun_s = time.process_time()
            planned = planner.next_matches()
            if not planned:
                break
            found.append((time.process_time() - begun_s) * 1000 / len(planned))
        return found


def swiss_s(entries: int, rounds: int) -> list[float]:
    """Plan a Swiss at tables of two; return the CPU time of each round in seconds."""
    rng = random.Random(entries)
    field = Field(entries=tuple(range(entries)), seats=(2,))
    settings = SwissSettings(rounds=rounds)
    tally: Any = SWISS.tally(field, settings)
    planned, found = 0, []
    for _ in range(rounds):
        summary = Summary(planned, planned, tally=tally)
        begun_s = time.process_time()
        tables = SWISS.next_matches(field, settings, summary) or ()
        found.append(time.process_time() - begun_s)
        planned += len(tables)
        for match_no, table in enumerate(tables, summary.planned):
            share = rng.choice((0, 1, 2)) * UNIT // 2
            tally.add(Finished(match_no, table.round_no, table.entries, (share, UNIT - share), 1))
    return found


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--entries", type=int, nargs="+", default=[2000, 10_000])
    add_results_option(parser)
    given = parser.parse_args()
    lines: list[Line] = []
    for entries in given.entries:
        for seats, joined in ((2, False), (2, True), (4, False)):
            times = ladder_ms(entries, seats, given.blocks, joined=joined)
            print(
                f"ladder {entries:6} entries, {seats} seats{', moving' if joined else '':8}: "
                f"first block {times[0]:6.2f} ms a match, then {median(times[1:]):6.2f} "
                f"({min(times[1:]):.2f} to {max(times[1:]):.2f})",
                flush=True,
            )
            setting = f"{entries:,} entries at tables of {seats}{', some joined late' if joined else ''}"
            name, unit = "plan a match of a ladder", "ms of CPU time"
            lines.append(
                value_line(name, setting, unit, ("a block", times[1:]), target=Target(at_most=1), note=FIRST)
            )
            lines.append(value_line("the same, first block", setting, unit, ("the first block", times[:1])))
        for joined in (False, True):
            times = ladder_ms(entries, 2, given.blocks, joined=joined, settings=LadderSettings())
            setting = f"{entries:,} entries at tables of 2{', some joined late' if joined else ''}"
            print(
                f"ladder {entries:6} entries, 2 seats{', moving' if joined else '':8}: 16 at a time "
                f"{median(times[1:]):6.2f} ({min(times[1:]):.2f} to {max(times[1:]):.2f})",
                flush=True,
            )
            lines.append(
                value_line(
                    "the same, 16 at a time", setting, unit, ("a block", times[1:]), target=Target(at_most=1)
                )
            )
        times = in_the_ledger_ms(entries, 2, 300)
        print(
            f"ladder {entries:6} entries, in the ledger: {', '.join(f'{one:.2f}' for one in times)} ms a match"
        )
        setting = f"{entries:,} entries at tables of 2, in the ledger"
        lines.append(value_line("plan the first matches of a ladder", setting, unit, ("a block", times)))
    for entries in (2000, 2001):
        times = swiss_s(entries, given.rounds)
        print(
            f"Swiss {entries} entries: {median(times):.2f} s a round ({min(times):.2f} to {max(times):.2f})"
        )
        name, setting = "plan a round of a Swiss", f"{entries:,} entries at tables of 2"
        lines.append(value_line(name, setting, "s of CPU time", ("a round", times), target=Target(at_most=1)))
    keep(given.results, lines)


if __name__ == "__main__":
    main()
