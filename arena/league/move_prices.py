"""The price of each move of a seat: by how many points another move would have been better, on average.

For each decision, worlds are guessed that fit what the seat had been told, and nothing else. In each world every move
is made with the same chance, and all seats play on by the game's own policy to the end of the hand. A few worlds choose
the rivals of the move that was made, and fresh ones judge them.

The best move of a sample is partly the luckiest, so what it seems to be worth is too high. If one half of the worlds
chooses it and the other half values it, the result is too low. The price lies between both: the printed price is their
middle. Its interval begins 2.25 standard errors below the lower one, and ends as many above the lead of the move that
brings furthest, as in other worlds another move may be the best. Where the halves disagree about the best move, a price
can be below 0; if it weren't, sums of prices would be too high.
"""

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from math import sqrt
from random import Random
from statistics import fmean, stdev
from time import process_time
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

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
from results.base.children import uninterrupted_start
from results.base.errors import MatchUnfinished
from results.records import LeagueRecord
from results.store import Store
from results.store.beside_store import Cache

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
_ERRORS = 2.25
"""Standard errors by which the interval goes beyond both estimates. Two would be too few: leads have long tails."""


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
    types: tuple[str, ...] = ()
    """Of the moves that were legal; empty if they can't be listed."""

    @property
    def is_significant(self) -> bool:
        """Whether another move was better, beyond what the luck of the worlds explains."""
        return self.low > 0


def in_points(price: Price) -> str:
    """Return a price with its interval, such as `8.7 points (between 6.2 and 11.1)`."""
    digits = 1 if price.high >= 1 and not 0 < price.low < 0.05 else 2
    return f"{price.price:z.{digits}f} points (between {price.low:z.{digits}f} and {price.high:z.{digits}f})"


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
    def dearest(self) -> tuple[Price, ...]:
        """All prices, the highest first; those that are significant before others."""
        return tuple(sorted(self.prices, key=lambda one: (not one.is_significant, -one.price)))


class Task(Struct, frozen=True):
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
    def rng(self) -> Random:
        """Random numbers that follow from what the seat was told and from the number of the decision alone."""
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
    stored: StoredGame, talk: Conversation, prices: Prices, names: Sequence[str], *, in_words: bool = False
) -> list[DearMove]:
    """Return the moves that cost a seat most, the significant ones first. `talk`: the seat's; `in_words`: spell cards.

    None of them has a price of 0 or below.
    """
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


class _Kept(msgspec.Struct, frozen=True):
    """What a file holds."""

    rules: str
    """Differs for any other code of Arena or of a game."""
    prices: Prices


class _File(NamedTuple):
    """The file of one seat's prices, in so many worlds."""

    kept: Cache
    name: str

    @classmethod
    def of(cls, kept: Cache, game: str, seat: int, worlds: int) -> "_File":
        """Return the file for a game, by the fingerprint of its replay."""
        return cls(kept, f"prices-{game[:32]}-{seat}-{worlds}.json")

    def read(self) -> Prices | None:
        """Return the prices; None if there are none by the present rules."""
        text = self.kept.read(self.name)
        if text is None:
            return None
        try:
            found = msgspec.json.decode(text, type=_Kept)
        except msgspec.MsgspecError:  # damaged
            return None
        return found.prices if found.rules == _rules() else None

    def write(self, prices: Prices) -> None:
        """Keep the prices, in the place of those by other rules."""
        self.kept.write(self.name, msgspec.json.encode(_Kept(_rules(), prices)))


@cache
def _rules() -> str:
    return rules_key().hex()


def kept_prices(kept: Cache, game: str, seats: int) -> list[Prices]:
    """Return the prices that were computed before, in the usual number of worlds, of a game by its fingerprint."""
    found = [_File.of(kept, game, seat, WORLDS).read() for seat in range(seats)]
    return [one for one in found if one is not None]


def is_kept(kept: Cache, game: str, seat: int) -> bool:
    """Return whether the prices of a seat are kept, in the usual number of worlds, of a game by its fingerprint."""
    return _File.of(kept, game, seat, WORLDS).read() is not None


NEWEST = 100
"""Of each league, moves are priced in so many of its newest games while a runner has nothing to play."""


def kept_of_league(store: Store, league: LeagueRecord) -> Iterator[tuple[int, Prices]]:
    """Yield the prices that are kept of the newest games of a league, each with the number of the entry at the seat."""
    for game in store.games.all(league.uuid, newest_first=True, limit=NEWEST):
        found = [
            (seat, _File.of(store.cache, game.fingerprint, seat.seat, WORLDS).read()) for seat in game.seats
        ]
        with suppress(MatchUnfinished):  # a later table plays the same deal
            if any(prices is not None for _, prices in found):
                store.replays.check_visible(league.uuid, game.match_no, game.rotation)
                yield from ((seat.entry_no, prices) for seat, prices in found if prices is not None)


Mapped = Callable[[Callable[["Task"], Price | None], Iterable["Task"]], Iterable[Price | None]]
"""Prices decisions one after the other, as `map` does, or several at once."""


