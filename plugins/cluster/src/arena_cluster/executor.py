"""The executor: takes tickets for all hosts, sends them in units, and takes in what comes back."""

import contextlib
import queue
import secrets
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from arena.core.errors import ArenaError
from arena.executors.base import Lost, PortableWork, Stop, TicketSource, WorkersFail, WorkersRefused
from arena_cluster import ClusterSettings
from arena_cluster.host_trust import Host, Hosts, Recheck, Rechecks
from arena_cluster.identity import Identity, needs_certificates, read_identity
from arena_cluster.link import LOST, Connected, Disconnected, Done, Ended, Link, Present
from arena_cluster.messages import Heard, SlotTickets, Unit, UnitReport, pack
from arena_cluster.scheduler_start import LocalCluster, LocalHosts, read_address
from arena_cluster.ticket_shares import Lanes, Topped
from results.base.runner_notes import HostInPlay
from results.base.text import counted

CHUNK_S = 0.5
"""Yield at least this often."""
MOST_CHECKING = 0.2
"""Part of the time of a run that may go into checking results by the rules."""
MOST_OPINIONS = 3
"""Ask at most so many hosts about one game."""
TOLD_AFTER_S = 1.0
"""Tell what is waited for after so many seconds."""
READY_TOLD_AFTER_S = 10.0
"""The same while hosts start or get ready, as they do at the beginning of each run."""
STARTING, GETTING_READY = "they are starting", "they are getting ready"


