"""Goofspiel: bids the card that ranks in the hand as the stake ranks among the prizes to come.

Half the time it bids one card higher, so as not to be foreseen, but never more than is sure to win.
"""

from arena_kit import run


def choose(ask, game):
    """Return the bid, and a note on why."""
    view = ask["view"]
    hand = view["hands"][game.seat]
    stake = sum(view["stake"])
    turned = [event["card"] for event in game.events if event["kind"] == "turned"]
    to_come = [prize for prize in range(1, game.options["cards"] + 1) if prize not in turned]
    lower = len([prize for prize in to_come if prize < stake])
    card = hand[min(lower + game.rng.randrange(2), len(hand) - 1)]
    highest = max(max(cards) for seat, cards in enumerate(view["hands"]) if seat != game.seat)
    sure = [one for one in hand if one > highest]
    return {"type": "bid", "card": min([card, *sure])}, f"{lower} of {len(to_come)} prizes to come are lower"


run(choose)
