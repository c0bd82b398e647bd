"""The record of one game as it is played: moves, events, faults and times."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.core.game import JSON, AnyGame, Event
from arena.core.replay import FORMAT, canonical, event_json, fingerprint
from arena.core.ruleset import Ruleset
from arena.players.base import Reply

COMPRESSION_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who sits at a seat, as a replay names it."""

    label: str
    version: str
    """SHA-256 of the version, or a word for a player without one."""


@dataclass(slots=True)
class SeatTimes:
    """How long one seat's decisions took."""

    decisions: int = 0
    wall_ns: int = 0
    max_wall_ns: int = 0
    cpu_ns: int = 0

    def add(self, reply: Reply) -> None:
        """Take one decision in."""
        self.decisions += 1
        self.wall_ns += reply.wall_ns
        self.max_wall_ns = max(self.max_wall_ns, reply.wall_ns)
        self.cpu_ns += reply.cpu_ns


@dataclass(slots=True)
class Transcript:
    """All that happened in one game so far."""

    events: list[Event] = field(default_factory=list)
    moves: list[dict[str, JSON]] = field(default_factory=list)
    faults: list[dict[str, JSON]] = field(default_factory=list)
    decisions: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Times of decisions that bots were asked for: move number, seat, wall and CPU nanoseconds."""

    def move(self, seat: int, move: JSON, by: str, note: str | None = None) -> None:
        """Take a move in: made by `bot`, `house` or `engine`."""
        record: dict[str, JSON] = {"seat": seat, "move": move, "by": by}
        if note:
            record["note"] = note
        self.moves.append(record)

    def body(
        self,
        game: AnyGame,
        ruleset: Ruleset,
        entrants: Sequence[Entrant],
        chance: Mapping[str, Sequence[Any]],
        scores: Sequence[int],
        ranks: Sequence[int],
    ) -> dict[str, JSON]:
        """Return the replay body."""
        verdicts: list[str | None] = [None] * len(entrants)
        for fault in self.faults:
            verdicts[fault["seat"]] = fault["verdict"]
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
            "faults": self.faults,
            "events": [event_json(event) for event in self.events],
            "scores": list(scores),
            "ranks": list(ranks),
            "verdicts": verdicts,
        }

    def timing(self) -> bytes:
        """Return the times of all decisions: JSON, zlib."""
        columns = ["move", "seat", "wall_ns", "cpu_ns"]
        text = json.dumps({"columns": columns, "decisions": self.decisions}, separators=(",", ":"))
        return zlib.compress(text.encode(), COMPRESSION_LEVEL)


def pack(body: Mapping[str, JSON]) -> tuple[str, bytes]:
    """Return a body's fingerprint, and the body compressed for the ledger."""
    text = canonical(body)
    return fingerprint(text), zlib.compress(text, COMPRESSION_LEVEL)
