"""Simulates a standing ladder of 10,000 bots on up to 1,000 hosts, by discrete events, with measured costs.

    python benchmarks/scaling_simulation.py [--minutes 10] [--json docs/scaling.json]

One runner plans matches, sends units through one scheduler and stores what comes back; each host plays its units in
its slots, two units ahead at most. A match may only be planned while the oldest one without a result is less than
`lag` matches behind. Versions that a host lacks come from the runner, over its network. Costs that aren't in
`benchmarks/figures` are named where they stand. The simulation is of one program's parts, not of networks that fail.
"""

import argparse
import json
import sys
from collections.abc import Generator
from dataclasses import asdict, dataclass, replace
from heapq import heappop, heappush
from math import ceil, log, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import simpy

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.kept_results import FIGURES, read

BOTS = 10_000
SEATS = 4
HOSTS = (1, 3, 10, 30, 100, 300, 1_000)
MOST_HOSTS_PER_GAME = 10
CYCLES = 5
"""At least so many times the time in which the runner serves every host once, as it serves them in turn."""
WARM_UP = 0.4
"""The part of the time after which is measured: units are small at first."""
SLOW_PLAN_S = 0.0127
"""What planning a match took before ladders were planned in blocks."""
MIB = 1 << 20
Work = Generator[simpy.Event, Any, Any]
Times = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
DAY_S = 86_400


