"""Plays random games of UNO in RLCard's environment."""

import random

import rlcard
from rlcard.agents import RandomAgent

from benchmarks.peers.inside.rounds import serve

ENV = rlcard.make("uno")
AGENT = RandomAgent(num_actions=ENV.num_actions)


def stepped() -> int:
    """Play a game with `env.step`, choosing as plainly as possible."""
    state, _ = ENV.reset()
    decisions = 0
    while not ENV.is_over():
        legal = list(state["legal_actions"])
        state, _ = ENV.step(legal[int(random.random() * len(legal))])
        decisions += 1
    return decisions


def by_its_agent() -> int:
    """Play a game with `env.step` and RLCard's own random agent."""
    state, _ = ENV.reset()
    decisions = 0
    while not ENV.is_over():
        state, _ = ENV.step(AGENT.step(state), AGENT.use_raw)
        decisions += 1
    return decisions


if __name__ == "__main__":
    serve({"RLCard UNO": stepped, "RLCard UNO with its random agent": by_its_agent})
