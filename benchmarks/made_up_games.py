"""Games for the ledger that nobody played: seats turned by the rotation, scores drawn at random."""

import zlib
from collections.abc import Sequence
from hashlib import sha256
from random import Random

from results.records import GameRecord, SeatRecord

FINISHED_AT = "2026-01-31T12:00:00.000Z"


def made_up_game(
    rng: Random, league: str, match_no: int, rotation: int, entries: Sequence[int], body: bytes
) -> GameRecord:
    """Return a game of a match between these entries, with the scores that `rng` draws; `body` is its replay."""
    count = len(entries)
    scores = [rng.randrange(30) for _ in range(count)]
    seats = tuple(
        SeatRecord(
            seat,
            entries[(seat - rotation) % count],
            scores[seat],
            1 + sum(other > scores[seat] for other in scores),
            None,
            "",
            None,
            15,
            1_000_000,
            200_000,
            900_000,
        )
        for seat in range(count)
    )
    return GameRecord(
        league,
        match_no,
        rotation,
        sha256(body).hexdigest(),
        body,
        zlib.compress(b"[]"),
        60,
        4_000_000,
        "full",
        "worker-1",
        FINISHED_AT,
        seats,
        (),
    )
