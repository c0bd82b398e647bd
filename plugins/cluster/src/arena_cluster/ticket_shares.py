"""Shares out tickets among hosts: which slot of which host plays which lane, and how many tickets it has in hand.

A lane is a worker number of the ticket source. All games of a match are in one lane, and a lane belongs to one slot at
a time, which plays its tickets one after the other. When a host is lost, others take over its lanes.

A host is topped up slot by slot. A unit has tickets for the slots that have few, and asks the host to report once a
slot has few again.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any, NamedTuple

from arena.executors.base import TicketSource
from arena_cluster.messages import UnitReport

IN_HAND_S = 10.0
"""How long the tickets of a slot last."""
LEAST_IN_HAND_S = 2.0
"""The same once the source has run dry: towards the end, what is left is shared out in small parts."""
LEAST_IN_HAND = 2
"""How many tickets a slot has at least, however long games take: one plays, one waits."""
MOST_IN_HAND = 4_096
PAUSE_PART = 1 / 4
"""A host reports no more often than after this part of what a slot has in hand, in seconds,"""
PAUSE_PER_HOST_S = 0.05
"""and all hosts together no more often than once in so many seconds: each report costs the runner milliseconds."""
MOST_UNITS = 2
"""Maximum number of units per host that have not reported: one waits at the host, one is on its way."""
GROWTH = 4
"""A slot has at most so many times the tickets that it had before."""


@dataclass(slots=True)
class Lane:
    """A worker number of the source."""

    number: int
    again: deque[Any] = field(default_factory=deque)
    """Tickets taken from the source that no host has begun."""
    out: int = 0
    """How many of its tickets are with a host."""


@dataclass(slots=True)
class Sent:
    """A ticket that is with a host."""

    ticket: Any
    lane: Lane


class Topped(NamedTuple):
    """A unit to send."""

    host: str
    number: int
    slots: list[list[tuple[int, Any]]]
    """For each slot the numbered tickets."""
    few: int
    pause_s: float


@dataclass(slots=True)
class HostLanes:
    """One host: its slots with their lanes, and what it has been sent."""

    slots: list[list[Lane]]
    out: dict[int, Sent] = field(default_factory=dict)
    """Tickets without a result by number, in the order sent."""
    units: set[int] = field(default_factory=set)
    """Those that have not reported."""
    playing: tuple[int, ...] = ()
    """The numbers of the tickets it plays, as it said last."""
    left: int = 0
    """How many tickets it had left when it reported last."""
    is_hungry: bool = False
    """Whether a slot wanted more than there was."""
    is_closed: bool = False
    """Whether it begins no more games."""
    sent_s: float = -inf
    games: float = 0.0
    played_s: float = 0.0
    """How many games its slots have played, and for how long in all; what is long ago counts less."""
    most: int = LEAST_IN_HAND
    """How many tickets a slot may have, as far as it has grown."""

    @property
    def game_s(self) -> float:
        """Return how many seconds a game takes in one slot; 0 if that isn't known."""
        return self.played_s / self.games if self.games else 0.0

    def count(self, report: UnitReport) -> None:
        """Learn from a report how long games take, and so how many tickets a slot needs.

        The games being played count with the time they have taken so far, so that long games, which are reported
        last, don't seem short at first.
        """
        if self.games >= len(self.slots):
            self.games, self.played_s = self.games / 2, self.played_s / 2
        self.games += len(report.results)
        self.played_s += report.played_s
        if report.results:
            self.most = min(GROWTH * self.most, MOST_IN_HAND)


