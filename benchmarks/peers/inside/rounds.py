"""What every program inside a peer's environment does: measure once for each line that it reads.

Runs with the peer's Python, so it needs nothing but the standard library. A line is the time for each measurement, in
seconds; the answer is one line of JSON with the CPU time of a decision in µs, by name.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping


def serve(plays: Mapping[str, Callable[[], int]]) -> None:
    """Measure by request; each function plays a game and returns how many decisions it had."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # packages print what they like
    for play in plays.values():
        play()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(
            json.dumps({name: cpu_us(play, float(line)) for name, play in plays.items()}),
            file=answers,
            flush=True,
        )


def cpu_us(play: Callable[[], int], seconds: float) -> float:
    """Return the CPU time of a decision in µs, over as many games as fit into a time."""
    decisions, begun_s = 0, time.process_time()
    while (took_s := time.process_time() - begun_s) < seconds:
        decisions += play()
    return took_s / decisions * 1e6
