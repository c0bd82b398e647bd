"""Plays tickets on many hosts, through Dask.distributed: its scheduler, transport, TLS and heartbeats.

What Dask doesn't do is here: hosts that leave no process behind, tickets that are played once, bots that are never
blamed for a host.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.core.errors import UsageError
from arena.executors.base import Executor, ExecutorKind, On
from results.base.children import default_workers


class ClusterSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[executors.cluster]`: hosts that play for this machine.

    Keys:
        on: the scheduler, `tls://host:port`, or `local:N` for N hosts on this machine
        certificates: folder with ca.pem, cert.pem and key.pem; needed for `tls://`
        patience_s: how long to wait for a scheduler or a host that is not there
        least_speed: hosts slower than this part of the fastest host's speed play nothing
        check: part of the results that are checked by the rules, within a fifth of the runner's time
        recheck: part of the games of deterministic bots that are played again on another host, to compare
    """

    on: str = "local:2"
    certificates: str = ""
    patience_s: Annotated[float, Meta(ge=1, le=86_400)] = 600.0
    least_speed: Annotated[float, Meta(ge=0, le=1)] = 0.5
    check: Annotated[float, Meta(ge=0, le=1)] = 1.0
    recheck: Annotated[float, Meta(ge=0, le=1)] = 0.01


def _make(settings: ClusterSettings, workers: int) -> Executor:
    from arena_cluster.executor import ClusterExecutor  # Dask takes half a second to import

    return ClusterExecutor(settings, workers)


def _reach(
    settings: ClusterSettings, given: On, tell: Callable[[str], None]
) -> AbstractContextManager[Executor]:
    """Return the executor for an address, by default that of the settings; `tell` gets lines for people.

    Raises UsageError, also if the hosts at this address can't have so many slots in all.
    """
    from arena_cluster.executor import ClusterExecutor
    from arena_cluster.scheduler_start import LocalHosts

    if given.hosts is not None:
        settings = replace(settings, on=given.hosts)
    if given.certificates is not None:
        settings = replace(settings, certificates=str(given.certificates))
    workers = given.workers
    cluster = ClusterExecutor(settings, workers or default_workers(), tell=tell)
    address = cluster.meeting_place
    if workers is None:
        return cluster
    if not isinstance(address, LocalHosts):
        raise UsageError(
            f"--workers {workers} says nothing to the hosts of {address}, which play with their own slots",
            f"leave out --workers; a host plays N games at a time with: arena host --join {address} --slots N",
        )
    if workers < address.hosts:
        raise UsageError(
            f"--workers {workers} is too few for the hosts of local:{address.hosts}, which have a slot each",
            f"leave out --workers, or write --workers {address.hosts} or more: it is the slots of all its hosts",
        )
    return cluster


EXECUTOR = ExecutorKind("cluster", ClusterSettings, _make, _reach)
