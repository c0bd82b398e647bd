"""The games of OpenSpiel for Arena: each that passes Arena's conformance kit is `openspiel:NAME`."""

import json
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from arena.core.game import AnyGame
from arena_openspiel.adapter import OpenSpielGame

SURVEY: dict[str, dict[str, Any]] = json.loads((files(__name__) / "games.json").read_text(encoding="utf-8"))
"""What `check_games.py` has found out about each game of OpenSpiel, by its name there."""


def games() -> list[AnyGame]:
    """Return the games that can be played. Raises ImportError if OpenSpiel isn't installed."""
    if find_spec("pyspiel") is None:
        raise ImportError("OpenSpiel is missing: pip install open_spiel")
    return [OpenSpielGame(name, found) for name, found in SURVEY.items() if not found.get("left_out")]
