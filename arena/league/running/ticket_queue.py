"""Chooses the next game to play: plans matches in time, keeps rotations apart, replays failures."""

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, count, islice
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field

from arena.core.ruleset import Rotations, Ruleset
from arena.core.seatings import seatings
from arena.core.ticket import Ticket, WorkEntry
from arena.players.pool import PoolLimits
from results.base.scoring import NO_PARTNERS, Partners
from results.records import MatchRecord
from results.records.roster import Bench

MOST_MATCHES = 32
"""Choose among this many matches."""
WARM_ENTRIES = PoolLimits().kept
"""How many bots a worker keeps running."""
MOST_ENTRIES = 4_096
"""Maximum number of bots to remember for each worker."""


class Affinity:
    """Remembers which entries each worker has played, the latest last."""

    def __init__(self) -> None:
        self._played: dict[int, dict[int, None]] = {}

    def choose(self, worker_no: int, matches: Iterable[Sequence[Ticket]]) -> int:
        """Return which match's entries a worker knows best, warm ones counting twice, and remember them."""
        played = self._played.setdefault(worker_no, {})
        warm = set(islice(reversed(played), WARM_ENTRIES))
        best, best_value = 0, -1
        chosen: tuple[int, ...] = ()
        for position, games in enumerate(islice(matches, MOST_MATCHES)):
            entries = games[0].entries if games else ()
            value = sum((no in played) + (no in warm) for no in entries)
            if value > best_value:
                best, best_value, chosen = position, value, entries
                if value == 2 * len(entries):
                    break
        for no in chosen:
            played.pop(no, None)
            played[no] = None
        while len(played) > MOST_ENTRIES:
            del played[next(iter(played))]
        return best


FIRST_BATCH_MATCHES = 8
BATCH_MATCHES = 64
"""Size up to which batches of matches grow. The workers share each batch, and play it rotation by rotation.

Bots restart before the next rotation of a match, so larger batches mean fewer starts. The first batches of a run are
small, so that standings show soon, and each batch is twice as large as the one before."""
BATCH_S = 4.0
BATCH_PART = 1 / 4
QUICK_BATCH_MATCHES = 256
QUICK_GROWTH = 16
LONGEST_BATCH_MATCHES = 2_048
"""Size up to which batches of quick games grow, up to so many times as large as the one before: no more matches than
are played in this time, as results of single matches come late in a batch, and no more than a part of all planned
matches, so that the planner doesn't have to wait for the batch before (see `arena.league.running.benching`); it
doesn't wait for the first so many."""
REST_PART = 1 / 4
"""The rest of a league is played with a large batch before it, unless it is more than this part of that."""
MOST_ATTEMPTS = 3
"""A match is void once one of its games has failed this often because of the platform, while others succeeded."""


