"""Descendants of processes, as listed by Linux; empty on other systems."""

import contextlib
import os
from collections.abc import Iterable


def children(pid: int) -> list[int]:
    """Return the children of all threads of a process; empty if it is gone."""
    found: list[int] = []
    tasks = f"/proc/{pid}/task"
    with contextlib.suppress(OSError):
        for task in os.listdir(tasks):  # noqa: PTH208 - faster; runs at many decisions
            with contextlib.suppress(OSError):
                descriptor = os.open(f"{tasks}/{task}/children", os.O_RDONLY)
                try:
                    found += map(int, os.read(descriptor, 65_536).split())
                finally:
                    os.close(descriptor)
    return found


def with_descendants(pids: Iterable[int]) -> list[int]:
    """Return these processes and all their descendants, each once. May miss processes started in the meantime."""
    found = list(pids)
    for pid in found:
        found.extend(child for child in children(pid) if child not in found)
    return found
