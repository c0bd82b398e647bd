"""Looks up games, schedules and executors by name, and blames the right plug-in when one fails.

`results.base.plugins` finds them. Arena's own are looked up in the module of their name; for any other the search runs
once, and its result is cached.
"""

import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from arena.core.errors import ArenaError, UnknownName, UsageError
from arena.core.game import AnyGame, EndlessDraws, EndlessGame, Game, wrong_sides
from arena.core.game_defaults import unwritten
from arena.core.ruleset import MOST_DECIMALS, GameInfo, Ruleset, players, ruleset
from arena.executors.base import ExecutorKind
from arena.schedules.base import Schedule
from results.base import plugins
from results.base.errors import LedgerError
from results.base.plugins import BrokenPlugin, Found, Room
from results.records import Traits

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
    "plugin_failed",
    "schedule",
    "schedules",
]


class PluginFailed(ArenaError):
    """A plug-in raised an unexpected exception or broke a rule of its interface; the message names it and the line."""


def plugin_failed(what: str, name: str, thing: object, why: str, module: str = "") -> PluginFailed:
    """Return the error for a plug-in: `what` it is, its `name`, and what is wrong with what it did.

    `module` replaces the module of the plug-in's type.
    """
    return PluginFailed(
        f"the {what} {name!r} of {plugins.package_of(thing, f'arena.{what}s', module)} failed: {why}",
        f"the {what} is at fault, not the league file: fix it, or report it to its author",
    )


@contextmanager
def blaming(
    what: str,
    name: str,
    thing: object,
    *,
    module: str = "",
    passes: Callable[[Exception], bool] = lambda _: False,
) -> Iterator[None]:
    """Name the plug-in in every exception it raises: `what` it is, its `name`, and the line.

    Errors meant for people pass unchanged: a plug-in uses them to refuse a request. So do those for which `passes` is
    true. `module` replaces the module of the plug-in's type.
    """
    try:
        yield
    except (UsageError, LedgerError, PluginFailed, EndlessGame, EndlessDraws):
        raise
    except Exception as error:
        if passes(error):
            raise
        frame = plugins.frame_within(error, module or type(thing).__module__)
        frame = frame or traceback.extract_tb(error.__traceback__)[-1]
        where = f"{frame.filename}:{frame.lineno}, in {frame.name}"
        why = f"{type(error).__name__}: {error} ({where})"
        raise plugin_failed(what, name, thing, why, module) from error


_OPTIONAL = ("guess",)
"""Optional members of a game: bots can't think ahead in a game without them."""

_OPTION = re.compile("[a-z][a-z0-9_]*")
_CHOICE = re.compile("[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")


def _wrong(game: AnyGame) -> str:
    """Return what is wrong with the names, rulesets, options or numbers of seats of a game; empty if nothing is."""
    info = game.info
    cap = 1 if info.longest_decisions is None else info.longest_decisions
    if type(info.lowest_score) is not int:
        return f"its lowest_score is {info.lowest_score!r}, and should be a whole number"
    if type(info.decimals) is not int or not 0 <= info.decimals <= MOST_DECIMALS:
        return f"its decimals are {info.decimals!r}, and should be a whole number from 0 to {MOST_DECIMALS}"
    for name, number in (("version", info.version), ("longest_decisions", cap)):
        if type(number) is not int or number < 1:
            return f"its {name} is {number!r}, and should be a whole number from 1 up"
    if not info.rulesets:
        return "it has no ruleset, and a game has at least one, such as {'standard': {}}"
    for name in info.rulesets:
        if not plugins.is_name(name):
            return f"its ruleset {name!r} has a name that isn't {plugins.NAMING}"
    for option in info.options:
        if not (_OPTION.fullmatch(option.name) and len(option.name) <= plugins.MOST_NAME_CHARS):
            return (
                f"its option {option.name!r} has a name that isn't lower-case letters, digits and underscores"
            )
        for choice in option.choices:
            if not _CHOICE.fullmatch(choice):
                return (
                    f"its option {option.name} has the choice {choice!r}, and a choice is a word of letters, digits, "
                    "underscores, dots and hyphens"
                )
    names = [option.name for option in info.options]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        return f"it has two options named {doubled!r}"
    try:
        for option in info.options:
            option.check(option.default)
            if option.implied and option.default is not False:
                return f"its option {option.name} is implied, and only a flag that is off by default can be"
    except ArenaError as error:
        return str(error)
    for name, changes in info.rulesets.items():
        try:
            seats = game.seats(ruleset(info, name, changes))
        except ArenaError as error:
            return f"its ruleset {name}: {error}"
        if wrong := wrong_seats(seats) or _wrong_sides(game, ruleset(info, name, changes), seats):
            return f"its ruleset {name} {wrong}"
    return ""


