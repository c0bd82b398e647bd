"""Bread and Chocolate: get rid of all cards exactly, in three rulesets (sources 001, 003, 004)."""

from arena.core.game import Game
from arena.games.bread_and_chocolate.game import BreadAndChocolate
from arena.games.bread_and_chocolate.moves import Move
from arena.games.bread_and_chocolate.state import State

GAME: Game[State, Move] = BreadAndChocolate()
"""The rules of Bread and Chocolate."""