class Lanes:
    """All lanes of a run."""

    def __init__(self, source: TicketSource, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._clock_s = clock_s
        self._lanes: list[Lane] = []
        self._free: list[Lane] = []
        self._in_hand_s = IN_HAND_S
        self._numbers = 0
        self._units = 0
        self.hosts: dict[str, HostLanes] = {}

    @property
    def out(self) -> int:
        """Return how many tickets are with hosts."""
        return sum(len(host.out) for host in self.hosts.values())

    @property
    def waiting(self) -> int:
        """Return how many tickets were taken and are with no host."""
        return sum(len(lane.again) for lane in self._lanes)

    @property
    def least(self) -> int:
        """Return how many tickets hosts have at least, if there are enough: with fewer, slots have nothing to do."""
        return sum(len(host.slots) * _in_hand(LEAST_IN_HAND_S, host.game_s) for host in self.hosts.values())

    def first(self) -> bool:
        """Take the first ticket, before there is any host; return whether there is one."""
        lane = self._new_lane()
        self._free.append(lane)
        lane.again.extend(self._source.take(1, lane.number))
        return bool(lane.again)

    def add(self, host: str, slots: int) -> None:
        """Give a new host a lane for each slot: those of lost hosts first, then new ones."""
        lanes = [[self._lane_for_newcomer()] for _ in range(slots)]
        self.hosts[host] = HostLanes(lanes)
        self._share_out_free()

    def remove(self, host: str) -> tuple[list[Any], int]:
        """Take all from a host; return the tickets it was playing, and how many others go back to their lanes.

        Without word from it, the first ticket of each slot counts as begun.
        """
        found = self.hosts.pop(host)
        playing = set(found.playing) & set(found.out) or _first_of_each_lane(found.out)
        begun = [sent.ticket for number, sent in found.out.items() if number in playing]
        self._put_back([sent for number, sent in found.out.items() if number not in playing])
        for sent in found.out.values():
            sent.lane.out -= 1
        self._free += [lane for slot in found.slots for lane in slot]
        self._share_out_free()
        return begun, len(found.out) - len(begun)

    def recall(self, host: str) -> None:
        """Take all from a host that is not to blame for anything: all its tickets go back to their lanes."""
        found = self.hosts[host]
        self._put_back(list(found.out.values()))
        for sent in found.out.values():
            sent.lane.out -= 1
        found.out.clear()
        self.remove(host)

    def deal(self) -> Iterator[Topped]:
        """Yield units to send: tickets for slots that have few. A host with nothing to get is asked for a report.

        If several hosts need tickets, each gets half of what it needs before any gets more.
        """
        due = [(name, host) for name, host in self.hosts.items() if self._is_due(host)]
        asked = dry = False
        for part in (2, 1) if len(due) > 1 else (1,):
            for name, host in due:
                if len(host.units) >= MOST_UNITS or self.hosts.get(name) is not host:
                    continue
                wanted = -(-self._in_hand(host) // part)
                taken = [self._take(slot, wanted) for slot in host.slots]
                host.is_hungry = None in taken
                asked = asked or any(one is None or one for one in taken)
                dry = dry or host.is_hungry
                if any(taken):
                    yield self._unit(name, host, [one or [] for one in taken])
        for name in list(self.hosts):
            yield from self._asked(name)
        if asked:
            self._in_hand_s = (
                max(LEAST_IN_HAND_S, self._in_hand_s / 2) if dry else min(IN_HAND_S, self._in_hand_s * 2)
            )

    def ask(self) -> Iterator[Topped]:
        """Yield units without tickets, for hosts that would not report otherwise."""
        for name in list(self.hosts):
            yield from self._asked(name)

    def call(self, host: str) -> Topped:
        """Return a unit for a host, to be sent with tickets of another's choice."""
        return self._unit(host, self.hosts[host], [])

    def done(self, host: str, unit: int, report: UnitReport) -> None:
        """Note that a unit has reported. Tickets that weren't played go back to their lanes; see `result` for others.

        If the host has nothing left, what it should have is played again.
        """
        found = self.hosts.get(host)
        if found is None or unit not in found.units:
            return
        found.units.discard(unit)
        found.count(report)
        found.left = report.left
        found.is_closed = found.is_closed or report.is_closed
        gone = found.out if not found.units and not report.left else set(report.unplayed) & found.out.keys()
        back = [found.out.pop(number) for number in sorted(gone)]
        for sent in back:
            sent.lane.out -= 1
        self._put_back(back)

    def result(self, host: str, number: int) -> Any:
        """Return the ticket with a number, which now has a result; None if the host doesn't have it."""
        found = self.hosts.get(host)
        sent = found.out.pop(number, None) if found is not None else None
        if sent is None:
            return None
        sent.lane.out -= 1
        return sent.ticket

    def _is_due(self, host: HostLanes) -> bool:
        """Return whether a host may get tickets: it has reported, or there were too few for it some time ago."""
        if host.is_closed:
            return False
        if not host.units:
            return True
        return (
            host.is_hungry
            and len(host.units) < MOST_UNITS
            and self._clock_s() >= host.sent_s + self._pause_s()
        )

    def _pause_s(self) -> float:
        return max(self._in_hand_s * PAUSE_PART, len(self.hosts) * PAUSE_PER_HOST_S)

    def _in_hand(self, host: HostLanes) -> int:
        return min(_in_hand(self._in_hand_s, host.game_s), host.most)

    def _take(self, slot: list[Lane], wanted: int) -> list[tuple[Lane, Any]] | None:
        """Return tickets for a slot, so that it has as many as are wanted; None if there are none."""
        most = wanted - sum(lane.out for lane in slot)
        if most <= 0:
            return []
        taken: list[tuple[Lane, Any]] = []
        for lane in slot:
            while lane.again and len(taken) < most:
                taken.append((lane, lane.again.popleft()))
            if len(taken) < most:
                taken += [(lane, ticket) for ticket in self._source.take(most - len(taken), lane.number)]
        slot.append(slot.pop(0))  # let each of its lanes be the first in turn
        return taken or None

    def _unit(self, name: str, host: HostLanes, taken: list[list[tuple[Lane, Any]]]) -> Topped:
        self._units += 1
        host.units.add(self._units)
        host.sent_s = self._clock_s()
        few = self._in_hand(host) // 2
        slots = [self._number(host, slot) for slot in taken]
        return Topped(name, self._units, slots, few, self._pause_s())

    def _asked(self, name: str) -> Iterator[Topped]:
        host = self.hosts[name]
        if not host.units and (host.out or host.left):
            yield self._unit(name, host, [])

    def _number(self, host: HostLanes, taken: list[tuple[Lane, Any]]) -> list[tuple[int, Any]]:
        numbered = []
        for lane, ticket in taken:
            host.out[self._numbers] = Sent(ticket, lane)
            lane.out += 1
            numbered.append((self._numbers, ticket))
            self._numbers += 1
        return numbered

    def _put_back(self, sent: list[Sent]) -> None:
        """Return tickets to the front of their lanes, in the order in which they were sent."""
        for one in reversed(sent):
            one.lane.again.appendleft(one.ticket)

    def _new_lane(self) -> Lane:
        lane = Lane(len(self._lanes))
        self._lanes.append(lane)
        return lane

    def _lane_for_newcomer(self) -> Lane:
        """Return a lane without a slot, or one of a slot with several that has nothing out there, or a new one."""
        if self._free:
            return self._free.pop(0)
        for host in self.hosts.values():
            for slot in host.slots:
                idle = [lane for lane in slot if not lane.out]
                if len(slot) > 1 and idle:
                    slot.remove(idle[0])
                    return idle[0]
        return self._new_lane()

    def _share_out_free(self) -> None:
        """Give lanes without a slot to the slots with the fewest."""
        slots = [slot for host in self.hosts.values() for slot in host.slots]
        while slots and self._free:
            min(slots, key=len).append(self._free.pop(0))


def _in_hand(seconds: float, game_s: float) -> int:
    return max(LEAST_IN_HAND, min(ceil(seconds / game_s), MOST_IN_HAND)) if game_s else LEAST_IN_HAND


def _first_of_each_lane(out: dict[int, Sent]) -> set[int]:
    first: dict[int, int] = {}
    for number, sent in out.items():
        first.setdefault(sent.lane.number, number)
    return set(first.values())