class Tickets:
    """A `TicketSource` for one run of a league."""

    def __init__(
        self,
        league: str,
        seed_of: Callable[[MatchRecord], bytes],
        rulesets: Mapping[int, Ruleset],
        rotations: Rotations,
        next_matches: Callable[[], Sequence[MatchRecord]],
        is_finished: Callable[[int, int], bool],
        benched_at: Callable[[int], Mapping[int, Bench]] = lambda _: {},
        most_batch_matches: int = LONGEST_BATCH_MATCHES,
        newcomers: Mapping[int, WorkEntry] = MappingProxyType({}),
        affinity: Affinity | None = None,
        partners: Partners = NO_PARTNERS,
    ) -> None:
        """Prepare.

        `seed_of` returns the seed of a match's deal. `rulesets` are resolved, by number of seats.
        `next_matches` returns matches that are already planned in the ledger, or nothing if there are none for now.
        `is_finished` returns whether the game (match_no, rotation) is already in the ledger. `benched_at` returns
        the entries that forfeit a match without being started. `most_batch_matches` limits a batch: smaller batches
        finish single matches sooner. `newcomers` are the entries that joined after the work was handed out; it may
        grow. `affinity` chooses which match of a batch a worker begins; default: the first. `partners`: who are
        partners at the tables.
        """
        self._league = league
        self._seed_of = seed_of
        self._rulesets = rulesets
        self._rotations = rotations
        self._partners = partners
        self._next_matches = next_matches
        self._is_finished = is_finished
        self._benched_at = benched_at
        self._newcomers = newcomers
        self._affinity = affinity
        self._queues: dict[int, list[_Queued]] = {}
        """By worker: the remaining games of the matches it has begun. Each list is a heap."""
        self._batches: list[_Batch] = [_Batch(0, 0, 0, 0, deque())]
        """The latest batch, and before it those with matches that no worker has begun."""
        self._batch_of: dict[int, _Batch] = {}
        """By worker: the batch from which it begins matches."""
        self._numbers = count()
        self._later: dict[int, deque[Ticket]] = {}
        """By worker: games to replay once it has nothing else to play."""
        self._charged: Counter[tuple[int, int]] = Counter()
        """Counted attempts, by match and rotation."""
        self._void: set[int] = set()
        self._waiting: deque[list[MatchRecord]] = deque()
        """The matches of each deal that is in no batch yet."""
        self._asked_size = 0
        """How many matches the last batch was to have; fewer may have been planned."""
        self._planned = 0
        """How many matches of the league have been planned."""
        self._most_batch_matches = most_batch_matches
        self._heard, self._heard_s = 0, 0.0
        """How many games have ended since the latest batch was made, and how long they took together."""

    def take(self, most: int, worker_no: int = 0) -> list[Ticket]:
        """Return up to `most` tickets for a worker to play now, in this order.

        All games on a deal go to the same worker number, so that a worker can end every process of one of them before
        it begins the next.
        """
        queue = self._queues.setdefault(worker_no, [])
        taken: list[Ticket] = []
        while len(taken) < most and (ticket := self._next(worker_no, queue, first=not taken)) is not None:
            benched, newcomers = self._benched_at(ticket.match_no), self._newcomers
            taken.append(
                replace(
                    ticket,
                    worker_no=worker_no,
                    benched=tuple((no, benched[no].of_start) for no in ticket.entries if no in benched),
                    newcomers=tuple((no, newcomers[no]) for no in sorted(ticket.entries) if no in newcomers),
                )
            )
        return taken

    def heard(self, games: int, taken_s: float) -> None:
        """Note that so many games have ended, and how long they took together, without the start of bots."""
        self._heard += games
        self._heard_s += taken_s

    def play_again(self, ticket: Ticket, *, charged: bool = True, later: bool = False) -> bool:
        """Queue a failed ticket, to play `later`; False, with its match void, after too many `charged` attempts."""
        if ticket.match_no in self._void:
            return True
        queue = self._queues.setdefault(ticket.worker_no, [])
        later_queue = self._later.setdefault(ticket.worker_no, deque())
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

    def _next(self, worker_no: int, queue: list["_Queued"], *, first: bool) -> Ticket | None:
        """Return the next ticket of a worker's share, or `first` of another's that isn't begun; None without."""
        while True:
            batch = self._batch_of.setdefault(worker_no, self._batches[-1])
            replays = bool(queue) and queue[0].batch_no == _AGAIN
            if not replays and batch.has_share(worker_no, len(self._queues)):
                if (ticket := self._begin_match(batch, worker_no, queue)) is not None:
                    return ticket
            elif queue:
                return heapq.heappop(queue).ticket
            elif not first:
                return None
            elif not self._give_share(worker_no):
                later = self._later.get(worker_no)
                return later.popleft() if later else None

    def _begin_match(self, batch: "_Batch", worker_no: int, queue: list["_Queued"]) -> Ticket | None:
        """Give a worker the next deal of a batch; return the first unfinished game on it."""
        position = self._affinity.choose(worker_no, batch.fresh) if self._affinity is not None else 0
        games = batch.fresh[position]
        del batch.fresh[position]
        if not games:
            return None
        batch.begun[worker_no] += 1
        for step, ticket in enumerate(games[1:], 1):
            heapq.heappush(queue, _Queued(batch.number, step, next(self._numbers), ticket))
        return games[0]

    def _give_share(self, worker_no: int) -> bool:
        """Give a worker another share, of the next batch if it can; return whether there is any."""
        self._batches = [batch for batch in self._batches[:-1] if batch.fresh] + self._batches[-1:]
        batch = self._batch_of[worker_no]
        following = next((one for one in self._batches if one.number > batch.number and one.fresh), None)
        if following is None and not any(one.fresh for one in self._batches[:-1]) and self._refill():
            following = self._batches[-1]
        if following is None:
            following = next((one for one in self._batches if one.fresh), None)
            if following is None:
                return False
            following.grant(worker_no)
        self._batch_of[worker_no] = following
        return True

    def _refill(self) -> bool:
        """Make the next batch of matches; return whether there are any matches."""
        size = self._next_size()
        # Small batches plan no further ahead than they need, as a rule may end the league before.
        with_rest = size - 1 if size <= BATCH_MATCHES else int((1 + REST_PART) * size)
        waiting = sum(map(len, self._waiting))
        while waiting <= with_rest and (more := self._next_matches()):
            on_deal: dict[int, list[MatchRecord]] = {}  # all matches of a deal are planned at once
            for match in more:
                on_deal.setdefault(match.deal, []).append(match)
            self._waiting.extend(on_deal.values())
            waiting += len(more)
            self._planned = more[-1].match_no + 1
        if not self._waiting:  # while results are awaited, the batches do not grow
            return False
        size = max(size, waiting) if waiting <= with_rest else size
        self._asked_size = size
        self._heard, self._heard_s = 0, 0.0
        fresh: deque[list[Ticket]] = deque()
        matches = 0
        while self._waiting and matches + len(self._waiting[0]) <= max(size, len(self._waiting[0])):
            matches += len(self._waiting[0])
            fresh.append(self._games(self._waiting.popleft()))
        games = sum(map(len, fresh))
        self._batches.append(_Batch(self._batches[-1].number + 1, matches, games, len(fresh), fresh))
        return True

    def _next_size(self) -> int:
        """Return how many matches the next batch should have, by how long its games take."""
        if not self._asked_size:
            return min(FIRST_BATCH_MATCHES, self._most_batch_matches)
        quick = 0.0
        if self._heard:
            last = self._batches[-1]
            match_s = self._heard_s / self._heard * last.games / last.size
            quick = BATCH_S * len(self._queues) / max(1e-9, match_s)
            quick = min(quick, max(QUICK_BATCH_MATCHES, BATCH_PART * self._planned))
        grown = max(
            min(2 * self._asked_size, BATCH_MATCHES), min(QUICK_GROWTH * self._asked_size, int(quick))
        )
        return min(grown, LONGEST_BATCH_MATCHES, self._most_batch_matches)

    def _games(self, matches: Sequence[MatchRecord]) -> list[Ticket]:
        """Return the unfinished games of the matches on a deal, by match and rotation."""
        seed = self._seed_of(matches[0])
        before = accumulate((match.games for match in matches), initial=0)
        return [
            Ticket(
                league=self._league,
                match_no=match.match_no,
                rotation=rotation,
                entries=entries,
                ruleset=self._rulesets[len(match.entries)],
                match_seed=seed,
                deal_no=match.deal_no,
                games_before=games_before,
            )
            for match, games_before in zip(matches, before, strict=False)
            for rotation, entries in enumerate(
                seatings(match.entries, self._rotations, self._partners.at(len(match.entries)))
            )
            if not self._is_finished(match.match_no, rotation)
        ]


class _Batch(Struct):
    """Matches that the workers share, deal by deal."""

    number: int
    size: int
    games: int
    deals: int
    fresh: deque[list[Ticket]]
    """The unfinished games of each deal that no worker has begun."""
    begun: Counter[int] = field(default_factory=Counter)
    """By worker: how many deals it has begun."""
    _granted: dict[int, int] = field(default_factory=dict)
    """By worker: how many deals it may begin, beyond its share."""

    def has_share(self, worker_no: int, workers: int) -> bool:
        """Return whether a worker may begin another deal."""
        if not self.fresh:
            return False
        begun = self.begun[worker_no]
        return begun * workers < self.deals or begun < self._granted.get(worker_no, 0)

    def grant(self, worker_no: int) -> None:
        """Let a worker begin half of what nobody has begun."""
        self._granted[worker_no] = self.begun[worker_no] + (len(self.fresh) + 1) // 2


_AGAIN = -1
"""A batch number before all others: replays come first."""


class _Queued(NamedTuple):
    """A queued game; tuples sort in the order of play."""

    batch_no: int
    step: int
    """Position among the games on its deal in this run."""
    number: int
    ticket: Ticket
