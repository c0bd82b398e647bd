"""Test vectors: games as plain data, from which another program can check its rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena import registry
from arena.core.chance import Chance
from arena.core.errors import UsageError
from arena.core.game import AnyGame, Outcome, Recorder, play_chance
from arena.core.replay import event_json
from arena.core.ruleset import ruleset
from arena.core.vectors import vectors
from tests.support.arena_here import arena_here
from tests.support.made_up import load_example


def lines_of(game: AnyGame, rules: str, seats: int, seed: str = "1", number: int = 0) -> list[dict[str, Any]]:
    """Return the lines of a game as they are read from a file."""
    resolved = game.resolve(ruleset(game.info, rules), seats)
    return [json.loads(json.dumps(line)) for line in vectors(game, resolved, seats, seed, number)]
