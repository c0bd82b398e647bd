"""Finds what can be added to the arena without an edit to it: games, and whatever else is found by name.

A thing is found in a module or package of its room (for games, `arena.games`) that exports it under the
room's name for it (`GAME`), or through an entry point of another distribution, in the group named like the
room. Finding happens at the first question and is remembered.
"""

import importlib
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from arena.core.errors import ArenaError, UnknownName, UsageError
from arena.core.game import AnyGame, Game
from arena.core.ruleset import GameInfo
from arena.schedules.base import Schedule
from results.errors import BadRating, UnknownRating

T = TypeVar("T")


class BrokenModule(ArenaError):
    """A module that should add something to the arena and cannot; the message names it."""


class PluginFailed(ArenaError):
    """A game, a schedule or a rating system that raised what it should not; the message names it and the line."""


@contextmanager
def blaming(what: str, name: str, thing: object) -> Iterator[None]:
    """Have whatever a plug-in raises name it: `what` it is, its `name`, and the line.

    A UsageError passes, and what a rating refuses: that is how a plug-in refuses what it is asked for.
    """
    try:
        yield
    except (UsageError, BadRating, UnknownRating, PluginFailed):
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


@dataclass(frozen=True, slots=True)
class Room(Generic[T]):
    """One kind of thing that is found by name."""

    what: str
    """In messages: `game`."""
    package: str
    """Where its modules lie, and the group of entry points that adds to them: `arena.games`."""
    attribute: str
    """What a module exports: `GAME`. A module without it is passed over."""
    name: Callable[[T], str]
    """The name of a thing."""
    lacks: Callable[[T], list[str]]
    """The members that a thing lacks; empty where it is one."""

    def find(self) -> Mapping[str, T]:
        """Return everything found, by name in alphabetical order.

        Raises BrokenModule for a module that fails to load, for an export that is not what it should be, and
        for a name that two of them claim.
        """
        found: dict[str, T] = {}
        origins: dict[str, str] = {}
        for origin, thing in (*self._modules(), *self._entry_points()):
            if isinstance(thing, type):
                raise BrokenModule(
                    f"{origin} is a class, and no {self.what} yet",
                    f"export an object of it: {thing.__name__}()",
                )
            lacks = self.lacks(thing)
            if lacks:
                raise BrokenModule(f"{origin} is no {self.what}: it lacks {', '.join(lacks)}")
            name = self.name(thing)
            if name in found and found[name] is not thing:
                raise BrokenModule(
                    f"two {self.what}s are named {name!r}: {origins[name]} and {origin}",
                    "rename one of them, or uninstall the package that brings it",
                )
            found[name] = thing
            origins.setdefault(name, origin)
        return MappingProxyType(dict(sorted(found.items())))

    def _modules(self) -> Iterator[tuple[str, T]]:
        """Yield where a thing comes from and the thing, for each module of the package that exports one."""
        package = _load(self.what, self.package, partial(importlib.import_module, self.package))
        for module_info in pkgutil.iter_modules(package.__path__, self.package + "."):
            origin = module_info.name
            module = _load(self.what, origin, partial(importlib.import_module, origin))
            if hasattr(module, self.attribute):
                yield f"{origin}.{self.attribute}", getattr(module, self.attribute)

    def _entry_points(self) -> Iterator[tuple[str, T]]:
        """Yield the same for each entry point that an installed distribution adds."""
        from importlib.metadata import entry_points  # here, because it loads slowly

        for point in sorted(entry_points(group=self.package), key=lambda point: (point.name, point.value)):
            distribution = f" of {point.dist.name}" if point.dist else ""
            origin = f"{point.value} (entry point {point.name}{distribution})"
            yield origin, _load(self.what, origin, point.load)


def _load(what: str, origin: str, load: Callable[[], Any]) -> Any:
    """Return what `load` gives. Raises BrokenModule with its reason, whatever that was."""
    try:
        return load()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise BrokenModule(
            f"{origin} was to add a {what} and fails to load: {reason}", "mend it, or take it away"
        ) from error


def _missing(thing: object, protocol: type) -> list[str]:
    """Return the public members of a protocol that an object lacks."""
    members = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    return sorted(name for name in members if not name.startswith("_") and not hasattr(thing, name))


_GAMES: Room[AnyGame] = Room(
    what="game",
    package="arena.games",
    attribute="GAME",
    name=lambda game: game.info.name,
    lacks=lambda game: (
        _missing(game, Game) or ([] if isinstance(game.info, GameInfo) else ["an info that is a GameInfo"])
    ),
)


@cache
def games() -> Mapping[str, AnyGame]:
    """Return every game by its name. Raises BrokenModule where one cannot be loaded."""
    return _GAMES.find()


def game(name: str) -> AnyGame:
    """Return the game of that name. Raises UnknownName with the list of games."""
    return _named(_GAMES, games(), name)


_SCHEDULES: Room[Schedule] = Room(
    what="schedule",
    package="arena.schedules",
    attribute="SCHEDULE",
    name=lambda schedule: schedule.name,
    lacks=lambda schedule: _missing(schedule, Schedule),
)


@cache
def schedules() -> Mapping[str, Schedule]:
    """Return every schedule by its name. Raises BrokenModule where one cannot be loaded."""
    return _SCHEDULES.find()


def schedule(name: str) -> Schedule:
    """Return the schedule of that name. Raises UnknownName with the list of schedules."""
    return _named(_SCHEDULES, schedules(), name)


def _named(room: Room[T], found: Mapping[str, T], name: str) -> T:
    if name not in found:
        raise UnknownName(room.what, name, list(found))
    return found[name]
