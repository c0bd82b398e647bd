"""Replay bodies held against the rules of their game."""

from arena import registry
from arena.core.errors import ArenaError
from arena.core.replay import Body, check
from results.errors import RulesMissing


def check_body(body: Body) -> str | None:
    """Return what is wrong with a replay body by the rules, or None. Raises RulesMissing where they are not here."""
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
            f"{name} was played by version {played} of its rules, and version {game.info.version} is installed",
            "verify with the program that it was played with",
        )
    try:
        check(game, body)
    except ArenaError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # a game may be anybody's
        return f"the rules of {name} fail: {type(error).__name__}: {error}"
    return None
