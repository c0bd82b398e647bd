"""The price of each move of a seat: by how many points another move would have been better, on average.

For each decision, worlds are guessed that fit what the seat had been told, and nothing else. In each world every move
is made with the same chance, and all seats play on by the game's own policy to the end of the hand. A few worlds choose
the rivals of the move that was made, and fresh ones judge them.

The best move of a sample is partly the luckiest, so what it seems to be worth is too high. If one half of the worlds
chooses it and the other half values it, the result is too low. The price lies between both: the printed price is their
middle, and its interval reaches from two standard errors below the lower to two above the upper.
"""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from math import sqrt
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from arena import registry
from arena.conversation.narration import Conversation, move_words
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.errors import ArenaError, UsageError
from arena.core.foresight import foresight
from arena.core.game import JSON
from arena.core.game_defaults import can_guess
from arena.core.move_words import Asked
from arena.core.replay import canonical, fingerprint, ruleset_named
from arena.core.ruleset import Ruleset
from arena.league.stored_games import rules_key
from results.store.store_folder import Cache

if TYPE_CHECKING:
    from random import Random

WORLDS = 96
"""Worlds in which the rivals of a move are judged, if nobody says how many."""
FEWEST_WORLDS = 8
MOST_WORLDS = 100_000
RIVALS = 3
"""How many other moves are judged."""
_PART = 6
"""The rivals are chosen in a sixth as many worlds."""
_LONGEST = 200
"""Decisions after which a playout is broken off."""
_ERRORS = 2.0
"""Standard errors by which the interval goes beyond both estimates."""
FORM = 1
"""Of what is cached; another for another way to compute it."""


class Price(msgspec.Struct, frozen=True):
    """What one decision cost."""

    decision: int
    ask: int
    kind: str
    """Of the decision, such as `first_card`."""
    made: JSON
    better: JSON
    """The best move that was found; the one made, if no other seems better."""
    price: float
    """In points of the lead over the mean of the others. Below 0 where the estimates disagree about the best move."""
    low: float
    high: float
    """The ends of its interval."""

    @property
    def is_significant(self) -> bool:
        """Whether another move was better, beyond what the luck of the worlds explains."""
        return self.low > 0


def in_points(price: Price) -> str:
    """Return a price with its interval, such as `8.7 points (6.2 to 11.1)`."""
    digits = 1 if price.high >= 1 else 2
    return f"{price.price:.{digits}f} points ({price.low:.{digits}f} to {price.high:.{digits}f})"


class Prices(msgspec.Struct, frozen=True):
    """The prices of the moves of one seat in one game."""

    seat: int
    policy: bool
    """Whether the game has a policy of its own; if not, playouts are random moves, and prices are rough."""
    worlds: int
    prices: tuple[Price, ...]
    """In the order of the game."""
    without: int
    """Decisions without a price: no world was found that fits what the seat had been told."""

    @property
    def mean(self) -> float:
        """Points a decision; 0 without decisions."""
        return mean([one.price for one in self.prices]) if self.prices else 0.0

    @property
    def dearest(self) -> tuple[Price, ...]:
        """All prices, the highest first; those that are significant before others."""
        return tuple(sorted(self.prices, key=lambda one: (not one.is_significant, -one.price)))


@dataclass(frozen=True, slots=True)
class Task:
    """One decision, as its seat knew it."""

    game: str
    ruleset: Ruleset
    seats: int
    seat: int
    private: Mapping[str, JSON]
    events: Sequence[Mapping[str, JSON]]
    view: Mapping[str, JSON]
    decision: int
    ask: int
    kind: str
    legal: Sequence[JSON] | None
    made: JSON
    worlds: int

    @property
    def rng(self) -> "Random":
        """Random numbers that follow from what the seat was told and from the number of the decision alone."""
        from random import Random  # where moves are priced, not where prices are read

        known = [self.game, self.ruleset.name, self.seats, self.seat, self.private, self.events, self.view]
        return Random(sha256(canonical([*known, self.decision])).digest())  # noqa: S311 - for games


class DearMove(NamedTuple):
    """A move that cost much, in words."""

    price: Price
    made: str
    better: str
    view: Mapping[str, JSON]
    """What the seat saw."""


MOST_DEAR = 5


