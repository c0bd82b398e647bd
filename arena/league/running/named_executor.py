"""An executor chosen by name: what it raises or yields by mistake is blamed on it, not on the league."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from tempfile import gettempdir
from typing import Any

from arena import registry
from arena.config.settings import executor_settings, executor_tables
from arena.core.errors import ArenaError
from arena.executors.base import Executor, ExecutorKind, Lost, PortableWork, Stop, TicketSource
from arena.league.running.work_units import Excused, Failure
from arena.registry import PluginFailed, blaming, plugin_failed
from arena.sandbox.machine_shortage import refusal
from results.records import GameRecord

_AT_AN_END = object()
_RESULTS = (GameRecord, Excused, Failure, Lost)


def executor_named(name: str, workers: int) -> Executor:
    """Return an executor with that many workers. Raises UnknownName, BrokenPlugin, PluginFailed, BadFile, OSError."""
    try:
        kind = registry.executor(name)
    except registry.BrokenPlugin:
        gettempdir()  # libraries look for it when they are loaded: then the machine is at fault, not the executor
        raise
    settings = executor_settings(name, kind.settings)
    module = str(getattr(kind.make, "__module__", None) or type(kind.make).__module__)
    if module.startswith("arena."):
        return kind.make(settings, workers)
    return _NamedExecutor(kind, module, settings, workers)


class _NamedExecutor:
    """An executor of another package. An `Executor`."""

    def __init__(self, kind: ExecutorKind[Any], module: str, settings: Any, workers: int) -> None:
        self._kind = kind
        self._module = module
        with self._blaming():
            self._made = kind.make(settings, workers)
            plays_here = getattr(self._made, "plays_here", None)
        if not isinstance(plays_here, bool):
            raise self._failed(f"{type(self._made).__name__} has no `plays_here` that is True or False")
        if not callable(getattr(self._made, "run", None)):
            raise self._failed(f"{type(self._made).__name__} has no method `run`")
        self.plays_here = plays_here

    def run(
        self, work: PortableWork, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield what the executor yields. Raises PluginFailed for anything but lists of results."""
        with self._blaming():
            given = self._made.run(work, source, stop, held)
        if not isinstance(given, Iterator):
            raise self._failed(f"`run` returned a {type(given).__name__}, not an iterator")
        try:
            while True:
                with self._blaming():
                    chunk: Any = next(given, _AT_AN_END)
                if chunk is _AT_AN_END:
                    return
                self._check(chunk)
                yield chunk
        finally:
            if isinstance(given, Generator):
                with self._blaming():
                    given.close()

    def _check(self, chunk: object) -> None:
        if not isinstance(chunk, list | tuple):
            raise self._failed(f"`run` yielded a {type(chunk).__name__}, not a list of results")
        for one in chunk:
            if not isinstance(one, _RESULTS):
                raise self._failed(
                    f"`run` yielded a list with something of the type {type(one).__name__}, not a result"
                )

    def _blaming(self) -> AbstractContextManager[None]:
        return blaming("executor", self._kind.name, self._kind, module=self._module, passes=_is_not_its_fault)

    def _failed(self, why: str) -> PluginFailed:
        return plugin_failed("executor", self._kind.name, self._kind, why, self._module)


def unused_settings() -> list[str]:
    """Return a warning for each table `[executors.NAME]` of the settings file whose executor is not installed."""
    tables = executor_tables()
    if not tables:
        return []
    found = registry.executors()
    known = {*found, *(broken.name for broken in found.broken)}
    available = ", ".join(found)
    return [
        f"{where}: [executors.{name}] is not used: no executor {name!r} is installed; available: {available}"
        for name, where in tables.items()
        if name not in known
    ]


def _is_not_its_fault(error: Exception) -> bool:
    """Return whether an error is meant for people, or the machine has run out of something."""
    return isinstance(error, ArenaError) or refusal(error) is not None
