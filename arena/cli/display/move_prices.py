"""The prices of moves in a terminal: points a decision, what they are made of, and the dearest moves with pictures."""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from textwrap import wrap

from msgspec import Struct

from arena.cli.display.message_text import decision_words, seat_names
from arena.conversation.rebuild import StoredGame
from arena.core.move_words import drawn
from arena.league.move_prices import Price, Prices, dearest, in_points
from arena.league.move_prices import mean as mean_of
from results.base.text import counted
from results.reports.columns import Column


class KindRow(Struct, frozen=True):
    """The decisions in which a move of one type was made, and one type of move was the best that was found."""

    made: str
    better: str
    """`same` where no other move seems better."""
    decisions: int
    mean: float
    """Points a decision."""
    significant: int
    dearest: Price
    game: str
    """In which the dearest was made, and the seat, as `arena why` takes them."""


KIND_COLUMNS = (
    Column("made", key="made", priority=0),
    Column("better", key="better", priority=0),
    Column("decisions", decimals=0, right=True, key="decisions"),
    Column("points each", decimals=2, right=True, key="mean"),
    Column("significant", decimals=0, right=True, key="significant"),
)
SAME = "same"


def kinds(priced: Mapping[str, Prices]) -> list[KindRow]:
    """Return a row for each pair of types, what cost most on the whole first. `priced`: by the game and seat."""
    found: dict[tuple[str, str], list[tuple[Price, str]]] = {}
    for game, prices in priced.items():
        for one in prices.prices:
            better = SAME if one.better == one.made else str(one.better["type"])
            found.setdefault((str(one.made["type"]), better), []).append((one, game))
    rows = []
    for (made, better), own in found.items():
        mean = 0.0 if better == SAME else mean_of([one.price for one, _ in own])
        dear = sum(one.is_significant for one, _ in own)
        rows.append(KindRow(made, better, len(own), mean, dear, *max(own, key=lambda one: one[0].price)))
    return sorted(rows, key=lambda row: -row.mean * row.decisions)


def in_short(stored: StoredGame, priced: Mapping[str, Prices], who: str) -> list[str]:
    """Return what the moves of a bot cost, in three lines or four. `stored`: one of the games."""
    one = next(iter(priced.values()))
    by_game = [[price.price for price in prices.prices] for prices in priced.values()]
    count, dear = sum(map(len, by_game)), sum(p.is_significant for ps in priced.values() for p in ps.prices)
    if not count:
        return [f"{who} made no move that could be priced"]
    mean, error = mean_and_error(by_game)
    better = f"in {dear} of {counted(count, 'decision')} another move was significantly better"
    title, without = stored.game.info.title, sum(prices.without for prices in priced.values())
    lines = [
        f"{who} gives away {mean:.2f} points a decision (±{error:.2f})",
        better if dear else f"in {counted(count, 'decision')}, no other move was significantly better",
        f"{one.worlds:,} worlds a decision, played on by the policy of {title}"
        if one.policy
        else f"played on by random moves, as {title} has no policy: the points say little",
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


def to_work_on(rows: Sequence[KindRow], most: int = 3) -> Iterator[str]:
    """Yield what to work on, a line for each kind of mistake, the one that cost most first."""
    for number, row in enumerate([one for one in rows if one.significant][:most], 1):
        other = f"another {row.better}" if row.better == row.made else row.better
        many = "one decision" if row.decisions == 1 else f"each of {row.decisions:,} decisions"
        each = f"{row.mean:.1f} points in {many}"
        yield f"{number}. {row.made} where {other} was better: {each}"
        where = decision_words(row.dearest.decision, row.dearest.ask)
        yield f"   the dearest is {where}: arena why {row.game} --analyse"


def dear_lines(stored: StoredGame, prices: Prices, names: Sequence[str], width: int) -> Iterator[str]:
    """Yield the dearest moves line by line, each with the position, the move made and the better one."""
    for number, one in enumerate(dearest(stored, prices, names), 1):
        sure = "" if one.price.is_significant else "; not significant"
        for line in (
            f"{number}. {decision_words(one.price.decision, one.price.ask)}: {one.made}",
            f"   better by {in_points(one.price)}{sure}: {one.better}",
        ):
            yield from wrap(line, width, subsequent_indent="      ")
        for line in drawn(stored.game, one.view, width - 6, seat_names(names)):
            yield f"      {line}".rstrip()
        yield ""
