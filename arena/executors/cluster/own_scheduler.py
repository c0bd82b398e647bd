"""A scheduler for the hosts of `local:N`: `python -m arena.executors.cluster.own_scheduler`.

It reads an `Identity` from standard input, as a line of JSON, writes its address to standard output, and ends with its
standard input: when whoever started it ends in any way.
"""

import asyncio
import contextlib
import logging
import os
import sys
from threading import Thread
from typing import Any

import msgspec

from arena.executors.cluster.identity import Identity

SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "30s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.admin.low-level-log-length": 1_000,
    "distributed.admin.log-length": 100,
}
"""Nothing is run again behind the runner's back, and a host that has been silent for half a minute is lost."""


async def _serve(identity: Identity) -> None:
    import dask
    from distributed import Scheduler

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(SETTINGS):
        scheduler = Scheduler(
            host="127.0.0.1",
            port=0,
            protocol="tls://",
            security=identity.security(),
            dashboard_address="127.0.0.1:0",
            dashboard=False,
        )
        await scheduler
        print(scheduler.address, flush=True)  # noqa: T201 - for whoever started it
        await scheduler.finished()


def _end_with_input() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 64):
            pass
    os._exit(0)


def main() -> None:
    """Serve until standard input ends."""
    identity = msgspec.json.decode(sys.stdin.buffer.readline(), type=Identity)
    Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(_serve(identity))


if __name__ == "__main__":
    main()
