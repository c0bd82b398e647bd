"""`--analyse`: prices the moves of a bot in one game or in many of a league, and shows what they cost."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import sqrt
from textwrap import wrap
from typing import Annotated, NamedTuple

from msgspec import Struct

from arena.cli.base.stored_names import game_parts
from arena.cli.display.long_work import busy
from arena.cli.display.message_text import decision_words, seat_names
from arena.cli.display.tables import print_table
from arena.cli.display.why_lost import WIDEST
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import answer_json, print_line, warn
from arena.conversation.narration import known_words
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.errors import ArenaError, UsageError
from arena.core.game import AnyGame
from arena.core.move_words import drawn
from arena.league.move_prices import Price, Prices, dearest, in_points, price_moves, pricing
from arena.league.stored_games import FoundGame, find, read
from results.base.children import default_workers
from results.base.text import counted
from results.records import EntryRecord, LeagueRecord
from results.reports.columns import Column, columns_of
from results.reports.lost_points import Duel
from results.store import Store


class Analysis(NamedTuple):
    """How moves are priced."""

    worlds: int | None
    seconds: float | None
    """They say how many worlds there are."""
    jobs: int
    """Processes; 0: one for each core."""


class KindRow(Struct, frozen=True):
    """The decisions in which a move of one type was made, and one type of move was the best that was found."""

    made: Annotated[str, Column(priority=0)]
    better: Annotated[str, Column(priority=0)]
    """`same` where no other move seems better."""
    decisions: Annotated[int, Column()]
    mean: Annotated[float, Column("points each", 2, right=True)]
    part: Annotated[float, Column("a decision", 2, right=True)]
    """Their points over all decisions: their part of the points a decision."""
    old: Annotated[float | None, Column("OLD", 2, right=True, only_if=lambda row: row.old is not None)]
    """The same of the old version of a comparison."""
    significant: Annotated[int, Column()]
    possible: int
    """Of all decisions, those in which the better type of move was legal."""
    chosen: int
    """Of these, those in which it was made."""
    dearest: Price
    game: str
    """In which the dearest was made, and the seat, as `arena why` takes them."""


SAME = "same"


class OneSeat(NamedTuple):
    """A seat of a game in a league."""

    game: str
    """LEAGUE/MATCH.ROTATION."""
    seat: int

    @property
    def typed(self) -> str:
        """How `arena why` takes it."""
        return f"{self.game} --seat {self.seat}"


def analyse_game(
    store: Store, found: FoundGame, seats: Sequence[int], how: Analysis, *, as_json: bool
) -> None:
    """Price the moves of some seats of a game, and show the dearest."""
    stored = read(store, found)
    width = min(console().width, WIDEST)
    with _pricing(store, how) as prices_of:
        for seat in seats:
            with busy(f"pricing the moves of {found.labels[seat]}") as work:
                tell = partial(work.take, what="pricing moves", unit="decisions")
                prices = prices_of(stored, seat, tell=tell)
            if as_json:
                answer_json(prices)
                continue
            who = f"{found.name}: {found.labels[seat]} in seat {seat}"
            print_line(console(), _result(found))
            rows = _print_prices(stored.game, {found.name: prices}, who, how)
            _print_work(to_work_on(rows))
            write_line("")
            for line in dear_lines(stored, prices, found.labels, width):
                write_line(line)


def _result(found: FoundGame) -> str:
    """Return how a game ended."""
    seats = sorted(found.record.seats, key=lambda one: (one.rank, one.seat))
    return f"result: {', '.join(f'{found.labels[one.seat]} {one.score:g}' for one in seats)}"


def analyse_league(
    store: Store,
    league: LeagueRecord,
    entry: EntryRecord | None,
    found: Duel | None,
    how: Analysis,
    most: int,
    *,
    as_json: bool,
) -> None:
    """Price a bot's moves in its newest games, and show which kinds of moves cost it most. Raises UsageError.

    In a comparison (`found`), they are the games that the new version lost, beside those that the old one played with
    the same cards.
    """
    chosen = [] if entry is None else _seats_of(store, league, entry, most)
    beside: list[OneSeat] = []
    if found is not None and found.worse:
        chosen = [OneSeat(row.new_game, row.seat) for row in found.worse[:most]]
        beside = [OneSeat(row.old_game, row.seat) for row in found.worse[:most]]
    if entry is None or not chosen:
        who = "no bot has a" if entry is None else f"{entry.label} has no"
        raise UsageError(
            f"{league.name}: {who} game that can be analysed",
            "run the league until a match is finished; games without replays can't be analysed",
        )
    priced: dict[str, Prices] = {}
    refused: dict[str, int] = {}
    rules = None
    with busy(f"pricing the moves of {entry.label}") as work, _pricing(store, how) as prices_of:
        for done, one in enumerate([*chosen, *beside], 1):
            try:
                stored = read(store, find(store, league, *game_parts(one.game)[1:]))
                priced[one.typed] = prices_of(stored, one.seat)
                rules = stored.game
            except UsageError:  # the game can't guess: so it is for all
                raise
            except ArenaError as error:
                refused[str(error)] = refused.get(str(error), 0) + 1
            work.take(done, len(chosen) + len(beside), "pricing moves", "games")
    for why, count in refused.items():
        warn(f"{counted(count, 'game')} left out: {why}")
    new, old = (
        {one.typed: priced[one.typed] for one in seats if one.typed in priced} for seats in (chosen, beside)
    )
    if as_json:
        answer_json({"new": new, "old": old} if beside else new)
        return
    if rules is None or not new:
        raise UsageError(
            f"{league.name}: no game of {entry.label} could be analysed", "see the reasons above"
        )
    of = f"{counted(len(new), 'game')} of {league.name}"
    who = f"{entry.label} in {of}" + (" that it lost" if beside else "")
    rows = _print_prices(rules, new, who, how, old)
    _print_work(to_work_on(rows, in_which=True))


def _print_work(lines: Iterator[str]) -> None:
    """Print what to work on."""
    found = list(lines)
    print_line(console(), "what to work on:" if found else "nothing stands out: try --worlds 384", "bold")
    for line in found:
        write_line(line)


def _seats_of(store: Store, league: LeagueRecord, entry: EntryRecord, most: int) -> list[OneSeat]:
    """Return the seats of a bot in its newest games that can be analysed."""
    games = store.games.all(league.uuid, entries=[entry.entry_no], newest_first=True, limit=10 * most)
    return [
        OneSeat(f"{league.name}/{game.match_no}.{game.rotation}", one.seat)
        for game in [game for game in games if game.state == "done" and game.has_replay][:most]
        for one in game.seats
        if one.entry_no == entry.entry_no
    ]


@contextmanager
def _pricing(store: Store, how: Analysis) -> Iterator[Callable[..., Prices]]:
    """Yield `price_moves` for the games of a store, in processes that all of them share."""
    with pricing(how.jobs or default_workers()) as mapped:
        yield partial(price_moves, worlds=how.worlds, seconds=how.seconds, mapped=mapped, cache=store.cache)


def _print_prices(
    game: AnyGame,
    priced: Mapping[str, Prices],
    who: str,
    how: Analysis,
    old: Mapping[str, Prices] | None = None,
) -> list[KindRow]:
    """Print what moves cost, in short and by kind; return the kinds. `old`: the same of another version."""
    out, rows = console(), kinds(priced, old)
    first, *more = in_short(game, priced, who)
    print_line(out, first, "bold")
    if old:
        print_line(out, in_short(game, old, "the old version with the same cards")[0], "bold")
    for line in more:
        print_line(out, line)
    if how.seconds is not None:
        print_line(
            out, "the next run differs, because of --seconds; --worlds gives the same each time", "dim"
        )
    if rows:
        print_table(out, columns_of(KindRow), rows)
    return rows


Kind = tuple[str, str]
"""The types of the move made and of the better one."""


def kinds(priced: Mapping[str, Prices], old: Mapping[str, Prices] | None = None) -> list[KindRow]:
    """Return a row for each pair of types, what cost most on the whole first. `priced`: by the game and seat.

    With an `old` version, what the new one gives away beyond that comes first.
    """
    found, before = _by_kind(priced), _by_kind(old or {})
    every = sum(len(own) for own in found.values())
    of_old = sum(len(own) for own in before.values())
    all_made = [one for prices in priced.values() for one in prices.prices]
    possible = Counter(one for price in all_made for one in price.types)
    made = Counter(str(one.made["type"]) for one in all_made if one.types)
    rows = []
    for kind, own in found.items():
        cost = sum([one.price for one, _ in own])
        was = sum([one.price for one, _ in before.get(kind, ())])
        rows.append(
            KindRow(
                *kind,
                len(own),
                cost / len(own),
                cost / every,
                was / of_old if of_old else None,
                sum(one.is_significant for one, _ in own),
                possible[kind[1]],
                made[kind[1]],
                *max(own, key=lambda one: one[0].price),
            )
        )
    return sorted(rows, key=lambda row: (row.better == SAME, (row.old or 0.0) - row.part))


def _by_kind(priced: Mapping[str, Prices]) -> dict[Kind, list[tuple[Price, str]]]:
    """Return the prices by kind, each with its game and seat."""
    found: dict[Kind, list[tuple[Price, str]]] = {}
    for game, prices in priced.items():
        for one in prices.prices:
            better = SAME if one.better == one.made or one.price <= 0 else str(one.better["type"])
            found.setdefault((str(one.made["type"]), better), []).append((one, game))
    return found


def in_short(game: AnyGame, priced: Mapping[str, Prices], who: str) -> list[str]:
    """Return what the moves of a bot cost, in three lines or four."""
    one = next(iter(priced.values()))
    by_game = [[price.price for price in prices.prices] for prices in priced.values()]
    count, dear = sum(map(len, by_game)), sum(p.is_significant for ps in priced.values() for p in ps.prices)
    if not count:
        return [f"{who} made no move that could be priced"]
    mean, error = mean_and_error(by_game)
    better = f"in {dear} of {counted(count, 'decision')} another move was significantly better"
    title, without = game.info.title, sum(prices.without for prices in priced.values())
    sure = "" if mean > error else ": not significantly more than 0"
    lines = [
        f"{who} gives away {mean:z.2f} points a decision (±{error:.2f}){sure}",
        better if dear else f"in {counted(count, 'decision')}, no other move was significantly better",
        f"each move tried in {one.worlds:,} guessed deals, played out by the policy of {title}; points are its lead "
        "over the mean of the others"
        if one.policy
        else f"played out with random moves, as {title} has no policy: the points say little",
    ]
    if without:
        lines.append(f"without a price: {counted(without, 'decision')}, as no world was found that fits")
    return lines


def mean_and_error(by_game: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the mean of all figures and two standard errors of it.

    Figures of one game aren't independent, so of several games their sums count (a ratio estimate).
    """
    groups = [[one] for one in by_game[0]] if len(by_game) == 1 else by_game
    count, number = sum(map(len, groups)), len(groups)
    mean = sum(map(sum, groups)) / count
    if number < 2:
        return mean, 0.0
    squares = sum([(sum(group) - mean * len(group)) ** 2 for group in groups])
    return mean, 2 * sqrt(squares * number / (number - 1)) / count


