"""Measures the cost of the sandbox for starting a bot and for a decision.

Start: the time until the first line is echoed, with `BotProcess` and with a plain Popen of the same arguments, in turn,
so that other load on the machine affects both. The goal is a ratio of at most 1.1. Once per process, joining a control
group takes some milliseconds, as the kernel waits for older readers.

Decision: a round trip through the referee's exchange, with and without a sandbox, and the share of `BotMonitor`.

    python benchmarks/sandbox_start.py [starts [rounds]] [--results FILE]
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.players.asking_for_moves import ask
from arena.players.process import BotProcess
from arena.sandbox.account_slots import Slots
from arena.sandbox.bot_program import Bounds, Program, stage
from arena.sandbox.bubblewrap import launch
from arena.sandbox.bubblewrap_status import Status
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.shared_folder_overlays import Overlays
from benchmarks.comparison import Line, Target, add_results_option, keep, ratio_line
from protocol.messages import DEFAULT_LIMITS, Ask, Time

ECHO = {
    "cat": ("cat",),
    "Python": ("python3", "-S", "-E", "echo.py"),
}
PYTHON_ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\n"
ANSWER = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"type": "move", "id": json.loads(line)["id"], "move": 1}), flush=True)
"""
TOKEN = "benchmark"  # noqa: S105 - a mark, not a secret


def by_us(
    program: Program, place: Path, confinement: Confinement, slots: Slots, overlays: Overlays | None = None
) -> float:
    """Return the milliseconds until a line is echoed, with a BotProcess."""
    begun = time.perf_counter()
    process = BotProcess(program, place, f"{TOKEN}/{place.name}", None, confinement, slots, overlays)
    os.write(process.channel.stdin, b"line\n")
    os.set_blocking(process.channel.stdout, True)
    assert os.read(process.channel.stdout, 100) == b"line\n"
    taken = time.perf_counter() - begun
    process.kill()
    return taken * 1000


def by_popen(
    program: Program, place: Path, confinement: Confinement, overlays: Overlays | None = None
) -> float:
    """Return the same for a plain Popen of the same arguments, in an existing folder."""
    assert confinement.tools is not None
    staged = place / "bot"
    stage(program.folder, staged)
    with launch(
        confinement.tools,
        program,
        staged,
        confinement.bounds,
        slot=1,
        token=f"{TOKEN}/{place.name}",
        overlays=overlays,
    ) as prepared:
        begun = time.perf_counter()
        process = subprocess.Popen(
            prepared.argv,
            env=prepared.env,
            pass_fds=prepared.pass_fds,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"line\n")
        assert process.stdout.read(100) == b"line\n"
        taken = time.perf_counter() - begun
    with Status(prepared.status) as status:
        process.kill()
        process.communicate()
        status.wait_ended(5)
    remove_tree(place)
    return taken * 1000


def starts(confinement: Confinement, count: int, place: Path) -> list[Line]:
    """Measure starts, and print them; return the comparisons with Popen."""
    lines = []
    slots = Slots(distinct=confinement.tools is not None and confinement.tools.as_root)
    tools = None if confinement.tools is None else confinement.tools.overlays
    overlays = None if tools is None else Overlays(tools, place / "overlays")
    folder = place / "echo"
    folder.mkdir()
    (folder / "echo.py").write_text(PYTHON_ECHO)
    for name, command in ECHO.items():
        program = Program(folder, command)
        alone = replace(confinement, delegation=None)
        plain: list[float] = []
        bare: list[float] = []
        ours: list[float] = []
        grouped: list[float] = []
        shared: list[float] = []
        for number in range(count):
            bare.append(by_us(program, place / f"bare-{name}-{number}", UNCONFINED, slots))
            plain.append(by_popen(program, place / f"plain-{name}-{number}", confinement, overlays))
            ours.append(by_us(program, place / f"ours-{name}-{number}", alone, slots, overlays))
            shared.append(by_us(program, place / f"shared-{name}-{number}", alone, slots))
            if confinement.delegation is not None:
                grouped.append(
                    by_us(program, place / f"grouped-{name}-{number}", confinement, slots, overlays)
                )
        print(
            f"start, {name}: {median(plain):6.2f} ms with Popen, {median(ours):6.2f} ms with BotProcess, "
            f"ratio {median(ours) / median(plain):.2f}; without overlays {median(shared):.2f} ms, "
            f"without a sandbox {median(bare):.2f} ms"
            + (f"; in its own control group {median(grouped):.2f} ms" if grouped else "")
        )
        popen = ("Popen of the same arguments", plain)
        what, target = "start a sandboxed bot ÷ Popen of the same arguments", Target(at_most=1.15)
        if grouped:
            of = f"{name}, in its own control group"
            lines.append(ratio_line(what, of, "ms", ("Arena", grouped), popen, target))
        # The target is for bots in control groups. Machines that have none are judged without.
        lines.append(ratio_line(what, name, "ms", ("Arena", ours), popen, None if grouped else target))
    if overlays is not None:
        overlays.close()
    return lines


def round_trips(confinement: Confinement, count: int, place: Path, name: str) -> list[float]:
    """Return the microseconds of each decision; print them with the share of the monitor."""
    folder = place / f"answer-{name.replace(' ', '-')}"
    folder.mkdir()
    (folder / "bot.py").write_text(ANSWER)
    slots = Slots(distinct=confinement.tools is not None and confinement.tools.as_root)
    process = BotProcess(
        Program(folder, ("python3", "-S", "-E", "bot.py")),
        place / f"r-{folder.name}",
        TOKEN,
        None,
        confinement,
        slots,
    )
    taken: list[float] = []
    for number in range(1, count + 1):
        begun = time.perf_counter()
        message = Ask(number, "bid", {}, [], Time(1000, 0), legal=[1])
        ask(process, message, 30_000_000_000, DEFAULT_LIMITS)
        taken.append((time.perf_counter() - begun) * 1e6)
    monitor = process.monitor

    def turn() -> None:
        now_ns = time.monotonic_ns()
        monitor.begin_quick_turn(now_ns)
        monitor.end_turn(now_ns)

    turns = _each(turn, count)
    process.kill()
    print(f"decision, {name}: {median(taken):6.1f} µs there and back; watching {turns:.1f} µs of it")
    return taken


def _each(work: Callable[[], None], count: int) -> float:
    taken = []
    for _ in range(count):
        begun = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begun) * 1e6)
    return median(taken)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("starts", type=int, nargs="?", default=40)
    parser.add_argument("rounds", type=int, nargs="?", default=3_000)
    add_results_option(parser)
    given = parser.parse_args()
    confinement, report = choose("auto", Bounds())
    print(report.lines()[0])
    if confinement.tools is None:
        keep(given.results, [], "there is no sandbox on this machine")
        sys.exit("there is no sandbox on this machine")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # like a worker and its bots
    with TemporaryDirectory(prefix="arena-benchmark-") as folder:
        place = Path(folder)
        lines = starts(confinement, given.starts, place)
        columns = [("no sandbox", UNCONFINED), ("sandbox", replace(confinement, delegation=None))]
        if confinement.delegation is not None:
            columns.append(("sandbox, frozen between turns", confinement))
        for name, kept in columns:
            round_trips(kept, given.rounds, place, name)
    keep(given.results, lines)


if __name__ == "__main__":
    main()
