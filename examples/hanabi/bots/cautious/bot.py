"""Hanabi: hints cards that fit, plays those that surely fit, discards the oldest."""

from arena_kit import run

RISKS = False


def fits(card, stacks):
    """Return whether every card that this may be fits, and whether some does; `card` may have question marks."""
    color, rank = card
    found = [str(stacks[one] + 1) == rank for one in (stacks if color == "?" else color)]
    return rank != "?" and all(found), rank != "?" and any(found)


def choose(ask, game):
    """Return the move, and a note on why."""
    view = ask["view"]
    stacks, own = view["stacks"], view["known"][game.seat]
    sure = [place for place, card in enumerate(own) if fits(card, stacks)[0]]
    maybe = [place for place, card in enumerate(own) if fits(card, stacks)[1]]
    if sure or (maybe and RISKS and view["lives"] > 1):
        return {"type": "play", "place": (sure or maybe)[-1]}, "fits" if sure else "may fit"
    hints = [move for move in ask["legal"] if move["type"] == "hint"]
    for move in sorted(hints, key=lambda move: move["fact"] in stacks):
        for card, known in zip(view["hands"][move["seat"]], view["known"][move["seat"]], strict=True):
            tells = known[move["fact"] not in stacks] == "?" and move["fact"] in card
            if tells and fits(card, stacks)[0] and not fits(known, stacks)[0]:
                return move, f"{card} fits"
    if any(move["type"] == "discard" for move in ask["legal"]):
        blank = [place for place, card in enumerate(own) if card == "??"]
        return {"type": "discard", "place": blank[0] if blank else 0}, "nothing better"
    return (hints or ask["legal"])[0], "may not discard"


run(choose)
