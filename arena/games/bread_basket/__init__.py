"""Bread Basket: sandwiches and soups in one shared line of cards (source 000, beta rules 2.1)."""

from arena.core.game import Game
from arena.games.bread_basket.game import BreadBasket
from arena.games.bread_basket.state import State

GAME: Game[State, int] = BreadBasket()
"""The rules of Bread Basket."""
