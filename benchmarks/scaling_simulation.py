"""Simulates a standing ladder of 10,000 bots on up to 1,000 hosts, by discrete events, with measured costs.

    python benchmarks/scaling_simulation.py [--minutes 10] [--json benchmarks/figures/scaling.json]

One runner plans matches, sends tickets through one scheduler and stores what comes back. Each host reports once a
slot has few tickets left, and its slots are topped up, as `arena_cluster.ticket_shares` does it. A block of
matches may only be planned once all matches `lag` before it have results. Versions that a host lacks come from the
runner, over its network. Costs that aren't in `benchmarks/figures` are named where they stand. The simulation is of
one program's parts, not of networks that fail.
"""

import argparse
import json
import sys
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, field, replace
from heapq import heappop, heappush
from math import ceil, log, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import simpy

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena_cluster.ticket_shares import (
    IN_HAND_S,
    LEAST_IN_HAND,
    LEAST_IN_HAND_S,
    PAUSE_PART,
    PAUSE_PER_HOST_S,
)

from arena.league.end_rules import POINT_MATCHES
from arena.schedules.base import MOST_AT_ONCE
from arena.schedules.ladder import LEAST_LAG, MOST_LAG, SLOT_LAG
from benchmarks.kept_results import FIGURES, read

BOTS = 10_000
SEATS = 4
HOSTS = (1, 3, 10, 30, 100, 300, 1_000)
MOST_HOSTS_PER_GAME = 10
CYCLES = 3
"""At least so many times the time in which the runner fills every host once."""
WARM_UP = 0.4
"""The part of the time after which is measured: at first, all slots begin at once."""
SLOW_PLAN_S = 0.0127
"""What planning a match took before ladders were planned in blocks."""
MIB = 1 << 20
Work = Generator[simpy.Event, Any, Any]
Flags = npt.NDArray[np.bool_]
DAY_S = 86_400


@dataclass(frozen=True)
class Costs:
    """What everything takes; times in seconds."""

    plan_s: float = 0.0014
    """CPU time of the runner to plan a match of a ladder with 10,000 entries."""
    append_s: float = 229e-6
    """CPU time of the runner to store and rate a game: `benchmarks/ledger_size.py`, 10 million games of 10,000 entries
    in batches of 256. With the few entries of `make bench`, it is a third of that."""
    ticket_s: float = 60e-6
    """CPU time of the runner to hand out a ticket and take in its result: packing and unpacking."""
    unit_runner_s: float = 0.003
    """The same for a unit and its report: a task of Dask."""
    unit_scheduler_s: float = 0.0011
    """CPU time of the scheduler for a unit: measured for tasks without work."""
    result_bytes: int = 11_000
    """What a game sends back: its replay, packed."""
    scheduler_byte_s: float = 1e-9
    """CPU time of the scheduler for a byte that passes through it: it doesn't unpack what it passes on."""
    start_s: float = 0.04
    """CPU time of a slot to start a bot: a sandbox and an interpreter."""
    version_bytes: int = MIB
    """The files of a version, packed."""
    uplink_bytes_s: float = 125e6
    """The network of the runner: 1 Gb/s."""


@dataclass(frozen=True)
class Scenario:
    """What is simulated."""

    name: str
    hosts: int
    slots: int = 80
    """Of each host."""
    game_s: float = 10.0
    """The mean time of a game in one slot."""
    spread: float = 0.5
    """Standard deviation of the logarithm of a game's time."""
    lag: int = 0
    """In matches; 0: as the ladder chooses it."""
    lag_of_slot: int = 0
    """The same for each slot."""
    block: int = 0
    """So many matches are chosen from the same results; 0: as the ladder chooses it."""
    per_game: bool = False
    """Whether every game is a task of its own."""
    kept: int = 16
    """How many processes of bots a slot keeps."""
    are_cached: bool = True
    """Whether the hosts have all versions already."""
    costs: Costs = Costs()


@dataclass
class Found:
    """What came out."""

    scenario: str
    hosts: int
    games_per_s: float
    slots: float
    """The part of all slots' time in which they play."""
    runner: float
    scheduler: float
    network: float
    """The parts of the time in which these are busy."""


