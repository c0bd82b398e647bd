"""Tickets are shared out among hosts without losing one or playing one twice, whatever happens to the hosts."""

import random
from collections import Counter, defaultdict
from typing import Any

from arena_cluster.messages import UnitReport
from arena_cluster.ticket_shares import (
    IN_HAND_S,
    LEAST_IN_HAND,
    LEAST_IN_HAND_S,
    PAUSE_PER_HOST_S,
    Lanes,
)


class Source:
    """Tickets 0, 1, 2, … A `TicketSource` that remembers who took which."""

    def __init__(self, count: int) -> None:
        self.left = list(range(count))
        self.lane_of: dict[int, int] = {}

    def take(self, most: int, worker_no: int) -> list[Any]:
        taken, self.left = self.left[:most], self.left[most:]
        self.lane_of.update(dict.fromkeys(taken, worker_no))
        return taken


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def sent(lanes: Lanes) -> list[tuple[str, int, list[tuple[int, Any]]]]:
    return [(unit.host, unit.number, [one for slot in unit.slots for one in slot]) for unit in lanes.deal()]


def finish(
    lanes: Lanes, host: str, unit: int, numbered: list[tuple[int, Any]], played_s: float, left: int = 0
) -> list[Any]:
    played = [lanes.result(host, number) for number, _ in numbered]
    results = tuple((number, b"") for number, _ in numbered)
    lanes.done(host, unit, UnitReport(results, played_s=played_s, left=left))
    return played


def test_without_tickets_no_host_is_needed() -> None:
    assert not Lanes(Source(0)).first()


def test_each_slot_has_one_ticket_before_any_has_two() -> None:
    lanes = Lanes(Source(100))
    assert lanes.first()
    lanes.add("a", 2)
    lanes.add("b", 1)
    assert [(host, len(numbered)) for host, _, numbered in sent(lanes)] == [
        ("a", 2),
        ("b", 1),
        ("a", 2),
        ("b", 1),
    ]
    assert not sent(lanes), "each slot plays one and has one waiting"
    assert lanes.out == 6


def test_tickets_in_hand_grow_to_seconds_of_play_and_shrink_at_the_end() -> None:
    lanes = Lanes(Source(1_000))
    lanes.first()
    lanes.add("a", 1)
    queue = sent(lanes)
    most, in_hand = LEAST_IN_HAND, []
    while queue:
        host, unit, numbered = queue.pop(0)
        in_hand.append(len(numbered))
        assert len(numbered) <= 4 * most
        most = max(most, len(numbered))
        finish(lanes, host, unit, numbered, played_s=0.125 * len(numbered))
        queue += sent(lanes)
    assert in_hand[:3] == [2, 8, 32]
    assert max(in_hand) == IN_HAND_S / 0.125
    assert sum(in_hand) == 1_000


def test_a_slot_is_topped_up_while_others_play_on() -> None:
    lanes = Lanes(Source(100))
    lanes.first()
    lanes.add("a", 3)
    ((host, number, numbered),) = sent(lanes)
    assert len(numbered) == 3 * LEAST_IN_HAND
    finish(lanes, host, number, numbered[:1], played_s=30.0, left=5)
    (unit,) = lanes.deal()
    assert [len(slot) for slot in unit.slots] == [1, 0, 0]
    assert unit.few == 1, "and reports again as soon as a slot has nothing waiting"
    assert not sent(lanes), "until it has reported"


def test_long_games_do_not_seem_short_because_short_ones_end_first() -> None:
    lanes = Lanes(Source(1_000))
    lanes.first()
    lanes.add("a", 80)
    ((host, number, numbered),) = sent(lanes)
    finish(
        lanes, host, number, numbered[:1], played_s=80 * 1.0, left=159
    )  # one of 80 was over after a second
    assert lanes.hosts["a"].game_s == 80.0
    (unit,) = lanes.deal()
    assert sum(len(slot) for slot in unit.slots) == 1


def test_a_host_without_new_tickets_is_asked_for_what_it_still_plays() -> None:
    lanes = Lanes(Source(2))
    lanes.first()
    lanes.add("a", 2)
    ((host, number, numbered),) = sent(lanes)
    finish(lanes, host, number, numbered[:1], played_s=1.0, left=1)
    ((host, number, nothing),) = sent(lanes)
    assert not nothing
    assert finish(lanes, host, number, numbered[1:], played_s=1.0) == [1]
    assert not sent(lanes)
    assert not lanes.out


