"""Chooses how a command confines its bots, and reports it."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

from arena import registry
from arena.checking.trial_start import start_each
from arena.cli.base.lazy_group import PACKAGES
from arena.cli.terminal.messages import say, warn
from arena.config.league_file import LeagueFile
from arena.core.errors import UnknownName, UsageError
from arena.executors.base import Executor, On
from arena.league.create import Starts
from arena.league.running.league_isolation import confine, note, warning
from arena.sandbox.confinement import Confinement
from arena.sandbox.probe import ProbeReport
from arena.sandbox.run_folder import passed_over
from arena.submissions.build import Builder, Say
from arena.submissions.launch_spec import ToStart
from results.base.errors import PackageMissing
from results.base.isolation_levels import Wanted
from results.store import files_beside


def warn_of_confinement(given: Wanted, report: ProbeReport | None) -> None:
    """Warn if bots are not confined."""
    for line in warning(given, report):
        warn(line)


def warn_of_temporary_folder() -> None:
    """Warn if $TMPDIR is set but can't be used: copies of bots go to another folder."""
    if why := passed_over():
        warn(why)


def say_confinement(given: Wanted, report: ProbeReport | None) -> None:
    """Report how the bots of a run are confined, and what is missing."""
    warn_of_temporary_folder()
    warn_of_confinement(given, report)
    if more := note(given, report):
        say(more)


def confined(store: Path, given: Wanted, file: LeagueFile | None = None) -> Confinement:
    """Return how the bots of this command are confined; report what is missing. `store` is the path of the store.

    `file` has the limits for bots, and whether they may think out of turn; default: as without a league.

    Raises UsageError if a sandbox is required and this machine has none.
    """
    warn_of_temporary_folder()
    if file is None:
        confinement, report = confine(store, given)
    else:
        confinement, report = confine(store, given, file.limits, pondering=file.pondering)
    warn_of_confinement(given, report)
    return confinement


def starting(store: Path) -> Starts:
    """Return what starts the bots of a league once, confined as the league file says, before anything is written.

    `store` is the path of the store. On a machine that can't confine them so, they aren't started, which this says.
    """

    def starts(bots: Sequence[ToStart], file: LeagueFile) -> None:
        try:
            confinement = confined(store, file.sandbox, file)
        except UsageError as error:
            say(f"the bots were not started, to see whether they can: {error}")
            return
        start_each(bots, registry.game(file.game), confinement, file.clock.startup_ms, say)

    return starts


def confined_builder(
    store: Path, given: Wanted, told: Say = say
) -> tuple[Callable[[], Confinement], Builder]:
    """Return a function that gives the confinement of this command's bots, and what builds them in it.

    The confinement is found out, and reported, when it is first needed. `told` is told what is built.
    """
    confinement = cache(lambda: confined(store, given))
    return confinement, Builder(files_beside(store), confinement, told)


CLUSTER = "cluster"
"""The name of the executor of `--on`; `--executor cluster` has the address of the settings file."""


@contextmanager
def playing_on(
    on: str | None,
    certificates: Path | None,
    executor: str | None,
    workers: int | None,
    tell: Callable[[str], None],
) -> Iterator[Executor | str | None]:
    """Yield the executor that the options name; `tell` gets lines on hosts. Raises UsageError."""
    if on is None and certificates is not None:
        raise _needs_on()
    if on is None and executor != CLUSTER:
        yield executor
        return
    if on is not None and executor is not None:
        raise UsageError("--on and --executor exclude each other", "leave out one of them")
    with _cluster(on, certificates, workers, tell) as cluster:
        yield cluster


def check_hosts(on: str | None, certificates: Path | None, workers: int | None = None) -> None:
    """Raise UsageError if another command could not begin with these options. Starts and reaches nothing."""
    if on is not None:
        _cluster(on, certificates, workers, lambda _: None)


def _cluster(
    on: str | None, certificates: Path | None, workers: int | None, tell: Callable[[str], None]
) -> AbstractContextManager[Executor]:
    """Return the executor for an address, by default that of the settings file. It hasn't started anything.

    Raises UsageError, also if no package plays on hosts, and BadFile for the settings file.
    """
    from arena.config.settings import executor_settings

    try:
        kind = registry.executor(CLUSTER)
    except UnknownName:
        raise PackageMissing("playing on many machines", PACKAGES["host"]) from None
    reach = getattr(kind, "reach", None)
    if reach is None:
        raise UsageError(f"the executor {CLUSTER!r} takes no --on", "leave it out")
    made: AbstractContextManager[Executor] = reach(
        executor_settings(CLUSTER, kind.settings), On(on, certificates, workers), tell
    )
    return made


def passed_on(on: str | None, certificates: Path | None) -> list[str]:
    """Return the options as words of another command line."""
    if on is None and certificates is not None:
        raise _needs_on()
    return [
        *([] if on is None else ["--on", on]),
        *([] if certificates is None else ["--certificates", str(certificates.absolute())]),
    ]


def typed(on: str | None, certificates: Path | None) -> str:
    """Return the options as they are typed in another command line, each after a space."""
    return "".join(f" {shlex.quote(word)}" for word in passed_on(on, certificates))


def _needs_on() -> Exception:
    return UsageError("--certificates is for hosts", "name the scheduler: --on tls://HOST:PORT")
