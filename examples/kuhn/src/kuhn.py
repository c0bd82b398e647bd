"""Kuhn poker for Arena: two players, three cards, one bet; most of the game comes from `BaseGame`."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.core.chance import Chance, Rng
from arena.core.game import JSON, Decision, Event, Game, Outcome, Seen
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Ruleset

CARDS = ("J", "Q", "K")
LOST = {"check check": 1, "bet fold": 1, "check bet fold": 1, "bet call": 2, "check bet call": 2}
"""The moves that end a game, and how many chips the loser then loses."""


@dataclass
class State:
    """The card of seat 0, that of seat 1 and the one left over, and the moves so far."""

    deck: tuple[str, ...]
    made: str = ""


class Kuhn(BaseGame[State, str]):
    """Each puts in a chip. Who folds loses it; otherwise the higher card wins it, and one more if a bet was called."""

    info = GameInfo("kuhn", "Kuhn poker", 1, "Three cards, one bet; 2 players.", {"plain": {}}, ())

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        deck = chance.permutation("deck", CARDS)
        return State(deck), (Event("dealt", {}, {seat: {"card": deck[seat]} for seat in (0, 1)}),)

    def turn(self, state: State) -> tuple[Decision[str], ...] | Outcome:
        if state.made in LOST:
            return Outcome(self.scores(state))
        legal = ("fold", "call") if "bet" in state.made else ("check", "bet")
        return (Decision(len(state.made.split()) % 2, "act", legal),)

    def apply(self, state: State, moves: Mapping[int, str]) -> tuple[State, tuple[Event, ...]]:
        self.check(state, moves)
        ((seat, move),) = moves.items()
        after = State(state.deck, f"{state.made} {move}".strip())
        events = [Event("said", {"seat": seat, "move": move})]
        if after.made in LOST and move != "fold":
            events.append(Event("shown", {"cards": list(after.deck[:2])}))
        return after, tuple(events)

    def scores(self, state: State) -> tuple[int, ...]:
        wins = CARDS.index(state.deck[0]) > CARDS.index(state.deck[1])
        if state.made.endswith("fold"):
            wins = state.made == "bet fold"
        chips = LOST.get(state.made, 0)
        return (chips, -chips) if wins else (-chips, chips)

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        table = {"made": state.made, "pot": 2 + state.made.count("bet") + state.made.count("call")}
        return table | ({} if seat is None else {"card": state.deck[seat]})

    def format_move(self, move: str) -> JSON:
        return {"type": move}

    def guess(self, seen: Seen, rng: Rng) -> State:
        hidden = [card for card in CARDS if card != seen.view["card"]]
        rng.shuffle(hidden)
        hidden.insert(seen.seat, seen.view["card"])
        return State(tuple(hidden), seen.view["made"])


GAME: Game[State, str] = Kuhn()
