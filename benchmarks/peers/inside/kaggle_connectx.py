"""Plays Connect X in kaggle-environments, with agents that are functions."""

import random
from collections.abc import Callable
from typing import Any

from kaggle_environments import make

from benchmarks.peers.inside.rounds import serve


def any_column(observation: Any, configuration: Any) -> int:
    """Choose any column with room, at once."""
    free = [column for column in range(configuration.columns) if not observation.board[column]]
    return free[int(random.random() * len(free))]


def playing(*, kept: bool) -> Callable[[], int]:
    """Return what plays one game, in an environment that is kept or made anew."""
    environment = make("connectx")

    def play() -> int:
        return len((environment if kept else make("connectx")).run([any_column, any_column])) - 1

    return play


if __name__ == "__main__":
    serve({"environment kept": playing(kept=True), "environment made for each game": playing(kept=False)})
