"""What is said at every seat of a game of each ruleset, to the last byte: a hash for each game, in transcripts.json.

The golden transcripts in protocol/transcripts are for reading, and let new fields be; this lets nothing be.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.invariants.facts import Facts, Written
from tests.support.bots.scripted_arena import START
from tests.support.bots.transcripts import Wire, play
from tests.support.game_tables import forfeiting_tables

FILE = Path(__file__).parent / "transcripts.json"


class Conversation:
    """Bots that answer by a hash of the seat and the number of the ask, and all that is said."""

    def __init__(self, *, forfeits: bool) -> None:
        self.lines: list[str] = []
        self._forfeits = forfeits

    def wire(self, seat: int) -> Wire:
        """Return a seat at which everything is noted down."""
        answers: list[dict[str, Any]] = []

        def hear(message: Any) -> None:
            self.lines.append(f"{seat} > {json.dumps(message)}")
            if message["type"] == "start":
                answers.append({"type": "ready"})
            elif message["type"] == "ask":
                answers.append({"type": "move", "id": message["id"], "move": self._move(seat, message)})

        def say() -> bytes:
            line = json.dumps(answers.pop(0))
            self.lines.append(f"{seat} < {line}")
            return line.encode()

        return Wire(hear, say)

    def _move(self, seat: int, ask: dict[str, Any]) -> Any:
        if self._forfeits and (seat, ask["id"]) == (1, 2):
            return {"type": "no such move"}
        legal = ask.get("legal") or [ask["example"]]
        drawn = hashlib.sha256(f"{seat}/{ask['id']}".encode()).digest()
        return legal[int.from_bytes(drawn[:4], "big") % len(legal)]


def said(game: str, ruleset: str, seats: int, *, forfeits: bool) -> Facts:
    """Return how many lines are said in a game, a hash of them, and the fingerprint of its replay."""
    ticket = {
        "game": game,
        "ruleset": ruleset,
        "options": {},
        "match_seed": "07" * 32,
        "clock": START["clock"],
        "limits": START["limits"],
    }
    conversation = Conversation(forfeits=forfeits)
    record = play({"ticket": ticket}, [conversation.wire(seat) for seat in range(seats)])
    text = "\n".join(conversation.lines)
    return {
        "lines": str(len(conversation.lines)),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "fingerprint": record.fingerprint,
        "ranks": " ".join(str(seat.rank) for seat in record.seats),
    }


@pytest.mark.parametrize(
    ("game", "ruleset", "seats", "forfeits"),
    [
        pytest.param(*table, id="-".join(map(str, table[:3])) + "-forfeited" * table[3])
        for table in forfeiting_tables()
    ],
)
def test_a_game_is_told_as_it_was(
    game: str, ruleset: str, seats: int, forfeits: bool, update: bool, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id
    Written(FILE, update=update).holds(name, said(game, ruleset, seats, forfeits=forfeits))
