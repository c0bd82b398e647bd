"""Stock, up pile and down pile: drawing, turning up, and resets when the stock runs low.

All functions change the state in place. If `log` is a list, they append events to it; playouts pass
None.
"""

from arena.core.game import Event
from arena.games.bread_and_chocolate.cards import NAMES, RED, names
from arena.games.bread_and_chocolate.state import State

Log = list[Event] | None


def draw(state: State, count: int, log: Log) -> None:
    """Draw this many cards, at least one, for the seat whose turn it is, as far as the rules allow."""
    name = state.rules.name
    if name == "pagat":
        _draw_all_but_one(state, count, log)
    elif name == "gamerules":
        _draw_through_resets(state, count, log)
    else:
        _draw_through_refills(state, count, log)


def _draw_all_but_one(state: State, count: int, log: Log) -> None:
    """Draw by source 001: a draw that would empty the stock leaves one card and ends, followed by the reset."""
    left = len(state.stock)
    if count < left:
        _take(state, count, log)
        return
    if left > 1:
        _take(state, left - 1, log)
    _reset(state, log)


def _draw_through_resets(state: State, count: int, log: Log) -> None:
    """Draw by source 003: card by card, with a reset whenever one card is left, then continue.

    Decided, since source 003 doesn't cover it: a draw that starts with one card or none resets first; a reset
    that leaves one card or none ends the draw.
    """
    if len(state.stock) <= 1:
        _reset(state, log)
    while count and len(state.stock) > 1:
        taken = min(count, len(state.stock) - 1)
        _take(state, taken, log)
        count -= taken
        if len(state.stock) == 1:
            _reset(state, log)


def _draw_through_refills(state: State, count: int, log: Log) -> None:
    """Draw by source 004: to the last card of the stock, which is then refilled at once, and continue.

    Decided, since source 004 doesn't cover it: a stock that couldn't be refilled is refilled when the next draw
    begins; a refill that yields nothing ends the draw.
    """
    if not state.stock:
        _refill(state, log)
    while count and state.stock:
        taken = min(count, len(state.stock))
        _take(state, taken, log)
        count -= taken
        if not state.stock:
            _refill(state, log)


def _take(state: State, count: int, log: Log) -> None:
    """Move this many cards, at least one and at most as many as there are, from the stock to the hand."""
    stock = state.stock
    drawn = stock[: -count - 1 : -1]
    del stock[-count:]
    state.held[state.to_move] += drawn
    if log is not None:
        told = {"seat": state.to_move, "count": count, "stock": len(stock)}
        log.append(Event("drew", told, {state.to_move: {"cards": names(drawn)}}))


def _reset(state: State, log: Log) -> None:
    """Turn over the up pile to form the stock, and the down pile to form the up pile (sources 001, 003).

    The oldest card of a turned pile is on top. The rest of the stock starts the new down pile.
    """
    left, stock, up = state.stock, state.up, state.down
    stock.reverse()
    up.reverse()
    state.stock, state.up, state.down = stock, up, left
    state.spread = False
    if log is not None:
        told = {"up": NAMES[up[-1]], "up_count": len(up), "down_count": len(left), "stock": len(stock)}
        log.append(Event("reset", told))


def _refill(state: State, log: Log) -> None:
    """Turn over the up pile except its top to form the stock (source 004); the down card stays."""
    up = state.up
    if len(up) == 1:
        return
    state.stock = up[-2::-1]
    state.up = up[-1:]
    if log is not None:
        log.append(Event("refilled", {"up": NAMES[up[-1]], "stock": len(state.stock)}))


def turn_up(state: State, log: Log) -> None:
    """Turn stock cards onto the up pile until the colour of its top changes or the stock is empty: a spread."""
    stock, up = state.stock, state.up
    red = RED[up[-1]]
    before = len(up)
    while stock and RED[up[-1]] == red:
        up.append(stock.pop())
    if log is not None:
        told = {"seat": state.to_move, "cards": names(up[before:]), "stock": len(stock)}
        log.append(Event("spread", told))
    if not stock and state.rules.name == "shram":
        _refill(state, log)


def flip(state: State, log: Log) -> None:
    """Swap the tops of the up pile and the down pile."""
    state.up[-1], state.down[-1] = state.down[-1], state.up[-1]
    if log is not None:
        told = {"seat": state.to_move, "up": NAMES[state.up[-1]], "down": NAMES[state.down[-1]]}
        log.append(Event("flipped", told))
