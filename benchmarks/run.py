"""Runs the benchmarks one after another, prints a line for each comparison, and keeps the results in one JSON file.

    python benchmarks/run.py [--quick] [--peers] [--busy N] [--only NAME [--update]] [--keep FILE]

Each benchmark is a program of its own, and measures both sides in every round. The whole takes about 12 minutes on two
idle cores, with --quick about 3, and never more than the limits of all benchmarks together. Results are kept in
`benchmarks/figures/`, from where `docs/generate.py` takes them; those of --quick are for a look, and kept apart. With
--busy, what users wait for is measured, beside N processes that compute: a load of twice the cores is usual.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgspec

from benchmarks.comparison import Measured
from benchmarks.kept_results import FIGURES, Results, Run, as_text, digits, read
from benchmarks.machine import load, machine

HERE = Path(__file__).parent


class Benchmark(NamedTuple):
    """One benchmark: its program, and how it is run."""

    name: str
    program: str
    full: tuple[str, ...]
    quick: tuple[str, ...]
    limit_s: int
    """It is ended after this long."""


def _benchmark(program: str, full: str = "", quick: str = "", limit_s: int = 60, name: str = "") -> Benchmark:
    return Benchmark(name or Path(program).stem, program, tuple(full.split()), tuple(quick.split()), limit_s)


OWN = (
    _benchmark("referee.py", "--rounds 7 --bots C,Python", "--rounds 2 --bots C,Python --games 20", 90),
    _benchmark(
        "referee.py",
        "--rounds 5 --bots C,Python --wall",
        "--rounds 1 --bots C,Python --wall --games 20",
        name="referee_clock",
    ),
    _benchmark(
        "referee.py",
        "--rounds 3 --bots C,Python --causes",
        "--rounds 1 --bots C,Python --causes --games 20",
        name="referee_causes",
    ),
    _benchmark("codec.py", "--rounds 5 --seconds 0.1", "--rounds 3 --seconds 0.02", 40),
    _benchmark("rating_fold.py", "--rounds 9", "--rounds 3", 60),
    _benchmark("ledger_append.py", "7", "2", 60),
    _benchmark("sandbox_start.py", "30 2000", "6 200", 60),
    _benchmark("freezing.py", "--rounds 5", "--rounds 2", 60),
    _benchmark("league.py", "--rounds 4 --short 2", "--rounds 1 --games 400 --short 1", 300),
    _benchmark("command_start.py", "--rounds 7", "--rounds 2", 60),
    _benchmark("league_start.py", "--rounds 7", "--rounds 2", 60),
    _benchmark("rules_check.py", "--rounds 5", "--rounds 2 --share 0.3", 90),
    _benchmark("planning.py", "--blocks 9", "--blocks 3 --rounds 2", 90),
    _benchmark("playouts.py", "--standard --games 60 --rounds 7", "--standard --games 10 --rounds 2", 40),
    _benchmark("site_pages.py", "3", "1", 240),
    _benchmark("site_load.py", "--slice-s 8 --slices 3", "--slice-s 4 --slices 1", 150),
    _benchmark("waits.py", "--rounds 3", "--rounds 1 --games 40", 300),
)
"""What `make bench` runs: everything that needs no other program to compare with."""
ROUNDS_SHARE = 0.7
"""The share of its limit in which a benchmark begins rounds; on a busy machine it makes fewer of them."""
HURRY_S = 10
"""How long a benchmark may take to clean up after its limit."""
PEERS = (
    _benchmark("peers/psyleague_games.py", "--rounds 5", "--rounds 1 --games 40", 600),
    _benchmark("peers/fastchess_decisions.py", "--rounds 7", "--rounds 2 --games 400", 180),
    _benchmark("peers/kaggle_decisions.py", "--rounds 7", "--rounds 2 --seconds 0.3", 1200),
    _benchmark("peers/playouts_in_process.py", "--rounds 7", "--rounds 2 --seconds 0.1", 900),
)
"""What `make bench-peers` runs. Limits leave time to install the packages at first."""
BUSY = (_benchmark("waits.py", "--rounds 1", "--rounds 1 --games 40", 1200),)
"""What runs beside processes that compute."""
LEFT_OUT = {
    "noise_levels.py": "plays for an hour or more; docs/ratings-measured.md has its figures",
    "cluster_overhead.py": "starts hosts for minutes; docs/scaling.md has its figures",
    "busy_slots.py": "starts hosts for minutes; docs/scaling.md has its figures",
    "scaling_simulation.py": "a simulation; docs/scaling.md has its figures",
    "rotations.py": "plays for a quarter of an hour; docs/schedules-measured.md has its figures",
    "common_deals.py": "plays for an hour; docs/schedules-measured.md has its figures",
    "rotation_squares.py": "a search, whose results stand in arena/core/ticket.py",
    "circles.py": "measures error rates, not speed; docs/ratings-measured.md has its figures",
    "authors.py": "measures error rates, not speed; docs/ratings-measured.md has its figures",
    "coalitions.py": "measures error rates, not speed; docs/ratings-measured.md has its figures",
    "move_prices.py": "measures how right prices of moves are, not speed",
    "long_tasks.py": "drives a browser for minutes; what it prints is for who changes the viewer",
    "forecast.py": "measures how right forecasts are, not speed",
    "ladder_forecast.py": "measures how right forecasts are, not speed; docs/schedules-measured.md has its figures",
    "matchmakers.py": "counts games, not speed; docs/matchmakers.md has its figures",
    "control_variates.py": "measures variances, not speed; docs/ratings-measured.md has its figures",
    "luck.py": "measures luck, not speed, for the luck.json of each game",
    "places_fit.py": "measures intervals, not speed; docs/ratings-measured.md has its figures",
    "race.py": "counts games, not speed; docs/comparing.md has its figures",
    "random_luck.py": "measures luck, not speed; docs/schedules-measured.md has its figures",
    "rating_units.py": "compares ratings by matches and by games; docs/ratings-measured.md has its figures",
    "fit_speed.py": "measures a fit at three sizes; docs/adr/0044-strength-from-scores.md has its figures",
    "score_fit.py": "measures intervals and orders, not speed; docs/ratings-measured.md has its figures",
    "ledger_size.py": "makes a ledger of millions of games; docs/ledger.md has its figures",
    "standing_ladder.py": "a trial of endurance, with nothing to compare",
    "guesses.py": "compares guesses with those of another copy of Arena; docs/thinking-ahead.md has its figures",
    "forced_moves.py": "measures a side channel, not speed; docs/security.md has its figures",
    "side_channels.py": "measures side channels, not speed; docs/security.md has its figures",
    "champion.py": "plays for half an hour or longer; the pages of the games have its figures",
    "optima.py": "tunes and grids of bots in minutes; docs/tuning.md has its figures",
    "real_fields.py": "plays races and ladders of C bots, for an hour on a machine without other load",
    "tuners.py": "counts games, not speed; docs/tuning.md has its figures",
    "trainee.py": "finds the weights of a bot; the page of Sandwich has what they are worth",
    "hands.py": "plays for ten minutes; the page of Bread and Chocolate has its table",
    "search_strength.py": "plays for a quarter of an hour; the page about thinking ahead has its figures",
    "reference_bots.py": "plays leagues for a quarter of an hour; the pages of the games have its tables",
}
"""Programs of this folder that don't compare speeds, and why nobody runs them here."""


