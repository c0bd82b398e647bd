"""Hanabi: everybody sees all cards but their own, and all score together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.core.chance import Chance
from arena.core.game import JSON, Decision, Event, Outcome
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Option, Ruleset

COLORS = "rygbw"
COPIES = (3, 2, 2, 2, 1)
"""How many cards of each colour have the ranks 1 to 5."""
TOKENS, LIVES = 8, 3

Move = tuple[str, int, str]
"""`play` or `discard` and the place of a card, or `hint`, the seat that is told, and a colour or a rank."""


@dataclass(slots=True)
class State:
    """A moment of a game. Cards are a colour and a rank, such as `r3`."""

    deck: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    known: tuple[tuple[str, ...], ...]
    """What hints have told of each card of each hand: `r?`, `?3`, `r3`, or `??`."""
    stacks: str
    """The highest rank of each colour of the game, in their order."""
    keeps: bool
    """Whether the cards that were played count if all lives are lost."""
    tokens: int = TOKENS
    lives: int = LIVES
    discards: tuple[str, ...] = ()
    to_move: int = 0
    last: int | None = None
    """How many turns are left once the deck is empty."""


class Hanabi(BaseGame[State, Move]):
    """Play the cards of each colour in ascending order, knowing of your own only what others have told you."""

    info = GameInfo(
        name="hanabi",
        title="Hanabi",
        version=1,
        summary="Tell others what they hold, and play in order; one score for all, 2 to 5 players.",
        rulesets={"standard": {}, "kind": {"lost": "cards"}},
        options=(
            Option("colors", "count", "colours in the deck, with ten cards each", 5, low=2, high=5),
            Option(
                "lost", "choice", "what counts if all lives are lost", "nothing", choices=("nothing", "cards")
            ),
        ),
        shared_score=True,
    )
    players = range(2, 6)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Deal five cards to each of two or three players, and four to each of more; fewer colours, fewer cards."""
        colors = COLORS[: ruleset.count("colors")]
        cards = [
            f"{color}{rank}"
            for color in colors
            for rank, copies in enumerate(COPIES, 1)
            for _ in range(copies)
        ]
        deck = chance.permutation("deck", cards)
        size = min(5 if seats < 4 else 4, len(deck) // seats - 1)
        hands = tuple([deck[size * seat : size * (seat + 1)] for seat in range(seats)])
        known = (("??",) * size,) * seats
        state = State(
            deck[size * seats :], hands, known, "0" * len(colors), ruleset.choice("lost") == "cards"
        )
        private = {
            seat: {"hands": [None if other == seat else list(hand) for other, hand in enumerate(hands)]}
            for seat in range(seats)
        }
        return state, (Event("dealt", {"cards": size, "colors": list(colors)}, private),)

    def turn(self, state: State) -> tuple[Decision[Move], ...] | Outcome:
        """Return the moves of the seat whose turn it is, or the outcome."""
        if not state.lives or state.last == 0 or set(state.stacks) == {"5"}:
            return Outcome(self.scores(state))
        own, seats = state.to_move, len(state.hands)
        places = range(len(state.hands[own]))
        legal: list[Move] = [("play", place, "") for place in places]
        if state.tokens < TOKENS:
            legal += [("discard", place, "") for place in places]
        if state.tokens:
            for other in [seat for seat in range(seats) if seat != own]:
                facts = sorted({fact for card in state.hands[other] for fact in card})
                legal += [("hint", other, fact) for fact in facts]
        return (Decision(own, "act", tuple(legal)),)

    def apply(self, state: State, moves: Mapping[int, Move]) -> tuple[State, tuple[Event, ...]]:
        """Make the move, and draw a card for one that was played or discarded."""
        self.check(state, moves)
        ((seat, (kind, number, fact)),) = moves.items()
        last = None if state.last is None else state.last - 1
        after = replace(state, to_move=(seat + 1) % len(state.hands), last=last)
        if kind == "hint":
            at = [place for place, card in enumerate(state.hands[number]) if fact in card]
            told = [
                (fact + one[1] if fact in COLORS else one[0] + fact) if place in at else one
                for place, one in enumerate(state.known[number])
            ]
            after.known = (*state.known[:number], tuple(told), *state.known[number + 1 :])
            after.tokens -= 1
            return after, (Event("hinted", {"seat": seat, "to": number, "fact": fact, "cards": at}),)
        card = state.hands[seat][number]
        color = COLORS.index(card[0])
        fits = kind == "play" and int(state.stacks[color]) + 1 == int(card[1])
        if fits:
            after.stacks = state.stacks[:color] + card[1] + state.stacks[color + 1 :]
            after.tokens = min(TOKENS, state.tokens + (card[1] == "5"))
        else:
            after.discards = (*state.discards, card)
            after.lives -= kind == "play"
            after.tokens += kind == "discard"
        said = "played" if fits else "lost" if kind == "play" else "discarded"
        events = [Event(said, {"seat": seat, "place": number, "card": card})]
        hand = (*state.hands[seat][:number], *state.hands[seat][number + 1 :])
        known = (*state.known[seat][:number], *state.known[seat][number + 1 :])
        if state.deck:
            hand, known, after.deck = (*hand, state.deck[0]), (*known, "??"), state.deck[1:]
            others = {other: {"card": state.deck[0]} for other in range(len(state.hands)) if other != seat}
            events.append(Event("drew", {"seat": seat, "deck": len(after.deck)}, others))
            after.last = None if after.deck else len(state.hands)
        after.hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
        after.known = (*state.known[:seat], known, *state.known[seat + 1 :])
        return after, tuple(events)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the number of cards that were played in order, the same for all seats; none if all lives are lost."""
        score = sum(map(int, state.stacks)) if state.lives or state.keeps else 0
        return (score,) * len(state.hands)

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return the table, the hands of the others, and what is known of each card."""
        return {
            "stacks": {color: int(rank) for color, rank in zip(COLORS, state.stacks, strict=False)},
            "tokens": state.tokens,
            "lives": state.lives,
            "deck": len(state.deck),
            "discards": list(state.discards),
            "hands": [
                list(state.known[owner] if seat in (None, owner) else hand)
                for owner, hand in enumerate(state.hands)
            ],
            "known": [list(one) for one in state.known],
        }

    def format_move(self, move: Move) -> JSON:
        """Return a move as JSON."""
        kind, number, fact = move
        return (
            {"type": kind, "seat": number, "fact": fact}
            if kind == "hint"
            else {"type": kind, "place": number}
        )

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return what happened in a sentence; places count from 1."""
        who = f"Player {event.get('seat')}"
        match event["kind"]:
            case "hinted":
                cards = ", ".join(str(place + 1) for place in event["cards"])
                return f"{who} tells player {event['to']} where {event['fact']} is: {cards}."
            case "drew":
                return f"{who} draws {event.get('card', 'a card')}; the deck has {event['deck']}."
            case "played" | "discarded":
                return f"{who} {'plays' if event['kind'] == 'played' else 'discards'} {event['card']}."
            case "lost":
                return f"{who} plays {event['card']}, which doesn't fit, and a life is lost."
            case "dealt":
                return f"Each has {event['cards']} cards of the colours {', '.join(event['colors'])}."
        return super().describe(event)


GAME = Hanabi()
