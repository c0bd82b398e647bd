"""`--on`: the hosts that play the games of a command."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.executors.base import Executor
    from arena.executors.cluster.addresses import LocalHosts, SchedulerAddress
    from arena.executors.cluster.executor import ClusterExecutor

OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="HOSTS",
        help="Play on many hosts: `tls://HOST:PORT` of a Dask scheduler, or `local:N` for N hosts on this machine, "
        "which share its cores or `--workers`. Default: worker processes of this machine.",
    ),
]
CertificatesOption = Annotated[
    Path | None,
    typer.Option(
        "--certificates",
        metavar="FOLDER",
        help="The certificates of the cluster, for `tls://`; default: those of the settings file.",
    ),
]
CLUSTER = "cluster"
"""The name of the executor of `--on`; `--executor cluster` has the address of the settings file."""


@contextmanager
def playing_on(
    on: str | None,
    certificates: Path | None,
    executor: str | None,
    workers: int | None,
    tell: Callable[[str], None],
) -> "Iterator[Executor | str | None]":
    """Yield the executor that the options name; `tell` gets lines on hosts. Raises UsageError."""
    if on is None and certificates is not None:
        raise _needs_on()
    if on is None and executor != CLUSTER:
        yield executor
        return
    from arena.core.errors import UsageError

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
) -> "ClusterExecutor":
    """Return the executor for an address, by default that of the settings file. It hasn't started anything.

    Raises UsageError, and BadFile for the settings file.
    """
    from msgspec import structs

    from arena.config.settings import executor_settings
    from arena.executors.cluster import ClusterSettings
    from arena.executors.cluster.executor import ClusterExecutor
    from arena.league.running.run import default_workers

    settings = executor_settings(CLUSTER, ClusterSettings)
    if on is not None:
        settings = structs.replace(settings, on=on)
    if certificates is not None:
        settings = structs.replace(settings, certificates=str(certificates))
    made = ClusterExecutor(settings, workers or default_workers(), tell=tell)
    if workers is not None:
        _check_workers(made.meeting_place, workers)
    return made


def _check_workers(address: "LocalHosts | SchedulerAddress", workers: int) -> None:
    """Raise UsageError if the hosts at this address can't have so many slots in all."""
    from arena.core.errors import UsageError
    from arena.executors.cluster.addresses import LocalHosts

    if not isinstance(address, LocalHosts):
        raise UsageError(
            f"--workers {workers} says nothing to the hosts of {address.url}, which play with their own slots",
            f"leave out --workers; a host plays N games at a time with: arena host --join {address.url} --slots N",
        )
    if workers < address.hosts:
        raise UsageError(
            f"--workers {workers} is too few for the hosts of local:{address.hosts}, which have a slot each",
            f"leave out --workers, or write --workers {address.hosts} or more: it is the slots of all its hosts",
        )


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
    from arena.core.errors import UsageError

    return UsageError("--certificates is for hosts", "name the scheduler: --on tls://HOST:PORT")
