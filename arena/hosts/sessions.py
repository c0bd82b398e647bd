"""One session on a host: an agent that plays for a runner, and the units that it has been sent.

An agent that dies is replaced. The tickets it was playing are lost, those it had not begun are returned.
"""

import contextlib
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread

from arena.executors.cluster.child import Child
from arena.executors.cluster.orders import HostOrders
from arena.executors.cluster.reports import Heard, SessionEnd, Unit, UnitReport, pack
from arena.hosts.agent_pipe import (
    Begin,
    Finish,
    FromAgent,
    Needs,
    Pipe,
    Play,
    Playing,
    Ready,
    Refused,
    Result,
    Version,
)
from arena.sandbox.bubblewrap_status import ended_by
from arena.sandbox.refusals import refusal

LOOK_S = 0.25
EVENTS = 8
EVENTS_S = 1.0
"""At most so many lines on what is played in so many seconds."""
END_S = 25.0
"""How long an agent may take to end."""
STILLBORN = 3
"""Give up after this many agents in a row have died without a result."""


@dataclass(slots=True)
class _OpenUnit:
    """A unit that the agent has not finished."""

    left: set[int]
    """The numbers of its tickets that have no result."""
    results: list[tuple[int, bytes]] = field(default_factory=list)
    lost: list[tuple[int, str]] = field(default_factory=list)
    unplayed: list[int] = field(default_factory=list)
    faults: int = 0
    took_s: float = 0.0

    def report(self) -> UnitReport:
        """Return what became of it."""
        return UnitReport(
            tuple(self.results), tuple(self.lost), tuple(self.unplayed), self.faults, self.took_s
        )


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
        self._pipe: Pipe | None = None
        self._changed = Condition()
        self._units: list[_OpenUnit] = []
        self._playing: tuple[int, ...] = ()
        self._told: tuple[int, ...] = ()
        self._told_s: deque[float] = deque([0.0] * EVENTS, maxlen=EVENTS)
        """When the latest lines on what is played were sent."""
        self._heard_s = 0.0
        self._is_ready = False
        self._refused: Refused | None = None
        self._is_ending = False
        self._is_finishing = False
        self._is_over = False
        self._stillborn = 0
        self.versions = 0
        """How many versions are cached."""

    def play(self, is_cancelled: Callable[[], bool]) -> SessionEnd:
        """Keep an agent going until the session is over; return why it is."""
        try:
            while True:
                try:
                    end = self._with_agent(is_cancelled)
                except OSError as error:
                    found = refusal(error)
                    return SessionEnd("failed", found.what if found else str(error))
                if end is not None:
                    return end
                time.sleep(min(2.0, 0.25 * 2**self._stillborn))
        finally:
            with self._changed:
                self._is_over = True
                self._give_back("the session ended")
                self._changed.notify_all()

    def unit(self, unit: Unit, packed: bytes) -> UnitReport:
        """Have a unit played; return what became of it."""
        numbers = [number for slot in unit.slots for number in slot.numbers]
        opened = _OpenUnit(set(numbers))
        with self._changed:
            if not self._is_ready or self._pipe is None or self._is_finishing or self._is_over:
                return UnitReport(unplayed=tuple(numbers))
            self._units.append(opened)
            pipe = self._pipe
        pipe.send(Play(packed))
        with self._changed:
            while opened.left:
                self._changed.wait(LOOK_S)
            if opened in self._units:
                self._units.remove(opened)
        return opened.report()

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
        agent, pipe = self._start()
        reader = Thread(target=self._read, args=(pipe,), name="agent", daemon=True)
        reader.start()
        why = "died"
        while agent.poll() is None:
            if not self._is_ending and is_cancelled():
                self._is_ending = True
                pipe.close()
            if self._is_ending:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    agent.wait(END_S)
                agent.kill()
            elif time.monotonic() > self._heard_s + self._orders.hang_s:
                why = f"was silent for {self._orders.hang_s:.0f} s and was killed"
                agent.kill()
            else:
                with self._changed:
                    self._changed.wait(LOOK_S)
                self._tell_playing()
        code = agent.wait()
        reader.join(END_S)
        if why == "died":
            why = ended_by(-code) if code < 0 else f"ended with code {code}"
        with self._changed:
            self._is_ready = False
            self._give_back(f"the agent {why} in this game", blames=not (self._is_ending or code == 0))
            self._changed.notify_all()
        pipe.close()
        if self._is_ending or self._is_finishing:
            return SessionEnd("ended")
        if self._refused is not None:
            return SessionEnd(self._refused.kind, self._refused.why, self._refused.hint)
        self._stillborn += 1
        if self._stillborn >= STILLBORN:
            return SessionEnd("failed", f"{STILLBORN} agents in a row died; the last one {why}")
        return None

    def _start(self) -> tuple["subprocess.Popen[bytes]", Pipe]:
        """Start an agent. Raises OSError."""
        folder = Path(self._orders.folder)
        temporary = folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True, mode=0o700)
        agent = Child("arena.hosts.agent", listens=True, environment={"TMPDIR": str(temporary)})
        pipe = Pipe(agent.reading, agent.writing, FromAgent)
        self._pipe, self._heard_s, self._playing = pipe, time.monotonic(), ()
        pipe.send(
            Begin(
                self._work,
                self._orders.name,
                self._orders.slots,
                self._orders.first_core,
                str(folder),
                self._orders.private,
                self._orders.may_be_unconfined,
                self._orders.identity is not None,
                self._orders.cache_bytes,
            )
        )
        if self._is_ending:  # it was told so before there was a pipe to close
            pipe.close()
        return agent.process, pipe

    def _read(self, pipe: Pipe) -> None:
        while (message := pipe.receive()) is not None:
            self._heard_s = time.monotonic()
            match message:
                case Result():
                    with self._changed:
                        self._stillborn = 0
                        self._take(message)
                case Playing():
                    self._playing, self.versions = message.numbers, message.versions
                    self._tell_playing()
                case Ready():
                    self._is_ready, self.versions = True, message.versions
                    self._say(Heard(self._host_id, self._token, ready=message.level))
                case Needs():
                    self._say(Heard(self._host_id, self._token, needs=message.sha256))
                case Refused():
                    self._refused = message

    def _take(self, result: Result) -> None:
        for unit in self._units:
            if result.number in unit.left:
                unit.left.discard(result.number)
                unit.results.append((result.number, result.packed))
                unit.faults += result.is_fault
                unit.took_s += result.took_s
                if not unit.left:
                    self._changed.notify_all()
                return

    def _give_back(self, why: str, *, blames: bool = False) -> None:
        """Return all tickets without a result; those being played are lost if the agent died."""
        playing = set(self._playing) if blames else set()
        for unit in self._units:
            for number in sorted(unit.left):
                if number in playing:
                    unit.lost.append((number, why))
                else:
                    unit.unplayed.append(number)
            unit.left.clear()

    def _tell_playing(self) -> None:
        """Tell the runner what is played, so that it knows what is lost if this host is."""
        now_s = time.monotonic()
        if self._playing != self._told and now_s > self._told_s[0] + EVENTS_S:
            self._told = self._playing
            self._told_s.append(now_s)
            self._say(Heard(self._host_id, self._token, playing=self._playing))

    def _say(self, heard: Heard) -> None:
        self._send(pack(heard))
