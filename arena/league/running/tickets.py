"""Chooses the next game to play: plans matches in time, keeps rotations apart, replays failures."""

import heapq
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset
from arena.core.ticket import Ticket, WorkEntry
from results.records import MatchRecord
from results.roster import Bench

FIRST_BATCH_MATCHES = 8
BATCH_MATCHES = 64
"""Size up to which batches of matches grow. The workers share each batch, and play it rotation by rotation.

Bots restart between two rotations of a match, so larger batches mean fewer starts. The first batches of a run are
small, so that standings show soon, and each batch is twice as large as the one before."""
LONGEST_BATCH_MATCHES = 2_048
BATCH_S = 4.0
"""Size up to which batches of quick games grow: no more matches than are played in this time, as results of single
matches come late in a batch. A start in a sandbox takes as long as several games of quick bots."""
MOST_ATTEMPTS = 3
"""A match is void once one of its games has failed this often because of the platform, while others succeeded."""


class Tickets:
    """A `TicketSource` for one run of a league."""

    def __init__(
        self,
        league: str,
        seed_of: Callable[[int], bytes],
        rulesets: Mapping[int, Ruleset],
        rotations: Rotations,
        next_matches: Callable[[], Sequence[MatchRecord]],
        is_finished: Callable[[int, int], bool],
        benched_at: Callable[[int], Mapping[int, Bench]] = lambda _: {},
        most_batch_matches: int = LONGEST_BATCH_MATCHES,
        newcomers: Mapping[int, WorkEntry] = MappingProxyType({}),
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare.

        `seed_of` returns the seed of a match's deal by its number. `rulesets` are resolved, by number of seats.
        `next_matches` returns matches that are already planned in the ledger, or nothing if there are none for now.
        `is_finished` returns whether the game (match_no, rotation) is already in the ledger. `benched_at` returns
        the entries that forfeit a match without being started. `most_batch_matches` limits a batch: smaller batches
        finish single matches sooner. `newcomers` are the entries that joined after the work was handed out; it may
        grow. `clock_s` measures how long batches take.
        """
        self._league = league
        self._seed_of = seed_of
        self._rulesets = rulesets
        self._rotations = rotations
        self._next_matches = next_matches
        self._is_finished = is_finished
        self._benched_at = benched_at
        self._newcomers = newcomers
        self._queues: dict[int, list[_Queued]] = {}
        """By worker: the remaining games of the matches it has begun. Each list is a heap."""
        self._fresh: deque[list[Ticket]] = deque()
        """The games of each match in the batch that no worker has begun."""
        self._batch_no = 0
        self._batch_size = 0
        self._begun: Counter[int] = Counter()
        """By worker: how many matches of the batch it has begun."""
        self._numbers = count()
        self._later: dict[int, deque[Ticket]] = {}
        """By worker: games to replay once it has nothing else to play."""
        self._charged: Counter[tuple[int, int]] = Counter()
        """Counted attempts, by match and rotation."""
        self._void: set[int] = set()
        self._waiting: deque[MatchRecord] = deque()
        self._asked_size = 0
        """How many matches the last batch was to have; fewer may have been planned."""
        self._most_batch_matches = most_batch_matches
        self._clock_s = clock_s
        self._batch_since_s = clock_s()

    def take(self, most: int, worker_no: int = 0) -> list[Ticket]:
        """Return up to `most` tickets for a worker to play now, in this order.

        All games of a match go to the same worker number, so that a worker can end every process of one rotation
        before it begins the next.
        """
        queue = self._queues.setdefault(worker_no, [])
        taken: list[Ticket] = []
        while len(taken) < most and (ticket := self._next(worker_no, queue, first=not taken)) is not None:
            ticket = replace(ticket, worker_no=worker_no, benched=self._benched_of(ticket))
            taken.append(replace(ticket, newcomers=self._newcomers_of(ticket)))
        return taken

    def play_again(self, ticket: Ticket, *, charged: bool = True, later: bool = False) -> bool:
        """Queue a failed ticket for replay; return False if it has failed too often and its match is now void.

        `charged`: the attempt counts towards that limit. `later`: replay it once there is nothing else to play.
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

    def _benched_of(self, ticket: Ticket) -> tuple[tuple[int, str], ...]:
        benched = self._benched_at(ticket.match_no)
        return (
            tuple((no, benched[no].by_organiser) for no in ticket.entries if no in benched) if benched else ()
        )

    def _newcomers_of(self, ticket: Ticket) -> tuple[tuple[int, WorkEntry], ...]:
        return tuple((no, self._newcomers[no]) for no in sorted(ticket.entries) if no in self._newcomers)

    def _next(self, worker_no: int, queue: list["_Queued"], *, first: bool) -> Ticket | None:
        """Return the next ticket for a worker; None if there is none in its share.

        `first`: the worker has nothing else to do, and may begin a match from another worker's share.
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
        """Give a worker the next match of the batch; return the match's first unfinished game."""
        games = self._fresh.popleft()
        if not games:
            return None
        self._begun[worker_no] += 1
        for step, ticket in enumerate(games[1:], 1):
            heapq.heappush(queue, _Queued(self._batch_no, step, next(self._numbers), ticket))
        return games[0]

    def _refill(self) -> bool:
        """Make the next batch of matches; return whether there are any matches."""
        size = self._next_size()
        while len(self._waiting) < size and (more := self._next_matches()):
            self._waiting.extend(more)
        if self._waiting:  # asked in vain, while results are awaited, the batches do not grow
            self._asked_size = size
            self._batch_since_s = self._clock_s()
        batch = [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]
        self._batch_no += 1
        self._batch_size = len(batch)
        self._begun.clear()
        self._fresh.extend(self._games(match) for match in batch)
        return bool(batch)

    def _next_size(self) -> int:
        """Return how many matches the next batch should have, by how long the last one took."""
        if not self._asked_size:
            return min(FIRST_BATCH_MATCHES, self._most_batch_matches)
        largest = BATCH_MATCHES
        took_s = self._clock_s() - self._batch_since_s
        if took_s > 0:
            largest = max(largest, int(BATCH_S * self._batch_size / took_s))
        return min(2 * self._asked_size, largest, LONGEST_BATCH_MATCHES, self._most_batch_matches)

    def _games(self, match: MatchRecord) -> list[Ticket]:
        """Return the unfinished games of a match, by rotation."""
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
"""A batch number before all others: replays come first."""


class _Queued(NamedTuple):
    """A queued game; tuples sort in the order of play."""

    batch_no: int
    step: int
    """Position among the games of its match in this run."""
    number: int
    ticket: Ticket
