"""Checks replay bodies against the rules of their game."""

from arena.core.errors import ArenaError
from arena.core.replay import Body, check
from arena.league.stored_games import rules_of


def check_body(body: Body) -> str | None:
    """Return which rule a replay body breaks, or None. Raises RulesMissing if this version of the game is not here."""
    name = str(body.get("game"))
    game = rules_of(name, body.get("rules_version"))
    try:
        check(game, body)
    except ArenaError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # games come from plug-ins
        return f"the rules of {name} fail: {type(error).__name__}: {error}"
    return None
