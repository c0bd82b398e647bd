"""Which game to play next: matches planned in time, rotations kept apart, failures played again."""

import heapq
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from arena.core.chance import Stream
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset
from arena.core.ticket import Ticket, match_seed
from results.records import MatchRecord

FIRST_BATCH_MATCHES = 8
BATCH_MATCHES = 64
"""Matches that are shared out to the workers together: each begins its share of them, rotation by rotation.

Bots are started afresh between two rotations of a match, so the larger the batch the rarer the starts; but the
first batches of a run are small, so that standings show soon. A batch is twice as large as the one before."""
MOST_ATTEMPTS = 3
"""A game that has failed this often for the platform, while others went well, is void with its match."""


def starting_circle(secret: bytes, match_no: int, table: Sequence[int]) -> tuple[int, ...]:
    """Return a table's entries in base order: shuffled for each match by a stream of its own."""
    circle = list(table)
    Stream(match_seed(secret, match_no), "circle").shuffle(circle)
    return tuple(circle)


class Tickets:
    """The tickets of one run of a league. A `TicketSource`."""

    def __init__(
        self,
        league: str,
        seed_of: Callable[[int], bytes],
        rulesets: Mapping[int, Ruleset],
        rotations: Rotations,
        next_matches: Callable[[], Sequence[MatchRecord]],
        is_finished: Callable[[int, int], bool],
        benched: Collection[int] = (),
        most_batch_matches: int = BATCH_MATCHES,
    ) -> None:
        """Prepare.

        `seed_of` gives the seed of a match's deal by its number. `rulesets` are resolved, by number of
        seats. `next_matches` gives matches that are planned in the ledger already, none where there are
        none for now. `is_finished` says of (match_no, rotation) whether the game is in the ledger already.
        `benched` are the entries that are started no more; it may grow. `most_batch_matches` bounds a batch:
        results of single matches are in the sooner, the smaller it is.
        """
        self._league = league
        self._seed_of = seed_of
        self._rulesets = rulesets
        self._rotations = rotations
        self._next_matches = next_matches
        self._is_finished = is_finished
        self._benched = benched
        self._queues: dict[int, list[_Queued]] = {}
        """Games still to be dealt of the matches that a worker has begun, by its number; each list is a heap."""
        self._fresh: deque[list[Ticket]] = deque()
        """The games of each match of the batch that no worker has begun."""
        self._batch_no = 0
        self._batch_size = 0
        self._begun: Counter[int] = Counter()
        """How many matches of the batch each worker has begun."""
        self._numbers = count()
        self._later: dict[int, deque[Ticket]] = {}
        """To be played again once a worker has nothing else to play, by its number."""
        self._charged: Counter[tuple[int, int]] = Counter()
        """Attempts that count, by match and rotation."""
        self._void: set[int] = set()
        self._waiting: deque[MatchRecord] = deque()
        self._batch_matches = min(FIRST_BATCH_MATCHES, most_batch_matches)
        self._most_batch_matches = most_batch_matches

    def take(self, most: int, worker_no: int = 0) -> list[Ticket]:
        """Return up to `most` tickets for a worker to play now, in this order.

        All games of a match go to workers of one number, so that these can see to it that no process of one
        rotation lives when the next one begins.
        """
        queue = self._queues.setdefault(worker_no, [])
        taken: list[Ticket] = []
        while len(taken) < most and (ticket := self._next(worker_no, queue, first=not taken)) is not None:
            taken.append(replace(ticket, worker_no=worker_no, benched=self._benched_of(ticket)))
        return taken

    def play_again(self, ticket: Ticket, *, charged: bool = True, later: bool = False) -> bool:
        """Have a failed ticket played again; False when it has failed too often and its match is void now.

        `charged` says whether the attempt counts towards that. `later`: once there is nothing else to play for now.
        """
        if ticket.match_no in self._void:
            return True
        queue, later_queue = (
            self._queues.setdefault(ticket.worker_no, []),
            self._later.setdefault(ticket.worker_no, deque()),
        )
        game = ticket.match_no, ticket.rotation
        self._charged[game] += charged
        if self._charged[game] >= MOST_ATTEMPTS:
            self._void.add(ticket.match_no)
            queue[:] = [queued for queued in queue if queued.ticket.match_no != ticket.match_no]
            heapq.heapify(queue)
            self._later[ticket.worker_no] = deque(
                one for one in later_queue if one.match_no != ticket.match_no
            )
            return False
        again = replace(ticket, attempt=ticket.attempt + 1)
        if later:
            later_queue.append(again)
        else:
            heapq.heappush(queue, _Queued(_AGAIN, 0, next(self._numbers), again))
        return True

    def _benched_of(self, ticket: Ticket) -> tuple[int, ...]:
        return tuple(no for no in ticket.entries if no in self._benched) if self._benched else ()

    def _next(self, worker_no: int, queue: list["_Queued"], *, first: bool) -> Ticket | None:
        """Return the next ticket for a worker; None where there is none, or none of its share.

        `first`: the worker has nothing else to do, and may begin what is another's share.
        """
        while True:
            behind = bool(queue) and queue[0].batch_no < self._batch_no
            if self._fresh and not behind and self._begun[worker_no] * len(self._queues) < self._batch_size:
                if (ticket := self._begin_match(worker_no, queue)) is not None:
                    return ticket
            elif queue:
                return heapq.heappop(queue).ticket
            elif not first:
                return None
            elif self._fresh:
                if (ticket := self._begin_match(worker_no, queue)) is not None:
                    return ticket
            elif not self._refill():
                later = self._later.get(worker_no)
                return later.popleft() if later else None

    def _begin_match(self, worker_no: int, queue: list["_Queued"]) -> Ticket | None:
        """Give a worker the next match of the batch; return the first game of it that is not finished."""
        games = self._fresh.popleft()
        if not games:
            return None
        self._begun[worker_no] += 1
        for step, ticket in enumerate(games[1:], 1):
            heapq.heappush(queue, _Queued(self._batch_no, step, next(self._numbers), ticket))
        return games[0]

    def _refill(self) -> bool:
        """Make another batch of matches ready to be begun; return whether there were any matches."""
        size = self._batch_matches
        while len(self._waiting) < size and (more := self._next_matches()):
            self._waiting.extend(more)
        if self._waiting:  # asked in vain, while results are awaited, the batches do not grow
            self._batch_matches = min(self._most_batch_matches, 2 * size)
        batch = [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]
        self._batch_no += 1
        self._batch_size = len(batch)
        self._begun.clear()
        self._fresh.extend(self._games(match) for match in batch)
        return bool(batch)

    def _games(self, match: MatchRecord) -> list[Ticket]:
        """Return the games of a match that are not finished, by rotation."""
        seed = self._seed_of(match.match_no)
        return [
            Ticket(
                league=self._league,
                match_no=match.match_no,
                rotation=rotation,
                entries=entries,
                ruleset=self._rulesets[len(match.entries)],
                match_seed=seed,
            )
            for rotation, entries in enumerate(seatings(match.entries, self._rotations))
            if not self._is_finished(match.match_no, rotation)
        ]


_AGAIN = -1
"""Stands for a batch before all others: what failed is played again first."""


class _Queued(NamedTuple):
    """A game still to be dealt; they are ordered by what comes before it."""

    batch_no: int
    step: int
    """Which of the games of its match that are to be played in this run."""
    number: int
    ticket: Ticket
