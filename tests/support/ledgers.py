"""Leagues and games made up for the tests of the ledger."""

import json
import os
import tempfile
import zlib
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

from msgspec import structs

from protocol.verdicts import Verdict
from results.base.runner_notes import RunnerNotes
from results.records import (
    EntrySpec,
    GameRecord,
    LeagueRecord,
    LogRecord,
    MatchRecord,
    RulesetRecord,
    SeatRecord,
    VersionRecord,
    VersionSpec,
)
from results.store import Store, open_store
from results.store.sqlite_file import Connection

NOW = "2026-01-31T12:00:00Z"
RULES = RulesetRecord("bread-basket", 1, "tens", '{"chefs":"tens","hands":2}')
SECRET = bytes(range(32))


def new_store(folder: Path, name: str = "arena.sqlite") -> Store:
    """Make a store in which the time stands still; its file is a copy of one that was made as every store is."""
    path = folder / name
    if not path.exists():
        path.write_bytes(empty_store())
    return open_store(path, create=True, now=lambda: NOW)


@cache
def empty_store() -> bytes:
    """Return the file of a store without leagues: making its tables takes longer than all else of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "empty.sqlite")
        open_store(path, create=True, now=lambda: NOW).close()
        return path.read_bytes()


def new_league(
    store: Store,
    entries: int = 4,
    name: str = "spring",
    *,
    secret: bytes | None = SECRET,
    keep_replays: str = "all",
    labels: Sequence[str] = ascii_lowercase,
) -> LeagueRecord:
    """Make a league whose entries are called a, b, c and so on, or as `labels` says."""
    return store.leagues.create(
        name,
        config={"game": "bread-basket"},
        ruleset=RULES,
        entries=[EntrySpec(label, None) for label in labels[:entries]],
        secret=secret,
        rating_options={"rates": "matches"},
        keep_replays=keep_replays,
    )


def add_version(store: Store, *given: Any, **more: Any) -> VersionRecord:
    """Store a submission, given as a `VersionSpec`."""
    return store.versions.add_all([VersionSpec(*given, **more)])[0]


def planned(
    league: LeagueRecord, match_no: int, entries: Sequence[int] = (0, 1), games: int = 1, round_no: int = 0
) -> MatchRecord:
    """Return a match to be planned."""
    return MatchRecord(league.uuid, match_no, round_no, tuple(entries), games)


def plan(store: Store, league: LeagueRecord, *tables: Sequence[int], games: int = 1) -> list[MatchRecord]:
    """Plan matches of these tables, one after another from number 0, and return them."""
    matches = [planned(league, number, entries, games) for number, entries in enumerate(tables)]
    store.matches.plan(league.uuid, matches)
    return matches


def played(
    match: MatchRecord,
    rotation: int = 0,
    scores: Sequence[int] | None = None,
    *,
    faults: dict[int, Verdict] | None = None,
    logs: tuple[LogRecord, ...] = (),
    salt: str = "",
) -> GameRecord:
    """Return a finished game of a match: seats turned by the rotation, ranks by the scores, faulted seats last.

    `scores`, by seat, are drawn from the game's key where not given; `salt` makes it another game.
    """
    n = len(match.entries)
    faults = faults or {}
    rng = Random(f"{match.match_no}/{rotation}/{salt}")
    points = list(scores) if scores is not None else [rng.randrange(4) for _ in range(n)]
    worth = [(seat not in faults, points[seat]) for seat in range(n)]
    ranks = [1 + sum(other > own for other in worth) for own in worth]
    body = json.dumps(
        {
            "scores": points,
            "ranks": ranks,
            "faults": [
                {"seat": seat, "verdict": verdict.value, "at_decision": 7}
                for seat, verdict in sorted(faults.items())
            ],
            "salt": salt,
            "key": [match.match_no, rotation],
        },
        sort_keys=True,
    ).encode()
    return GameRecord(
        league=match.league,
        match_no=match.match_no,
        rotation=rotation,
        fingerprint=sha256(body).hexdigest(),
        body=zlib.compress(body),
        timing=zlib.compress(b"[[0,0,1000,900]]"),
        decisions=10 * n,
        wall_ns=5_000_000,
        sandbox="none",
        worker="w1",
        finished_at=NOW,
        seats=tuple(
            SeatRecord(
                seat=seat,
                entry_no=match.entries[(seat - rotation) % n],
                score=points[seat],
                rank=ranks[seat],
                verdict=faults.get(seat),
                detail="1200 ms of 1000 ms" if seat in faults else "",
                at_decision=7 if seat in faults else None,
                decisions=10,
                wall_ns=1_000_000 + seat,
                max_wall_ns=300_000 + seat,
                cpu_ns=900_000 + seat,
            )
            for seat in range(n)
        ),
        logs=logs,
    )


def all_games(matches: Sequence[MatchRecord]) -> list[GameRecord]:
    """Return every game of these matches, in order."""
    return [played(match, rotation) for match in matches for rotation in range(match.games)]


AT = "2026-11-22T10:00:00.000Z"


def notes(**changed: Any) -> RunnerNotes:
    told: dict[str, Any] = {"pid": os.getpid(), "does": "serves leagues", "since": AT, "written_at": AT}
    return RunnerNotes(**{**told, "league": None, **changed})


def queries_of(store: Store) -> list[str]:
    """Return a list that grows with every query that SQLite is asked from now on, its values in it."""
    asked: list[str] = []

    def hear(text: str) -> None:
        if text.lstrip().startswith("SELECT"):
            asked.append(text.strip())

    connections = store.connections
    connections.close()  # those that are made from now on are heard
    opened = connections._open

    def listening() -> Connection:
        connection = opened()
        connection.set_trace_callback(hear)
        return connection

    connections._open = listening  # type: ignore[method-assign]
    return asked


def rock_paper_scissors(store: Store, matches: int, labels: Sequence[str] = "abcd") -> LeagueRecord:
    """Make a league in which a beats b, b beats c and c beats a, so often each, and all beat d."""
    league = new_league(store, 4, labels=labels)
    tables = plan(store, league, *[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)] * matches)
    store.append([played(match, 0, (5, 1)) for match in tables])
    return league


def league_with_puppets(store: Store, own: int = 20) -> LeagueRecord:
    """Make a league in which all are level, and a beats b, of the same author, in all of their matches.

    c and d have authors of their own; e and f came with Arena, under that author's name. The last 5 of the matches of
    a and b aren't rated.
    """
    authors = ("ann", "ann", "bo", "cy", "ann", "ann")
    versions = store.versions.add_all(
        [
            VersionSpec(author, label, label * 64, {"name": label}, {}, bundled=label in "ef")
            for author, label in zip(authors, "abcdef", strict=True)
        ]
    )
    entries = [EntrySpec(version.bot, version.id) for version in versions]
    league = store.leagues.create("spring", config={}, ruleset=RULES, entries=entries)
    pairs = [pair for pair in combinations(range(6), 2) if pair != (0, 1)]
    tables = [pair[::step] for pair in pairs for step in (1, -1) for _ in range(10)]
    matches = [
        structs.replace(planned(league, number, table), rated=number < len(tables) + own - 5)
        for number, table in enumerate([*tables, *[(0, 1)] * own])
    ]
    store.matches.plan(league.uuid, matches)
    store.append([played(match, 0, (5, 1)) for match in matches])
    return league
