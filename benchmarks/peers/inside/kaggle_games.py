"""Plays two games in kaggle-environments, with agents that are functions: its Connect X, and our trick game."""

import random
from collections.abc import Callable
from typing import Any

from kaggle_environments import make

from benchmarks.peers.inside.rounds import serve

CARDS, HAND, NO_CARD = 52, 20, -1
TRICK = {
    "name": "trick",
    "title": "Trick",
    "description": "The trick game of Arena's benchmarks.",
    "version": "1.0.0",
    "agents": [2],
    "configuration": {"episodeSteps": 1000, "actTimeout": 2},
    "reward": {"description": "Tricks.", "type": "integer", "default": 0},
    "observation": {
        "hand": {"description": "Cards.", "type": "array", "items": {"type": "integer"}, "default": []},
        "led": {"description": "The card led.", "type": "integer", "shared": True, "default": NO_CARD},
        "scores": {
            "description": "Tricks.",
            "type": "array",
            "shared": True,
            "items": {"type": "integer"},
            "default": [0, 0],
        },
    },
    "action": {"description": "A card of the hand.", "type": "integer", "minimum": 0, "default": 0},
}

DRAWN = {"renderer": str, "html_renderer": str}


def interpret(state: Any, environment: Any) -> Any:
    """Apply the card of the agent whose turn it is; the rules of `benchmarks/games/trick.py`."""
    shared = state[0].observation
    if environment.done:
        deck = random.sample(range(CARDS), 2 * HAND)
        for seat in (0, 1):
            state[seat].observation.hand = deck[seat * HAND : (seat + 1) * HAND]
        shared.led, shared.scores = NO_CARD, [0, 0]
        state[0].status, state[1].status = "ACTIVE", "INACTIVE"
        return state
    seat = int(state[1].status == "ACTIVE")
    card, hand = state[seat].action, state[seat].observation.hand
    if card not in hand:
        state[seat].status = "INVALID"
        return state
    state[seat].observation.hand = [held for held in hand if held != card]
    if shared.led == NO_CARD:
        shared.led, turn = card, 1 - seat
    else:
        turn = seat if card % 13 > shared.led % 13 else 1 - seat
        shared.scores = [score + (turn == own) for own, score in enumerate(shared.scores)]
        shared.led = NO_CARD
    over = not any(one.observation.hand for one in state)
    for own in (0, 1):
        state[own].reward = shared.scores[own]
        state[own].status = "DONE" if over else "ACTIVE" if own == turn else "INACTIVE"
    return state


def any_column(observation: Any, configuration: Any) -> int:
    """Choose any column with room, at once."""
    free = [column for column in range(configuration.columns) if not observation.board[column]]
    return free[int(random.random() * len(free))]


def first_card(observation: Any) -> int:
    """Play the first card of the hand."""
    return int(observation.hand[0])


def playing(environment: Any, agent: Callable[..., int], decisions: int | None = None) -> Callable[[], int]:
    """Return what plays one game in an environment that is kept; `decisions` is how many it must have."""

    def play() -> int:
        steps = environment.run([agent, agent])
        assert all(one.status == "DONE" for one in steps[-1])
        assert decisions in (None, len(steps) - 1)
        return len(steps) - 1

    return play


if __name__ == "__main__":
    serve(
        {
            "Connect X": playing(make("connectx"), any_column),
            "trick": playing(
                make({"specification": TRICK, "interpreter": interpret, **DRAWN}),
                first_card,
                2 * HAND,
            ),
        }
    )
