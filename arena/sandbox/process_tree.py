"""The processes below others, as Linux lists them; none elsewhere."""

import contextlib
import os
from collections.abc import Iterable


def children(pid: int) -> list[int]:
    """Return the children of all threads of a process; none for one that is gone."""
    found: list[int] = []
    tasks = f"/proc/{pid}/task"
    with contextlib.suppress(OSError):
        for task in os.listdir(tasks):  # noqa: PTH208 - this is done at many decisions
            with contextlib.suppress(OSError):
                descriptor = os.open(f"{tasks}/{task}/children", os.O_RDONLY)
                try:
                    found += map(int, os.read(descriptor, 65_536).split())
                finally:
                    os.close(descriptor)
    return found


def with_descendants(pids: Iterable[int]) -> list[int]:
    """Return these processes and all below them, each once; one that is born meanwhile may be missed."""
    found = list(pids)
    for pid in found:
        found.extend(child for child in children(pid) if child not in found)
    return found
