"""Waiting for what has to happen soon."""

import re
import time
from collections.abc import Callable

PATIENCE_S = 60.0
"""How long a test waits before it fails; only a failure needs it."""

_BUSY = re.compile(r": (it had no core for \d+ ms; )?the machine is busy \(load \d+ on \d+ cores?\)")


def unhurried(detail: str) -> str:
    """Return what is told of a fault, without the words that a busy machine adds."""
    return _BUSY.sub("", detail)


def eventually(happens: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Wait until something is so; return whether it came to be."""
    until = time.monotonic() + within_s
    while not happens():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
