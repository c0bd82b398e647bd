"""Plays the leagues of all reference bots, one for each game, and prints the tables of the games' pages.

    python benchmarks/reference_bots.py [--game bread-basket] [--store FOLDER]

Each league is `examples/leagues/GAME-bots.toml`. A store that is in the folder already is finished, or only read.
Strengths are those of `arena rankings --fit`. A bot is told apart from another if the fit is 99 % sure that it is
stronger. Its place is a range where bots are tied: from behind all that are surely above it to before all that are
surely below.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from results.analysis.fit import fit
from results.analysis.fit_results import Measure, Strength
from results.analysis.match_sums import match_sums
from results.store import open_store

ROOT = Path(__file__).parents[1]
GAMES = ("bread-basket", "bread-and-chocolate", "sandwich")
SURE = 0.99


def played(game: str, folder: Path) -> Path:
    """Create and run the league of a game, unless it is there; return its store."""
    name, store = f"{game}-bots", folder / f"{game}-bots.sqlite"
    arena = Path(sys.executable).parent / "arena"
    if not store.exists():
        file = ROOT / "examples" / "leagues" / f"{name}.toml"
        subprocess.run([arena, "league", "create", file, "--store", store], check=True, stdout=sys.stderr)
    subprocess.run([arena, "run", name, "--store", store], check=False, stdout=sys.stderr)
    return store


def place(entry: int, strengths: Mapping[int, Strength]) -> str:
    """Return a place, or the range of places that an entry may have."""
    above = sum(entry in (other.above or ()) for other in strengths.values())
    below = len(strengths[entry].above or ())
    best, worst = 1 + above, len(strengths) - below
    return str(best) if best == worst else f"{best}–{worst}"


def table(path: Path) -> list[str]:
    """Return the lines of a league's table in Markdown, the strongest bot first."""
    with open_store(path) as store:
        league = store.leagues.get()
        found = fit(
            match_sums(store.seats.results(league.uuid), Measure.SHARES), confidence=1 - 2 * (1 - SURE)
        )
        strengths = {one.entry_no: one for one in found.strengths}
        rows = {row.entry_no: row for row in store.ratings.standings(league.uuid)}
    lines = [
        "| place | bot | rating μ ± σ | fit, Elo points (98 %) | matches | faults |",
        "|---|---|---|---|---|---|",
    ]
    for one in sorted(found.strengths, key=lambda one: -one.value):
        row = rows[one.entry_no]
        lines.append(
            f"| {place(one.entry_no, strengths)} | `{row.label}` | {row.mu:.1f} ± {row.sigma:.1f} "
            f"| {one.value:+.0f} ({one.low:+.0f} to {one.high:+.0f}) | {row.matches} | {row.faults} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--game", choices=GAMES, action="append", help="only this game; may be repeated")
    parser.add_argument("--store", type=Path, help="folder that keeps the stores; default: a temporary one")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="arena-bots-") as temporary:
        folder = given.store or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for game in given.game or GAMES:
            print(f"{game}:\n", *table(played(game, folder)), "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
