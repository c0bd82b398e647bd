"""How a scheduler has to behave for Arena: `dask scheduler --preload arena_cluster.scheduler_preload`.

Dask imports it before it makes the scheduler, which reads these settings, and calls `dask_setup` once it listens.

As a program, it is the scheduler for the hosts of `local:N`: its parent sends it an `Identity`, and gets its address.
"""

import asyncio
import os
import sys
from typing import Any

import dask

from arena.core.errors import UsageError
from arena_cluster.identity import Identity, hide_memory
from arena_cluster.link import quieten_dask
from arena_cluster.scheduler_start import scheduler_address
from results.base.children import Pipe, to_parent

SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "30s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": ["distributed.http.scheduler.prometheus", "distributed.http.health"],
    "distributed.admin.low-level-log-length": 1_000,
    "distributed.admin.log-length": 100,
}
"""Nothing is run again behind the runner's back, and a host that has been silent for half a minute is lost."""

dask.config.set(SETTINGS)


def dask_setup(scheduler: Any) -> None:
    """End a scheduler without TLS."""
    for listener in scheduler.listeners:
        try:
            scheduler_address(str(listener.contact_address))
        except UsageError as error:  # Dask only logs what is raised here, and goes on
            print(f"error: {error}\n  hint: {error.hint}", file=sys.stderr, flush=True)
            os._exit(error.exit_code)
    scheduler.allowed_failures = SETTINGS[
        "distributed.scheduler.allowed-failures"
    ]  # read before this was imported


async def _serve(parent: Pipe[Identity], identity: Identity) -> None:
    from distributed import Scheduler

    quieten_dask()
    dask.config.set({"distributed.scheduler.http.routes": []})  # that port has no TLS
    scheduler = Scheduler(
        host="127.0.0.1",
        port=0,
        protocol="tls://",
        security=identity.security(),
        dashboard_address="127.0.0.1:0",
        dashboard=False,
        preload=["arena_cluster.scheduler_preload"],
        worker_ttl=SETTINGS["distributed.scheduler.worker-ttl"],
    )
    await scheduler
    parent.send(scheduler.address)
    await scheduler.finished()


def main() -> None:
    """Serve until the parent ends."""
    hide_memory()
    parent = to_parent(Identity)
    if identity := parent.receive():
        parent.listen(at_end=lambda: os._exit(0))
        asyncio.run(_serve(parent, identity))


if __name__ == "__main__":
    # not this copy: Dask imports the module by its name, as a preload
    from arena_cluster import scheduler_preload

    scheduler_preload.main()
