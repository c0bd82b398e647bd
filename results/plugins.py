"""Finds plug-ins by name: games, schedules, rating systems and executors, ours and those of other distributions.

A plug-in is found in a module or package of its room (for games, `arena.games`) that exports it under the room's
name for it (`GAME`), or through an entry point of another distribution, in the room's group. One that fails to
load harms only who asks for it by name: the others are found all the same.
"""

import errno
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from results.errors import LedgerError

if TYPE_CHECKING:
    from importlib.metadata import Distribution

T = TypeVar("T")

_MACHINE_REFUSES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EAGAIN}
"""Errors of a machine that has run out of something: no plug-in is to blame for them."""
_WHAT_LOADING_RAISES = (Exception, SystemExit)
"""An import that calls `sys.exit` fails like any other."""


class BrokenPlugin(LedgerError):
    """A plug-in that was asked for and failed to load; the message names it, with the reason."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A plug-in that failed to load."""

    name: str
    """What it was to be called, as far as that is known: its module's or its entry point's name."""
    reason: str
    """Where it comes from and what is wrong with it, as one line."""
    hint: str

    def error(self) -> BrokenPlugin:
        """Return what is raised where this plug-in is needed."""
        return BrokenPlugin(self.reason, self.hint)


class Found(Mapping[str, T]):
    """All plug-ins of a room that work, by name in alphabetical order, and those that don't."""

    def __init__(self, what: str, things: Mapping[str, T], broken: tuple[Broken, ...]) -> None:
        self.what = what
        """In messages: `game`."""
        self._things = dict(sorted(things.items()))
        self.broken = broken

    def __getitem__(self, name: str) -> T:
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def named(self, name: str, unknown: Callable[[list[str]], Exception]) -> T:
        """Return the plug-in of that name.

        Raises BrokenPlugin where it failed to load, and otherwise what `unknown` makes of the names there are.
        Its `hint` then also says what failed to load, because the name may be that one's.
        """
        if name in self._things:
            return self._things[name]
        for broken in self.broken:
            if broken.name == name:
                raise broken.error()
        error = unknown(list(self))
        if self.broken:
            failed = "; ".join(broken.reason for broken in self.broken)
            error.hint = f"{getattr(error, 'hint', '')}; failed to load: {failed}"  # type: ignore[attr-defined]
        raise error


@dataclass(frozen=True, slots=True)
class Room(Generic[T]):
    """One kind of plug-in."""

    what: str
    """In messages: `game`."""
    package: str
    """Where ours lie: `arena.games`."""
    attribute: str
    """What a module exports: `GAME`. A module without it is passed over."""
    name: Callable[[T], str]
    """The name of a plug-in."""
    lacks: Callable[[T], list[str]]
    """The members that a plug-in lacks; empty where it is one."""
    group: str = ""
    """The entry points that add to them; left out, the group is called like the package."""

    def find(self) -> Found[T]:
        """Return everything found.

        Broken are modules that fail to load, exports that are not what they should be, and names that two claim;
        an entry point that claims the name of one of ours is broken, and ours is not.
        Raises BrokenPlugin only where the room itself can't be loaded.
        """
        found: dict[str, T] = {}
        origins: dict[str, tuple[bool, str]] = {}
        broken: list[Broken] = []
        doubled: set[str] = set()
        for own, called, origin, load in (*self._modules(), *self._entry_points()):
            try:
                thing = load()
                if thing is None:
                    continue
                name = self._checked(origin, thing)
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
                hint = "rename one of them, or uninstall the package that brings it"
                broken.append(Broken(name if name in doubled else "", why, hint))
        working = {name: thing for name, thing in found.items() if name not in doubled}
        return Found(self.what, working, tuple(broken))

    def _checked(self, origin: str, thing: T) -> str:
        """Return the name of a plug-in. Raises BrokenPlugin for what is none."""
        if isinstance(thing, type):
            raise BrokenPlugin(
                f"{origin} is a class, not a {self.what}",
                f"export an instance, not the class: {thing.__name__}()",
            )
        try:
            lacks = self.lacks(thing)
            name = "" if lacks else self.name(thing)
        except Exception as error:
            raise _failed(self.what, origin, error) from error
        if lacks or not isinstance(name, str):
            lacking = ", ".join(lacks) or "a name that is text"
            raise BrokenPlugin(
                f"{origin} is no {self.what}: it lacks {lacking}", "fix it, or uninstall the package"
            )
        return name

    def _modules(self) -> Iterator[tuple[bool, str, str, Callable[[], T | None]]]:
        """Yield, for each module of the package: True, its name, where it is, what loads its export (None: none)."""
        try:
            package = importlib.import_module(self.package)
        except _WHAT_LOADING_RAISES as error:
            raise _failed(self.what, self.package, error) from error
        for module in pkgutil.iter_modules(package.__path__, self.package + "."):
            origin = f"{module.name}.{self.attribute}"
            called = module.name.rpartition(".")[2].replace("_", "-")
            yield True, called, origin, partial(self._export, module.name)

    def _export(self, module_name: str) -> T | None:
        module = _load(self.what, module_name, partial(importlib.import_module, module_name))
        export: T | None = getattr(module, self.attribute, None)
        return export

    def _entry_points(self) -> Iterator[tuple[bool, str, str, Callable[[], T | None]]]:
        """Yield the same, with False, for each entry point that an installed distribution adds."""
        from importlib.metadata import entry_points  # here, because it loads slowly

        points = entry_points(group=self.group or self.package)
        for point in sorted(points, key=lambda point: (point.name, point.value)):
            distribution = f" of {point.dist.name}" if point.dist else ""
            origin = f"{point.value} (entry point {point.name}{distribution})"
            yield False, point.name, origin, partial(_load, self.what, origin, point.load)


def distribution_of(thing: object, group: str) -> "Distribution | None":
    """Return the distribution whose entry point brings a plug-in; None for one of ours."""
    from importlib.metadata import entry_points

    for point in entry_points(group=group):
        try:
            if point.load() is thing:
                return point.dist
        except _WHAT_LOADING_RAISES:
            continue  # broken, so it is another one
    return None


def _load(what: str, origin: str, load: Callable[[], Any]) -> Any:
    """Return what `load` gives. Raises BrokenPlugin with its reason, and what the machine refuses as it is."""
    try:
        return load()
    except MemoryError:
        raise
    except _WHAT_LOADING_RAISES as error:
        if isinstance(error, OSError) and error.errno in _MACHINE_REFUSES:
            raise
        raise _failed(what, origin, error) from error


def _failed(what: str, origin: str, error: BaseException) -> BrokenPlugin:
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    article = "an" if what[0] in "aeiou" else "a"
    return BrokenPlugin(
        f"{origin}, {article} {what}, failed to load: {reason}",
        "fix it, or uninstall the package",
    )


def missing_members(thing: object, protocol: type) -> list[str]:
    """Return the public members of a protocol that an object lacks, in alphabetical order."""
    members = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    return sorted(name for name in members if not name.startswith("_") and not hasattr(thing, name))
