"""One session on a host: an agent that plays for a runner, and the tickets that it has been sent.

A unit brings tickets and waits for a report, which may be of tickets that other units brought. One unit waits at a
time: when another comes, the one before reports what there is. An agent that dies is replaced. The tickets it was
playing are lost, those it had not begun are returned.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable
from math import inf
from pathlib import Path
from threading import Condition

from msgspec import Struct

from arena.sandbox.bubblewrap_status import ended_by
from arena.sandbox.machine_shortage import refusal
from arena_cluster.messages import Heard, HostOrders, SessionEnd, Unit, UnitReport, pack
from results.base.children import Child, Failed, Pauses, module

MOST_BYTES = 2**30
"""Longest message: a unit, or a version."""


class Begin(Struct, tag=True, frozen=True):
    """To the agent, first: the work, and how to play it here."""

    work: bytes
    name: str
    slots: int
    first_core: int
    folder: str
    private: tuple[str, ...]
    may_be_unconfined: bool
    cache_bytes: int


class Play(Struct, tag=True, frozen=True):
    """To the agent: a packed `Unit`."""

    unit: bytes


class Version(Struct, tag=True, frozen=True):
    """To the agent: a version it has asked for, packed; or why it can't have it."""

    sha256: str
    content: bytes
    why_not: str


class Finish(Struct, tag=True, frozen=True):
    """To the agent: finish the games being played, begin no others, and end."""


class Ready(Struct, tag=True, frozen=True):
    """From the agent: it can play."""

    level: str
    versions: int


class WorkRefused(Struct, tag=True, frozen=True):
    """From the agent: this host can't play this, so it ends."""

    why: str
    hint: str


class Needs(Struct, tag=True, frozen=True):
    """From the agent: a version that it has not."""

    sha256: str


class Playing(Struct, tag=True, frozen=True):
    """From the agent: the numbers of the tickets that are played now. Also a sign of life, at least each second."""

    numbers: tuple[int, ...]
    versions: int


class Result(Struct, tag=True, frozen=True):
    """From the agent: the result of a ticket, packed by the work."""

    number: int
    packed: bytes
    is_fault: bool
    """Whether it is a fault of the platform."""


ToAgent = Begin | Play | Version | Finish
FromAgent = Ready | WorkRefused | Failed | Needs | Playing | Result


LOOK_S = 0.25
LATEST_S = 10.0
"""Report a result after so long, even if no slot needs tickets."""
EVENTS = 8
EVENTS_S = 1.0
"""At most so many lines on what is played in so many seconds."""
END_S = 25.0
"""How long an agent may take to end."""
STILLBORN = 3
"""Give up after this many agents in a row have died without a result."""


class _Open:
    """The tickets that the agent has, and what is to be reported of others."""

    def __init__(self) -> None:
        self.slot_of: dict[int, int] = {}
        """By number, of tickets without a result."""
        self._left: Counter[int] = Counter()
        """How many of them each slot has."""
        self._results: list[tuple[int, bytes]] = []
        self._lost: list[tuple[int, str]] = []
        self._unplayed: list[int] = []
        self._faults = 0
        self.fewest: int | None = None
        """How many tickets the slot with the fewest has left, of those that have played since the last report."""
        self.since_s = 0.0
        """Since when there has been something to report."""
        self.reported_s = -inf
        self._playing = 0
        self._playing_s = 0.0
        """When it was last counted how many slots play."""
        self._played_s = 0.0

    def add(self, unit: Unit) -> None:
        """Take the tickets of a unit."""
        for slot in unit.slots:
            self.slot_of.update(dict.fromkeys(slot.numbers, slot.slot))
            self._left[slot.slot] += len(slot.numbers)

    def play(self, slots: int) -> None:
        """Note how many slots play now."""
        now_s = time.monotonic()
        self._played_s += self._playing * (now_s - self._playing_s)
        self._playing, self._playing_s = slots, now_s

    def result(self, result: Result) -> None:
        """Take a result; that of a ticket which isn't here is ignored."""
        slot = self.slot_of.pop(result.number, None)
        if slot is None:
            return
        if self.fewest is None:
            self.since_s = time.monotonic()
        self._left[slot] -= 1
        self.fewest = self._left[slot] if self.fewest is None else min(self.fewest, self._left[slot])
        self._results.append((result.number, result.packed))
        self._faults += result.is_fault

    def give_back(self, numbers: Iterable[int]) -> None:
        """Return tickets that nobody plays."""
        self._unplayed += numbers

    def give_up(self, why: str, playing: Collection[int]) -> None:
        """Return all tickets without a result; those being played are lost."""
        for number in sorted(self.slot_of):
            if number in playing:
                self._lost.append((number, why))
            else:
                self._unplayed.append(number)
        self.slot_of.clear()
        self._left.clear()

    def report(self, *, is_closed: bool) -> UnitReport:
        """Return what there is to report, once."""
        self.play(self._playing)
        report = UnitReport(
            tuple(self._results),
            tuple(self._lost),
            tuple(self._unplayed),
            self._faults,
            self._played_s,
            len(self.slot_of),
            is_closed,
        )
        self._results, self._lost, self._unplayed = [], [], []
        self._faults, self._played_s, self.fewest = 0, 0.0, None
        self.reported_s = time.monotonic()
        return report


