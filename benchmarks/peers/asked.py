"""Asks a program inside a peer's environment to measure, once a round."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.environments import ROOT, NotThere, environment

INSIDE = Path(__file__).parent / "inside"


class Peer:
    """A running program of `inside/`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def cpu_us(self, seconds: float) -> dict[str, float]:
        """Return the CPU time of a decision in µs by name, each measured for so long. Raises NotThere if it ended."""
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
            found: dict[str, float] = json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            raise NotThere("its program ended early") from error
        return found


@contextmanager
def peer(package: str, program: str) -> Iterator[Peer]:
    """Start a program with a package's Python, and end it at the end. Raises NotThere."""
    command = [str(environment(package) / "python"), str(INSIDE / program)]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            raise NotThere(f"{package} is installed, but does not work here")
        yield Peer(process)
