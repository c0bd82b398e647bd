"""Bread Basket: notes the tricks that others pass up, and so which cards they lack.

Nobody draws cards in a hand, so a player who leaves a good trick on the line most likely has no
card that takes it, until the hand is over. How likely depends on the player: all cards are
played in the end, so they show who had a card and passed up its trick all the same.

Of its own turns it makes the one with the most points, plus the value of the cards it keeps,
less what the others can be expected to take.
"""

from arena_kit import Bot, run
from turns import played, turns

from arena.games.bread_basket.state import CARDS, CHEF, RANKS, deck
from arena.games.bread_basket.transitions import format_

HELD = 2.5  # points for a card in hand
FEAR = 0.7  # weight of what the next player may take
FEAR_FADES = 0.6  # factor for each player after that
WORTH_TAKING = 3  # points of a trick that one expects to be taken
TAKES = (3, 1)  # tricks taken and passed up by an average player, before anything is known of this one
SCALE = range(11)


class Reader(Bot):
    def start(self, game):
        self.deck = [CARDS[name] for name in deck(game.options["chefs"])]
        self.takes = [list(TAKES) for _ in range(game.seats)]
        self.new_hand([])

    def new_hand(self, shown):
        self.unseen = self.deck[:]
        self.passed = [set() for _ in self.takes]  # ranks whose trick a seat has passed up in this hand
        self.fetched = [[] for _ in self.takes]  # cards that a seat has got by a Chef
        self.line = []
        for card in shown:
            self.unseen.remove(card)

    def event(self, event):
        """Keep track of the line, of the cards seen, and of what the others pass up."""
        kind, seat = event["kind"], event.get("seat")
        if kind == "dealt":
            self.new_hand([CARDS[name] for name in [event["card"], *event["hand"]]])
            self.line = [CARDS[event["card"]]]
        elif kind == "refilled":
            self.unseen.remove(CARDS[event["card"]])
            self.line.append(CARDS[event["card"]])
        elif kind == "taken":
            del self.line[event["position"] : event["position"] + len(event["cards"])]
        elif kind == "played":
            card = CARDS[event["card"]]
            self.note(seat, card, RANKS[card])
            self.line.append(card)
        elif kind == "stopped":
            self.note(seat, None, None)
        elif kind == "fetched":
            self.note(seat, CHEF, None)
            card = self.line.pop(event["position"])
            self.fetched[seat].append(card)

    def note(self, seat, card, rank):
        """Learn from a move of another player: a card that it shows, and the rank that it plays, if any."""
        if seat == self.game.seat:
            return
        if card in self.fetched[seat]:
            self.fetched[seat].remove(card)
        elif card is not None:
            self.unseen.remove(card)
            if rank in self.passed[seat]:
                self.passed[seat].discard(rank)
                self.takes[seat][1] += 1  # it had the card, and passed up the trick
        offered = offers(self.line)
        if rank is not None and offered[rank] >= WORTH_TAKING:
            self.takes[seat][0] += 1
        took = 0 if rank is None else offered[rank]
        self.passed[seat] |= {other for other in SCALE if offered[other] >= max(WORTH_TAKING, took + 1)}

    def move(self, ask):
        view = ask["view"]
        line = [CARDS[name] for name in view["line"]]
        hand = [CARDS[name] for name in view["hand"]]
        others = [(self.game.seat + step) % self.game.seats for step in range(1, self.game.seats)]
        chances = [self.chances(seat, view["held"][seat]) for seat in others if view["held"][seat]]

        def value(turn):
            _, points, after, left = turn
            if not chances:
                return points
            offered = offers(after)
            fear = sum(
                FEAR * FEAR_FADES**place * expected_best(offered, chance)
                for place, chance in enumerate(chances)
            )
            return points + HELD * len(left) - fear

        return format_(max(turns(line, hand, bool(view["played"])), key=value)[0])

    def chances(self, seat, held):
        """Return the chance that a seat holds a card of each rank."""
        hidden = held - len(self.fetched[seat])
        taken, passed = self.takes[seat]
        passes = passed / (taken + passed)
        copies = [0] * 11
        for card in self.unseen:
            copies[RANKS[card]] += 1
        chances = []
        for rank in SCALE:
            lacks = 1.0
            for copy in range(copies[rank]):
                lacks *= max(0, len(self.unseen) - hidden - copy) / (len(self.unseen) - copy)
            holds = 1.0 - lacks
            if rank in self.passed[seat]:  # by Bayes' rule
                holds = holds * passes / (holds * passes + lacks) if holds else 0.0
            chances.append(holds)
        for card in self.fetched[seat]:
            chances[RANKS[card]] = 1.0
        return chances


def offers(line):
    """Return the points that a card of each rank would take from the end of a line."""
    return [played(line, rank)[0] for rank in SCALE]


def expected_best(offered, chances):
    """Return the points to expect of a player who takes the best trick that it has a card for."""
    expected, none_better = 0.0, 1.0
    for points, chance in sorted(zip(offered, chances, strict=True), reverse=True):
        if points <= 0:
            break
        expected += none_better * chance * points
        none_better *= 1.0 - chance
    return expected


run(Reader)
