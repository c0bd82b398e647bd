"""Which game to play next: matches planned in time, rotations kept apart, failures played again."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.core.chance import Stream
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset
from arena.core.ticket import Ticket, match_seed

FIRST_BATCH_MATCHES = 8
BATCH_MATCHES = 64
"""Matches whose games are dealt out together: first rotation 0 of all of them, then rotation 1, and so on.

Bots are started afresh between two rotations of a match, so the larger the batch the rarer the starts; but the
first batches of a run are small, so that standings show soon. A batch is twice as large as the one before."""
MOST_ATTEMPTS = 3
"""A game that has failed this often for the platform, while others went well, is void with its match."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match as the ledger has it planned."""

    match_no: int
    entries: tuple[int, ...]
    """In base order: the starting circle."""


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
        next_matches: Callable[[], Sequence[PlannedMatch]],
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
        self._queue: deque[Ticket] = deque()
        self._later: deque[Ticket] = deque()
        """To be played again once the queue is empty."""
        self._charged: Counter[tuple[int, int]] = Counter()
        """Attempts that count, by match and rotation."""
        self._void: set[int] = set()
        self._waiting: deque[PlannedMatch] = deque()
        self._batch_matches = min(FIRST_BATCH_MATCHES, most_batch_matches)
        self._most_batch_matches = most_batch_matches

    def take(self, most: int) -> list[Ticket]:
        """Return up to `most` tickets to be played now."""
        while not self._queue and self._refill():
            pass
        if not self._queue:
            self._queue, self._later = self._later, self._queue
        taken = [self._queue.popleft() for _ in range(min(most, len(self._queue)))]
        return [self._with_benched(ticket) for ticket in taken] if self._benched else taken

    def _with_benched(self, ticket: Ticket) -> Ticket:
        return replace(ticket, benched=tuple(no for no in ticket.entries if no in self._benched))

    def play_again(self, ticket: Ticket, *, charged: bool = True, later: bool = False) -> bool:
        """Have a failed ticket played again; False when it has failed too often and its match is void now.

        `charged` says whether the attempt counts towards that. `later`: once there is nothing else to play for now.
        """
        if ticket.match_no in self._void:
            return True
        game = ticket.match_no, ticket.rotation
        self._charged[game] += charged
        if self._charged[game] >= MOST_ATTEMPTS:
            self._void.add(ticket.match_no)
            for queue in (self._queue, self._later):
                left = [other for other in queue if other.match_no != ticket.match_no]
                queue.clear()
                queue.extend(left)
            return False
        again = replace(ticket, attempt=ticket.attempt + 1)
        if later:
            self._later.append(again)
        else:
            self._queue.appendleft(again)
        return True

    def _refill(self) -> bool:
        """Queue the games of another batch of matches; return whether there were any matches."""
        size = self._batch_matches
        while len(self._waiting) < size and (more := self._next_matches()):
            self._waiting.extend(more)
        if self._waiting:  # asked in vain, while results are awaited, the batches do not grow
            self._batch_matches = min(self._most_batch_matches, 2 * size)
        batch = [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]
        self._queue.extend(self._games(batch))
        return bool(batch)

    def _games(self, batch: Sequence[PlannedMatch]) -> Iterable[Ticket]:
        seated = [(match, seatings(match.entries, self._rotations)) for match in batch]
        seeds = {match.match_no: self._seed_of(match.match_no) for match in batch}
        for rotation in range(max((len(games) for _, games in seated), default=0)):
            for match, games in seated:
                if rotation < len(games) and not self._is_finished(match.match_no, rotation):
                    yield Ticket(
                        league=self._league,
                        match_no=match.match_no,
                        rotation=rotation,
                        entries=games[rotation],
                        ruleset=self._rulesets[len(match.entries)],
                        match_seed=seeds[match.match_no],
                    )
