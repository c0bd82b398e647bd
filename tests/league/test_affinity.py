"""Bots play where they have played before, if there is a choice."""

from dataclasses import replace

from arena.league.running.ticket_queue import MOST_ENTRIES, MOST_MATCHES, WARM_ENTRIES, Affinity
from tests.support.matches import tickets

TICKET = next(iter(tickets(1)))


def match(*entries: int) -> list[object]:
    return [replace(TICKET, entries=entries)]


def chosen(affinity: Affinity, *matches: tuple[int, ...], worker_no: int = 0) -> int:
    return affinity.choose(worker_no, [match(*entries) for entries in matches])  # type: ignore[misc]


def test_the_first_match_is_taken_by_who_knows_nobody() -> None:
    assert chosen(Affinity(), (1, 2), (3, 4)) == 0


def test_a_worker_takes_the_match_whose_bots_it_knows_best() -> None:
    affinity = Affinity()
    chosen(affinity, (1, 2))
    chosen(affinity, (3, 4))
    assert chosen(affinity, (5, 6), (1, 7), (2, 3), (1, 2)) == 2
    assert chosen(affinity, (5, 6), (1, 7), worker_no=1) == 0, "another worker knows nobody"


def test_warm_bots_come_before_known_ones() -> None:
    affinity = Affinity()
    chosen(affinity, (1, 2))
    for no in range(WARM_ENTRIES):
        chosen(affinity, (100 + no,))
    assert chosen(affinity, (1, 9), (100, 8)) == 1
    assert chosen(affinity, (7, 6), (1, 5)) == 1


def test_the_choice_and_the_memory_are_bounded() -> None:
    affinity = Affinity()
    chosen(affinity, (1, 2))
    assert chosen(affinity, *[(no, no + 1) for no in range(1_000, 1_000 + 2 * MOST_MATCHES, 2)], (1, 2)) == 0
    for no in range(MOST_ENTRIES + 10):
        chosen(affinity, (10_000 + no,))
    assert len(affinity._played[0]) == MOST_ENTRIES


def test_a_match_that_is_played_already_is_passed() -> None:
    assert Affinity().choose(0, [[]]) == 0
