"""Deals for a bot that remembers nothing: all cards except its hand and the top card may be anywhere."""

from arena.games.bread_and_chocolate.rules import CARDS, State, rules_of


class Forgetful:
    """A guesser that hears nothing."""

    def __init__(self, ruleset, seats, seat, private):
        self.rules = rules_of(ruleset)

    def hear(self, events):
        pass

    def worlds(self, view, count, rng):
        return [forgetful_deal(self.rules, view, rng) for _ in range(count)]


def forgetful_deal(rules, view, rng):
    """Return a random state in which the view is right, the last hand of its game."""
    hand = [CARDS[name] for name in view["hand"]]
    top = CARDS[view["up"]]
    rest = [card for card in CARDS.values() if card != top and card not in hand]
    rng.shuffle(rest)

    def take(count):
        taken = rest[:count]
        del rest[:count]
        return taken

    return State(
        rules=rules,
        decks=((),) * (view["hand_no"] + 1),
        hand_no=view["hand_no"],
        stock=take(view["stock"]),
        up=[*take(view["up_count"] - 1), top],
        down=take(view["down_count"]),
        held=[hand[:] if seat == view["seat"] else take(count) for seat, count in enumerate(view["held"])],
        to_move=view["turn"],
        opening=view["opening"],
        owed=view["discard"],
        spread=view["spread"],
        turns=view["turns"],
        scores=list(view["scores"]),
    )
