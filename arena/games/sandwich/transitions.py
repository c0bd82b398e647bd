"""The course of a game of Sandwich: market, trading, making, tasting, next round (source 002).

All functions change the state in place. If `log` is a list, they append events to it; playouts pass
None.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.core.game import JSON, Event
from arena.games.sandwich.ingredients import FAMILIES, FAMILY_SIZE, NAMES, PAIRS, names
from arena.games.sandwich.state import NOBODY, Grab, MakeOffer, Move, Offer, Serve, State, Taste, figure


def scramble(rankings: Mapping[int, Sequence[int]], grab_order: Sequence[int], own_last: bool) -> list[int]:
    """Return the position of the card that each seat gets; position p is the card that seat p turned up.

    `rankings` holds each seat's order of all positions, best first. All players with empty hands reach for their
    best card still available; it goes to the first of them in grab order, with its owner last. This repeats until
    each seat has a card. With `own_last`, players skip their own card unless it is the only one left.
    """
    taken = [-1] * len(rankings)
    there = [True] * len(rankings)
    empty = list(grab_order)
    while len(empty) > 1:
        winners: dict[int, int] = {}
        for seat in empty:
            for position in rankings[seat]:
                if there[position] and not (own_last and position == seat):
                    break
            if winners.get(position, position) == position:  # nobody yet, or its owner
                winners[position] = seat
        for position, seat in winners.items():
            taken[seat] = position
            there[position] = False
        empty = [seat for seat in empty if taken[seat] < 0]
    for seat in empty:
        taken[seat] = there.index(True)
    return taken


def carry_out(
    hands: Sequence[list[int]],
    offers: Sequence[Offer],
    accepted: Mapping[int, Sequence[int]],
    order: Sequence[int],
) -> list[int]:
    """Exchange cards between the hands, in place; return the numbers of the offers carried out, in that order.

    `accepted` holds, for each seat that answered, the numbers of the offers it accepts, most wanted first. Seat by
    seat in `order`, each in its own order, an offer is carried out if both seats still hold the named cards. A
    received card goes to the end of the hand.
    """
    done = []
    for seat in order:
        for number in accepted.get(seat, ()):
            offer = offers[number]
            giver, taker = hands[offer.seat], hands[seat]
            if offer.give in giver and offer.want in taker:
                giver.remove(offer.give)
                taker.remove(offer.want)
                giver.append(offer.want)
                taker.append(offer.give)
                done.append(number)
    return done


Log = list[Event] | None


def deal_round(state: State, log: Log) -> None:
    """Start round `round_no`: deal a pile of cards to each seat and turn up the first ones.

    Cards are dealt one at a time, clockwise; the seat left of the dealer, round_no modulo seats, gets the first.
    """
    seats = state.rules.seats
    state.hands = [[] for _ in range(seats)]
    state.trade_round = 0
    state.before = tuple(state.scores)
    if log is not None:
        told: dict[str, JSON] = {
            "round_no": state.round_no,
            "dealer": (state.round_no - 1) % seats,
            "pile": state.rules.pile,
            "direction": direction(state),
        }
        log.append(Event("dealt", told))
    _turn_up(state, 0, log)


def direction(state: State) -> str:
    """Return the direction of sandwiches in this round: left, right, or with 3 players both."""
    if state.rules.seats == 3:
        return "both"
    return "right" if state.rules.to_the_right(state.round_no) else "left"


def make_moves(state: State, moves: Mapping[int, Any], log: Log) -> None:
    """Make the legal moves of a turn, and everything that follows until the next decision."""
    if state.phase == "grab":
        _grab(state, moves, log)
    elif state.phase == "offer":
        _offer(state, moves, log)
    elif state.phase == "answer":
        _trade(state, moves, log)
    elif state.phase == "serve":
        _serve(state, moves, log)
    else:
        taste: Taste = moves[state.taster]
        shown = state.deal.shown[state.round_no][state.taster]
        _score(state, state.taster, tuple([shown[place] for place in taste.ranking]), log)
        _next_taster(state, state.taster + 1, log)


def _turn_up(state: State, market_turn: int, log: Log) -> None:
    seats = state.rules.seats
    row = state.deal.decks[state.round_no][market_turn * seats : (market_turn + 1) * seats]
    first = state.round_no % seats
    state.phase = "grab"
    state.market_turn = market_turn
    state.market = list(row[seats - first :] + row[: seats - first])
    if log is not None:
        told = {
            "market_turn": market_turn,
            "market": names(state.market),
            "grab_order": list(state.grab_order),
        }
        log.append(Event("turned_up", told))


def _grab(state: State, moves: Mapping[int, Grab], log: Log) -> None:
    market = state.market
    rankings = {seat: move.order for seat, move in moves.items()}
    taken = [market[place] for place in scramble(rankings, state.grab_order, state.rules.own_last)]
    for hand, card in zip(state.hands, taken, strict=True):
        hand.append(card)
    if log is not None:
        log.append(Event("grabbed", {"market_turn": state.market_turn, "taken": names(taken)}))
    if state.market_turn + 1 < state.rules.pile:
        _turn_up(state, state.market_turn + 1, log)
        return
    state.market_turn += 1
    state.market = []
    state.phase = "offer" if state.rules.trade_rounds else "serve"


def _offer(state: State, moves: Mapping[int, Move], log: Log) -> None:
    """Sort the offers by the round's grab order, which numbers them; without any, end the trading."""
    offers = []
    for seat in state.deal.grab_orders[state.round_no]:
        move = moves[seat]
        if isinstance(move, MakeOffer):
            offers.append(Offer(seat, move.to, move.give, move.want))
    state.offers = tuple(offers)
    state.phase = "answer" if offers else "serve"
    if log is not None:
        told = {"trade_round": state.trade_round, "offers": offers_json(state.offers)}
        log.append(Event("offered", told))