@contextmanager
def pricing(jobs: int) -> Iterator[Mapped]:
    """Yield what prices decisions in so many processes, which end with the block."""
    if jobs < 2:
        yield map
        return
    from concurrent.futures import ProcessPoolExecutor  # few commands need these
    from multiprocessing import get_context, resource_tracker

    def mapped(price: Callable[[Task], Price | None], tasks: Iterable[Task]) -> Iterable[Price | None]:
        # Processes start with the first tasks, and never hear Ctrl-C: the parent handles it.
        with uninterrupted_start(resource_tracker, {signal.SIGINT}):
            return pool.map(price, tasks)

    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        try:
            yield mapped
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def price_moves(
    stored: StoredGame,
    seat: int,
    *,
    worlds: int | None = None,
    seconds: float | None = None,
    mapped: Mapped = map,
    cache: Cache | None = None,
    tell: Callable[[int, int], None] = lambda _done, _of: None,
) -> Prices:
    """Return the prices of a seat's moves.

    The result is the same each time, however many processes `mapped` has (see `pricing`), unless `seconds` of CPU time
    say how many `worlds` there are. `tell` is called with the decisions priced so far and all of them. `cache`: where
    to keep the result. Raises UsageError if the game can't guess or for too few or many worlds, and CorruptReplay if
    the replay breaks the rules.
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
    file = cache and _File.of(cache, fingerprint(canonical(stored.body)), seat, used)
    if file and (kept := file.read()) is not None:
        return kept
    results = []
    for done, price in enumerate(mapped(price_of, tasks), 1):
        results.append(price)
        tell(done, len(tasks))
    found_prices = tuple([one for one in results if one is not None])
    prices = Prices(seat, hasattr(game, "policy"), used, found_prices, len(results) - len(found_prices))
    if file:
        file.write(prices)
    return prices


def tasks_of(stored: StoredGame, talk: Conversation, worlds: int) -> Iterator[Task]:
    """Yield the decisions in which a seat made a move of its own."""
    game, body = stored.game, stored.body
    ruleset = game.resolve(ruleset_named(game, body["ruleset"]), body["seats"])
    told: list[Mapping[str, JSON]] = []
    for question in talk.questions:
        ask = question.ask
        told += ask.events
        if question.answer is None:
            continue
        yield Task(
            game.info.name,
            ruleset,
            body["seats"],
            talk.seat,
            talk.start.private,
            told[:],
            ask.view,
            question.decision,
            ask.id,
            ask.kind,
            None if ask.legal is msgspec.UNSET else ask.legal,
            question.answer.move,
            worlds,
        )


def _within(tasks: Sequence[Task], seconds: float) -> list[Task]:
    """Return the tasks with as many worlds as fit into the time, by that of some of them."""
    some = tasks[:: max(1, len(tasks) // 4)]
    began = process_time()
    for task in some:
        price_of(replace(task, worlds=FEWEST_WORLDS))
    each_s = (process_time() - began) / len(some) / FEWEST_WORLDS
    most = int(seconds / len(tasks) / max(each_s, 1e-9))
    return [replace(task, worlds=max(FEWEST_WORLDS, min(most, MOST_WORLDS))) for task in tasks]


class Comparison:
    """The moves of one decision, compared in worlds that fit what its seat had been told."""

    def __init__(self, task: Task) -> None:
        """Find the moves: the same, however many worlds the task has. Raises ValueError or ArenaError if none fits."""
        from arena.engine.forward_model import Playouts  # where moves are priced, not where prices are read

        game, self._rng, self._task = registry.game(task.game), task.rng, task
        own = foresight(game)
        self._playouts = Playouts(game, own, _LONGEST)
        self._guesser = own.guesser(task.ruleset, task.seats, task.seat, task.private)
        self._guesser.hear(task.events)
        (first,) = self._guesser.worlds(task.view, 1, self._rng)
        made = game.parse_move(first, task.seat, task.made)
        others = (
            own.candidates(first, task.seat, self._rng)
            if task.legal is None
            else [game.parse_move(first, task.seat, raw) for raw in task.legal]
        )
        self.moves = [made, *[one for one in others if one != made]]
        """The one that was made is the first."""

    def leads(self, worlds: int, moves: Sequence[int] | None = None) -> list[tuple[float, ...]]:
        """Return the leads of each move in new worlds, the same for all and with the same chance.

        `moves`: which, by their places; default: all. Raises ValueError or ArenaError if no world fits.
        """
        tried = self.moves if moves is None else [self.moves[place] for place in moves]
        guessed = self._guesser.worlds(self._task.view, worlds, self._rng)
        by_world = [self._playouts.leads(world, self._task.seat, tried, self._rng) for world in guessed]
        return list(zip(*by_world, strict=True))


def screening(worlds: int) -> int:
    """Return in how many worlds the rivals are chosen, if so many judge them."""
    return max(1, worlds // _PART)


def rivals(leads: Sequence[Sequence[float]]) -> list[int]:
    """Return the places of the first move and of the best others, by their leads."""
    means = [fmean(one) for one in leads]
    return [0, *sorted(range(1, len(leads)), key=lambda place: -means[place])[:RIVALS]]


def price_of(task: Task) -> Price | None:
    """Return the price of one decision; None if no world fits what the seat had been told."""
    try:
        compared = Comparison(task)
        places = list(range(len(compared.moves)))
        if len(places) > 1 + RIVALS:
            places = rivals(compared.leads(screening(task.worlds)))
        best, price, low, high = estimate(compared.leads(task.worlds, places))
    except (ValueError, ArenaError):
        return None
    better = registry.game(task.game).format_move(compared.moves[places[best]])
    types = tuple(sorted({str(raw["type"]) for raw in task.legal or ()}))
    return Price(task.decision, task.ask, task.kind, task.made, better, price, low, high, types)


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
        means = [fmean(one[chosen_in]) for one in behind]
        best = means.index(max(means))
        halves[valued_in] = behind[best][valued_in]
    means = [fmean(one) for one in behind]
    best = means.index(max(means))
    lower, upper = fmean(halves), means[best]
    low = lower - _ERRORS * stdev(halves) / sqrt(worlds)
    ends = [mean + _ERRORS * stdev(one) / sqrt(worlds) for mean, one in zip(means, behind, strict=True)]
    return best, (lower + upper) / 2, low, max(ends)
