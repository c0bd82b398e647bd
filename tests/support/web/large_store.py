"""A store with a large made-up league, without programs: ladders, movement, faults and all states of entries."""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import exp
from random import Random

from protocol.verdicts import Verdict
from results.base.clock import utc_text
from results.records import AttemptRecord, EntrySpec, GameRecord, MatchRecord, RulesetRecord, SeatRecord
from results.records.roster import ADDED, BENCHED, PAUSED, RETIRED
from results.store import Store
from tests.support.ledgers import add_version

SEATS = 4
CHUNK = 400
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_REPLAY = zlib.compress(b"{}")


def add_large_league(
    store: Store,
    name: str,
    entries: int,
    matches: int,
    games: int = SEATS,
    *,
    labels: Sequence[str] = (),
    copies: int = 0,
    faulty: int = 1,
) -> str:
    """Add a league of so many made-up bots and matches, spread over ten days; return its uuid.

    The first `copies` bots are all version 1 of `copied/bot`.

    Of 20 bots, one is benched, one paused, one retired, and one joins when most matches are over. The first
    `faulty` bots forfeit now and then.
    """
    rng = Random(entries)
    version = add_version(store, "copied", "bot", "ab" * 32, {"name": "bot"}, {}).id if copies else None
    specs = [
        EntrySpec(
            labels[number] if number < len(labels) else f"author{number % 97}/bot-{number}",
            version if number < copies else None,
        )
        for number in range(entries)
    ]
    rules = RulesetRecord("bread-basket", 1, "tens", "{}")
    league = store.leagues.create(name, config={}, ruleset=rules, entries=specs, secret=bytes(32)).uuid
    store.leagues.set_state(league, "running")
    late = [number for number in range(entries) if number % 20 == 19]
    joins = matches * 4 // 5
    strengths = [rng.gauss(0, 1) for _ in range(entries)]
    if late:
        store.leagues.add_event(league, joins, ADDED, {"entries": late})
    add_matches(store, league, entries, 0, matches, games, joins=joins, strengths=strengths, faulty=faulty)
    for number in range(0, entries - 20, 20):
        store.leagues.add_event(
            league, matches, BENCHED, {"entry_no": number + 3, "why": "4 faults in a row"}
        )
        store.leagues.add_event(league, matches, PAUSED, {"entry": number + 7, "why": "by its author"})
        store.leagues.add_event(league, matches, RETIRED, {"entry": number + 11})
    return league


def add_matches(
    store: Store,
    league: str,
    entries: int,
    first: int,
    end: int,
    games: int,
    *,
    joins: int = 0,
    strengths: Sequence[float] = (),
    faulty: int = 1,
    seats: int = SEATS,
) -> None:
    """Play the matches from `first` to `end` − 1; those from `joins` on have all bots."""
    rng = Random(first + entries)
    strengths = strengths or [0.0] * entries
    planned = [
        MatchRecord(league, number, number // 100, _table(rng, entries, number >= joins, seats), games)
        for number in range(first, end)
    ]
    store.matches.plan(league, planned)
    found: list[GameRecord] = []
    for match in planned:
        ended = FIRST_DAY + timedelta(days=10) * match.match_no / end
        found += [
            _game(rng, match, rotation, strengths, utc_text(ended), faulty) for rotation in range(games)
        ]
        if len(found) >= CHUNK:
            store.append(found)
            found = []
    store.append(found)


def made_up_game(match: MatchRecord, rotation: int) -> GameRecord:
    """Return a game of a match in which all bots are equally strong."""
    return _game(Random(rotation), match, rotation, [0.0] * (max(match.entries) + 1), utc_text(FIRST_DAY))


def failed_attempt(league: str, number: int = 1) -> AttemptRecord:
    """Return a game that failed because of the platform."""
    return AttemptRecord(
        league, 0, 0, number, Verdict.OVERLOAD, "the machine was late by 2.1 s", "w1", utc_text(FIRST_DAY)
    )


def _table(rng: Random, entries: int, has_late: bool, seats: int) -> tuple[int, ...]:
    there = [number for number in range(entries) if has_late or number % 20 != 19]
    return tuple(rng.sample(there, min(seats, len(there))))


def _game(
    rng: Random, match: MatchRecord, rotation: int, strengths: Sequence[float], ended: str, faulty: int = 1
) -> GameRecord:
    count = len(match.entries)
    table = [match.entries[(seat - rotation) % count] for seat in range(count)]
    scores = [
        round(20 / (1 + exp(-strengths[entry] - rng.gauss(0, 1) - 0.2 * (seat == 0))))
        for seat, entry in enumerate(table)
    ]
    body = f"{match.league} {match.match_no} {rotation}".encode()
    seats = []
    for seat, entry in enumerate(table):
        is_at_fault = entry < faulty and rng.random() < 0.2
        seats.append(
            SeatRecord(
                seat,
                entry,
                scores[seat],
                1 + sum(other > scores[seat] for other in scores),
                rng.choice((Verdict.TIMEOUT, Verdict.CRASH, Verdict.ILLEGAL)) if is_at_fault else None,
                "no answer within 1000 ms" if is_at_fault else "",
                3 if is_at_fault else None,
                15,
                rng.randrange(10**7, 10**8),
                10**7,
                10**6,
            )
        )
    return GameRecord(
        match.league,
        match.match_no,
        rotation,
        sha256(body).hexdigest(),
        zlib.compress(body),
        _REPLAY,
        60,
        4_000_000,
        "full",
        "worker-1",
        ended,
        tuple(seats),
        (),
    )
