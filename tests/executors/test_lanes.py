"""Tickets are shared out among hosts without losing one or playing one twice, whatever happens to the hosts."""

import random
from collections import Counter
from typing import Any

from arena.executors.cluster.lanes import LEAST_UNIT_S, UNITS_AHEAD, Lanes
from arena.executors.cluster.reports import UnitReport


class Source:
    """Tickets 0, 1, 2, … A `TicketSource` that remembers who took which."""

    def __init__(self, count: int) -> None:
        self.left = list(range(count))
        self.lane_of: dict[int, int] = {}

    def take(self, most: int, worker_no: int) -> list[Any]:
        taken, self.left = self.left[:most], self.left[most:]
        self.lane_of.update(dict.fromkeys(taken, worker_no))
        return taken


def sent(lanes: Lanes) -> list[tuple[str, int, list[tuple[int, Any]]]]:
    return [(host, unit, [one for slot in slots for one in slot]) for host, unit, slots in lanes.deal()]


def finish(lanes: Lanes, host: str, unit: int, numbered: list[tuple[int, Any]], took_s: float) -> list[Any]:
    played = [lanes.result(host, number) for number, _ in numbered]
    results = tuple((number, b"") for number, _ in numbered)
    lanes.done(host, unit, UnitReport(results, took_s=took_s))
    return played


def test_without_tickets_no_host_is_needed() -> None:
    assert not Lanes(Source(0)).first()


def test_each_host_has_one_unit_before_any_has_two() -> None:
    lanes = Lanes(Source(100))
    assert lanes.first()
    lanes.add("a", 2)
    lanes.add("b", 1)
    assert [host for host, _, _ in sent(lanes)] == ["a", "b", "a", "b"]
    assert not sent(lanes), f"no host has more than {UNITS_AHEAD} units"
    assert lanes.out == 6


def test_units_grow_to_ten_seconds_and_shrink_at_the_end() -> None:
    lanes = Lanes(Source(1_000))
    lanes.first()
    lanes.add("a", 1)
    queue = sent(lanes)
    sizes = []
    while queue:
        host, unit, numbered = queue.pop(0)
        sizes.append(len(numbered))
        finish(lanes, host, unit, numbered, took_s=0.1 * len(numbered))
        queue += sent(lanes)
    assert sizes[:3] == [1, 1, 4]
    assert max(sizes) == 100, "10 s of games of 0.1 s"
    assert sum(sizes) == 1_000
    assert lanes.in_flight <= UNITS_AHEAD * max(sizes)
    assert LEAST_UNIT_S < 10


def test_begun_tickets_of_a_lost_host_are_lost_and_others_play_the_rest() -> None:
    source = Source(8)
    lanes = Lanes(source)
    lanes.first()
    lanes.add("a", 2)
    (_, _, first), (_, _, second) = sent(lanes)
    lanes.hosts["a"].playing = (first[0][0],)
    begun, others = lanes.remove("a")
    assert begun == [first[0][1]]
    assert others == len(first) + len(second) - 1
    lanes.add("b", 1)
    again = [ticket for _, _, numbered in sent(lanes) for _, ticket in numbered]
    assert again[0] in (first[1][1], second[0][1])
    assert begun[0] not in again


def test_without_word_from_a_lost_host_its_first_tickets_count_as_begun() -> None:
    lanes = Lanes(Source(8))
    lanes.first()
    lanes.add("a", 2)
    (_, _, first), _ = sent(lanes)
    assert lanes.remove("a")[0] == [ticket for _, ticket in first]


def test_a_late_result_of_a_lost_host_is_ignored() -> None:
    lanes = Lanes(Source(1))
    lanes.first()
    lanes.add("a", 1)
    ((host, unit, numbered),) = sent(lanes)
    lanes.recall("a")
    lanes.add("a", 1)
    assert finish(lanes, host, unit, numbered, 1.0) == [None]
    assert lanes.waiting == 1


def test_newcomers_relieve_slots_with_several_lanes() -> None:
    lanes = Lanes(Source(0))
    lanes.add("a", 1)
    lanes.add("b", 1)
    lanes.remove("b")
    assert [len(slot) for slot in lanes.hosts["a"].slots] == [2]
    lanes.add("c", 1)
    assert [len(slot) for host in lanes.hosts.values() for slot in host.slots] == [1, 1]


def test_whatever_hosts_do_each_ticket_is_played_once_and_its_lane_is_at_one_slot() -> None:
    for seed in range(30):
        chance = random.Random(seed)
        source = Source(200)
        lanes = Lanes(source)
        assert lanes.first()
        played: Counter[int] = Counter()
        queue: list[tuple[str, int, list[tuple[int, Any]]]] = []
        names = iter(range(1_000))
        while source.left or lanes.out or lanes.waiting:
            what = chance.random()
            if not lanes.hosts or what < 0.1:
                lanes.add(f"host {next(names)}", chance.randint(1, 3))
            elif what < 0.15:
                played.update(lanes.remove(chance.choice(list(lanes.hosts)))[0])  # lost counts as an attempt
            elif what < 0.2:
                lanes.recall(chance.choice(list(lanes.hosts)))
            elif queue:
                host, unit, numbered = queue.pop(chance.randrange(len(queue)))
                done = finish(lanes, host, unit, numbered[: chance.randint(0, len(numbered))], 0.3)
                played.update(ticket for ticket in done if ticket is not None)
            queue += sent(lanes)
            owners = [
                (lane.number, host, slot_no)
                for host, found in lanes.hosts.items()
                for slot_no, slot in enumerate(found.slots)
                for lane in slot
            ]
            assert len({number for number, _, _ in owners}) == len(owners)
        assert played == Counter(range(200)), seed