def _trade(state: State, moves: Mapping[int, Any], log: Log) -> None:
    """Carry out the accepted offers and continue with the next trade round, or with the making."""
    accepted = {seat: move.accept for seat, move in moves.items()}
    done = carry_out(state.hands, state.offers, accepted, state.deal.grab_orders[state.round_no])
    if log is not None:
        trades = [trade for trade in offers_json(state.offers) if trade["number"] in done]
        trades.sort(key=lambda trade: done.index(trade["number"]))
        log.append(Event("traded", {"trade_round": state.trade_round, "trades": trades}))
    state.offers = ()
    state.trade_round += 1
    state.phase = "offer" if state.trade_round < state.rules.trade_rounds else "serve"


def offers_json(offers: tuple[Offer, ...]) -> list[dict[str, JSON]]:
    """Return offers with their numbers, in their wire format."""
    told = []
    for number, offer in enumerate(offers):
        give, want = names((offer.give, offer.want))
        told.append({"number": number, "seat": offer.seat, "to": offer.to, "give": give, "want": want})
    return told


def _serve(state: State, moves: Mapping[int, Serve], log: Log) -> None:
    """Give the sandwiches to their receivers and start the tasting."""
    rules = state.rules
    state.plates = [
        tuple([moves[maker].sandwiches[place] for maker, place in rules.givers(taster, state.round_no)])
        for taster in range(rules.seats)
    ]
    state.hands = [[] for _ in range(rules.seats)]
    if log is not None:
        for seat, move in sorted(moves.items()):
            log.append(_served(state, seat, move))
    _next_taster(state, 0, log)


def _served(state: State, seat: int, move: Serve) -> Event:
    """Return what is revealed of one seat's sandwiches: to everyone who gets them, to the maker everything.

    If they are given face up, everyone sees them; words are only for the receiver.
    """
    receivers = state.rules.receivers(seat, state.round_no)
    sandwiches = {"sandwiches": [names(sandwich) for sandwich in move.sandwiches]}
    public: dict[str, JSON] = {"seat": seat, "receivers": list(receivers)}
    private: dict[int, dict[str, JSON]] = {}
    if state.rules.open:
        public.update(sandwiches)
    else:
        private[seat] = dict(sandwiches)
    if move.words:
        private[seat] = {"words": list(move.words)}
        for receiver in set(receivers):
            heard = [word if to == receiver else None for word, to in zip(move.words, receivers, strict=True)]
            private[receiver] = {"words": heard}
    return Event("served", public, private)


