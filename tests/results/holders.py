"""Other processes that hold the lock of a store."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOLDS = """
import sys, time
from pathlib import Path
from results.store import holding
with holding(Path(sys.argv[1]), sys.argv[2]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def held_elsewhere(store: Path, does: str) -> "Iterator[subprocess.Popen[str]]":
    """Have another process hold the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(store), does],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()