@dataclass
class Host:
    """One host: what it has in hand."""

    rng: np.random.Generator
    missing: Flags
    """Which versions it lacks."""
    free_s: list[float]
    """By slot: when it is done with what it has."""
    left: list[int]
    """By slot: tickets without a result."""
    out: list[int]
    """By slot: tickets without a result that the runner knows of."""
    wakes: simpy.Event
    wants: simpy.Event
    ends: list[tuple[float, int, int]] = field(default_factory=list)
    """A heap: when a ticket ends, in which slot, and the first match of its unit."""
    done: list[tuple[int, int]] = field(default_factory=list)
    """Slot and first match of what ended and isn't reported."""
    is_low: bool = False
    reported_s: float = 0.0


class Simulation:
    """One run."""

    def __init__(self, scenario: Scenario, minutes: float) -> None:
        self.scenario, self.costs = scenario, scenario.costs
        self.world = simpy.Environment()
        self.runner = simpy.PriorityResource(self.world)
        self.scheduler = simpy.Resource(self.world)
        self.network = simpy.Resource(self.world)
        self.used = {"runner": 0.0, "scheduler": 0.0, "network": 0.0, "slots": 0.0}
        self.games = 0
        self.planned = 0
        self.open: list[int] = []
        """The first matches of all units; a heap."""
        self.left_of: dict[int, int] = {}
        """By the first match of a unit: how many of its matches aren't stored yet."""
        self.room = self.world.event()
        self.in_hand_s = IN_HAND_S
        least = max(LEAST_IN_HAND, ceil(LEAST_IN_HAND_S / scenario.game_s))
        lag = max(LEAST_LAG, SLOT_LAG * scenario.slots * scenario.hosts * least)
        given = scenario.lag or scenario.lag_of_slot * scenario.slots * scenario.hosts
        self.lag = given or min(MOST_LAG, 1 << (lag - 1).bit_length())
        self.block = scenario.block or min(MOST_AT_ONCE, self.lag // 2)
        ticket_s = self.costs.plan_s + self.costs.append_s + self.costs.ticket_s
        slots = scenario.hosts * scenario.slots
        self.until_s = max(minutes * 60, CYCLES * slots * self._in_hand() * ticket_s)
        self.warm_s = self.until_s * WARM_UP

    def run(self) -> Found:
        scenario = self.scenario
        for number in range(scenario.hosts):
            host = Host(
                np.random.default_rng(number),
                np.full(BOTS, fill_value=not scenario.are_cached),
                [0.0] * scenario.slots,
                [0] * scenario.slots,
                [0] * scenario.slots,
                self.world.event(),
                self.world.event(),
            )
            self.world.process(self._reports(host))
            self.world.process(self._supplies(host))
        self.world.run(until=self.until_s)
        measured_s = self.until_s - self.warm_s
        return Found(
            scenario.name,
            scenario.hosts,
            self.games / measured_s,
            self.used["slots"] / (measured_s * scenario.hosts * scenario.slots),
            *(self.used[name] / measured_s for name in ("runner", "scheduler", "network")),
        )

    def _in_hand(self) -> int:
        """Return how many tickets a slot should have."""
        return max(LEAST_IN_HAND, ceil(self.in_hand_s / self.scenario.game_s))

    def _pause_s(self) -> float:
        return max(self.in_hand_s * PAUSE_PART, self.scenario.hosts * PAUSE_PER_HOST_S)

    def _takes(self, name: str, resource: simpy.Resource, seconds: float, priority: int = 0) -> Work:
        how = {"priority": priority} if isinstance(resource, simpy.PriorityResource) else {}
        with resource.request(**how) as turn:
            yield turn
            yield self.world.timeout(seconds)
            if self.world.now >= self.warm_s:
                self.used[name] += seconds

    def _reports(self, host: Host) -> Work:
        """Play, and report what ended as soon as a slot has few tickets left, or nothing is left."""
        while True:
            now_s = self.world.now
            few = self._in_hand() // 2
            while host.ends and host.ends[0][0] <= now_s:
                _, slot, first = heappop(host.ends)
                host.left[slot] -= 1
                host.done.append((slot, first))
                host.is_low = host.is_low or host.left[slot] <= few or self.scenario.per_game
            due_s = 0.0 if self.scenario.per_game else host.reported_s + self._pause_s()
            if host.done and (not host.ends or (host.is_low and now_s >= due_s)):
                done, host.done, host.is_low, host.reported_s = host.done, [], False, now_s
                self.world.process(self._stored(host, done))
                continue
            host.wakes = self.world.event()
            if not host.ends:
                yield host.wakes
            else:
                next_s = max(due_s, now_s) if host.is_low else max(due_s, host.ends[0][0])
                next_s = min(next_s, max(host.ends)[0]) if len(host.ends) < len(host.left) else next_s
                yield host.wakes | self.world.timeout(max(1e-3, next_s - now_s))

    def _stored(self, host: Host, done: Sequence[tuple[int, int]]) -> Work:
        """Pass a report on, store its games, and have the host topped up."""
        costs = self.costs
        parts = [[one] for one in done] if self.scenario.per_game else [done]
        for part in parts:
            passed_s = len(part) * costs.result_bytes * costs.scheduler_byte_s
            yield from self._takes("scheduler", self.scheduler, costs.unit_scheduler_s + passed_s)
            in_s = costs.unit_runner_s + len(part) * (costs.append_s + costs.ticket_s / 2)
            yield from self._takes("runner", self.runner, in_s)
            if self.world.now >= self.warm_s:
                self.games += len(part)
            for slot, first in part:
                host.out[slot] -= 1
                self.left_of[first] -= 1
            while self.open and not self.left_of[self.open[0]]:
                del self.left_of[heappop(self.open)]
            if not self.room.triggered:
                self.room.succeed()
            if not host.wants.triggered:
                host.wants.succeed()

    def _supplies(self, host: Host) -> Work:
        """Top up a host whenever it has reported: with what may be planned, the emptiest slots first."""
        costs = self.costs
        while True:
            target = self._in_hand()
            wanted = [target - out for out in host.out]
            needed = sum(one for one in wanted if one > 0)
            if needed and (count := min(needed, self._room())):
                first = self.planned
                self.planned += count
                heappush(self.open, first)
                self.left_of[first] = count
                self._follow(is_dry=count < needed)
                slots = self._chosen(host, wanted, count)
                for slot in slots:
                    host.out[slot] += 1
                out_s = count * (costs.plan_s + costs.ticket_s / 2)
                yield from self._takes("runner", self.runner, out_s, priority=1)
                yield from self._fetch(host, count)
                self._deliver(host, slots, first)
            elif needed:
                self._follow(is_dry=True)
                if self.room.triggered:
                    self.room = self.world.event()
                yield self.room
                yield self.world.timeout(self._pause_s())
            else:
                host.wants = self.world.event()
                yield host.wants

    def _follow(self, *, is_dry: bool) -> None:
        """Let slots have less in hand while there is too little to play."""
        self.in_hand_s = (
            max(LEAST_IN_HAND_S, self.in_hand_s / 2) if is_dry else min(IN_HAND_S, self.in_hand_s * 2)
        )

    def _room(self) -> int:
        """Return how many matches may be planned: the rest of the block, and further ones."""
        seen = self.open[0] if self.open else self.planned
        return max(0, (seen + self.lag) // self.block * self.block + self.block - self.planned)

    @staticmethod
    def _chosen(host: Host, wanted: Sequence[int], count: int) -> list[int]:
        """Return the slots that get so many tickets."""
        levels = [(host.out[slot] + more, slot) for slot, want in enumerate(wanted) for more in range(want)]
        return [slot for _, slot in sorted(levels)[:count]]

    def _deliver(self, host: Host, slots: Sequence[int], first: int) -> None:
        """Give a host tickets: each slot plays them as soon as it is done with those before."""
        scenario, now_s = self.scenario, self.world.now
        mean_log = log(scenario.game_s) - scenario.spread**2 / 2
        starts_s = (1 - min(1.0, scenario.kept / BOTS)) * SEATS * self.costs.start_s
        games_s = host.rng.lognormal(mean_log, scenario.spread, len(slots)).tolist()
        for slot, game_s in zip(slots, games_s, strict=True):
            begun_s = max(now_s, host.free_s[slot]) + starts_s
            host.free_s[slot] = end_s = begun_s + game_s
            host.left[slot] += 1
            heappush(host.ends, (end_s, slot, first))
            self.used["slots"] += max(0.0, min(end_s, self.until_s) - max(begun_s, self.warm_s))
        if not host.wakes.triggered:
            host.wakes.succeed()

    def _fetch(self, host: Host, tickets: int) -> Work:
        """Fetch the versions of a unit that the host lacks."""
        if not host.missing.any():
            return
        wanted = np.unique(host.rng.integers(BOTS, size=tickets * SEATS))
        fetched = int(host.missing[wanted].sum())
        host.missing[wanted] = False
        if fetched:
            seconds = fetched * self.costs.version_bytes / self.costs.uplink_bytes_s
            yield from self._takes("network", self.network, seconds)


def measured() -> Costs:
    """Return the costs, with what this machine's figures say."""
    found = read(FIGURES / "bench.json")
    if found is None:
        raise SystemExit("there are no figures yet: run `make bench` first")
    medians = {(line.name, line.setting): line.median for run in found.runs for line in run.lines}
    plan_ms = medians["plan a match of a ladder", f"{BOTS:,} entries at tables of {SEATS}"]
    return Costs(plan_s=plan_ms / 1000)


def scenarios(costs: Costs) -> list[Scenario]:
    """Return what is simulated: the program as it is, and one part changed at a time."""
    slow_plan = replace(costs, plan_s=SLOW_PLAN_S)
    kinds = [
        Scenario("30 s games", 1, game_s=30.0, costs=costs),
        Scenario("10 s games", 1, costs=costs),
        Scenario("2 s games", 1, game_s=2.0, costs=costs),
        Scenario("2 s games, one game a task", 1, game_s=2.0, per_game=True, costs=costs),
        Scenario("2 s games, lag of 4,096", 1, game_s=2.0, lag=4_096, costs=costs),
        Scenario("2 s games, planned in 12.7 ms", 1, game_s=2.0, costs=slow_plan),
        Scenario("2 s games, half the costs of the runner", 1, game_s=2.0, costs=_halved(costs)),
        Scenario("10 s games, versions fetched", 1, are_cached=False, costs=costs),
        Scenario("10 s games, until settled", 1, lag=32, block=POINT_MATCHES, costs=costs),
        Scenario("10 s games, settled, 4 ahead a slot", 1, lag_of_slot=4, block=POINT_MATCHES, costs=costs),
        Scenario("10 s games, settled, 8 ahead a slot", 1, lag_of_slot=8, block=POINT_MATCHES, costs=costs),
    ]
    return [
        replace(kind, hosts=hosts)
        for kind in kinds
        for hosts in HOSTS
        if not kind.per_game or hosts <= MOST_HOSTS_PER_GAME
    ]


def _halved(costs: Costs) -> Costs:
    halves = {name: getattr(costs, name) / 2 for name in ("plan_s", "append_s", "ticket_s", "unit_runner_s")}
    return replace(costs, **halves)


def games_for(places: float, field: float) -> float:
    """Return how many games it takes until the 95 % interval of a middling bot's rank is ± so many places.

    `field` is the standard deviation of strengths, in units of the luck of one game. Ranks near the middle of a normal
    field are as dense as the normal distribution there.
    """
    density = BOTS / sqrt(2 * pi)
    return (1.96 * density / (places * field)) ** 2


def main() -> None:
    """Simulate, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="least simulated time of each run")
    parser.add_argument("--hosts", type=int, default=max(HOSTS), help="the most hosts to simulate")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    costs = measured()
    found = []
    for scenario in scenarios(costs):
        if scenario.hosts > given.hosts:
            continue
        one = Simulation(scenario, given.minutes).run()
        found.append(one)
        shares = ", ".join(
            f"{part} {getattr(one, part):.0%}" for part in ("slots", "runner", "scheduler", "network")
        )
        speed = f"{one.games_per_s:8.1f} games/s {one.games_per_s * DAY_S / 1e6:7.2f} M a day"
        print(f"{one.scenario:40} {one.hosts:5} hosts {speed}; busy: {shares}", flush=True)
    for apart in (0.25, 0.5, 1.0):
        needed = {places: games_for(places, apart) for places in (1_000, 300, 100)}
        words = ", ".join(f"±{places}: {games:,.0f}" for places, games in needed.items())
        print(f"games until a middling bot's place is sure, field {apart} of a game's luck: {words}")
    if given.json:
        kept = {"costs": asdict(costs), "bots": BOTS, "seats": SEATS, "runs": [asdict(one) for one in found]}
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
