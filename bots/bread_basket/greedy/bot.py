"""Bread Basket: takes the most points possible in one turn, otherwise sheds its lowest card.

It tries every card, every pair of cards and every use of a Chef on the current line, and
ignores the other players.
"""

from arena_kit import run

RANK = {"O": 0, "C": 10, **{str(number): number for number in range(1, 11)}}
STOP = {"type": "stop"}


def choose(ask, game):
    view = ask["view"]
    line = view["line"]
    cards = [move["card"] for move in ask["legal"] if move["type"] == "play"]
    if view["played"]:
        points, card = max((after_playing(line, card)[0], card) for card in cards)
        return play(card) if points > 0 else STOP
    points, move = best_play(line, view["hand"], cards)
    for fetch in ask["legal"]:
        if fetch["type"] == "chef":
            gain = points_of_fetching(line, fetch["position"])
            if gain > points:
                points, move = gain, fetch
    return move


def best_play(line, hand, cards):
    """Return the points and the first card of the best turn of one or two cards; without points, shed one."""
    best, best_card = None, None
    for card in sorted(cards, key=RANK.get):
        points, rest = after_playing(line, card)
        others = set(cards) if hand.count(card) > 1 else set(cards) - {card}
        for second in others:
            points = max(points, after_playing(line, card)[0] + after_playing(rest, second)[0])
        if best is None or points > best:
            best, best_card = points, card
    return best, play(best_card)


def play(card):
    return {"type": "play", "card": card}


def after_playing(line, card):
    """Return the points that playing a card to the end of the line brings, and the line after it."""
    line = [*line, card]
    start = start_of_trick(line)
    if start < 0:
        return 0, line
    return worth(line[start:]), line[:start]


def start_of_trick(line):
    """Return the start of the trick that ends with the last card, or -1."""
    end = RANK[line[-1]]
    lower = higher = True
    for start in range(len(line) - 2, -1, -1):
        rank = RANK[line[start]]
        if rank == end:
            return start if len(line) - start >= 4 else -1
        lower = lower and rank < end
        higher = higher and rank > end
        if not (lower or higher):
            return -1
    return -1


def points_of_fetching(line, position):
    """Return the points of the tricks that appear when a card leaves the line."""
    line = line[:position] + line[position + 1 :]
    points = 0
    while True:
        tricks = [
            (end - start, -start)
            for end in range(3, len(line))
            if (start := start_of_trick(line[: end + 1])) >= 0
        ]
        if not tricks:
            return points
        length, start = max(tricks)
        points += worth(line[-start : -start + length + 1])
        del line[-start : -start + length + 1]


def worth(cards):
    """Return the points of a trick: a soup 1 a card, a sandwich the values inside and 1 for each end."""
    if RANK[cards[1]] > RANK[cards[0]]:
        return len(cards)
    return 2 + sum(-5 if card == "O" else RANK[card] for card in cards[1:-1])


run(choose)
