"""Tickets for matches that were made up."""

from collections.abc import Callable, Sequence

from arena import registry
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket, match_seed
from arena.league.running.ticket_queue import Tickets
from results.records import MatchRecord

SECRET = b"s" * 32


GAME = registry.game("bread-basket")


RULES = {n: GAME.resolve(ruleset(GAME.info), n) for n in (2, 3, 4)}


def match_of(match_no: int, entries: Sequence[int]) -> MatchRecord:
    return MatchRecord("league", match_no, 0, tuple(entries), games=len(entries))


def tickets_of(
    blocks: Sequence[Sequence[MatchRecord]],
    finished: frozenset[tuple[int, int]] = frozenset(),
    next_matches: Callable[[], Sequence[MatchRecord]] | None = None,
) -> Tickets:
    """Return tickets for blocks of matches, or for those of a function."""
    coming = iter(blocks)
    return Tickets(
        "league",
        lambda match: match_seed(SECRET, match.deal),
        RULES,
        "cyclic",
        next_matches or (lambda: next(coming, [])),
        lambda match_no, rotation: (match_no, rotation) in finished,
    )


def take_all(tickets: Tickets, most: int = 7) -> list[Ticket]:
    taken: list[Ticket] = []
    while chunk := tickets.take(most):
        assert len(chunk) <= most
        taken += chunk
    return taken
