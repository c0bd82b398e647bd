"""What a runner has a host do. Dask calls these functions in the host's worker; `arena.hosts.worker` performs them."""

from typing import Any


def session(token: str, topic: str, packed_work: bytes) -> bytes:
    """Play tickets of some work until the runner ends it; return a `SessionEnd`. A task that lasts as long."""
    return bytes(_here().session(token, topic, packed_work))


def unit(token: str, packed: bytes) -> bytes:
    """Take the tickets of a `Unit`; return a `UnitReport` when one is due. A task."""
    return bytes(_here().unit(token, packed))


def finish(token: str, dask_worker: Any) -> None:
    """Finish the games being played and begin no others."""
    dask_worker.arena.finish(token)


async def end(token: str, dask_worker: Any) -> None:
    """End a session at once; return when none of its processes is left."""
    await dask_worker.arena.end(token)


def give(token: str, sha256: str, content: bytes, why_not: str, dask_worker: Any) -> None:
    """Hand over a version that the host needs, or say why it can't have it."""
    dask_worker.arena.give(token, sha256, content, why_not)


def tell(line: str, is_final: bool, dask_worker: Any) -> None:
    """Tell those who started the host why it plays nothing; `is_final`: it never will, so it ends."""
    dask_worker.arena.tell(line, is_final=is_final)


def _here() -> Any:
    from distributed import get_worker

    return get_worker().arena
