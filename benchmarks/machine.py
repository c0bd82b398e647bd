"""Facts about the machine that benchmarks run on, without anything that names it or its user."""

import os
import platform
import sys
import time
from pathlib import Path

from msgspec import Struct


class Machine(Struct, frozen=True):
    """What figures depend on."""

    cores: int
    """Cores that this process may use."""
    cpu: str
    """The CPU's model; empty if the system doesn't say."""
    kernel: str
    python: str
    load: float
    """Load average over the last minute, at the start."""
    began: str
    """The day, in UTC."""


def machine() -> Machine:
    """Return the facts as of now."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(
        cores,
        _cpu(),
        f"{platform.system()} {platform.release().partition('-')[0].partition('+')[0]}",
        f"{sys.implementation.name} {platform.python_version()}",
        load(),
        time.strftime("%Y-%m-%d", time.gmtime()),
    )


def load() -> float:
    """Return the load average over the last minute."""
    return round(os.getloadavg()[0], 2)


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
