"""A scheduler for the hosts of `local:N`: `python -m arena.executors.cluster.own_scheduler`.

It reads an `Identity` from standard input, as a line of JSON, writes its address to standard output, and ends with its
standard input: when whoever started it ends in any way.
"""

import asyncio
import contextlib
import os
import sys
from threading import Thread

import msgspec

from arena.executors.cluster.child import hide_memory
from arena.executors.cluster.identity import Identity
from arena.executors.cluster.link import quieten_dask


async def _serve(identity: Identity) -> None:
    import dask
    from distributed import Scheduler

    from arena.executors.cluster import scheduler_settings

    quieten_dask()
    dask.config.set({"distributed.scheduler.http.routes": []})  # that port has no TLS
    scheduler = Scheduler(
        host="127.0.0.1",
        port=0,
        protocol="tls://",
        security=identity.security(),
        dashboard_address="127.0.0.1:0",
        dashboard=False,
        preload=["arena.executors.cluster.scheduler_settings"],
        worker_ttl=scheduler_settings.SETTINGS["distributed.scheduler.worker-ttl"],
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
    hide_memory()
    identity = msgspec.json.decode(sys.stdin.buffer.readline(), type=Identity)
    Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(_serve(identity))


if __name__ == "__main__":
    main()
