"""Golden transcripts: what a file holds, and playing one through the referee.

The first line says what the transcript shows and, where rules stand behind it, the ticket to play it again.
Each further line is one message: {"seat": 0, "arena": {…}} or {"seat": 0, "bot": {…}}, in the order of time.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import NO_LOG, Fault, PlayerLog, Reply
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.registry import game
from protocol import codec
from protocol.messages import ArenaMessage, Ask, Clock, End, Limits, Move, Ready, Start
from results.records import GameRecord

FOLDER = Path(__file__).parents[3] / "protocol" / "transcripts"


@dataclass(frozen=True)
class Transcript:
    """One golden conversation of the arena with the bots of one game."""

    head: dict[str, Any]
    lines: list[dict[str, Any]]

    @classmethod
    def read(cls, path: Path) -> "Transcript":
        """Return the transcript of a file."""
        head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return cls(head, lines)

    def write(self, path: Path) -> None:
        """Write the transcript; refuses to change one that is there."""
        text = [json.dumps(line, ensure_ascii=False) + "\n" for line in (self.head, *self.lines)]
        with path.open("x", encoding="utf-8") as file:
            file.writelines(text)

    def said(self, who: str, seat: int | None = None) -> list[Any]:
        """Return what the `arena` or the `bot` said, at one seat or all."""
        return [line[who] for line in self.lines if who in line and seat in (None, line["seat"])]

    @property
    def seats(self) -> list[int]:
        """The seats that are spoken with."""
        return sorted({line["seat"] for line in self.lines})


class Wire:
    """A seat whose messages go over an imagined wire, as bytes both ways. A `Player`.

    `hear` is given each message of the arena as JSON; `say` gives each line of the bot.
    """

    def __init__(self, hear: Callable[[Any], None], say: Callable[[], bytes]) -> None:
        self._hear = hear
        self._say = say
        self._asked = 0

    def start(self, message: Start, limit_ms: int) -> Fault | None:  # noqa: ARG002  always in time
        """Pass the start on; the answer has to be `ready`."""
        self._pass_on(message)
        assert codec.decode(self._say()) == Ready()
        return None

    def next_id(self) -> int:
        """Return 1, 2, 3 …."""
        self._asked += 1
        return self._asked

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:  # noqa: ARG002  always in time
        """Pass the ask on and return the answer."""
        self._pass_on(message)
        answer = codec.decode(self._say())
        assert isinstance(answer, Move)
        assert answer.id == message.id
        return Reply(answer.move, answer.note, wall_ns=0, cpu_ns=0)

    def last_look(self) -> None:
        """Find nothing."""

    def end(self, message: End) -> PlayerLog:
        """Pass the end on."""
        self._pass_on(message)
        return NO_LOG

    def stop(self) -> PlayerLog:
        """Say no more."""
        return NO_LOG

    def _pass_on(self, message: ArenaMessage) -> None:
        self._hear(json.loads(codec.encode(message)))


def play(head: Mapping[str, Any], seats: list[Wire]) -> GameRecord:
    """Play the game of a transcript's ticket."""
    given = head["ticket"]
    rules = game(given["game"])
    options = rules.resolve(ruleset(rules.info, given["ruleset"], given["options"]), len(seats))
    ticket = Ticket(
        "0" * 32, 0, 0, tuple(range(len(seats))), options, match_seed=bytes.fromhex(given["match_seed"])
    )
    entrants = [Entrant(f"seat {seat}", "scripted") for seat in range(len(seats))]
    referee = Referee(clock=Clock(**given["clock"]), limits=Limits(**given["limits"]))
    return referee.play(rules, seats, entrants, ticket)


def replay(transcript: Transcript) -> GameRecord:
    """Play a transcript's game again; every message has to be what it was, new fields aside."""
    rest = {seat: iter(_in_play(transcript, seat)) for seat in transcript.seats}

    def wire(seat: int) -> Wire:
        def hear(message: Any) -> None:
            line = next(rest[seat])
            assert "arena" in line, f"the arena says {message} where the bot of seat {seat} should"
            assert holds(message, line["arena"]), f"seat {seat}: {message} instead of {line['arena']}"

        def say() -> bytes:
            return json.dumps(next(rest[seat])["bot"]).encode()

        return Wire(hear, say)

    record = play(transcript.head, [wire(seat) for seat in transcript.seats])
    left = {seat: list(lines) for seat, lines in rest.items()}
    assert not any(left.values()), f"never said: {left}"
    return record


def _in_play(transcript: Transcript, seat: int) -> Iterator[dict[str, Any]]:
    """Yield a seat's lines but for the handshake and the farewell, which no game needs."""
    for line in transcript.lines:
        message = line["arena"] if "arena" in line else line["bot"]
        if line["seat"] == seat and message["type"] not in ("hello", "quit"):
            yield line


def holds(now: Any, then: Any) -> bool:
    """Say whether a value of today is one of old, but perhaps for new fields of its objects."""
    if isinstance(then, dict):
        return isinstance(now, dict) and all(key in now and holds(now[key], then[key]) for key in then)
    if isinstance(then, list):
        return isinstance(now, list) and len(now) == len(then) and all(map(holds, now, then))
    return bool(now == then) and type(now) is type(then)
