"""The prices of moves in a terminal: points a decision, what they are made of, and the dearest moves with pictures."""

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev

from msgspec import UNSET, Struct

from arena.cli.display.message_text import decision_words, seat_names
from arena.conversation.narration import Conversation, move_words
from arena.conversation.rebuild import StoredGame
from arena.core.game import JSON
from arena.core.move_words import Asked, drawn
from arena.league.move_prices import Price, Prices
from results.base.text import counted
from results.reports.columns import Column

MOST_SHOWN = 5


class KindRow(Struct, frozen=True):
    """The decisions of a seat in which it made one kind of move."""

    kind: str
    """The type of the moves."""
    decisions: int
    mean: float
    """Points a decision; 0 if the estimate is below, as it may be by chance."""
    significant: int


KIND_COLUMNS = (
    Column("move", key="kind", priority=0),
    Column("decisions", decimals=0, right=True, key="decisions"),
    Column("points each", decimals=2, right=True, key="mean"),
    Column("significant", decimals=0, right=True, key="significant"),
)


def kinds(prices: Prices) -> list[KindRow]:
    """Return a row for each type of move, the dearest on the whole first."""
    by_kind: dict[str, list[Price]] = {}
    for one in prices.prices:
        by_kind.setdefault(str(one.made["type"]), []).append(one)
    rows = [
        KindRow(
            kind,
            len(own),
            max(0.0, fmean([one.price for one in own])),
            sum(one.is_significant for one in own),
        )
        for kind, own in by_kind.items()
    ]
    return sorted(rows, key=lambda row: -row.mean * row.decisions)


def in_short(stored: StoredGame, prices: Prices, bot: str) -> list[str]:
    """Return what the moves of a seat cost, in two lines or three."""
    count = len(prices.prices)
    if not count:
        return [f"{bot} in seat {prices.seat} made no move that could be priced"]
    error = 2 * stdev([one.price for one in prices.prices]) / sqrt(count) if count > 1 else 0.0
    dear = sum(one.is_significant for one in prices.prices)
    said = "another move was significantly better" if dear else "no other move was significantly better"
    title = stored.game.info.title
    lines = [
        f"{bot} in seat {prices.seat} gives away {prices.mean:.2f} points a decision (±{error:.2f})",
        f"in {dear} of {counted(count, 'decision')} {said}"
        if dear
        else f"in {counted(count, 'decision')}, {said}",
        f"by playouts of {title}'s own policy in {prices.worlds:,} worlds that fit what it was told"
        if prices.policy
        else f"by playouts of random moves, which tell little about points: {title} has no policy",
    ]
    if prices.without:
        lines.append(
            f"without a price: {counted(prices.without, 'decision')}, as no world was found that fits"
        )
    return lines


def dearest(
    stored: StoredGame, talk: Conversation, prices: Prices, names: Sequence[str], width: int
) -> Iterator[str]:
    """Yield the dearest moves line by line, each with the position, the move made and the better one."""
    questions = {question.decision: question for question in talk.questions}
    shown = [one for one in prices.dearest if one.price > 0 and one.made != one.better][:MOST_SHOWN]
    for number, one in enumerate(shown, 1):
        ask = questions[one.decision].ask
        legal = None if ask.legal is UNSET else ask.legal
        asked = Asked(ask.kind, ask.view, talk.start.options, legal, None, tuple(names))

        def said(move: JSON, asked: Asked = asked) -> str:
            return move_words(stored.game, asked, move)

        sure = "" if one.is_significant else "; not significant"
        yield f"{number}. {decision_words(one.decision, one.ask)}: {said(one.made)}"
        yield (
            f"   better by {one.price:.1f} points ({one.low:.1f} to {one.high:.1f}{sure}): {said(one.better)}"
        )
        for line in drawn(stored.game, ask.view, width - 6, seat_names(names)):
            yield f"      {line}".rstrip()
        yield ""
