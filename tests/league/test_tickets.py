"""Tickets: rotations of a match kept apart, failures played again, nothing given out twice."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from arena.core.ticket import Ticket, match_seed
from arena.league.running.ticket_queue import (
    BATCH_MATCHES,
    BATCH_PART,
    BATCH_S,
    FIRST_BATCH_MATCHES,
    MOST_ATTEMPTS,
    QUICK_GROWTH,
    Tickets,
)
from results.records import MatchRecord
from tests.support.tickets import RULES, SECRET, match_of, take_all, tickets_of


def matches(count: int, seats: int = 3) -> list[MatchRecord]:
    return [match_of(number, tuple(range(seats))) for number in range(count)]


def test_every_rotation_of_every_match_once_with_the_same_seed() -> None:
    taken = take_all(tickets_of([matches(5)]))
    assert sorted((t.match_no, t.rotation) for t in taken) == [(m, r) for m in range(5) for r in range(3)]
    for ticket in taken:
        assert ticket.match_seed == match_seed(SECRET, ticket.match_no)
        assert all(ticket.entries[(i + ticket.rotation) % 3] == i for i in range(3))


def test_rotations_of_a_batch_come_one_after_the_other() -> None:
    taken = take_all(tickets_of([matches(300)]))
    size, begun = FIRST_BATCH_MATCHES, 0
    while begun < 300:
        batch = taken[begun * 3 : min(300, begun + size) * 3]
        assert [t.rotation for t in batch] == sorted(t.rotation for t in batch)
        assert {t.match_no for t in batch} == set(range(begun, min(300, begun + size)))
        begun, size = begun + size, min(BATCH_MATCHES, 2 * size)
    assert size == BATCH_MATCHES


def batch_sizes(taken: Sequence[Ticket]) -> list[int]:
    """Return the number of matches in each batch that one worker has played."""
    begun = [n for n, ticket in enumerate(taken) if ticket.rotation == 0]
    ends = [n for n in begun if n and taken[n - 1].rotation > 0]
    return [sum(ticket.rotation == 0 for ticket in taken[a:b]) for a, b in pairwise([0, *ends, len(taken)])]


@pytest.mark.parametrize(
    ("game_s", "first", "largest"),
    [
        (0.1, [8, 16, 32, 64], BATCH_MATCHES),
        (0.01, [8, QUICK_GROWTH * 8], int(BATCH_S / 0.03)),
        (0.0, [8, QUICK_GROWTH * 8], int(2000 * BATCH_PART)),
    ],
)
def test_batches_last_some_seconds_and_are_a_small_part_of_all_matches(
    game_s: float, first: list[int], largest: int
) -> None:
    taken: list[Ticket] = []
    blocks = [[match_of(first + n, (0, 1, 2)) for n in range(8)] for first in range(0, 2000, 8)]
    tickets = tickets_of(blocks)
    while chunk := tickets.take(1):
        taken += chunk
        tickets.heard(1, game_s)
    sizes = batch_sizes(taken)
    assert sizes[: len(first)] == first
    assert 0.7 * largest <= max(sizes) <= 1.05 * largest


def test_the_rest_of_a_league_of_quick_games_is_played_with_the_batch_before_it() -> None:
    taken: list[Ticket] = []
    tickets = tickets_of([[match_of(first + n, (0, 1)) for n in range(8)] for first in range(0, 152, 8)])
    while chunk := tickets.take(1):
        taken += chunk
        tickets.heard(1, 0.001)
    assert batch_sizes(taken) == [FIRST_BATCH_MATCHES, 144]


def test_small_batches_plan_no_further_ahead_than_they_need() -> None:
    asked: list[int] = []

    def planned() -> list[MatchRecord]:
        asked.append(len(asked))
        return [match_of(len(asked) - 1, (0, 1))]

    tickets = tickets_of([], next_matches=planned)
    tickets.take(1)
    assert len(asked) == FIRST_BATCH_MATCHES


def deal(tickets: Tickets, most: Sequence[int]) -> list[list[Ticket]]:
    """Deal to as many workers as there are numbers, so many at a time to each, until there are none."""
    dealt: list[list[Ticket]] = [[] for _ in most]
    was = -1
    while was < (was := sum(map(len, dealt))):
        for worker_no, n in enumerate(most):
            dealt[worker_no] += tickets.take(n, worker_no)
            tickets.heard(n, 0.0)
    return dealt


@pytest.mark.parametrize("most", [(1, 1), (16, 16), (5, 1, 2), (1, 7, 3, 16)])
def test_all_games_of_a_match_go_to_one_worker_in_the_order_of_its_rotations(most: tuple[int, ...]) -> None:
    dealt = deal(tickets_of([matches(50), [match_of(50 + n, (0, 1, 2, 3)) for n in range(50)]]), most)
    workers: dict[int, set[int]] = {}
    for worker_no, taken in enumerate(dealt):
        for ticket in taken:
            assert ticket.worker_no == worker_no
            workers.setdefault(ticket.match_no, set()).add(worker_no)
        for match_no in {ticket.match_no for ticket in taken}:
            rotations = [ticket.rotation for ticket in taken if ticket.match_no == match_no]
            assert rotations == list(range(3 if match_no < 50 else 4))
    assert len(workers) == 100
    assert {len(found) for found in workers.values()} == {1}


def test_a_batch_is_shared_out_however_much_the_first_asks_for() -> None:
    tickets = tickets_of([matches(FIRST_BATCH_MATCHES, seats=2)])
    first, other = tickets.take(1, 0), tickets.take(1, 1)
    first += tickets.take(100, 0)
    other += tickets.take(100, 1)
    assert len(first) == len(other) == FIRST_BATCH_MATCHES
    assert {ticket.match_no for ticket in first}.isdisjoint(ticket.match_no for ticket in other)


def test_who_is_done_with_its_share_begins_what_nobody_has_begun() -> None:
    tickets = tickets_of([matches(FIRST_BATCH_MATCHES, seats=2)])
    begun = tickets.take(1, 0)
    other = deal(tickets, (0, 100))[1]
    assert len(other) == 2 * (FIRST_BATCH_MATCHES - 1)
    assert [(ticket.match_no, ticket.rotation) for ticket in tickets.take(100, 0)] == [(begun[0].match_no, 1)]


def test_a_worker_finishes_its_share_before_the_next_batch() -> None:
    tickets = tickets_of([matches(100)])
    late = tickets.take(1, 0)
    while tickets.take(16, 1)[-1].match_no < FIRST_BATCH_MATCHES:
        pass
    late += tickets.take(100, 0)
    share = FIRST_BATCH_MATCHES // 2
    assert [ticket.rotation for ticket in late] == [0] * share + [1] * share + [2] * share
    assert len({ticket.match_no for ticket in late}) == share
    assert tickets.take(1, 0)[0].match_no >= FIRST_BATCH_MATCHES


def switches(taken: Sequence[Ticket]) -> int:
    """Return how often a worker that plays these games ends its bots, as the rotation changes."""
    return sum(one.rotation != other.rotation for one, other in pairwise(taken))


def test_a_fast_worker_goes_on_with_the_next_batch_and_leaves_a_slow_one_its_share() -> None:
    planned = iter(range(0, 2000, 8))
    blocks = [[match_of(first + n, (0, 1, 2)) for n in range(8)] for first in planned]
    dealt = deal(tickets_of(blocks), (16, 12))
    batches = len(batch_sizes(dealt[0]))
    assert abs(len(dealt[0]) - len(dealt[1])) < 0.4 * len(dealt[0])
    assert switches(dealt[0]) <= 3 * batches + 20  # at the end, it takes over halves of the rest
    assert batches < 30


def test_nobody_is_more_than_a_batch_ahead() -> None:
    tickets = tickets_of([matches(1000)])
    begun = tickets.take(1, 0)
    fast = deal(tickets, (0, 16))[1]
    first = [ticket.match_no for ticket in fast if ticket.rotation == 0]
    taken_over = [n for n, match_no in enumerate(first) if match_no < FIRST_BATCH_MATCHES]
    assert len(taken_over) == FIRST_BATCH_MATCHES - 1
    assert (
        max(taken_over) < QUICK_GROWTH * FIRST_BATCH_MATCHES
    )  # while a batch was left for it, not at the end
    assert {ticket.match_no for ticket in fast} | {begun[0].match_no} == set(range(1000))


def test_a_failed_game_is_played_again_by_its_worker_before_anything_else() -> None:
    tickets = tickets_of([matches(20)])
    tickets.take(4, 0)
    (ticket,) = tickets.take(1, 1)
    assert tickets.play_again(ticket)
    assert ticket.key not in {other.key for other in tickets.take(4, 0)}
    (again,) = tickets.take(1, 1)
    assert (again.key, again.worker_no, again.attempt) == (ticket.key, 1, 2)


def test_a_table_of_another_size_in_the_same_batch() -> None:
    mixed = [match_of(0, (0, 1)), match_of(1, (0, 1, 2, 3)), match_of(2, (2, 1, 0))]
    taken = take_all(tickets_of([mixed]))
    assert sorted((t.match_no, t.rotation) for t in taken) == [
        *((0, r) for r in range(2)),
        *((1, r) for r in range(4)),
        *((2, r) for r in range(3)),
    ]
    assert all(t.ruleset is RULES[len(t.entries)] for t in taken)


def test_finished_games_are_left_out() -> None:
    taken = take_all(tickets_of([matches(3)], frozenset({(0, 0), (1, 2), (2, 0), (2, 1), (2, 2)})))
    assert {(t.match_no, t.rotation) for t in taken} == {(0, 1), (0, 2), (1, 0), (1, 1)}


def test_a_batch_that_is_all_finished_does_not_end_the_run() -> None:
    done = frozenset((m, r) for m in range(BATCH_MATCHES) for r in range(3))
    blocks = [matches(BATCH_MATCHES), [match_of(BATCH_MATCHES, (0, 1, 2))]]
    assert {t.match_no for t in take_all(tickets_of(blocks, done))} == {BATCH_MATCHES}


def test_matches_that_come_later_are_given_out() -> None:
    coming: list[list[MatchRecord]] = [matches(1)]
    tickets = Tickets(
        "league",
        lambda match: match_seed(SECRET, match.deal),
        RULES,
        "off",
        lambda: coming.pop() if coming else [],
        lambda _m, _r: False,
    )
    assert len(tickets.take(10)) == 1
    assert tickets.take(10) == []
    coming.append([match_of(1, (0, 1, 2))])
    assert [t.match_no for t in tickets.take(10)] == [1]


def test_a_failed_game_is_played_again_until_its_match_is_void() -> None:
    tickets = tickets_of([matches(2)])
    [ticket] = tickets.take(1)
    for attempt in range(1, MOST_ATTEMPTS):
        assert ticket.attempt == attempt
        assert tickets.play_again(ticket)
        [again] = tickets.take(1)
        assert again.key == ticket.key
        ticket = again
    assert not tickets.play_again(ticket)
    left = take_all(tickets)
    assert {t.match_no for t in left} == {1}, "the other games of a void match are not played"
    assert tickets.play_again(ticket), "what still comes of a void match is not reported again"
    assert tickets.take(1) == []
