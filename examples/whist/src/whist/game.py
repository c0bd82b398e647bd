"""Whist for Arena: four players, two sides of partners, thirteen tricks."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.core.chance import Chance, Rng
from arena.core.game import JSON, Decision, Event, Game, Outcome, Seen
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Ruleset

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
SIDES = (0, 1, 0, 1)


@dataclass
class State:
    """The cards that each seat holds, the card that was turned up, and the cards played so far with their seats."""

    hands: list[list[str]]
    turned: str
    played: list[tuple[int, str]]


class Whist(BaseGame[State, str]):
    """Partners sit opposite. The trick goes to the highest trump, or else to the highest card of the suit led."""

    info = GameInfo(
        "whist", "Whist", 1, "Two sides of partners, thirteen tricks; 4 players.", {"english": {}}, ()
    )
    players = range(4, 5)

    def sides(self, ruleset: Ruleset, seats: int) -> tuple[int, ...]:
        return SIDES

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        deck = chance.permutation("deck", DECK)
        state = State([sorted(deck[seat::4], key=DECK.index) for seat in range(4)], deck[-1], [])
        hands = {seat: {"hand": list(hand)} for seat, hand in enumerate(state.hands)}
        return state, (Event("dealt", {"turned": state.turned}, hands),)

    def turn(self, state: State) -> tuple[Decision[str], ...] | Outcome:
        if len(state.played) == len(DECK):
            return Outcome(self.scores(state))
        seat, trick = self.trick(state)
        hand = state.hands[seat]
        following = [card for card in hand if trick and card[1] == trick[0][1][1]]
        return (Decision(seat, "play", tuple(following or hand)),)

    def apply(self, state: State, moves: Mapping[int, str]) -> tuple[State, tuple[Event, ...]]:
        self.check(state, moves)
        ((seat, card),) = moves.items()
        after = self.copy(state)
        self.advance(after, moves)
        events = [Event("played", {"seat": seat, "card": card})]
        if len(after.played) % 4 == 0:
            events.append(Event("trick", {"seat": self.winner(after.played[-4:], state.turned)}))
        return after, tuple(events)

    def advance(self, state: State, moves: Mapping[int, str]) -> None:
        ((seat, card),) = moves.items()
        state.hands[seat].remove(card)
        state.played.append((seat, card))

    def copy(self, state: State) -> State:
        return State([list(hand) for hand in state.hands], state.turned, list(state.played))

    def winner(self, trick: list[tuple[int, str]], turned: str) -> int:
        """Return the seat that takes a trick, or would if it ended now."""
        led, trump = trick[0][1][1], turned[1]
        return max(trick, key=lambda one: (one[1][1] == trump, one[1][1] == led, RANKS.index(one[1][0])))[0]

    def trick(self, state: State) -> tuple[int, list[tuple[int, str]]]:
        """Return whose turn it is, and the cards of the trick so far."""
        begun = len(state.played) // 4 * 4
        trick = state.played[begun:]
        if trick:
            return (trick[-1][0] + 1) % 4, trick
        return (self.winner(state.played[-4:], state.turned) if begun else 0), []

    def scores(self, state: State) -> tuple[int, ...]:
        tricks = [state.played[first : first + 4] for first in range(0, len(state.played) - 3, 4)]
        won = [SIDES[self.winner(trick, state.turned)] for trick in tricks]
        return tuple(won.count(side) for side in SIDES)

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        seen: dict[str, JSON] = {"turned": state.turned, "played": [list(one) for one in state.played]}
        return seen if seat is None else seen | {"hand": list(state.hands[seat])}

    def format_move(self, move: str) -> JSON:
        return {"type": "play", "card": move}

    def describe(self, event: Mapping[str, JSON]) -> str:
        if event["kind"] == "dealt":
            return f"The cards are dealt; {event['turned']} is turned up, so its suit is trump."
        if event["kind"] == "played":
            return f"Seat {event['seat']} plays {event['card']}."
        if event["kind"] == "trick":
            return f"Seat {event['seat']} takes the trick."
        return super().describe(event)

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Deal what nobody has shown: to nobody a suit that it didn't follow, and the turned card to seat 3."""
        played = [(int(seat), str(card)) for seat, card in seen.view["played"]]
        turned, own = str(seen.view["turned"]), [str(card) for card in seen.view["hand"]]
        shown = {card for _, card in played}
        may_hold = {card: [seat for seat in range(4) if seat != seen.seat] for card in DECK}
        for begun in range(0, len(played), 4):
            led = played[begun][1][1]
            for seat, card in played[begun : begun + 4]:
                if card[1] != led and seat != seen.seat:
                    for lacking in (card for card in DECK if card[1] == led and seat in may_hold[card]):
                        may_hold[lacking].remove(seat)
        may_hold[turned] = [3]
        unknown = [card for card in DECK if card not in shown and card not in own]
        rng.shuffle(unknown)
        hands: list[list[str]] = [[], [], [], []]
        room = [13 - sum(seat == one for one, _ in played) for seat in range(4)]

        def place(card: str, tried: set[int]) -> bool:
            """Give a card to a seat that may hold it, where need be in exchange for a card that another takes."""
            seats = [seat for seat in may_hold[card] if seat not in tried]
            rng.shuffle(seats)
            for seat in sorted(seats, key=lambda seat: len(hands[seat]) >= room[seat]):
                tried.add(seat)
                if len(hands[seat]) < room[seat]:
                    hands[seat].append(card)
                    return True
                for other in hands[seat]:
                    if place(other, tried):
                        hands[seat][hands[seat].index(other)] = card
                        return True
            return False

        for card in unknown:
            place(card, set())
        hands[seen.seat] = own
        return State([sorted(hand, key=DECK.index) for hand in hands], turned, played)


GAME: Game[State, str] = Whist()
