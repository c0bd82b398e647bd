"""A player who is a person: waits for as long as the person takes, and lets them correct a move."""

import time
from collections.abc import Callable
from typing import Protocol

from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply
from protocol.messages import JSON, Ask, End, Start
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS, NS_PER_S


class Leaves(Exception):
    """The person gives the game up; the message says how, such as `resigned`."""


class TimeUp(Exception):
    """The person's time for a move is over."""


class PersonIO(Protocol):
    """Where a person sees the game and makes moves, such as a terminal. It is sent what a bot is sent."""

    def begins(self, message: Start) -> None:
        """Show that a game begins."""

    def decides(
        self, message: Ask, why_not: str, left_s: float | None, meanwhile: Callable[[], None]
    ) -> JSON:
        """Return the person's move, unchecked. Raises Leaves, or TimeUp after `left_s` seconds, if there is a limit.

        `why_not` is the rule that the previous answer to the same question broke; empty at first. Calls `meanwhile`
        a few times a second.
        """

    def has_no_choice(self, message: Ask) -> None:
        """Show a decision's only legal move, which is made without the person. The next message repeats the events."""

    def ends(self, message: End) -> None:
        """Show that the game is over."""


class Person(Player):
    """Fills a seat with a person. A `Player`, who may think whenever they like; the game goes on without them.

    The referee's clock doesn't apply. `move_s` limits each decision, all attempts together; None for no limit.
    `meanwhile` watches the bots while they wait, and `waited` is told how long they had to.
    """

    def __init__(
        self,
        io: PersonIO,
        move_s: float | None = None,
        meanwhile: Callable[[], None] = lambda: None,
        waited: Callable[[int], None] = lambda _wall_ns: None,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._io = io
        self._move_s = move_s
        self._meanwhile = meanwhile
        self._waited = waited
        self._monotonic_ns = monotonic_ns
        self._asked = 0
        self._question: Ask | None = None
        self._since_ns = 0

    def start(self, message: Start, limit_ms: int) -> Fault | None:  # noqa: ARG002 - a person is ready
        """Show the game."""
        self._io.begins(message)
        return None

    def next_id(self) -> int:
        """Return the id for the next ask."""
        self._asked += 1
        return self._asked

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:  # noqa: ARG002 - people have their own limit
        """Wait for the person's move."""
        self._question = message
        self._since_ns = self._monotonic_ns()
        return self.ask_again("")

    def ask_again(self, why_not: str) -> Reply | Fault:
        """Ask the same once more, because the move broke a rule: `why_not`."""
        if self._question is None:
            raise AssertionError("asked again before the first question")
        begun_ns = self._monotonic_ns()
        left_s = None
        if self._move_s is not None:
            left_s = max(0.0, self._move_s - (begun_ns - self._since_ns) / NS_PER_S)
        try:
            move = self._io.decides(self._question, why_not, left_s, self._meanwhile)
        except Leaves as leaving:
            return Fault(Verdict.RESIGNED, str(leaving))
        except TimeUp:
            taken_ms = (self._monotonic_ns() - self._since_ns) // NS_PER_MS
            return Fault(Verdict.TIMEOUT, f"{self._move_s:g} s limit for a move, {taken_ms} ms taken")
        finally:
            self._waited(self._monotonic_ns() - begun_ns)
        return Reply(move, None, self._monotonic_ns() - self._since_ns, 0)

    def has_no_choice(self, message: Ask) -> None:
        """Tell the person of a move that is made without being asked for, as it is the only one."""
        self._io.has_no_choice(message)

    def end(self, message: End) -> PlayerLog:
        """Show the result."""
        self._io.ends(message)
        return NO_LOG