def _next_taster(state: State, taster: int, log: Log) -> None:
    """Let the seats from `taster` on taste: by their palates, or up to the first one that decides itself."""
    if not state.rules.free:
        for seat in range(taster, state.rules.seats):
            _score(state, seat, state.deal.palates[seat].ranking(state.plates[seat]), log)
    elif taster < state.rules.seats:
        state.phase = "taste"
        state.taster = taster
        if log is not None:
            read_out = [names(sandwich) for sandwich in state.read_out()]
            log.append(Event("read_out", {"taster": taster, "sandwiches": read_out}))
        return
    _end_round(state, log)


def _score(state: State, taster: int, ranking: tuple[int, ...], log: Log) -> None:
    """Give the makers of a taster's sandwiches their points; `ranking` holds indices on its plate, best first."""
    givers = state.rules.givers(taster, state.round_no)
    makers = [givers[place][0] for place in ranking]
    points = state.rules.points
    for maker, worth in zip(makers, points, strict=True):
        state.scores[maker] += worth
    if log is not None:
        told = {
            "taster": taster,
            "sandwiches": [names(state.plates[taster][place]) for place in ranking],
            "makers": makers,
            "points": list(points),
        }
        log.append(Event("tasted", told))
    state.plates[taster] = ()


def _end_round(state: State, log: Log) -> None:
    """Announce the points of the round, then deal the next one or end the game."""
    state.taster = NOBODY
    if log is not None:
        points = [now - then for now, then in zip(state.scores, state.before, strict=True)]
        told = {"round_no": state.round_no, "points": points, "scores": list(state.scores)}
        log.append(Event("round_ended", told))
    if state.round_no + 1 < state.rules.rounds:
        state.round_no += 1
        deal_round(state, log)
    else:
        state.phase = "over"


def private(state: State, seat: int) -> dict[str, JSON]:
    """Return a seat's palate, and the families and pair figures, which are the same in every game."""
    palate = state.deal.palates[seat]
    return {
        "likings": dict(zip(FAMILIES, map(figure, palate.likings), strict=True)),
        "quirks": dict(zip(NAMES, map(figure, palate.quirks), strict=True)),
        "families": {
            family: list(NAMES[number * FAMILY_SIZE : (number + 1) * FAMILY_SIZE])
            for number, family in enumerate(FAMILIES)
        },
        "pairs": {
            family: dict(zip(FAMILIES, map(figure, row), strict=True))
            for family, row in zip(FAMILIES, PAIRS, strict=True)
        },
    }


def view(state: State, seat: int | None) -> dict[str, JSON]:
    """Return what is on the table and, for a seat, who gets its sandwiches."""
    rules = state.rules
    at_market = state.phase == "grab"
    trading = state.phase in ("offer", "answer")
    tasting = state.phase == "taste"
    seen: dict[str, JSON] = {
        "round_no": state.round_no,
        "rounds": rules.rounds,
        "phase": state.phase,
        "direction": direction(state),
        "market_turn": state.market_turn if at_market else None,
        "market": names(state.market),
        "grab_order": list(state.grab_order),
        "pile": rules.pile - state.market_turn - 1 if at_market else 0,
        "hands": [names(hand) for hand in state.hands],
        "trade_round": state.trade_round if trading else None,
        "offers": offers_json(state.offers),
        "taster": None if state.taster == NOBODY else state.taster,
        "read_out": [names(sandwich) for sandwich in state.read_out()] if tasting else [],
        "plates": _plates(state),
        "scores": list(state.scores),
    }
    if seat is not None:
        seen["seat"] = seat
        seen["receivers"] = list(rules.receivers(seat, state.round_no))
    return seen


def _plates(state: State) -> list[list[JSON]]:
    """Return the waiting sandwiches before each seat, nearest giver first; null if they are face down.

    Those being read out are left to `read_out`, whose order reveals nothing about their makers.
    """
    return [
        [] if seat == state.taster else [names(sandwich) if state.rules.open else None for sandwich in plate]
        for seat, plate in enumerate(state.plates)
    ]
