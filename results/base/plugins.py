"""Finds plug-ins by name: games, schedules, rating systems and executors, Arena's own and those of other packages.

A plug-in is a module or package in its room (for games, `arena.games`) that exports it under the room's name for it
(`GAME`), or an entry point of another distribution in the room's group. In a room of families, an entry point may be a
function that returns several, each named after the entry point, such as `cards:whist`. A plug-in that fails to load
affects only callers who ask for it by name; all others still load.
"""

import errno
import importlib
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from results.base.errors import LedgerError

if TYPE_CHECKING:
    from importlib.metadata import Distribution


T = TypeVar("T")

_MACHINE_REFUSES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EAGAIN}
"""Errors of a machine that has run out of something: no plug-in is to blame for them."""
_WHAT_LOADING_RAISES = (Exception, SystemExit)
"""An import that calls `sys.exit` counts as a failure like any other."""


NAME = re.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""Names stand in files, on command lines, in paths and addresses."""
_MEMBER = re.compile("[a-z0-9]+([-_][a-z0-9]+)*")
"""The name of one of a family after the colon: as another engine may call it."""
MOST_NAME_CHARS = 64
NAMING = f"lower-case letters and digits, in words joined by hyphens (at most {MOST_NAME_CHARS} characters)"
"""What a name consists of, in words."""


def is_name(name: object, family: str = "") -> bool:
    """Return whether something is a name as plug-ins and their parts may have, in the family of that name if any."""
    if not (isinstance(name, str) and len(name) <= MOST_NAME_CHARS):
        return False
    called, colon, member = name.partition(":")
    if not family:
        return not colon and NAME.fullmatch(name) is not None
    return called == family and NAME.fullmatch(called) is not None and _MEMBER.fullmatch(member) is not None


_OWN: dict[tuple[str, str], Any] = {}
"""Plug-ins that `Room.own` has found, by package and name."""


_FIX = "fix it, or uninstall the package"


class BrokenPlugin(LedgerError):
    """The requested plug-in failed to load; the message names it and the reason."""


class Broken(Struct, frozen=True):
    """A plug-in that failed to load."""

    name: str
    """Its intended name, as far as known: the name of its module or entry point."""
    reason: str
    """Its origin and what is wrong with it, in one line."""
    hint: str

    def error(self) -> BrokenPlugin:
        """Return the exception to raise when this plug-in is needed."""
        return BrokenPlugin(self.reason, self.hint)


class Found(Mapping[str, T]):
    """All working plug-ins of a room, by name in alphabetical order, and the broken ones."""

    def __init__(self, what: str, things: Mapping[str, T], broken: tuple[Broken, ...]) -> None:
        self.what = what
        """The word for messages, such as `game`."""
        self._things = dict(sorted(things.items()))
        self.broken = broken

    def __getitem__(self, name: str) -> T:
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def named(self, name: str, unknown: Callable[[list[str]], Exception]) -> T:
        """Return the plug-in with that name.

        Raises BrokenPlugin if it failed to load. If it doesn't exist, raises the exception that `unknown` creates from
        the existing names; its `hint` also lists what failed to load, because the name may belong to one of these.
        """
        if name in self._things:
            return self._things[name]
        for broken in self.broken:
            if broken.name in (name, name.partition(":")[0]):
                raise broken.error()
        error = unknown(list(self))
        if self.broken:
            failed = "; ".join(broken.reason for broken in self.broken)
            error.advice = f"{getattr(error, 'hint', '')}; failed to load: {failed}"  # type: ignore[attr-defined]
        raise error


class Room(Struct, Generic[T], frozen=True):
    """One kind of plug-in."""

    what: str
    """The word for messages, such as `game`."""
    package: str
    """The package with Arena's own plug-ins, such as `arena.games`."""
    attribute: str
    """The name that a module exports, such as `GAME`. Modules without it are skipped."""
    name: Callable[[T], str]
    """Returns the name of a plug-in."""
    lacks: Callable[[T], list[str]]
    """Returns the members that a plug-in lacks; empty if it is complete."""
    wrong: Callable[[T], str] = lambda _: ""
    """Returns what else stops a complete plug-in from being used, in a sentence; empty if nothing does."""
    group: str = ""
    """The entry-point group for other packages; by default, named after the package."""
    has_families: bool = False
    """Whether an entry point may be a function that returns several plug-ins."""

    def find(self) -> Found[T]:
        """Return all plug-ins found.

        Modules that fail to load, invalid exports and names claimed twice are broken. If an entry point claims the name
        of one of Arena's own plug-ins, only the entry point is broken.
        Raises BrokenPlugin only if the room itself can't be loaded.
        """
        found: dict[str, T] = {}
        origins: dict[str, tuple[bool, str]] = {}
        broken: list[Broken] = []
        doubled: set[str] = set()
        for own, called, origin, family, load in self._each(broken):
            try:
                thing = load()
                if thing is None:
                    continue
                name = self._checked(origin, thing, family)
            except BrokenPlugin as error:
                broken.append(Broken(called, str(error), error.hint))
                continue
            if name not in found:
                found[name], origins[name] = thing, (own, origin)
            elif found[name] is not thing:
                is_ours, before = origins[name]
                if own or not is_ours:
                    doubled.add(name)
                why = f"two {self.what}s are named {name!r}: {before} and {origin}"
                if before == origin:
                    why = f"{origin} lists two {self.what}s named {name!r}"
                hint = "rename one of them, or uninstall the package that brings it"
                broken.append(Broken(name if name in doubled else "", why, hint))
        working = {name: thing for name, thing in found.items() if name not in doubled}
        return Found(self.what, working, tuple(broken))

    def own(self, name: str) -> T | None:
        """Return Arena's own plug-in of that name, if the module named after it exports one; it loads no other.

        None does not mean that there is none: `find` knows, and says what is wrong with one that is broken.
        """
        module_name = f"{self.package}.{name.replace('-', '_')}"
        known = _OWN.get((self.package, name))
        if known is not None and getattr(sys.modules.get(module_name), self.attribute, None) is known:
            return known
        for _, called, origin, load in self._modules():
            if called == name:
                with suppress(BrokenPlugin):
                    thing = load()
                    if thing is not None and self._checked(origin, thing) == name:
                        _OWN[self.package, name] = thing
                        return thing
        return None

    def _each(self, broken: list[Broken]) -> Iterator[tuple[bool, str, str, str, Callable[[], T | None]]]:
        """Yield the plug-ins as `_modules` and `_entry_points` do, with the family before the loader (empty: none).

        Those of a family come one by one; families that fail to load are appended to `broken`.
        """
        for own, called, origin, load in (*self._modules(), *self._entry_points()):
            if own or not self.has_families:
                yield own, called, origin, "", load
                continue
            try:
                export = load()
                if not isinstance(export, FunctionType):
                    yield own, called, origin, "", load
                    continue
                members = load_plugin(self.what, origin, export.__module__, partial(_members, export))
            except BrokenPlugin as error:
                broken.append(Broken(called, str(error), error.hint))
                continue
            for thing in members:
                name = called
                with suppress(Exception):
                    name = str(self.name(thing))
                yield own, name, origin, called, partial(_itself, thing)

    def _checked(self, origin: str, thing: T, family: str = "") -> str:
        """Return the name of a plug-in. Raises BrokenPlugin if it isn't a valid one."""
        if isinstance(thing, type):
            raise BrokenPlugin(
                f"{origin} is a class, not {_with_article(self.what)}",
                f"export an instance, not the class: {thing.__name__}()",
            )
        try:
            lacks = self.lacks(thing)
            name = "" if lacks else self.name(thing)
            wrong = "" if lacks or not is_name(name, family) else self.wrong(thing)
        except Exception as error:
            raise _failed(self.what, origin, type(thing).__module__, error) from error
        if lacks or not isinstance(name, str):
            lacking = ", ".join(lacks) or "a name that is text"
            raise BrokenPlugin(f"{origin} is no {self.what}: it lacks {lacking}", _FIX)
        if not is_name(name, family):
            naming = (
                f"{family}: and lower-case letters and digits, in words joined by - or _"
                if family
                else NAMING
            )
            raise BrokenPlugin(
                f"{origin}, {_with_article(self.what)}, is named {name[:MOST_NAME_CHARS]!r}; a name is {naming}",
                "rename it",
            )
        if wrong:
            where = f"{name} of {origin}" if family else origin
            raise BrokenPlugin(f"{where}, {_with_article(self.what)}, can't be used: {wrong}", _FIX)
        return name

    def _modules(self) -> Iterator[tuple[bool, str, str, Callable[[], T | None]]]:
        """Yield for each module of the package: True, its name, its origin, and a loader of its export (None: none)."""
        try:
            package = importlib.import_module(self.package)
        except _WHAT_LOADING_RAISES as error:
            raise _failed(self.what, self.package, self.package, error) from error
        for module in pkgutil.iter_modules(package.__path__, self.package + "."):
            origin = f"{module.name}.{self.attribute}"
            called = module.name.rpartition(".")[2].replace("_", "-")
            yield True, called, origin, partial(self._export, module.name)

    def _export(self, module_name: str) -> T | None:
        module = load_plugin(
            self.what, module_name, module_name, partial(importlib.import_module, module_name)
        )
        export: T | None = getattr(module, self.attribute, None)
        return export

    def _entry_points(self) -> Iterator[tuple[bool, str, str, Callable[[], T | None]]]:
        """Yield the same, with False, for each entry point of an installed distribution."""
        from importlib.metadata import entry_points  # imported here because it loads slowly

        points = entry_points(group=self.group or self.package)
        for point in sorted(points, key=lambda point: (point.name, point.value)):
            distribution = f" of {point.dist.name}" if point.dist else ""
            origin = f"{point.value} (entry point {point.name}{distribution})"
            yield False, point.name, origin, partial(load_plugin, self.what, origin, point.module, point.load)