def to_work_on(rows: Sequence[KindRow], *, in_which: bool = False) -> Iterator[str]:
    """Yield what to work on, a line for each kind of mistake, the first of the rows first; `in_which`: with a game."""
    for number, row in enumerate([one for one in rows if one.significant][:3], 1):
        other = f"another {row.better}" if row.better == row.made else row.better
        each = f"{row.mean:.1f} points{' on average' * (row.decisions > 1)} in {counted(row.decisions, 'decision')}"
        yield f"{number}. {row.made} where {other} was better: {each}".replace("_", " ")
        if row.better != row.made and row.possible:
            times = counted(row.possible, "decision")
            yield f"   {row.better} was possible in {times}, and made in {row.chosen}".replace("_", " ")
        if in_which:
            yield f"   the dearest, decision {row.dearest.decision}: arena why {row.game} --analyse"


def dear_lines(stored: StoredGame, prices: Prices, names: Sequence[str], width: int) -> Iterator[str]:
    """Yield the dearest moves line by line, each with the position, the move made and the better one."""
    talk = conversation(stored, prices.seat)
    known, _ = known_words(stored.game, {talk.seat: talk.start.private}, names)
    if any(known.values()):
        yield "what it knew from the start:"
        for line in known[talk.seat]:
            yield from wrap(line, width, initial_indent="   ", subsequent_indent="      ")
        yield ""
    shown, found = dearest(stored, talk, prices, names), sum(one.is_significant for one in prices.prices)
    of = f" {len(shown)} of {found} significant ones" if found > len(shown) else ""
    yield from wrap(f"the dearest{of}; decisions are numbered over all seats, asks over one:", width)
    for number, one in enumerate(shown, 1):
        sure = "" if one.price.is_significant else "; not significant"
        for line in (
            f"{number}. {decision_words(one.price.decision, one.price.ask)}: it chose {one.made}",
            f"   better by {in_points(one.price)}{sure}: {one.better}",
        ):
            yield from wrap(line, width, subsequent_indent="      ")
        for line in drawn(stored.game, one.view, width - 6, seat_names(names)):
            yield f"      {line}".rstrip()
        yield ""
