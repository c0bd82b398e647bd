"""Whist: wins a trick as cheaply as it can, and leaves it alone if its partner has it."""

from arena_kit import run

RANKS = "23456789TJQKA"


def strength(card, led, trump):
    """Return what orders cards by how they take a trick."""
    return (card[1] == trump, card[1] == led, RANKS.index(card[0]))


def choose(ask, game):
    """Return the card to play, and a note on why."""
    view = ask["view"]
    trump = view["turned"][1]
    cards = sorted((move["card"] for move in ask["legal"]), key=lambda card: strength(card, "", trump))
    trick = view["played"][len(view["played"]) // 4 * 4 :]
    if not trick:
        plain = [card for card in cards if card[1] != trump] or cards
        return {"type": "play", "card": plain[-1]}, "leads its highest card that is not a trump"
    led = trick[0][1][1]
    seat, best = max(trick, key=lambda one: strength(one[1], led, trump))
    winning = [card for card in cards if strength(card, led, trump) > strength(best, led, trump)]
    if seat == (game.seat + 2) % 4:
        return {"type": "play", "card": cards[0]}, "the partner has the trick"
    if winning and len(trick) == 3:
        return {"type": "play", "card": winning[0]}, "takes the trick as cheaply as it can"
    return {
        "type": "play",
        "card": winning[-1] if winning else cards[0],
    }, "plays high, or throws its lowest card"


run(choose)
