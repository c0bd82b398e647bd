"""A store in which every table of the ledger has rows, for tests that go through all of them."""

from pathlib import Path

from msgspec.structs import replace

from protocol.verdicts import Verdict
from results.ratings.base import Rating
from results.records import AttemptRecord, EntrySpec, LogRecord
from results.store import Store
from tests.support.ledgers import NOW, RULES, SECRET, add_version, all_games, new_store, plan, planned, played

SHA = "ab" * 32


def store_of_every_row(folder: Path, name: str = "arena.sqlite", *, segments: bool = False) -> Store:
    """Make a store with two bots, a league of six matches (one void, one unfinished), a fault, logs, an attempt.

    `segments`: also move the replays of the first two matches to two segments.
    """
    store = new_store(folder, name)
    first = add_version(
        store, "ann", "crumb", SHA, {"name": "crumb", "games": ["*"]}, {"games": 1}, deterministic=True
    )
    add_version(store, "ann", "crumb", "cd" * 32, {"name": "crumb", "games": ["*"]}, {}, parent=first)
    add_version(store, "bob", "crust", "ef" * 32, {"name": "crust", "games": ["*"]}, {})
    league = store.leagues.create(
        "spring",
        config={"game": "bread-basket"},
        ruleset=RULES,
        entries=[
            EntrySpec("a", first.id, ("--fast",)),
            EntrySpec("b", None, prior=Rating(25, 8)),
            EntrySpec("c", None),
            EntrySpec("d", None, predecessor=0),
        ],
        secret=SECRET,
    )
    matches = plan(store, league, (0, 1), (2, 3), (1, 2), (3, 0), (0, 2), games=2)
    logs = (LogRecord(0, b"began", b"", 0), LogRecord(1, b"head", b"tail", 7))
    store.append([played(matches[0], 0, logs=logs), played(matches[0], 1), *all_games(matches[1:2])])
    store.append([played(matches[2], 0, (5, 1), faults={0: Verdict.MEMORY}), played(matches[2], 1)])
    failed = [
        AttemptRecord(league.uuid, 3, 0, number, Verdict.HOST, "disk", "w1", f"{NOW}{number}", 3)
        for number in (1, 2, 3)
    ]
    store.append([played(matches[4], 0)], failed, [(league.uuid, 3)])
    store.entries.add(league.uuid, [EntrySpec("e", None)], 5)
    store.matches.plan(league.uuid, [replace(planned(league, 5, (0, 4)), rated=False)])
    store.leagues.set_state(league.uuid, "running")
    store.leagues.add_event(league.uuid, 5, "paused", {"by": "organiser", "why": "night"})
    for number in (1, 2):
        store.commands.add(f"{number}" * 36, "pause", "ann", NOW, "refused", "it is night")
    casual = store.leagues.casual()
    entry = store.entries.casual(EntrySpec("a", first.id))
    other = store.entries.casual(EntrySpec("b", None))
    match = store.matches.plan_next(casual.uuid, [entry.entry_no, other.entry_no], 1, ruleset=RULES)
    store.append([played(match)])
    for _ in range(2 if segments else 0):
        store.segments.roll(games=2)
    return store