def run(benchmark: Benchmark, *, quick: bool) -> Run:
    """Run one benchmark to its end or its limit, and return what it found."""
    began_load, began_s = load(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="arena-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # bots of a sandbox have other users
        told, errors = Path(folder) / "told.json", Path(folder) / "errors.txt"
        command = [sys.executable, str(HERE / benchmark.program)]
        command += [*(benchmark.quick if quick else benchmark.full), "--results", str(told)]
        command += [f"--most-s={ROUNDS_SHARE * benchmark.limit_s}"]
        why = _ended(command, errors, benchmark.limit_s, folder)
        took_s = round(time.monotonic() - began_s, 1)
        if why or not told.exists():
            return Run(benchmark.name, began_load, took_s, skipped=why or "it told nothing")
        found = msgspec.json.decode(told.read_bytes(), type=Measured)
    return Run(benchmark.name, began_load, took_s, found.lines, found.skipped)


def _ended(command: Sequence[str], errors: Path, limit_s: float, folder: str) -> str:
    """Run a command until it ends, at most for a time; return what went wrong, empty if nothing did.

    What it leaves behind, if it has to be killed, is in the folder.
    """
    with errors.open("wb") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, "TMPDIR": folder},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return f"ended after its limit of {limit_s:g} s"
        finally:
            _end(process)
    if code:
        lines = errors.read_text(encoding="utf-8", errors="replace").split("\n")
        return f"failed with exit code {code}: {next((one for one in reversed(lines) if one.strip()), '')}"
    return ""


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a benchmark that is still running, and what it started: first as Ctrl+C does, so that it cleans up."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(HURRY_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Let so many processes compute until the end of the context."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def updated(before: Results, runs: Sequence[Run], order: Sequence[str]) -> Results:
    """Return earlier results with those of some benchmarks replaced, and without those that no longer exist."""
    by_name = {found.name: found for found in (*before.runs, *runs)}
    return msgspec.structs.replace(before, runs=tuple(by_name[name] for name in order if name in by_name))


