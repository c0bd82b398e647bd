"""Plays tickets on many hosts, through Dask.distributed: its scheduler, transport, TLS and heartbeats.

What Dask doesn't do is here and in `arena.hosts`: hosts that leave no process behind, tickets that are played once,
bots that are never blamed for a host.
"""

from typing import Annotated

from msgspec import Meta, Struct

from arena.executors.base import Executor, ExecutorKind


class ClusterSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[executors.cluster]`: hosts that play for this machine."""

    on: Annotated[
        str, Meta(description="the scheduler, `tls://host:port`, or `local:N` for N hosts on this machine")
    ] = "local:2"
    certificates: Annotated[
        str, Meta(description="folder with ca.pem, cert.pem and key.pem; needed for `tls://`")
    ] = ""
    patience_s: Annotated[
        float,
        Meta(ge=1, le=86_400, description="how long to wait for a scheduler or a host that is not there"),
    ] = 600.0
    least_speed: Annotated[
        float,
        Meta(ge=0, le=1, description="hosts slower than this part of the fastest host's speed play nothing"),
    ] = 0.5
    check: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="part of the results that are checked by the rules, within a fifth of the runner's time",
        ),
    ] = 1.0
    recheck: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="part of the games of deterministic bots that are played again on another host, to compare",
        ),
    ] = 0.01


def _make(settings: ClusterSettings, workers: int) -> Executor:
    from arena.executors.cluster.executor import ClusterExecutor  # Dask takes half a second to import

    return ClusterExecutor(settings, workers)


EXECUTOR = ExecutorKind("cluster", ClusterSettings, _make)