def _itself(thing: T) -> T:
    return thing


@cache
def _members(family: Callable[[], Iterable[Any]]) -> list[Any]:
    """Return the plug-ins that a function lists: always the same objects."""
    return list(family())


def distribution_of(thing: object, group: str) -> "Distribution | None":
    """Return the distribution whose entry point provides a plug-in; None for Arena's own."""
    from importlib.metadata import entry_points

    for point in entry_points(group=group):
        try:
            export = point.load()
            if export is thing:
                return point.dist
            if isinstance(export, FunctionType) and any(one is thing for one in _members(export)):
                return point.dist
        except _WHAT_LOADING_RAISES:
            continue  # broken, so it isn't this one
    return None


def package_of(thing: object, group: str, module: str = "") -> str:
    """Return what messages call the package of a plug-in: the name of its distribution, or else of its module.

    `module` replaces the module that the plug-in's type is from.
    """
    distribution = distribution_of(thing, group)
    return distribution.name if distribution else module or type(thing).__module__


def frame_within(error: BaseException, module: str) -> traceback.FrameSummary | None:
    """Return the last frame of a traceback in the package that a module belongs to; None if there is none."""
    frame = _last_frame(error, module)
    return frame[1] if frame else None


def _last_frame(error: BaseException, module: str) -> tuple[str, traceback.FrameSummary] | None:
    """Return the same, with the name of its module. Each of our own modules counts as a package."""
    top = module.partition(".")[0]
    package = module if top in ("arena", "results") else top
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        if name == package or name.startswith(package + "."):
            code = frame.f_code
            found = name, traceback.FrameSummary(code.co_filename, line, code.co_name, lookup_line=False)
    return found


def load_plugin(what: str, origin: str, module: str, load: Callable[[], Any]) -> Any:
    """Return the result of `load`. Raises BrokenPlugin if it fails; errors of the machine pass through unchanged."""
    try:
        return load()
    except MemoryError:
        raise
    except _WHAT_LOADING_RAISES as error:
        if isinstance(error, OSError) and error.errno in _MACHINE_REFUSES:
            raise
        raise _failed(what, origin, module, error) from error


def _with_article(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def _failed(what: str, origin: str, module: str, error: BaseException) -> BrokenPlugin:
    """Return the exception for a plug-in that failed to load, with the last line of its package that ran."""
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    where = ""
    if found := _last_frame(error, module):
        name, frame = found
        parts = frame.filename.split("/")
        depth = name.count(".") + (2 if parts[-1] == "__init__.py" else 1)
        where = f" ({'/'.join(parts[-depth:])}:{frame.lineno})"
    return BrokenPlugin(f"{origin}, {_with_article(what)}, failed to load: {reason}{where}", _FIX)


def missing_members(thing: object, protocol: type) -> list[str]:
    """Return the public members of a protocol that an object lacks, in alphabetical order."""
    members = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    return sorted(name for name in members if not name.startswith("_") and not hasattr(thing, name))