def dearest(
    stored: StoredGame, prices: Prices, names: Sequence[str], *, in_words: bool = False
) -> list[DearMove]:
    """Return the moves that cost a seat most, the significant ones first; `in_words`: cards are spelled.

    None of them has a price of 0 or below.
    """
    talk = conversation(stored, prices.seat)
    asks = {question.decision: question.ask for question in talk.questions}
    found = []
    for one in [one for one in prices.dearest if one.price > 0 and one.made != one.better][:MOST_DEAR]:
        ask = asks[one.decision]
        legal = None if ask.legal is msgspec.UNSET else ask.legal
        asked = Asked(ask.kind, ask.view, talk.start.options, legal, None, tuple(names))
        made, better = (
            move_words(stored.game, asked, move, in_words=in_words) for move in (one.made, one.better)
        )
        found.append(DearMove(one, made, better, ask.view))
    return found


def kept_prices(cache: Cache, stored: StoredGame) -> list[Prices]:
    """Return the prices of a game that were computed before by the present rules, in the usual number of worlds."""
    kept = [_read(cache, stored, seat, WORLDS) for seat in range(stored.body["seats"])]
    return [one for one in kept if one is not None]


def _read(cache: Cache, stored: StoredGame, seat: int, worlds: int) -> Prices | None:
    try:
        return msgspec.json.decode(cache.read(_name(stored, seat, worlds)) or b"", type=Prices)
    except msgspec.MsgspecError:  # none, or damaged
        return None


def price_moves(
    stored: StoredGame,
    seat: int,
    *,
    worlds: int | None = None,
    seconds: float | None = None,
    jobs: int = 0,
    cache: Cache | None = None,
    tell: Callable[[int, int], None] = lambda _done, _of: None,
) -> Prices:
    """Return the prices of a seat's moves.

    The result is the same each time, for any number of `jobs` (0: one for each core), unless `seconds` of CPU time say
    how many `worlds` there are. `tell` is called with the decisions priced so far and all of them. `cache`: where to
    keep the result. Raises UsageError if the game can't guess or for too few or many worlds, and CorruptReplay if the
    replay breaks the rules.
    """
    game = stored.game
    if worlds is not None and not FEWEST_WORLDS <= worlds <= MOST_WORLDS:
        raise UsageError(
            f"moves are judged in {FEWEST_WORLDS} to {MOST_WORLDS:,} worlds, not in {worlds:,}",
            f"leave --worlds out for {WORLDS}",
        )
    if not can_guess(game):
        raise UsageError(
            f"the moves of {game.info.title} can't be priced: the game has no `guess`, so nobody knows which hidden "
            "cards fit what a seat has seen",
            "its author can add it: docs/adding-a-game.md",
        )
    talk = conversation(stored, seat)
    tasks = list(tasks_of(stored, talk, worlds or WORLDS))
    if seconds is not None and tasks:
        tasks = _within(tasks, seconds)
    used = tasks[0].worlds if tasks else worlds or WORLDS
    if cache is not None and (kept := _read(cache, stored, seat, used)) is not None:
        return kept
    results = []
    for done, price in enumerate(_priced(tasks, jobs), 1):
        results.append(price)
        tell(done, len(tasks))
    found_prices = tuple([one for one in results if one is not None])
    prices = Prices(seat, hasattr(game, "policy"), used, found_prices, len(results) - len(found_prices))
    if cache is not None:
        cache.write(_name(stored, seat, used), msgspec.json.encode(prices))
    return prices


_rules_key = lru_cache(rules_key)


def _name(stored: StoredGame, seat: int, worlds: int) -> str:
    """Return the name of the file for what follows from a replay, the seat, the number of worlds and all rules."""
    told = f"{FORM} {fingerprint(canonical(stored.body))} {seat} {worlds}".encode()
    return f"prices-{sha256(_rules_key() + told).hexdigest()[:32]}.json"


def tasks_of(stored: StoredGame, talk: Conversation, worlds: int) -> Iterator[Task]:
    """Yield the decisions in which a seat made a move of its own."""
    game, body = stored.game, stored.body
    ruleset = game.resolve(ruleset_named(game, body["ruleset"]), body["seats"])
    told: list[Mapping[str, JSON]] = list(_events_of(talk))
    heard = 0
    for question in talk.questions:
        ask = question.ask
        heard += len(ask.events)
        if question.answer is None:
            continue
        yield Task(
            game.info.name,
            ruleset,
            body["seats"],
            talk.seat,
            talk.start.private,
            told[:heard],
            ask.view,
            question.decision,
            ask.id,
            ask.kind,
            None if ask.legal is msgspec.UNSET else ask.legal,
            question.answer.move,
            worlds,
        )