def _wrong_sides(game: Any, rules: Ruleset, seats: range) -> str:
    """Return what is wrong with the sides of a ruleset's tables, as `wrong_seats`."""
    if not hasattr(game, "sides"):
        return ""
    for size in seats:
        with suppress(ArenaError):  # options that don't fit this number of seats
            if wrong := wrong_sides(game.sides(game.resolve(rules, size), size), size):
                return wrong
    return ""


def wrong_seats(seats: object) -> str:
    """Return what is wrong with the numbers of seats of a ruleset, as the rest of a sentence; empty if nothing is."""
    if not (isinstance(seats, range) and seats and seats.step > 0):
        return (
            f"has {repr(seats)[:60]} as its numbers of seats, and these are a range that counts up, such as "
            "range(2, 5) for 2 to 4 players"
        )
    if seats[0] < 1:
        return f"is for {players(seats)}, and a game has at least one seat"
    return ""


_GAMES: Room[AnyGame] = Room(
    what="game",
    package="arena.games",
    attribute="GAME",
    name=lambda game: game.info.name,
    lacks=lambda game: (
        [name for name in plugins.missing_members(game, Game) if name not in _OPTIONAL]
        or [f"a `{name}` of its own" for name in unwritten(game)]
        or ([] if isinstance(game.info, GameInfo) else ["an info that is a GameInfo"])
    ),
    wrong=_wrong,
    has_families=True,
)


@cache
def games() -> Found[AnyGame]:
    """Return all games by name; `broken` lists those that failed to load."""
    return _GAMES.find()


def game(name: str) -> AnyGame:
    """Return the game with that name. Raises UnknownName with the list of games, or BrokenPlugin."""
    return _GAMES.own(name) or games().named(name, partial(UnknownName, "game", name))


def distribution_of(game: AnyGame) -> "Distribution | None":
    """Return the installed distribution that provides a game; None for Arena's own games."""
    return plugins.distribution_of(game, _GAMES.package)


_SCHEDULES: Room[Schedule] = Room(
    what="schedule",
    package="arena.schedules",
    attribute="SCHEDULE",
    name=lambda schedule: schedule.name,
    lacks=lambda schedule: (
        plugins.missing_members(schedule, Schedule)
        or ([] if isinstance(schedule.traits, Traits) else ["traits that are Traits"])
    ),
)


@cache
def schedules() -> Found[Schedule]:
    """Return all schedules by name; `broken` lists those that failed to load."""
    return _SCHEDULES.find()


def schedule(name: str) -> Schedule:
    """Return the schedule with that name. Raises UnknownName with the list of schedules, or BrokenPlugin."""
    return _SCHEDULES.own(name) or schedules().named(name, partial(UnknownName, "schedule", name))


_EXECUTORS: Room[ExecutorKind[Any]] = Room(
    what="executor",
    package="arena.executors",
    attribute="EXECUTOR",
    name=lambda kind: kind.name,
    lacks=lambda kind: [name for name in plugins.missing_members(kind, ExecutorKind) if name != "reach"],
)


@cache
def executors() -> Found[ExecutorKind[Any]]:
    """Return all kinds of executor by name; `broken` lists those that failed to load."""
    return _EXECUTORS.find()


def executor(name: str) -> ExecutorKind[Any]:
    """Return the kind of executor with that name. Raises UnknownName with the list of executors, or BrokenPlugin."""
    return _EXECUTORS.own(name) or executors().named(name, partial(UnknownName, "executor", name))