def test_a_host_that_lacked_tickets_gets_some_before_it_reports() -> None:
    clock, source = Clock(), Source(1)
    lanes = Lanes(source, clock)
    lanes.first()
    lanes.add("a", 2)
    assert len(sent(lanes)) == 1
    source.left = [1, 2]
    assert not sent(lanes), "each unit costs something, so it waits a moment"
    clock.now_s += IN_HAND_S
    ((_, _, numbered),) = sent(lanes)
    assert len(numbered) == 2
    clock.now_s += IN_HAND_S
    assert not sent(lanes), "one unit waits at the host, one is on its way"


def test_many_hosts_report_less_often() -> None:
    lanes = Lanes(Source(10_000))
    lanes.first()
    for number in range(200):
        lanes.add(f"host {number}", 1)
    assert next(lanes.deal()).pause_s == 200 * PAUSE_PER_HOST_S


def test_a_host_that_is_leaving_gets_nothing_more() -> None:
    lanes = Lanes(Source(10))
    lanes.first()
    lanes.add("a", 1)
    ((host, number, numbered),) = sent(lanes)
    unplayed = tuple(one for one, _ in numbered[1:])
    lanes.done(host, number, UnitReport(unplayed=unplayed, left=1, is_closed=True))
    assert lanes.waiting == 1
    ((host, number, nothing),) = sent(lanes)
    assert not nothing, "but is asked for what it still plays"


def test_what_a_host_has_forgotten_is_played_again() -> None:
    lanes = Lanes(Source(2))
    lanes.first()
    lanes.add("a", 1)
    ((host, number, _),) = sent(lanes)
    lanes.done(host, number, UnitReport())
    ((_, _, again),) = sent(lanes)
    assert [ticket for _, ticket in again] == [0, 1]


def test_begun_tickets_of_a_lost_host_are_lost_and_others_play_the_rest() -> None:
    source = Source(8)
    lanes = Lanes(source)
    lanes.first()
    lanes.add("a", 2)
    ((_, _, first),) = sent(lanes)
    lanes.hosts["a"].playing = (first[0][0],)
    begun, others = lanes.remove("a")
    assert begun == [first[0][1]]
    assert others == len(first) - 1
    lanes.add("b", 1)
    again = [ticket for _, _, numbered in sent(lanes) for _, ticket in numbered]
    assert again[0] == first[1][1]
    assert begun[0] not in again


def test_without_word_from_a_lost_host_its_first_tickets_count_as_begun() -> None:
    lanes = Lanes(Source(8))
    lanes.first()
    lanes.add("a", 2)
    ((_, _, numbered),) = sent(lanes)
    assert lanes.remove("a")[0] == [numbered[0][1], numbered[LEAST_IN_HAND][1]]


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
        clock = Clock()
        lanes = Lanes(source, clock)
        assert lanes.first()
        held: dict[str, list[tuple[int, Any]]] = defaultdict(list)
        played: Counter[int] = Counter()
        queue: list[tuple[str, int, list[tuple[int, Any]]]] = []
        names = iter(range(1_000))
        while source.left or lanes.out or lanes.waiting:
            what = chance.random()
            clock.now_s += chance.random()
            if not lanes.hosts or what < 0.1:
                lanes.add(f"host {next(names)}", chance.randint(1, 3))
            elif what < 0.15:
                played.update(lanes.remove(chance.choice(list(lanes.hosts)))[0])  # lost counts as an attempt
            elif what < 0.2:
                lanes.recall(chance.choice(list(lanes.hosts)))
            elif queue:  # a unit may report on tickets of others
                host, unit, _ = queue.pop(chance.randrange(len(queue)))
                chance.shuffle(held[host])
                ended = chance.randint(0, len(held[host]))
                now, held[host] = held[host][:ended], held[host][ended:]
                left = 0 if host not in lanes.hosts else len(held[host])
                done = finish(lanes, host, unit, now, 0.3, left)
                played.update(ticket for ticket in done if ticket is not None)
            for unit_sent in sent(lanes):
                queue.append(unit_sent)
                held[unit_sent[0]] += unit_sent[2]
            owners = [
                (lane.number, host, slot_no)
                for host, found in lanes.hosts.items()
                for slot_no, slot in enumerate(found.slots)
                for lane in slot
            ]
            assert len({number for number, _, _ in owners}) == len(owners)
        assert played == Counter(range(200)), seed


def test_schedules_count_what_hosts_have_at_least() -> None:
    lanes = Lanes(Source(1_000))
    lanes.first()
    lanes.add("a", 3)
    assert lanes.least == 3 * LEAST_IN_HAND
    ((host, number, numbered),) = sent(lanes)
    finish(lanes, host, number, numbered, played_s=len(numbered) * LEAST_IN_HAND_S / 8)
    assert lanes.least == 3 * 8
