"""Measures the cost of reading a bot's line and writing an ask, compared with json and bare msgspec.

Each round runs every variant once. Ratios are computed within a round, and the median over all
rounds is reported, so that other load on the machine has little effect. Bare msgspec decodes
untyped values: it doesn't check types and doesn't detect duplicate keys, unknown fields, numbers
that are too large, or deep nesting. json detects even less.

    python benchmarks/codec.py [--rounds 7] [--seconds 0.2]
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgspec

from benchmarks.comparison import Line, add_results_option, keep, ratio_line
from protocol import codec
from protocol.messages import Ask, Time

NO_CHECKS = "The other side checks less: see above."
LINES = {
    "a card": b'{"type":"move","id":17,"move":{"type":"play","card":"7"}}',
    "a discard with a note": b'{"type":"move","id":17,"move":{"type":"discard","cards":["7c","8d","9h"]},'
    b'"note":"sure"}',
    "an unknown field": b'{"type":"move","id":17,"move":{"type":"play","card":"7"},"depth":9}',
}
ASK = Ask(
    17,
    "first_card",
    {"line": ["5", "4", "3", "9"] * 3, "hand": ["7", "9", "C", "O"] * 2, "held": [8, 9], "scores": [31, 17]},
    [{"kind": "played", "seat": 1, "card": "4"}, {"kind": "stopped", "seat": 1}],
    Time(1000, 9400),
    legal=[{"type": "play", "card": card} for card in ("O", "7", "9", "C")]
    + [{"type": "chef", "position": position} for position in range(12)],
)


def decoding(line: bytes) -> dict[str, Callable[[], Any]]:
    """Return the ways to read a line; the first is the baseline."""
    bare = msgspec.json.Decoder().decode
    return {
        "msgspec": lambda: bare(line),
        "codec": lambda: codec.decode(line),
        "json": lambda: json.loads(line),
    }


def encoding() -> dict[str, Callable[[], Any]]:
    """Return the ways to write an ask; the first is the baseline."""
    bare = msgspec.json.Encoder().encode
    plain = msgspec.to_builtins(ASK)
    compact = json.JSONEncoder(separators=(",", ":")).encode
    return {
        "msgspec": lambda: bare(ASK),
        "codec": lambda: codec.encode(ASK),
        "json": lambda: compact(plain).encode(),
    }


def microseconds(work: Callable[[], Any], seconds: float) -> float:
    """Return the CPU time per call, averaged over as many calls as fit into the given time."""
    calls, begun = 0, time.process_time()
    while (took := time.process_time() - begun) < seconds:
        for _ in range(500):
            work()
        calls += 500
    return took / calls * 1e6


def compare(title: str, variants: dict[str, Callable[[], Any]], rounds: int, seconds: float) -> list[Line]:
    """Print each variant's time and its ratio to the first; return the comparisons of ours with the others."""
    times: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, work in variants.items():
            times[name].append(microseconds(work, seconds))
    base = times[next(iter(variants))]
    print(title)
    for name, values in times.items():
        ratio = statistics.median(value / other for value, other in zip(values, base, strict=True))
        spread = f"{min(values):.2f} to {max(values):.2f}"
        print(f"  {name:<8} {statistics.median(values):6.2f} us  ({spread})  {ratio:5.2f} x msgspec")
    ours = ("the codec", times["codec"])
    return [
        ratio_line(
            "the codec ÷ bare msgspec",
            title,
            "µs of CPU time",
            ours,
            ("bare msgspec", times["msgspec"]),
            note=NO_CHECKS,
        ),
        ratio_line(
            "json ÷ the codec", title, "µs of CPU time", ("json", times["json"]), ours, note=NO_CHECKS
        ),
    ]


def main() -> None:
    """Run the comparisons for reading and writing."""
    parser = argparse.ArgumentParser(description="Compare the codec with json and bare msgspec.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="time for each variant and round")
    add_results_option(parser)
    options = parser.parse_args()
    found = []
    for name, given in LINES.items():
        title = f"read {name}, {len(given)} bytes"
        found += compare(title, decoding(given), options.rounds, options.seconds)
    title = f"write an ask, {len(codec.encode(ASK))} bytes"
    found += compare(title, encoding(), options.rounds, options.seconds)
    keep(options.results, found)


if __name__ == "__main__":
    main()
