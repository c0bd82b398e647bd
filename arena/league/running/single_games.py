"""Plays games outside any league in one worker here, and explains those that could not be played."""

import sys
from collections.abc import Iterator
from typing import Any

from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.executors.base import Lost, Stop, TicketSource
from arena.executors.processes import ProcessExecutor
from arena.league.running.game_work import Failure, Raised
from arena.league.running.local_games import PreparedGames
from results.base.plugins import package_of


class GameFailed(ArenaError):
    """A game could not be played, and no bot was at fault."""


def play_here(work: PreparedGames, source: TicketSource, stop: Stop | None = None) -> Iterator[list[Any]]:
    """Yield the results of games that one worker plays here, until `stop` says otherwise."""
    return ProcessExecutor(1).run(work, source, stop or Stop())


def is_endless(result: Failure | Lost) -> bool:
    """Return whether a game did not end, so that a replay would not help."""
    return isinstance(result, Failure) and result.raised is not None and bool(result.raised.endless)


def why_failed(result: Failure | Lost, game: AnyGame) -> GameFailed:
    """Return the error for a game that could not be played; it blames the game's rules if they failed."""
    if isinstance(result, Failure) and result.raised is not None:
        return why_aborted(result.raised, game)
    detail = result.detail if isinstance(result, Lost) else result.record.detail
    return GameFailed(f"a game could not be played: {detail}", "nothing was rated; try again")


def why_aborted(raised: Raised, game: AnyGame) -> GameFailed:
    """Return the error for a game that an error aborted; it blames the game's rules if they failed."""
    if raised.endless:
        return GameFailed(raised.endless, f"nothing was rated; {raised.remedy}")
    where = ""
    if raised.places:
        file, line, function = raised.places[-1]
        where = f' (File "{file}", line {line}, in {function})'
    source = getattr(sys.modules.get(type(game).__module__), "__file__", None)
    if any(file == source for file, _, _ in raised.places):
        return GameFailed(
            f"the game {game.info.name!r} of {package_of(game, 'arena.games')} failed: {raised.words}{where}",
            "nothing was rated; this is a bug in the game: fix it, or report it to its author",
        )
    return GameFailed(f"a game could not be played: {raised.words}{where}", "nothing was rated; try again")
