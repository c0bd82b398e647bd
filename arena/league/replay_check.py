"""Checks replay bodies against the rules of their game."""

from arena import registry
from arena.core.errors import ArenaError
from arena.core.replay import Body, check
from results.errors import RulesMissing


def check_body(body: Body) -> str | None:
    """Return which rule a replay body breaks, or None. Raises RulesMissing if this version of the game is not here."""
    name, played = str(body.get("game")), body.get("rules_version")
    try:
        game = registry.game(name)
    except registry.BrokenPlugin as error:
        raise RulesMissing(str(error), error.hint) from error
    except ArenaError as error:
        raise RulesMissing(
            f"there is no game {name!r} on this machine", "install the package that adds it"
        ) from error
    if played != game.info.version:
        raise RulesMissing(
            f"{name} was played with version {played} of its rules, but version {game.info.version} is installed",
            "install the version it was played with, and verify again",
        )
    try:
        check(game, body)
    except ArenaError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # games come from plug-ins
        return f"the rules of {name} fail: {type(error).__name__}: {error}"
    return None