class ClusterExecutor:
    """An `Executor` on a Dask scheduler's hosts. As a context manager, keeps its connection and hosts between runs."""

    def __init__(
        self, settings: ClusterSettings, workers: int, *, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """`workers`: slots of all local hosts; `tell` gets a line for people. Raises UsageError."""
        self._settings = settings
        self.meeting_place = read_address(settings.on)
        """Where the hosts are."""
        self._workers = workers
        self.tell = tell
        self.plays_here = isinstance(self.meeting_place, LocalHosts)
        self._identity: Identity
        """Of hosts on this machine, once they are started."""
        if not self.plays_here:
            if not settings.certificates:
                raise needs_certificates()
            self._identity = read_identity(Path(settings.certificates).expanduser())
        self._is_kept = False
        self.local: LocalCluster | None = None
        self._link: Link | None = None
        self.hosts = Hosts(settings.least_speed)
        self._lanes: Lanes | None = None

    def __enter__(self) -> "ClusterExecutor":
        self._is_kept = True
        return self

    def __exit__(self, *_: object) -> None:
        self._is_kept = False
        self.close()

    @property
    def slots(self) -> int:
        """Return how many games schedules should count as played at the same time."""
        return self._lanes.least if self._lanes is not None else 0

    def hosts_in_play(self) -> list[HostInPlay]:
        """Return what is known of each host that is there."""
        return [host.in_words() for host in self.hosts.present.values()]

    def run(
        self,
        work: PortableWork,
        source: TicketSource,
        stop: Stop,
        held: Sequence[int] = (),  # noqa: ARG002 - hosts end what they do when they lose this process
    ) -> Iterator[list[Any]]:
        """Yield chunks of results; a `Lost` stands for a game whose host was lost."""
        lanes = Lanes(source)
        if stop.after_game or stop.at_once or not lanes.first():
            return
        stop.is_playing = False
        link = self._connect()
        self._lanes = lanes
        try:
            yield from _Run(self, link, self._settings, work, lanes, stop).run()
        finally:
            self._lanes = None
            if not self._is_kept:
                self.close()

    def close(self) -> None:
        """Disconnect, and end the local hosts."""
        if self._link is not None:
            self._link.close()
            self._link = None
        if self.local is not None:
            self.local.close()
            self.local = None

    def _connect(self) -> Link:
        if self._link is None:
            if isinstance(self.meeting_place, LocalHosts):
                self.tell(f"starting {counted(self.meeting_place.hosts, 'host')} on this machine")
                self.local = LocalCluster(
                    self.meeting_place.hosts, max(self._workers, self.meeting_place.hosts)
                )
                address, self._identity = self.local.address, self.local.identity
            else:
                address = self.meeting_place
            try:
                self._link = Link(address, self._identity)
            except BaseException:
                self.close()
                raise
            self._link.begin()
        return self._link


class _Run:
    def __init__(
        self,
        executor: ClusterExecutor,
        link: Link,
        settings: ClusterSettings,
        work: PortableWork,
        lanes: Lanes,
        stop: Stop,
    ) -> None:
        self._executor = executor
        self._hosts = executor.hosts
        self._link = link
        self._settings = settings
        self._work = work
        self._packed_work = work.pack()
        self._lanes = lanes
        self._stop = stop
        self._token = secrets.token_hex(8)
        self._is_finishing = False
        self._begun_s = time.monotonic()
        self._checked_s = 0.0
        """Time that went into checking results."""
        self._alone_since_s = time.monotonic()
        self._told = ""
        """What it has told of those that it waits for."""
        self._missing = STARTING if executor.local is not None else f"connecting to {link.address}"
        self._chance = Random()  # noqa: S311 - which games are checked, which hosts don't learn
        self._rechecks = Rechecks(settings.recheck, work.differ)
        self._refusals: dict[str, tuple[str, str]] = {}
        """By host: why it can't play this work, and what to do."""

    def run(self) -> Iterator[list[Any]]:
        try:
            self._hosts.begin_run()
            while True:
                if self._stop.at_once:
                    return
                if self._stop.after_game:
                    self._finish()
                for unit in self._lanes.ask() if self._stop.after_game else self._lanes.deal():
                    self._send(unit)
                self._stop.is_playing = bool(self._lanes.out)
                if not self._lanes.out and (self._stop.after_game or not self._lanes.waiting):
                    return
                yield self._heard()
                self._look_after()
        finally:
            self._link.end([host.address for host in self._hosts.present.values()], self._token)
            self._hosts.end_run()

    def _send(self, unit: Topped) -> None:
        host = self._hosts.present[unit.host]
        slots = tuple(
            SlotTickets(
                slot,
                tuple(one for one, _ in numbered),
                self._work.pack_tickets([ticket for _, ticket in numbered]),
            )
            for slot, numbered in enumerate(unit.slots)
            if numbered
        )
        packed = pack(Unit(unit.number, slots, unit.few, unit.pause_s))
        self._link.unit(host.id, host.address, self._token, unit.number, packed)

    def _finish(self) -> None:
        if not self._is_finishing:
            self._is_finishing = True
            self._link.call([host.address for host in self._hosts.present.values()], "finish", self._token)

    def _heard(self) -> list[Any]:
        """Wait for something from the hosts, and return all results that are there."""
        results: list[Any] = []
        until = time.monotonic() + CHUNK_S
        with contextlib.suppress(queue.Empty):
            while True:
                message = self._link.inbox.get(timeout=max(0.0, until - time.monotonic()))
                results += self._take(message)
                if results:
                    until = 0.0
        return results

    def _take(self, message: Any) -> list[Any]:
        match message:
            case Present():
                return self._see()
            case Heard(token=self._token):
                self._hear(message)
            case Ended(token=self._token):
                return self._session_ended(message)
            case Done(token=self._token):
                if message.report is None:
                    return self._lose(message.host, LOST)
                return self._receive(message.host, message.unit, message.report)
            case Connected():
                if self._executor.local is None:
                    self._missing = f"none has joined; start some: {self._joining()}"
            case Disconnected():
                self._scheduler_lost(message)
        return []

    def _see(self) -> list[Any]:
        """Take in who is there: begin sessions on new hosts, give up those that are gone or silent."""
        results: list[Any] = []
        for host, why in self._hosts.see(self._link.look()):
            results += self._lose(host.id, why)
        for host in self._hosts.news():
            self._executor.tell(host.news)
            if host.set_aside:
                self._link.call([host.address], "tell", host.set_aside, host.is_unfit_for_good)
        for host in self._hosts.idle():
            host.is_asked = True
            self._link.session(host.id, host.address, self._token, self._packed_work)
        for host in self._hosts.to_drop():
            results += self._lose(host.id, host.set_aside)
        return results

    def _hear(self, message: Heard) -> None:
        host = self._hosts.present.get(message.host)
        if host is None:
            return
        if message.ready and message.host not in self._lanes.hosts:
            host.level = message.ready
            self._lanes.add(host.id, host.facts.slots)
        if message.playing is not None and (lanes := self._lanes.hosts.get(message.host)) is not None:
            lanes.playing = message.playing
            host.playing = len(message.playing)
        if message.needs:
            try:
                content, why_not = self._work.version(message.needs), ""
            except ArenaError as error:
                content, why_not = b"", str(error)
            self._link.call([host.address], "give", self._token, message.needs, content, why_not)

    def _session_ended(self, message: Ended) -> list[Any]:
        host = self._hosts.present.get(message.host)
        if message.end is None:
            return self._lose(message.host, message.why)
        results = self._receive(message.host, 0, message.end.last)
        if message.host in self._lanes.hosts:
            results += self._drop(message.host, f"the session ended: {message.end.why}", blames=False)
        if host is None:
            return results
        if message.end.kind == "ended" and (self._stop.after_game or self._stop.at_once):
            return results
        if message.end.kind in ("refused", "failed"):
            host.put_aside(message.end.why)
            self._refusals[host.id] = (message.end.why, message.end.hint)
            self._executor.tell(f"host {host.name} plays nothing: {message.end.why}")
            self._link.call([host.address], "tell", f"plays nothing now: {message.end.why}", False)
        elif message.end.kind == "left":
            host.put_aside("it is leaving")
            host.is_asked = False
            self._executor.tell(f"host {host.name} leaves")
        else:
            host.is_asked = False
        return results

    def _receive(self, name: str, number: int, report: UnitReport) -> list[Any]:
        """Return the results that a host reports. That of a ticket which it doesn't have (any more) is ignored."""
        host = self._hosts.present.get(name)
        results: list[Any] = []
        for ticket_no, packed in report.results:
            if ticket_no < 0:
                self._compare(ticket_no, packed)
                continue
            ticket = self._lanes.result(name, ticket_no)
            if ticket is not None:
                results += self._unpacked(host, ticket, packed)
        for ticket_no in (*(number for number, _ in report.lost), *report.unplayed):
            if ticket_no < 0:
                self._rechecks.answer(ticket_no, None)
        for ticket_no, detail in report.lost:
            ticket = self._lanes.result(name, ticket_no)
            if ticket is not None:
                results.append(Lost(ticket, host.name if host else name, detail))
        self._lanes.done(name, number, report)
        if host is not None:
            host.count(len(report.results), report.faults + len(report.lost))
        return results

    def _unpacked(self, host: Host | None, ticket: Any, packed: bytes) -> list[Any]:
        """Return the result of a ticket, as a list; if it is wrong, the host is set aside and the game is lost."""
        name = host.name if host is not None else "a host"
        try:
            found = self._work.unpack_results(packed)
            begun_s = time.monotonic()
            has_time = self._checked_s <= MOST_CHECKING * (begun_s - self._begun_s)
            by_rules = has_time and self._chance.random() < self._settings.check
            why = "it is not one result"
            if len(found) == 1:
                why = self._work.trouble_in(ticket, found[0], by_rules=by_rules)
            self._checked_s += time.monotonic() - begun_s
        except ArenaError as error:
            why = str(error)
        if not why:
            if host is not None:
                self._maybe_again(host, ticket, found[0])
            return found
        if host is not None:
            self._put_aside(host, f"it sent a wrong result: {why}")
        return [Lost(ticket, name, f"{name} sent a wrong result: {why}")]

    def _put_aside(self, host: Host, why: str) -> None:
        host.put_aside(why, for_good=True)
        self._executor.tell(f"host {host.name} is set aside: {why}")

    def _maybe_again(self, host: Host, ticket: Any, result: Any) -> None:
        """Have a game played again on another host, if it is one of the share, and its bots always play the same."""
        others = [name for name in self._lanes.hosts if name != host.id]
        if self._stop.after_game or not self._work.is_repeatable(ticket):
            return
        recheck = self._rechecks.choose(host.id, ticket, result, others)
        if recheck is not None:
            self._again(recheck, self._chance.choice(others))

    def _again(self, recheck: Recheck, name: str) -> None:
        ticket_no = self._rechecks.ask(recheck, name)
        self._send(self._lanes.call(name)._replace(slots=[[(ticket_no, recheck.ticket)]]))

    def _compare(self, ticket_no: int, packed: bytes) -> None:
        """Compare the results of a game that was played again; ask a third host if they differ."""
        result = None
        with contextlib.suppress(ArenaError):
            result = next(iter(self._work.unpack_results(packed)), None)
        recheck = self._rechecks.answer(ticket_no, result)
        if recheck is None:
            return
        asked = {host for host, _ in recheck.opinions}
        names = [self._hosts.present[host].name if host in self._hosts.present else host for host in asked]
        others = [name for name in self._lanes.hosts if name not in asked]
        lone = self._rechecks.lone(recheck)
        if lone is not None:
            if (host := self._hosts.present.get(lone)) is not None:
                self._put_aside(host, "a game of deterministic bots went differently on two other hosts")
        elif others and len(recheck.opinions) < MOST_OPINIONS:
            self._again(recheck, self._chance.choice(others))
        else:
            self._executor.tell(
                f"a game of deterministic bots went differently on the hosts {' and '.join(sorted(names))}: "
                "one of them is wrong, or a bot isn't deterministic"
            )

    def _lose(self, name: str, why: str) -> list[Any]:
        """Take all from a host that is lost; return the games that it was playing as lost."""
        host = self._hosts.present.get(name)
        was_known = name in self._lanes.hosts
        results = self._drop(name, why, blames=True)
        if host is not None and (was_known or host.is_asked):  # a session and its units each tell of the loss
            if host.set_aside:
                self._link.call([host.address], "end", self._token)
            host.count(0, len(results))
            host.is_asked = False
            self._hosts.lose(name)
            # What it says last may come after it is gone.
            has_left = host.facts.is_leaving and not results
            self._executor.tell(f"host {host.name} {'leaves' if has_left else f'is lost: {why}'}")
        return results

    def _drop(self, name: str, why: str, *, blames: bool) -> list[Any]:
        self._rechecks.forget(name)
        if name not in self._lanes.hosts:
            return []
        if not blames:
            self._lanes.recall(name)
            return []
        shown = self._hosts.present[name].name if name in self._hosts.present else name
        begun, _ = self._lanes.remove(name)
        return [Lost(ticket, shown, f"the host {shown} was lost in this game: {why}") for ticket in begun]

    def _scheduler_lost(self, message: Disconnected) -> None:
        """Take all from all hosts: they end everything when the scheduler is gone, which is no fault of any."""
        address, why = self._link.address, message.why
        if message.was_connected:
            self._missing = f"the scheduler at {address} was lost" + (f": {why}" if why else "")
        else:
            self._missing = f"the scheduler at {address} can't be reached: {why}"
        for name in list(self._lanes.hosts):
            self._lanes.recall(name)
        self._hosts.present.clear()
        if message.was_connected:
            self._executor.tell(f"{self._missing}; connecting again")

    def _joining(self) -> str:
        """Return the command of a new host."""
        words = ["arena", "host", "--join", self._link.address]
        if self._settings.certificates:
            words += ["--certificates", self._settings.certificates]
        return shlex.join(words)

    def _look_after(self) -> None:
        """Give up if no host has played for too long. Raises WorkersFail."""
        now_s = time.monotonic()
        if self._lanes.hosts:
            self._alone_since_s, self._told = now_s, ""
            return
        present = self._hosts.present.values()
        if present and all(host.id in self._refusals for host in present):
            host = next(iter(present))
            why, hint = self._refusals[host.id]
            others = f" (and {counted(len(present) - 1, 'other host')})" if len(present) > 1 else ""
            raise WorkersFail(f"no host can play this: {host.name}{others}: {why}", hint)
        alone_s = now_s - self._alone_since_s
        is_ready_soon = any(host.is_asked and not host.set_aside for host in present)
        aside = "; ".join(f"{host.name}: {host.set_aside}" for host in present if host.set_aside)
        why = GETTING_READY if is_ready_soon else f"all are set aside: {aside}" if aside else self._missing
        left_s = self._settings.patience_s - alone_s
        told_after_s = READY_TOLD_AFTER_S if why in (STARTING, GETTING_READY) else TOLD_AFTER_S
        if alone_s > told_after_s and why != self._told and left_s > 0:
            most_s = max(1, round(left_s)) if self._told else self._settings.patience_s
            self._told = why
            self._executor.tell(f"waiting for hosts, for up to {most_s:.0f} s: {why}")
        if left_s <= 0:
            raise WorkersRefused(
                f"no host has played for {alone_s:.0f} s: {why}",
                "start the scheduler and a host, then run this again (docs/many-machines.md); patience_s in "
                "[executors.cluster] of the settings file says how long to wait",
            )
