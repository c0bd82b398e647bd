"""Bread Basket: counts cards, saves its own, and avoids lines that the others can complete.

It evaluates the line after each of its possible turns:

    points taken  +  value of the cards left in hand  −  points the others can be expected to take.

For the last part, it keeps track of the cards that nobody has shown, and of the cards that a
Chef has moved into a hand, to estimate how likely each player holds a card.
Once only it has cards left, it searches for the best order to play them in.
"""

from arena_kit import Bot, run

NAMES = ("O", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "C")
CARD = {name: card for card, name in enumerate(NAMES)}
ONION, TEN, CHEF = 0, 10, 11
RANK = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10)
VALUE = (-5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10)
RANKS = range(11)

# The weights were found by playing variants against each other.
HELD = 2.5  # points for a card in hand, so that one idle card a turn is better than two
HELD_MORE = {
    ONION: 2.0,
    CHEF: 2.0,
}  # extra points: an Onion spoils a sandwich, a Chef is a 10 and a free turn
FEAR = 0.6  # weight of the points that the next player is expected to take
FEAR_FADES = 0.7  # factor for each further player, as the line will have changed by then
FEAR_OF_TWO = 0.3  # weight of a trick that needs two cards
PLANNED = 100  # positions looked at when alone

STOP = {"type": "stop"}


class Counter(Bot):
    def start(self, game):
        self.deck = [5] * 12
        if game.options["chefs"] == "tens":
            self.deck[TEN] = 0
        if game.options["chefs"] == "none":
            self.deck[CHEF] = 0
        self.unseen = self.deck[:]
        self.known = [[] for _ in range(game.seats)]

    def event(self, event):
        """Keep count of the unseen cards, and of those known to be in another hand."""
        kind = event["kind"]
        if kind == "dealt":
            self.unseen = self.deck[:]
            self.known = [[] for _ in self.known]
            for name in [event["card"], *event["hand"]]:
                self.unseen[CARD[name]] -= 1
        elif kind == "refilled":
            self.unseen[CARD[event["card"]]] -= 1
        elif kind in ("played", "fetched") and event["seat"] != self.game.seat:
            shown = CARD[event["card"]] if kind == "played" else CHEF
            known = self.known[event["seat"]]
            if shown in known:
                known.remove(shown)
            else:
                self.unseen[shown] -= 1
            if kind == "fetched":
                known.append(CARD[event["card"]])

    def move(self, ask):
        view = ask["view"]
        line = [CARD[name] for name in view["line"]]
        hand = sorted(CARD[name] for name in view["hand"])
        begun = bool(view["played"])
        self.copies = [self.unseen[rank] for rank in RANKS]
        self.copies[TEN] += self.unseen[CHEF]
        self.others = self.players_to_come(view["held"])
        if not self.others:
            self.planned = {}
            return self.plan(line, hand, begun)[1]
        turns = self.second_cards(line, hand) if begun else self.whole_turns(line, hand)
        return max(turns, key=lambda turn: turn[0])[1]

    def players_to_come(self, held):
        """Return, for each other player with cards in the order of play, the chances to hold each rank.

        Each item holds the chance of at least one card, and of at least one more after one has been used.
        """
        seats = self.game.seats
        unseen = sum(self.copies)
        others = []
        for seat in [(self.game.seat + step) % seats for step in range(1, seats)]:
            if not held[seat]:
                continue
            hidden = held[seat] - len(self.known[seat])
            without = [1.0]  # chance that none of k certain unseen cards is among this player's hidden ones
            for k in range(unseen):
                without.append(without[-1] * max(0, unseen - hidden - k) / (unseen - k))
            chances = [1.0 - without[copies] for copies in self.copies]
            again = [1.0 - without[max(0, copies - 1)] for copies in self.copies]
            for card in self.known[seat]:
                again[RANK[card]] = chances[RANK[card]]
                chances[RANK[card]] = 1.0
            others.append((chances, again, held[seat] > 1))
        return others

    def whole_turns(self, line, hand):
        """Yield the value and the first move of each possible turn."""
        for card, rest in each_card(hand):
            move = play(card)
            points, after = played(line, card)
            yield points + self.worth(after, rest), move
            for second, last in each_card(rest):
                more, end = played(after, second)
                yield points + more + self.worth(end, last), move
        if CHEF in hand:
            for position, card in enumerate(line):
                points, after = fetched(line, position)
                yield points + self.worth(after, [*hand[:-1], card]), {"type": "chef", "position": position}

    def second_cards(self, line, hand):
        """Yield the value and the move of each way to continue after the first card of a turn."""
        yield self.worth(line, hand), STOP
        for card, rest in each_card(hand):
            points, after = played(line, card)
            yield points + self.worth(after, rest), play(card)

    def worth(self, line, hand):
        """Return the value of ending a turn with this line on the table and this hand."""
        worth = HELD * len(hand) + sum(HELD_MORE.get(card, 0) for card in hand)
        points = points_by_rank(line)
        fear = FEAR
        for place, (chances, again, may_play_two) in enumerate(self.others):
            tricks = [(points[rank], chances[rank]) for rank in RANKS if points[rank] > 0]
            if place == 0 and may_play_two:
                tricks += tricks_of_two(line, points, chances, again)
            worth -= fear * expected_best(tricks)
            fear *= FEAR_FADES
        return worth

    def plan(self, line, hand, begun):
        """Return the most points found for playing all cards alone, and the first move of that order."""
        if not hand:
            return 0, None
        key = (tuple(line), tuple(hand), begun)
        if key in self.planned:
            return self.planned[key]
        look_on = len(self.planned) < PLANNED
        self.planned[key] = 0, None
        best, move = None, None
        for card, rest in each_card(hand):
            points, after = played(line, card)
            if look_on:
                points += self.plan(after, rest, not begun)[0]
            if best is None or points > best:
                best, move = points, play(card)
        if CHEF in hand and not begun and look_on:
            for position, card in enumerate(line):
                points, after = fetched(line, position)
                points += self.plan(after, sorted([*hand[:-1], card]), False)[0]
                if points > best:
                    best, move = points, {"type": "chef", "position": position}
        self.planned[key] = best, move
        return best, move


