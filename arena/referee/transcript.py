"""The record of a game in progress: moves, events, faults and times."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from arena.core.game import JSON, AnyGame, Event
from arena.core.replay import FORMAT, canonical, event_json, fingerprint
from arena.core.ruleset import Ruleset
from arena.players.base import Fault
from protocol.messages import UNSAID_CLOCK, UNSAID_LIMITS, Clock, Limits

COMPRESSION_LEVEL = 6
TIMING_COMPRESSION_LEVEL = 1
"""Low, because times hardly compress and this is fast."""
_SHORT_BYTES = 10_000
TIMING_COLUMNS = ("move", "seat", "wall_ns", "cpu_ns")


PERSON = "person"
"""Stands for the version of a player who is a person."""


class Entrant(Struct, frozen=True):
    """Who sits at a seat, as shown in a replay."""

    label: str
    version: str
    """SHA-256 of the version, or a word for a player that has no version."""


class Transcript(Struct):
    """Everything that happened in one game so far."""

    events: list[Event] = field(default_factory=list)
    moves: list[dict[str, JSON]] = field(default_factory=list)
    decisions: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Times of the decisions that bots answered: number of moves made before, seat, wall and CPU nanoseconds."""
    refused: list[dict[str, JSON]] = field(default_factory=list)
    """For each fault in a decision: the seat, whether it was sent the question, and what it wrote, shortened."""

    def refuse(self, seat: int, fault: Fault) -> None:
        """Record a fault in a decision."""
        self.refused.append({"seat": seat, "asked": fault.was_asked, "wrote": fault.wrote})

    def body(
        self,
        game: AnyGame,
        ruleset: Ruleset,
        entrants: Sequence[Entrant],
        chance: Mapping[str, Sequence[Any]],
    ) -> dict[str, JSON]:
        """Return the replay body, without the faults and the result."""
        return {
            "format": FORMAT,
            "game": game.info.name,
            "rules_version": game.info.version,
            "ruleset": ruleset.name,
            "options": dict(ruleset.options),
            "seats": len(entrants),
            "entries": [{"label": entrant.label, "version": entrant.version} for entrant in entrants],
            "chance": dict(chance),
            "moves": self.moves,
            "events": [event_json(event) for event in self.events],
        }

    def timing(
        self,
        stale_replies: Sequence[int],
        first_asks: Sequence[int | None],
        clock: Clock = UNSAID_CLOCK,
        limits: Limits = UNSAID_LIMITS,
    ) -> bytes:
        """Return what no rule can give back: JSON, zlib.

        These are the times of all decisions, each seat's stale replies and the id of its first ask (None: it was
        never asked), what was refused, and the clock and limits unless they are the unsaid ones.
        """
        timing: dict[str, Any] = {
            "columns": TIMING_COLUMNS,
            "decisions": self.decisions,
            "stale_replies": stale_replies,
            "first_asks": first_asks,
            "refused": self.refused,
        }
        if clock != UNSAID_CLOCK:
            timing["clock"] = clock
        if limits != UNSAID_LIMITS:
            timing["limits"] = limits
        return _compressed(msgspec.json.encode(timing), TIMING_COMPRESSION_LEVEL, 5)


def pack(body: Mapping[str, JSON]) -> tuple[str, bytes]:
    """Return a body's fingerprint, and the body compressed for the ledger."""
    text = canonical(body)
    return fingerprint(text), _compressed(text, COMPRESSION_LEVEL, 6)


def _compressed(text: bytes, level: int, memory_level: int) -> bytes:
    """Return a text compressed by zlib.

    A short one is compressed at a lower `memory_level` than zlib's 8: to clear the tables of that takes longer than to
    compress a game of 40 decisions. The result is the same.
    """
    if len(text) > _SHORT_BYTES:
        return zlib.compress(text, level)
    compressor = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS, memory_level)
    return compressor.compress(text) + compressor.flush()
