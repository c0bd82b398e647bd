"""Notes what a runner does now, for those who look: `results.base.runner_notes` in a file next to the store.

The games in play are the tickets that workers have taken and not yet returned: a worker plays its tickets in the order
in which it took them.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from arena.core.ticket import Ticket
from arena.executors.base import TicketSource
from results.base import runner_notes
from results.base.clock import utc_now
from results.store.beside_store import remove_notes, write_notes


class RunProgress(Struct):
    """The progress of a run, written by the runner and read by the display."""

    total_games: int | None
    games_before: int
    """Games in the ledger when this run began."""
    games: int = 0
    failed_attempts: int = 0
    void_matches: int = 0
    overtime: str = ""
    """A line for the display, once the playing time is over but planned matches are still being played."""
    hosts: int | None = None
    """How many hosts play; None if games are played by worker processes of this machine."""
    host_slots: int = 0
    """How many games these hosts play at a time."""
    begun_s: float = field(default_factory=time.monotonic)

    @property
    def games_per_s(self) -> float:
        """Games per second in this run."""
        return self.games / max(1e-9, time.monotonic() - self.begun_s)

    @property
    def left_s(self) -> float | None:
        """Estimated seconds left; None if the total is unknown or no game has been played."""
        if self.total_games is None or not self.games:
            return None
        return max(0, self.total_games - self.games_before - self.games) / self.games_per_s


EVERY_S = 1.0
"""Shortest time between two versions of the file."""
IDLE_S = 5.0
"""The same while nothing is played and nothing has changed."""
MINUTE_S = 60.0


class Notes:
    """A runner's notes. A context manager: the file is there inside it, as far as it can be written."""

    def __init__(
        self,
        files: Path,
        does: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], str] = utc_now,
    ) -> None:
        """Prepare notes in a store's folder. `does`: words that follow the process, as in the store's lock."""
        self._files = files
        self._does = does
        self._clock = clock
        self._now = now
        self._since = now()
        self._since_s = clock()
        self._written_s = clock() - IDLE_S
        self._written_waiting: dict[str, runner_notes.WaitingLeague] = {}
        self._league: runner_notes.LeagueInPlay | None = None
        self._out: dict[int, dict[tuple[int, int], Ticket]] = {}
        """By worker: the tickets that it has, in the order taken, by match and rotation."""
        self._begun: dict[int, str] = {}
        """By worker: when the first of them became the first."""
        self._labels: Callable[[], Mapping[int, str]] = dict
        self.hosts: Callable[[], Sequence[runner_notes.HostInPlay]] | None = None
        """Returns the hosts that play for the runner; None if it plays by itself."""
        self._games = 0
        self._recent: deque[tuple[float, int]] = deque()
        """Seconds of the last minute, with the games that came in."""
        self._waiting: dict[str, runner_notes.WaitingLeague] = {}
        self._refusals: deque[runner_notes.Trouble] = deque(maxlen=runner_notes.MOST_TROUBLES)
        self._errors: deque[runner_notes.Trouble] = deque(maxlen=runner_notes.MOST_TROUBLES)

    def __enter__(self) -> "Notes":
        self.write_if_due()
        return self

    def __exit__(self, *_: object) -> None:
        remove_notes(self._files)

    @contextmanager
    def playing(self, uuid: str, name: str, labels: Callable[[], Mapping[int, str]]) -> Iterator[None]:
        """Note that a league is played inside the context. `labels` returns the labels of its entries by number."""
        self._league = runner_notes.LeagueInPlay(uuid, name[: runner_notes.MOST_NAME], self._now())
        self._waiting.pop(name, None)
        self._labels = labels
        try:
            yield
        finally:
            self._league = None
            self._out.clear()
            self._begun.clear()

    def taking(self, tickets: TicketSource) -> TicketSource:
        """Return a source of the same tickets that notes which ones are taken."""
        return _Noted(tickets, self)

    def took(self, worker_no: int, tickets: Iterable[Ticket]) -> None:
        """Note that a worker has taken tickets."""
        out = self._out.setdefault(worker_no, {})
        if not out:
            self._begun[worker_no] = self._now()
        out.update(((ticket.match_no, ticket.rotation), ticket) for ticket in tickets)
        self.write_if_due()

    def returned(self, games: Iterable[tuple[int, int]]) -> None:
        """Note that games, (match, rotation), are no longer in play, whatever became of them."""
        keys = list(games)
        for worker_no, out in self._out.items():
            first = next(iter(out), None)
            for key in keys:
                out.pop(key, None)
            if next(iter(out), None) != first:
                self._begun[worker_no] = self._now()

    def stored(self, games: int) -> None:
        """Note that so many games are in the ledger now."""
        if games:
            self._games += games
            self._recent.append((self._clock(), games))

    def failed(self, game: tuple[int, int], why: str) -> None:
        """Note that a game, (match, rotation), failed because of the platform."""
        self._errors.append(self._trouble(f"{game[0]}.{game[1]}: {why}"))

    def refused(self, what: str) -> None:
        """Note what the machine refused."""
        self._refusals.append(self._trouble(what))

    def waits(self, why_by_league: Mapping[str, str], resting: Collection[str] = ()) -> None:
        """Note which leagues have nothing to play, and why. The others than those `resting` can't be played."""
        self._waiting = {
            name: known
            if (known := self._waiting.get(name)) is not None and known.why == why[: runner_notes.MOST_TEXT]
            else runner_notes.WaitingLeague(
                name[: runner_notes.MOST_NAME], why[: runner_notes.MOST_TEXT], self._now(), name in resting
            )
            for name, why in why_by_league.items()
        }
        self.write_if_due()

    def write_if_due(self) -> None:
        """Write the file, unless it was written a moment ago. Never fails."""
        idle = self._league is None and self._written_waiting == self._waiting
        if self._clock() - self._written_s >= (IDLE_S if idle else EVERY_S):
            self._written_s, self._written_waiting = self._clock(), dict(self._waiting)
            write_notes(self._files, self.notes())

    def notes(self) -> runner_notes.RunnerNotes:
        """Return the notes as of now."""
        now_s = self._clock()
        while self._recent and self._recent[0][0] <= now_s - MINUTE_S:
            self._recent.popleft()
        ran_s = max(now_s - self._since_s, 1e-3)
        return runner_notes.RunnerNotes(
            pid=os.getpid(),
            does=self._does[: runner_notes.MOST_TEXT],
            since=self._since,
            written_at=self._now(),
            league=self._league,
            playing=tuple(self._in_play())[: runner_notes.MOST_PLAYING],
            queued=sum(max(0, len(out) - 1) for out in self._out.values()),
            games=self._games,
            games_per_s=round(self._games / ran_s, 3),
            games_per_s_minute=round(sum(games for _, games in self._recent) / min(ran_s, MINUTE_S), 3),
            waiting=tuple(self._waiting.values())[: runner_notes.MOST_WAITING],
            hosts=() if self.hosts is None else tuple(self.hosts())[: runner_notes.MOST_HOSTS],
            plays_on_hosts=self.hosts is not None,
            refusals=tuple(self._refusals),
            errors=tuple(self._errors),
        )

    def _in_play(self) -> Iterator[runner_notes.GameInPlay]:
        if self._league is None:
            return
        labels = self._labels()
        for worker_no, out in sorted(self._out.items()):
            for (match_no, rotation), ticket in list(out.items())[:1]:
                bots = tuple(
                    labels.get(no, f"#{no}")[: runner_notes.MOST_NAME]
                    for no in ticket.entries[: runner_notes.MOST_SEATS]
                )
                since = self._begun[worker_no]
                yield runner_notes.GameInPlay(self._league.name, match_no, rotation, bots, worker_no, since)

    def _trouble(self, what: str) -> runner_notes.Trouble:
        return runner_notes.Trouble(what.strip()[: runner_notes.MOST_TEXT], self._now())


class _Noted:
    """A `TicketSource` whose tickets are noted as they are taken."""

    def __init__(self, tickets: TicketSource, notes: Notes) -> None:
        self._tickets = tickets
        self._notes = notes

    def take(self, most: int, worker_no: int) -> list[Any]:
        taken = self._tickets.take(most, worker_no)
        self._notes.took(worker_no, taken)
        return taken
