"""Kuhn poker, with its rules in JavaScript: `rules.js`, by the description in `game.toml`."""

from pathlib import Path

from arena_rules_program import RulesProgram

GAME = RulesProgram(Path(__file__).parent)
