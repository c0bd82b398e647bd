"""Plays games outside any league in one worker here, and explains those that could not be played."""

import sys
from collections.abc import Iterator
from typing import Any

from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.core.game_length import EndlessGame
from arena.core.late_chance import EndlessDraws
from arena.executors.base import Lost, Stop, TicketSource
from arena.executors.processes import ProcessExecutor
from arena.league.running.game_work import Failure
from arena.league.running.local_games import PreparedGames
from results.plugins import package_of


class GameFailed(ArenaError):
    """A game could not be played, and no bot was at fault."""


def play_here(work: PreparedGames, source: TicketSource, stop: Stop | None = None) -> Iterator[list[Any]]:
    """Yield the results of games that one worker plays here, until `stop` says otherwise."""
    return ProcessExecutor(1).run(work, source, stop or Stop())


def is_endless(result: Failure | Lost) -> bool:
    """Return whether a game did not end, so that a replay would not help."""
    detail = result.detail if isinstance(result, Lost) else result.record.detail
    return any(f"{kind.__module__}.{kind.__name__}: " in detail for kind in (EndlessGame, EndlessDraws))


def why_failed(result: Failure | Lost, game: AnyGame) -> GameFailed:
    """Return the error for a game that could not be played; it blames the game's rules if they failed."""
    if isinstance(result, Lost):
        return GameFailed(f"a game could not be played: {result.detail}", "nothing was rated; try again")
    detail = result.record.detail.strip().splitlines()
    places = [line.strip() for line in detail if line.lstrip().startswith("File ")]
    where = f" ({places[-1]})" if places else ""
    for refused in (EndlessGame, EndlessDraws):
        named = f"{refused.__module__}.{refused.__name__}: "
        if detail[-1].startswith(named):
            return GameFailed(detail[-1].removeprefix(named), f"nothing was rated; {refused.remedy}")
    source = getattr(sys.modules.get(type(game).__module__), "__file__", None)
    if any(f'File "{source}"' in place for place in places):
        return GameFailed(
            f"the game {game.info.name!r} of {package_of(game, 'arena.games')} failed: {detail[-1]}{where}",
            "nothing was rated; this is a bug in the game: fix it, or report it to its author",
        )
    return GameFailed(f"a game could not be played: {detail[-1]}{where}", "nothing was rated; try again")