def play(card):
    return {"type": "play", "card": NAMES[card]}


def each_card(hand):
    """Yield each different card of a sorted hand with the rest of the hand."""
    last = None
    for place, card in enumerate(hand):
        if card != last:
            yield card, hand[:place] + hand[place + 1 :]
        last = card


def points_by_rank(line):
    """Return, for each rank, the points that a card of it would take at the end of the line.

    Seen from the end, a card can be the far end of a sandwich only if it is higher than all
    cards behind it, and of a soup only if it is lower than all.
    """
    points = [0] * 11
    highest, lowest = -1, 99
    inside = 0
    for count, card in enumerate(reversed(line)):
        rank = RANK[card]
        if count >= 2:
            if rank > highest:
                points[rank] = inside + 2
            elif rank < lowest:
                points[rank] = count + 2
        highest, lowest = max(highest, rank), min(lowest, rank)
        inside += VALUE[card]
    return points


def tricks_of_two(line, points, chances, again):
    """Return points and weighed chances of the tricks that a card played idly first would make possible."""
    tricks = []
    for first in RANKS:
        if points[first] or not chances[first]:
            continue
        after = points_by_rank([*line, first])
        for second in RANKS:
            if after[second] > points[second]:
                chance = again[second] if second == first else chances[second]
                tricks.append((after[second], FEAR_OF_TWO * chances[first] * chance))
    return tricks


def expected_best(tricks):
    """Return the expected points of a player who takes the best trick within reach."""
    expected, none_better = 0.0, 1.0
    for points, chance in sorted(tricks, reverse=True):
        expected += none_better * chance * points
        none_better *= 1.0 - chance
    return expected


def played(line, card):
    """Return the points that playing a card to the end of the line brings, and the line after it."""
    end = RANK[card]
    lower = higher = True
    for start in range(len(line) - 1, -1, -1):
        rank = RANK[line[start]]
        if rank == end:
            if len(line) - start < 3:
                break
            return trick_points([*line[start:], card]), line[:start]
        lower = lower and rank < end
        higher = higher and rank > end
        if not (lower or higher):
            break
    return 0, [*line, card]


def fetched(line, position):
    """Return the points of the tricks that appear when a card leaves the line, and the line after them."""
    line = line[:position] + line[position + 1 :]
    points = 0
    while trick := longest_trick(line):
        start, end = trick
        points += trick_points(line[start:end])
        line = line[:start] + line[end:]
    return points, line


def longest_trick(line):
    """Return the start and end of the longest trick of the line, the first one of equals, or None."""
    found, longest = None, 3
    for start in range(len(line) - 3):
        rank = RANK[line[start]]
        sandwich = RANK[line[start + 1]] < rank
        for end in range(start + 1, len(line)):
            other = RANK[line[end]]
            if other == rank or (other < rank) != sandwich:
                if other == rank and end - start + 1 > longest:
                    found, longest = (start, end + 1), end - start + 1
                break
    return found


def trick_points(cards):
    """Return the points of a trick: a soup 1 a card, a sandwich the values inside and 1 for each end."""
    if RANK[cards[1]] > RANK[cards[0]]:
        return len(cards)
    return 2 + sum(VALUE[card] for card in cards[1:-1])


run(Counter)
