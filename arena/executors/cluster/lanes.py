"""Shares out tickets among hosts: which slot of which host plays which lane, and how many tickets make a unit.

A lane is a worker number of the ticket source. All games of a match are in one lane, and a lane belongs to one slot at
a time, which plays its tickets one after the other. When a host is lost, others take over its lanes.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from arena.executors.base import TicketSource
from arena.executors.cluster.reports import UnitReport

UNIT_S = 10.0
"""How long a host plays a unit."""
LEAST_UNIT_S = 1.0
"""The same once the source has run dry: towards the end, small units share out what is left."""
UNITS_AHEAD = 2
"""Maximum number of units per host, including the one being played."""
GROWTH = 4
"""A unit has at most so many times the tickets of the one before."""
MOST_TICKETS = 2_048
"""Maximum number of tickets for one slot in a unit."""


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
    unit: int


@dataclass(slots=True)
class HostLanes:
    """One host: its slots with their lanes, and what it has been sent."""

    slots: list[list[Lane]]
    out: dict[int, Sent] = field(default_factory=dict)
    """Tickets without a result by number, in the order sent."""
    units: set[int] = field(default_factory=set)
    playing: tuple[int, ...] = ()
    """The numbers of the tickets it plays, as it said last."""
    game_s: float = 0.0
    """Seconds of a game in one slot, a moving average; 0: unknown."""
    per_slot: int = 1
    """How many tickets a slot gets in a unit."""

    @property
    def in_flight(self) -> int:
        """Return how many tickets it would have if the source had enough."""
        return UNITS_AHEAD * len(self.slots) * self.per_slot

    def count(self, report: UnitReport) -> None:
        """Learn from a unit how long games take, and so how many tickets the next one needs."""
        games = len(report.results)
        if games and report.took_s > 0:
            measured_s = report.took_s / games
            self.game_s = measured_s if not self.game_s else (self.game_s + measured_s) / 2


class Lanes:
    """All lanes of a run."""

    def __init__(self, source: TicketSource) -> None:
        self._source = source
        self._lanes: list[Lane] = []
        self._free: list[Lane] = []
        self._unit_s = UNIT_S
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
        """Return how many tickets make the smallest units, one for each host: with fewer, hosts have nothing to do."""
        return sum(
            len(host.slots)
            * max(1, min(ceil(LEAST_UNIT_S / host.game_s), MOST_TICKETS) if host.game_s else 1)
            for host in self.hosts.values()
        )

    @property
    def in_flight(self) -> int:
        """Return how many tickets the hosts would have if the source had enough."""
        return sum(host.in_flight for host in self.hosts.values())

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

    def deal(self) -> Iterator[tuple[str, int, list[list[tuple[int, Any]]]]]:
        """Yield units to send: the host, the unit's number, and for each slot the numbered tickets.

        Every host gets its first unit before any gets a second one.
        """
        dry = False
        for ahead in range(UNITS_AHEAD):
            for name, host in list(self.hosts.items()):
                if len(host.units) > ahead or name not in self.hosts:
                    continue
                host.per_slot = self._tickets_per_slot(host)
                taken = [self._take(slot, host.per_slot) for slot in host.slots]
                dry = dry or not all(taken)
                if any(taken):
                    self._units += 1
                    host.units.add(self._units)
                    yield name, self._units, [self._number(host, slot, self._units) for slot in taken]
        self._unit_s = max(LEAST_UNIT_S, self._unit_s / 2) if dry else min(UNIT_S, self._unit_s * 2)

    def done(self, host: str, unit: int, report: UnitReport) -> None:
        """Note that a unit is over. Tickets it hasn't played go back to their lanes; results are taken by `result`."""
        found = self.hosts.get(host)
        if found is None or unit not in found.units:
            return
        found.units.discard(unit)
        found.count(report)
        left = [number for number, sent in found.out.items() if sent.unit == unit]
        back = [found.out.pop(number) for number in left]
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

    def _take(self, slot: list[Lane], most: int) -> list[tuple[Lane, Any]]:
        taken: list[tuple[Lane, Any]] = []
        for lane in slot:
            while lane.again and len(taken) < most:
                taken.append((lane, lane.again.popleft()))
            if len(taken) < most:
                taken += [(lane, ticket) for ticket in self._source.take(most - len(taken), lane.number)]
        slot.append(slot.pop(0))  # let each of its lanes be the first in turn
        return taken

    def _number(self, host: HostLanes, taken: list[tuple[Lane, Any]], unit: int) -> list[tuple[int, Any]]:
        numbered = []
        for lane, ticket in taken:
            host.out[self._numbers] = Sent(ticket, lane, unit)
            lane.out += 1
            numbered.append((self._numbers, ticket))
            self._numbers += 1
        return numbered

    def _tickets_per_slot(self, host: HostLanes) -> int:
        if not host.game_s:
            return 1
        return max(1, min(ceil(self._unit_s / host.game_s), GROWTH * host.per_slot, MOST_TICKETS))

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


def _first_of_each_lane(out: dict[int, Sent]) -> set[int]:
    first: dict[int, int] = {}
    for number, sent in out.items():
        first.setdefault(sent.lane.number, number)
    return set(first.values())