class Session:
    """A session of a runner on this host."""

    def __init__(
        self, orders: HostOrders, host_id: str, token: str, packed_work: bytes, tell: Callable[[bytes], None]
    ) -> None:
        """`tell` sends a packed `Heard` to the runner."""
        self._orders = orders
        self._host_id = host_id
        self._token = token
        self._work = packed_work
        self._send = tell
        self._pipe: Child[FromAgent] | None = None
        self._changed = Condition()
        self._open = _Open()
        self._calls = 0
        """How many units have come."""
        self._playing: tuple[int, ...] = ()
        self._told: tuple[int, ...] = ()
        self._told_s: deque[float] = deque([0.0] * EVENTS, maxlen=EVENTS)
        """When the latest lines on what is played were sent."""
        self._heard_s = 0.0
        self._is_ready = False
        self._refused: WorkRefused | Failed | None = None
        self._is_ending = False
        self._is_finishing = False
        self._is_over = False
        self._stillborn = 0
        self.versions = 0
        """How many versions are cached."""

    def play(self, is_cancelled: Callable[[], bool]) -> SessionEnd:
        """Keep an agent going until the session is over; return why it is."""
        pauses = Pauses(0.25, 2.0)
        try:
            while True:
                try:
                    end = self._with_agent(is_cancelled)
                except OSError as error:
                    found = refusal(error)
                    return SessionEnd("failed", found.what if found else str(error))
                if end is not None:
                    return end
                if not self._stillborn:
                    pauses.reset()
                time.sleep(pauses.next_s())
        finally:
            with self._changed:
                self._is_over = True
                self._open.give_up("", ())
                self._changed.notify_all()

    def last_report(self) -> UnitReport:
        """Return what no unit has reported. Call it once the session is over."""
        with self._changed:
            return self._open.report(is_closed=True)

    def unit(self, unit: Unit, packed: bytes) -> UnitReport:
        """Take the tickets of a unit; return a report as soon as one is due."""
        with self._changed:
            self._calls += 1
            call = self._calls
            self._changed.notify_all()  # the unit before needn't wait any more
            while not (self._is_ready or self._is_finishing or self._is_over):
                self._changed.wait(LOOK_S)  # for another agent, if the last one died
            pipe = self._pipe
            is_closed = self._is_finishing or self._is_over or pipe is None
            if is_closed:
                self._open.give_back(number for slot in unit.slots for number in slot.numbers)
            else:
                self._open.add(unit)
        if unit.slots and not is_closed and pipe is not None:
            pipe.send(Play(packed))
        with self._changed:
            while not self._is_due(call, unit):
                self._changed.wait(LOOK_S)
            if self._is_over:  # the end of the session reports it
                return UnitReport(is_closed=True)
            return self._open.report(is_closed=self._is_finishing)

    def _is_due(self, call: int, unit: Unit) -> bool:
        """Return whether a unit is to report: there is nothing left, another unit waits, or a slot has few tickets."""
        found = self._open
        if not found.slot_of or call != self._calls:
            return True
        now_s = time.monotonic()
        if found.fewest is None or now_s < found.reported_s + unit.pause_s:
            return False
        return found.fewest <= unit.few or now_s > found.since_s + LATEST_S

    def finish(self) -> None:
        """Finish the games being played; all other tickets are returned."""
        self._is_finishing = True
        if self._pipe is not None:
            self._pipe.send(Finish())

    def give(self, sha256: str, content: bytes, why_not: str) -> None:
        """Hand a version on to the agent."""
        if self._pipe is not None:
            self._pipe.send(Version(sha256, content, why_not))

    def let_go(self) -> None:
        """Let the agent end, without waiting for it."""
        self._is_ending = True
        if self._pipe is not None:
            self._pipe.close()

    def end(self) -> None:
        """End the session, and wait until it is over."""
        self.let_go()
        until = time.monotonic() + END_S
        with self._changed:
            while not self._is_over and time.monotonic() < until:
                self._changed.wait(LOOK_S)

    def _with_agent(self, is_cancelled: Callable[[], bool]) -> SessionEnd | None:
        """Start an agent and wait for its end; return why the session is over, or None if another agent is needed."""
        agent = self._start()
        reader = agent.listen(self._hear)
        why = "died"
        while agent.process.poll() is None:
            if not self._is_ending and is_cancelled():
                self._is_ending = True
            if self._is_ending:
                agent.end(END_S)
            elif time.monotonic() > self._heard_s + self._orders.hang_s:
                why = f"was silent for {self._orders.hang_s:.0f} s and was killed"
                agent.kill()
            else:
                with self._changed:
                    self._changed.wait(LOOK_S)
                self._tell_playing()
        code = agent.process.wait()
        reader.join(END_S)
        if why == "died":
            why = ended_by(-code) if code < 0 else f"ended with code {code}"
        with self._changed:
            self._is_ready = False
            blames = not (self._is_ending or code == 0)
            self._open.give_up(f"the agent {why} in this game", self._playing if blames else ())
            self._open.play(0)
            self._changed.notify_all()
        agent.close()
        if not reader.is_alive():
            agent.close_reading()
        if self._is_ending or self._is_finishing:
            return SessionEnd("ended")
        if self._refused is not None:
            kind = "refused" if isinstance(self._refused, WorkRefused) else "failed"
            return SessionEnd(kind, self._refused.why, self._refused.hint)
        self._stillborn += 1
        if self._stillborn >= STILLBORN:
            return SessionEnd("failed", f"{STILLBORN} agents in a row died; the last one {why}")
        return None

    def _start(self) -> Child[FromAgent]:
        folder = Path(self._orders.folder)
        temporary = folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True, mode=0o700)
        agent: Child[FromAgent] = Child(
            module("arena_cluster.agent"),
            FromAgent,
            most_bytes=MOST_BYTES,
            environment={"TMPDIR": str(temporary)},
        )
        self._pipe, self._heard_s, self._playing = agent, time.monotonic(), ()
        agent.send(
            Begin(
                self._work,
                self._orders.name,
                self._orders.slots,
                self._orders.first_core,
                str(folder),
                self._orders.private,
                self._orders.may_be_unconfined,
                self._orders.cache_bytes,
            )
        )
        if self._is_ending:  # it was told so before there was a pipe to close
            agent.close()
        return agent

    def _hear(self, message: FromAgent) -> None:
        self._heard_s = time.monotonic()
        match message:
            case Result():
                with self._changed:
                    self._stillborn = 0
                    self._open.result(message)
                    if not self._open.slot_of:
                        self._changed.notify_all()
            case Playing():
                self._playing, self.versions = message.numbers, message.versions
                with self._changed:
                    self._open.play(len(message.numbers))
                self._tell_playing()
            case Ready():
                with self._changed:
                    self._is_ready, self.versions = True, message.versions
                    self._changed.notify_all()
                self._say(Heard(self._host_id, self._token, ready=message.level))
            case Needs():
                self._say(Heard(self._host_id, self._token, needs=message.sha256))
            case WorkRefused() | Failed():
                self._refused = message

    def _tell_playing(self) -> None:
        """Tell the runner what is played, so that it knows what is lost if this host is."""
        now_s = time.monotonic()
        if self._playing != self._told and now_s > self._told_s[0] + EVENTS_S:
            self._told = self._playing
            self._told_s.append(now_s)
            self._say(Heard(self._host_id, self._token, playing=self._playing))

    def _say(self, heard: Heard) -> None:
        self._send(pack(heard))
