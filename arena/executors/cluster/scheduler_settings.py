"""How a scheduler has to behave for Arena: `dask scheduler --preload arena.executors.cluster.scheduler_settings`.

Dask imports it before it makes the scheduler, which reads these settings, and calls `dask_setup` once it listens.
"""

import os
import sys
from typing import Any

import dask

from arena.core.errors import UsageError
from arena.executors.cluster.addresses import scheduler_address

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
            print(f"error: {error}\n  hint: {error.hint}", file=sys.stderr, flush=True)  # noqa: T201
            os._exit(error.exit_code)
    scheduler.allowed_failures = SETTINGS[
        "distributed.scheduler.allowed-failures"
    ]  # read before this was imported
