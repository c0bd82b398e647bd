"""Bots against the engine, without a referee: programs on the kit loaded into this process, or real processes."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from arena.core.chance import Chance
from arena.core.game import Event, Outcome
from arena.core.ruleset import ruleset
from arena.registry import game
from protocol import kit
from tests.bots import loading
from tests.protocol.scripted_arena import END, HELLO, START, ScriptedArena

ALL_BOTS = Path(__file__).parents[2] / "bots"
BOTS = ALL_BOTS / "bread_basket"


def folder_of(name: str) -> Path:
    """Return the folder of a bot that plays Bread Basket: the game's own, or one for any game."""
    return BOTS / name if (BOTS / name).is_dir() else ALL_BOTS / "any_game" / name


GAME = game("bread-basket")

Message = dict[str, Any]


class Seat(Protocol):
    """Whatever answers at a seat, for one game."""

    def start(self, message: Message) -> None:
        """Begin a game."""

    def ask(self, message: Message) -> Any:
        """Return the move."""

    def end(self) -> None:
        """Take note that the game is over."""


class KitSeat:
    """A bot of the kit within this process, as fast as can be."""

    def __init__(self, made: Any) -> None:
        self.made = made
        self.bot: Any = None

    def start(self, message: Message) -> None:
        """Begin a game with an object of its own."""
        current = kit.Game(message)
        self.bot = self.made() if isinstance(self.made, type) else kit._Function(self.made)
        self.bot.game = current
        if hasattr(self.bot, "start"):
            self.bot.start(current)

    def ask(self, message: Message) -> Any:
        """Tell the events and return the move."""
        for event in message["events"]:
            self.bot.game.events.append(event)
            if hasattr(self.bot, "event"):
                self.bot.event(event)
        return self.bot.move(message)

    def end(self) -> None:
        """Forget the game."""
        self.bot = None


class ProcessSeat:
    """A bot's real process."""

    def __init__(self, arena: ScriptedArena) -> None:
        self.arena = arena
        assert arena.exchange(HELLO) == {"type": "hello", "protocol": 1}

    def start(self, message: Message) -> None:
        """Begin a game."""
        assert self.arena.exchange(message) == {"type": "ready"}

    def ask(self, message: Message) -> Any:
        """Return the move of the answer, which bears the id of the ask."""
        answer = self.arena.exchange(message)
        assert answer["type"] == "move"
        assert answer["id"] == message["id"]
        return answer["move"]

    def end(self) -> None:
        """Tell that the game is over."""
        self.arena.say(END)


def load(name: str) -> tuple[Any, Any]:
    """Return what the program of a bot that plays Bread Basket gives to `run`, and the program as a module."""
    return loading.load(folder_of(name))


def play(
    seats: Sequence[Seat],
    seed: int,
    rules: str = "tens",
    options: Mapping[str, object] | None = None,
    watch: Callable[[Any, int], None] | None = None,
) -> tuple[Outcome, list[tuple[int, Any]]]:
    """Play one game; return its outcome and the moves (seat, move as JSON) that were asked for.

    `watch` is called with the state and the seat before each ask.
    """
    resolved = GAME.resolve(ruleset(GAME.info, rules, options), len(seats))
    state, events = GAME.deal(len(seats), resolved, Chance(seed=b"%d" % seed))
    log: list[Event] = list(events)
    told = [0] * len(seats)
    moves: list[tuple[int, Any]] = []
    for seat, player in enumerate(seats):
        start = {"options": dict(resolved.options), "ruleset": resolved.name, "private": {}}
        player.start({**START, **start, "seat": seat, "seats": len(seats), "bot_seed": seed * 8 + seat})
    while not isinstance(turn := GAME.turn(state), Outcome):
        (decision,) = turn
        seat = decision.seat
        if decision.forced:
            assert decision.legal is not None
            move = decision.legal[0]
        else:
            if watch is not None:
                watch(state, seat)
            raw = seats[seat].ask(
                {
                    "type": "ask",
                    "id": len(moves) + 1,
                    "kind": decision.kind,
                    "view": GAME.view(state, seat),
                    "legal": [GAME.format_move(each) for each in decision.legal or ()],
                    "events": [event.seen_by(seat) for event in log[told[seat] :]],
                    "time": {"move_ms": 1000, "bank_ms": 10000},
                }
            )
            told[seat] = len(log)
            moves.append((seat, raw))
            move = GAME.parse_move(state, seat, raw)
        state, events = GAME.apply(state, {seat: move})
        log.extend(events)
    for player in seats:
        player.end()
    return turn, moves


def share(first: Callable[[], Seat], second: Callable[[], Seat], seats: int, deals: int) -> float:
    """Return the share of meetings that the first bot wins (ties half), each deal played from both sides.

    The bots sit in turn, so `seats` is even; a meeting is one seat of one against one seat of the other.
    """
    made = {0: [first() for _ in range(seats)], 1: [second() for _ in range(seats)]}
    won = met = 0.0
    for deal in range(deals):
        for side in (0, 1):
            owner = [(seat + side) % 2 for seat in range(seats)]
            outcome, _ = play([made[who][seat] for seat, who in enumerate(owner)], seed=deal)
            for mine in range(seats):
                for theirs in range(seats):
                    if owner[mine] == 0 and owner[theirs] == 1:
                        difference = outcome.scores[mine] - outcome.scores[theirs]
                        won += 0.5 if difference == 0 else float(difference > 0)
                        met += 1
    return won / met