def _events_of(talk: Conversation) -> Iterator[Mapping[str, JSON]]:
    for question in talk.questions:
        yield from question.ask.events


def _within(tasks: Sequence[Task], seconds: float) -> list[Task]:
    """Return the tasks with as many worlds as fit into the time, by that of some of them."""
    some = tasks[:: max(1, len(tasks) // 4)]
    began = process_time()
    for task in some:
        price_of(replace(task, worlds=FEWEST_WORLDS))
    each_s = (process_time() - began) / len(some) / FEWEST_WORLDS
    most = int(seconds / len(tasks) / max(each_s, 1e-9))
    return [replace(task, worlds=max(FEWEST_WORLDS, min(most, MOST_WORLDS))) for task in tasks]


def _priced(tasks: Sequence[Task], jobs: int) -> Iterator[Price | None]:
    """Price all tasks, in their order; None for those without worlds."""
    jobs = min(jobs or len(os.sched_getaffinity(0)), len(tasks))
    if jobs < 2:
        yield from map(price_of, tasks)
        return
    import multiprocessing  # few commands need these
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    leave_ctrl_c = signal.signal, (signal.SIGINT, signal.SIG_IGN)  # the parent process handles it
    with ProcessPoolExecutor(jobs, context, *leave_ctrl_c) as pool:
        try:
            yield from pool.map(price_of, tasks)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def price_of(task: Task) -> Price | None:
    """Return the price of one decision; None if no world fits what the seat had been told."""
    from arena.engine.forward_model import Playouts  # where moves are priced, not where prices are read

    game, rng = registry.game(task.game), task.rng
    moves = foresight(game)
    playouts = Playouts(game, moves, _LONGEST)
    guesser = moves.guesser(task.ruleset, task.seats, task.seat, task.private)
    try:
        guesser.hear(task.events)
        first, *worlds = guesser.worlds(task.view, 1 + max(1, task.worlds // _PART), rng)
        made = game.parse_move(first, task.seat, task.made)
        if task.legal is None:
            others = [one for one in moves.candidates(first, task.seat, rng) if one != made]
        else:
            legal = [game.parse_move(first, task.seat, raw) for raw in task.legal]
            others = [one for one in legal if one != made]

        def leads(worlds: Sequence[Any], moves: Sequence[Any]) -> list[list[float]]:
            """Return the leads of each move, in the same worlds with the same chance."""
            tried: list[list[float]] = [[] for _ in moves]
            for world in worlds:
                chance = rng.randrange(1 << 32)
                for place, move in enumerate(moves):
                    tried[place].append(playouts.lead_after(world, task.seat, move, chance))
            return tried

        if len(others) > RIVALS:
            means = [mean(one) for one in leads(worlds, others)]
            ranked = sorted(range(len(others)), key=lambda place: -means[place])
            others = [others[place] for place in ranked[:RIVALS]]
        tried = leads(guesser.worlds(task.view, task.worlds, rng), [made, *others])
    except (ValueError, ArenaError):
        return None
    best, price, low, high = estimate(tried)
    better = game.format_move([made, *others][best])
    return Price(task.decision, task.ask, task.kind, task.made, better, price, low, high)


def estimate(leads: Sequence[Sequence[float]]) -> tuple[int, float, float, float]:
    """Return which move is best, the price of the first, and the low and high end of its interval.

    `leads`: by move, its lead in each world; the same worlds for all, at least four.
    """
    worlds = len(leads[0])
    behind = [[one - own for one, own in zip(other, leads[0], strict=True)] for other in leads]
    halves: list[float] = [0.0] * worlds
    for chosen_in, valued_in in (
        (slice(0, None, 2), slice(1, None, 2)),
        (slice(1, None, 2), slice(0, None, 2)),
    ):
        means = [mean(one[chosen_in]) for one in behind]
        best = means.index(max(means))
        halves[valued_in] = behind[best][valued_in]
    means = [mean(one) for one in behind]
    best = means.index(max(means))
    lower, upper = mean(halves), means[best]
    low = lower - _ERRORS * _error(halves)
    high = upper + _ERRORS * _error(behind[best])
    return best, (lower + upper) / 2, low, high


def mean(values: Sequence[float]) -> float:
    """Return the mean of some values."""
    return sum(values) / len(values)


def _error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of some values, at least two."""
    middle = mean(values)
    return sqrt(sum([(one - middle) ** 2 for one in values]) / (len(values) - 1) / len(values))