@dataclass(frozen=True)
class Costs:
    """What everything takes; times in seconds."""

    plan_s: float = 0.0014
    """CPU time of the runner to plan a match of a ladder with 10,000 entries."""
    append_s: float = 100e-6
    """CPU time of the runner to store and rate a game."""
    ticket_s: float = 60e-6
    """CPU time of the runner to hand out a ticket and take in its result: packing and unpacking."""
    unit_runner_s: float = 0.003
    """The same for a unit: a task of Dask."""
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
    """In matches; 0: twice what is in flight."""
    unit_s: float = 10.0
    units_ahead: int = 2
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
        """The first matches of the units that aren't stored yet; a heap, with what was stored in between left in it."""
        self.stored: set[int] = set()
        self.room = self.world.event()
        self.per_slot = max(1, ceil(scenario.unit_s / scenario.game_s))
        self.tickets = 1 if scenario.per_game else scenario.slots * self.per_slot
        ahead = scenario.units_ahead * scenario.slots * self.per_slot
        self.lag = scenario.lag or 2 * scenario.hosts * ahead
        ticket_s = self.costs.plan_s + self.costs.append_s + self.costs.ticket_s
        self.until_s = max(minutes * 60, CYCLES * scenario.hosts * ahead * ticket_s)
        self.ahead = max(1, ahead // self.tickets)
        """How many units a host has at the same time."""

    def run(self) -> Found:
        scenario = self.scenario
        for host in range(scenario.hosts):
            self._host(np.random.default_rng(host))
        self.world.run(until=self.until_s)
        measured_s = self.until_s * (1 - WARM_UP)
        return Found(
            scenario.name,
            scenario.hosts,
            self.games / measured_s,
            self.used["slots"] / (measured_s * scenario.hosts * scenario.slots),
            *(self.used[name] / measured_s for name in ("runner", "scheduler", "network")),
        )

    def _count(self, name: str, amount: float) -> None:
        if self.world.now >= self.until_s * WARM_UP:
            self.used[name] += amount

    def _takes(self, name: str, resource: simpy.Resource, seconds: float, priority: int = 0) -> Work:
        how = {"priority": priority} if isinstance(resource, simpy.PriorityResource) else {}
        with resource.request(**how) as turn:
            yield turn
            yield self.world.timeout(seconds)
            self._count(name, seconds)

    def _host(self, rng: np.random.Generator) -> None:
        """Begin a host: one process for each unit it may have at a time, one unit after the other."""
        slots = 1 if self.scenario.per_game else self.scenario.slots
        free_s = np.zeros(self.scenario.slots)
        missing = np.full(BOTS, fill_value=not self.scenario.are_cached)
        for number in range(self.ahead):
            self.world.process(self._units(free_s, missing, rng, slots, number % self.scenario.slots))

    def _units(self, free_s: Times, missing: Flags, rng: np.random.Generator, slots: int, slot: int) -> Work:
        """Play units: each slot begins with its tickets as soon as it is done with those before."""
        costs, tickets, scenario = self.costs, self.tickets, self.scenario
        mine = slice(slot, slot + 1) if scenario.per_game else slice(None)
        mean_log = log(scenario.game_s) - scenario.spread**2 / 2
        starts_s = (1 - min(1.0, scenario.kept / BOTS)) * SEATS * costs.start_s
        while True:
            first = yield from self._plan()
            out_s = costs.unit_runner_s + tickets * costs.ticket_s / 2
            yield from self._takes("runner", self.runner, out_s, priority=1)
            yield from self._takes("scheduler", self.scheduler, costs.unit_scheduler_s)
            yield from self._fetch(missing, rng)
            games_s = rng.lognormal(mean_log, scenario.spread, (slots, tickets // slots)).sum(axis=1)
            now_s = self.world.now
            begun_s = np.maximum(now_s, free_s[mine])
            free_s[mine] = begun_s + games_s + starts_s * (tickets // slots)
            yield self.world.timeout(float(free_s[mine].max()) - now_s)
            self._count("slots", float(games_s.sum()))
            passed_s = tickets * costs.result_bytes * costs.scheduler_byte_s
            yield from self._takes("scheduler", self.scheduler, passed_s)
            in_s = tickets * (costs.append_s + costs.ticket_s / 2)
            yield from self._takes("runner", self.runner, in_s)
            if self.world.now >= self.until_s * WARM_UP:
                self.games += tickets
            self._store(first)

    def _plan(self) -> Work:
        """Plan the matches of a unit, as soon as the lag allows it; return the number of the first."""
        while self.planned - (self.open[0] if self.open else self.planned) + self.tickets > self.lag:
            if self.room.triggered:
                self.room = self.world.event()
            yield self.room
        first, self.planned = self.planned, self.planned + self.tickets
        heappush(self.open, first)
        yield from self._takes("runner", self.runner, self.tickets * self.costs.plan_s, priority=1)
        return first

    def _store(self, first: int) -> None:
        self.stored.add(first)
        while self.open and self.open[0] in self.stored:
            self.stored.discard(heappop(self.open))
        if not self.room.triggered:
            self.room.succeed()

    def _fetch(self, missing: Flags, rng: np.random.Generator) -> Work:
        """Fetch the versions of a unit that the host lacks."""
        if not missing.any():
            return
        wanted = np.unique(rng.integers(BOTS, size=self.tickets * SEATS))
        fetched = int(missing[wanted].sum())
        missing[wanted] = False
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
    append_us = medians["append and rate a game", f"{SEATS} seats"]
    return Costs(plan_s=plan_ms / 1000, append_s=append_us * 1e-6)


def scenarios(costs: Costs) -> list[Scenario]:
    """Return what is simulated: the program as it is, and one part changed at a time."""
    slow_plan = replace(costs, plan_s=SLOW_PLAN_S)
    kinds = [
        Scenario("10 s games", 1, costs=costs),
        Scenario("10 s games, 4 units ahead", 1, units_ahead=4, costs=costs),
        Scenario("2 s games", 1, game_s=2.0, costs=costs),
        Scenario("2 s games, 4 units ahead", 1, game_s=2.0, units_ahead=4, costs=costs),
        Scenario("2 s games, one game a task", 1, game_s=2.0, per_game=True, costs=costs),
        Scenario("2 s games, lag of 4,096", 1, game_s=2.0, lag=4_096, costs=costs),
        Scenario("2 s games, planned in 12.7 ms", 1, game_s=2.0, costs=slow_plan),
        Scenario("2 s games, half the costs of the runner", 1, game_s=2.0, costs=_halved(costs)),
        Scenario("10 s games, versions fetched", 1, are_cached=False, costs=costs),
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
    for field in (0.25, 0.5, 1.0):
        needed = {places: games_for(places, field) for places in (1_000, 300, 100)}
        words = ", ".join(f"±{places}: {games:,.0f}" for places, games in needed.items())
        print(f"games until a middling bot's place is sure, field {field} of a game's luck: {words}")
    if given.json:
        kept = {"costs": asdict(costs), "bots": BOTS, "seats": SEATS, "runs": [asdict(one) for one in found]}
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