def show(found: Run) -> None:
    """Print the lines of one benchmark."""
    print(f"\n{found.name} (load {found.load:.1f}, {found.took_s:.0f} s)")
    if found.skipped:
        print(f"  not measured: {found.skipped}")
    for one in found.lines:
        unit = "×" if one.judged == "ratio" else f" {one.unit}"
        spread = f"({digits(one.min)} to {digits(one.max)})"
        goal = "" if one.target is None else f"  {one.target}: {'met' if one.met else 'MISSED'}"
        name = f"{one.name}, {one.setting}" if one.setting else one.name
        print(f"  {name:68} {digits(one.median):>8}{unit} {spread:18}{goal}")
    sys.stdout.flush()


def main() -> int:
    """Run them all; return the exit code: 1 if any failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a look in about 2 minutes")
    parser.add_argument("--peers", action="store_true", help="compare with other programs instead")
    parser.add_argument("--busy", type=int, default=0, help="beside so many processes that compute")
    parser.add_argument("--only", action="append", help="run only this benchmark; may be given several times")
    parser.add_argument(
        "--update",
        action="store_true",
        help="replace the results of --only in the file, and leave the others",
    )
    parser.add_argument("--keep", type=Path, help="the file for the results")
    given = parser.parse_args()
    everything = BUSY if given.busy else PEERS if given.peers else OWN
    wanted = [one for one in everything if not given.only or one.name in given.only]
    about = machine()
    print(
        f"{about.cores} cores, {about.cpu}, {about.kernel}, {about.python}, load {about.load:.1f}; "
        f"at most {sum(one.limit_s for one in wanted) / 60:.0f} minutes"
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the benchmark that runs, too
    began_s = time.monotonic()
    runs = []
    with busy(given.busy):
        for benchmark in wanted:
            runs.append(run(benchmark, quick=given.quick))
            show(runs[-1])
    if everything is OWN and not given.only:
        print("\nleft out")
        for name, why in LEFT_OUT.items():
            print(f"  {name}: {why}")
    took_s = round(time.monotonic() - began_s)
    name = "busy" if given.busy else "peers" if given.peers else "bench"
    kept = given.keep or FIGURES / f"{name}{'-quick' if given.quick else ''}.json"
    before = read(kept) if given.update else None
    if given.keep or not given.only or before:
        kept.parent.mkdir(exist_ok=True)
        results = Results(1, about, given.quick, took_s, tuple(runs), given.busy)
        if before:
            results = updated(before, runs, [one.name for one in everything])
        kept.write_text(as_text(results), encoding="utf-8")
    judged = [one.met for found in runs for one in found.lines if one.met is not None]
    print(f"\n{sum(judged)} of {len(judged)} targets met, in {took_s} s; load now {load():.1f}")
    return any(found.skipped.startswith("failed") for found in runs)


if __name__ == "__main__":
    sys.exit(main())
