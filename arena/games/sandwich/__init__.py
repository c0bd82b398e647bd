"""Sandwich: grab ingredients in a scramble and make sandwiches for your neighbours (source 002, four editions)."""

from arena.core.game import Game
from arena.games.sandwich.game import Sandwich
from arena.games.sandwich.state import Move, State

GAME: Game[State, Move] = Sandwich()
"""The rules of Sandwich."""
