"""What Python bots with `engine = true` import as `arena_engine`: play on from what they have seen, by the rules.

    from arena_engine import ForwardModel
    from arena_engine.bread_basket_types import View

    def choose(ask, game):
        position = ForwardModel(game).guess(ask)

It is copied under that name to where bots run, next to `arena.core` and `arena.games`, so its modules import each
other relatively and need nothing but the standard library.
"""

from arena.core.errors import IllegalMove

from .forward_model import ForwardModel, NoSuchRules, Position

__all__ = ["ForwardModel", "IllegalMove", "NoSuchRules", "Position"]
