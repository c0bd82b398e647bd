"""The games, schedules and executors there are, by name, and who is to blame when one of them fails.

`results.plugins` says how they are found. That happens at the first question and is remembered.
"""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from arena.core.errors import ArenaError, UnknownName, UsageError
from arena.core.game import AnyGame, Game
from arena.core.late_chance import EndlessDraws
from arena.core.length import EndlessGame
from arena.core.ruleset import GameInfo
from arena.executors.base import ExecutorKind
from arena.schedules.base import Schedule
from results import plugins
from results.errors import LedgerError
from results.plugins import BrokenPlugin, Found, Room, missing_members

if TYPE_CHECKING:
    from importlib.metadata import Distribution

__all__ = [
    "BrokenPlugin",
    "PluginFailed",
    "Room",
    "blaming",
    "distribution_of",
    "executor",
    "executors",
    "game",
    "games",
    "schedule",
    "schedules",
]


class PluginFailed(ArenaError):
    """A game, a schedule or a rating system that raised what it should not; the message names it and the line."""


@contextmanager
def blaming(what: str, name: str, thing: object) -> Iterator[None]:
    """Have whatever a plug-in raises name it: `what` it is, its `name`, and the line.

    Errors meant for people pass: that is how a plug-in refuses what it is asked for.
    """
    try:
        yield
    except (UsageError, LedgerError, PluginFailed, EndlessGame, EndlessDraws):
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        source = getattr(sys.modules.get(type(thing).__module__), "__file__", None)
        frame = next((frame for frame in reversed(frames) if frame.filename == source), frames[-1])
        raise PluginFailed(
            f"the {what} {name!r} of {type(thing).__module__} failed: {type(error).__name__}: {error} "
            f"({frame.filename}:{frame.lineno}, in {frame.name})",
            f"this is a fault of that {what}, not of the league file: mend it, or tell who wrote it",
        ) from error


_OPTIONAL = ("guess",)
"""Members without which a game is one all the same: bots can't think ahead in it."""

_GAMES: Room[AnyGame] = Room(
    what="game",
    package="arena.games",
    attribute="GAME",
    name=lambda game: game.info.name,
    lacks=lambda game: (
        [name for name in missing_members(game, Game) if name not in _OPTIONAL]
        or ([] if isinstance(game.info, GameInfo) else ["an info that is a GameInfo"])
    ),
)


@cache
def games() -> Found[AnyGame]:
    """Return every game by its name, and in `broken` what failed to load."""
    return _GAMES.find()


def game(name: str) -> AnyGame:
    """Return the game of that name. Raises UnknownName with the list of games, and BrokenPlugin."""
    return games().named(name, partial(UnknownName, "game", name))


def distribution_of(game: AnyGame) -> "Distribution | None":
    """Return the installed distribution that brings a game; None for one of Arena's own."""
    return plugins.distribution_of(game, _GAMES.package)


_SCHEDULES: Room[Schedule] = Room(
    what="schedule",
    package="arena.schedules",
    attribute="SCHEDULE",
    name=lambda schedule: schedule.name,
    lacks=lambda schedule: missing_members(schedule, Schedule),
)


@cache
def schedules() -> Found[Schedule]:
    """Return every schedule by its name, and in `broken` what failed to load."""
    return _SCHEDULES.find()


def schedule(name: str) -> Schedule:
    """Return the schedule of that name. Raises UnknownName with the list of schedules, and BrokenPlugin."""
    return schedules().named(name, partial(UnknownName, "schedule", name))


_EXECUTORS: Room[ExecutorKind[Any]] = Room(
    what="executor",
    package="arena.executors",
    attribute="EXECUTOR",
    name=lambda kind: kind.name,
    lacks=lambda kind: missing_members(kind, ExecutorKind),
)


@cache
def executors() -> Found[ExecutorKind[Any]]:
    """Return every kind of executor by its name, and in `broken` what failed to load."""
    return _EXECUTORS.find()


def executor(name: str) -> ExecutorKind[Any]:
    """Return the kind of executor of that name. Raises UnknownName with the list of executors, and BrokenPlugin."""
    return executors().named(name, partial(UnknownName, "executor", name))
