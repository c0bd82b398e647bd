"""Measures the bots in C, the champions, against the others of their game: by table size, ruleset and time.

    python benchmarks/champion.py baker [--only tens] [--matches 20]

Each meeting is a league of its own, played as any league is: in the sandbox, under the clock, every deal in all
rotations; or games in this process, where the other bots count worlds and look at no clock. Every second seat has the
first bot, the rest the other. What is found goes to `benchmarks/figures/CHAMPION.json`; `make docs` draws the plot of
the game's page from it, and `--tables` prints the tables. A meeting that is there is played again only with `--again`.
A share is that of pairs of seats that the first bot won, a tie counting half; errors are by matches, as the games of a
match share their deal. Without a C compiler, it says so and plays nothing.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena import registry  # noqa: E402
from arena.core.ruleset import ruleset  # noqa: E402
from benchmarks.in_process import Player, play  # noqa: E402
from results.store import Store, open_store  # noqa: E402


@dataclass(frozen=True)
class Meeting:
    """A bot against another."""

    group: str
    one: str
    other: str
    matches: int
    seats: int = 2
    ruleset: str = "tens"
    ms: float = 4
    move_ms: int = 1000
    """The league's clock: `dreamer` thinks for a third of it."""
    options: Mapping[str, object] = field(default_factory=dict)
    in_process: bool = False
    """Played by the rules alone, without a sandbox, a referee and the clock."""

    @property
    def name(self) -> str:
        """What it is called in the figures."""
        rules = "+".join([self.ruleset, *self.options])
        return f"{self.group}/{self.one}/{self.other}/{rules}/{self.seats}/{self.ms:g}"

    def file(self, game: str) -> str:
        """Return the league file."""
        lines = [
            'name = "champion"',
            f'game = "{game}"',
            f'ruleset = "{self.ruleset}"',
            f"seats = {self.seats}",
            'rotations = "balanced"',
            "seed = 7",
            "workers = 1",
            "[options]",
            *(f"{key} = {json.dumps(value)}" for key, value in self.options.items()),
            "[schedule]",
            'kind = "round-robin"',
            f"rounds = {self.matches}",
            "[clock]",
            f"move_ms = {self.move_ms}",
        ]
        for number in range(self.seats):
            name = self.other if number % 2 else self.one
            folder = ROOT / "bots" / ("any_game" if name == "random" else game.replace("-", "_")) / name
            lines += ["[[bots]]", f'path = "{folder}"', f'label = "{name} {number // 2}"']
            if name in CHAMPIONS:
                lines.append(f'args = ["--ms", "{self.ms:g}"]')
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Champion:
    """What is measured of the champion of a game."""

    game: str
    meetings: tuple[Meeting, ...]


CHAMPIONS = {
    "baker": Champion(
        "bread-basket",
        (
            *(
                Meeting("time", "baker", "counter", matches, ms=ms)
                for ms, matches in ((1, 60), (3, 60), (10, 60), (30, 30), (100, 15))
            ),
            Meeting("tens", "baker", "counter", 60),
            Meeting("tens", "baker", "counter", 30, seats=4),
            Meeting("tens", "baker", "dreamer", 40, ms=33, move_ms=3000),
            Meeting("tens", "baker", "dreamer", 60, seats=4, ms=33, move_ms=3000),
            Meeting("rulesets", "baker", "counter", 100, ruleset="none"),
            Meeting("rulesets", "baker", "counter", 100, ruleset="extra"),
            Meeting("rulesets", "baker", "counter", 100, options={"chef_second": True}),
            *(
                Meeting("tens", "baker", other, 20)
                for other in ("reader", "worrier", "crumb", "greedy", "random")
            ),
            Meeting("steps", "dreamer", "counter", 100, move_ms=3000),
            Meeting("steps", "dreamer", "counter", 16, seats=4, move_ms=3000),
            *(
                Meeting("steps", one, other, matches, seats=seats)
                for seats in (2, 4)
                for one, other, matches in (
                    ("counter", "reader", 150),
                    ("reader", "greedy", 60),
                    ("crumb", "greedy", 40),
                    ("counter", "greedy", 40),
                    ("greedy", "random", 10),
                )
            ),
        ),
    ),
    "gourmet": Champion(
        "sandwich",
        (
            Meeting("fr", "gourmet", "learner", 40, seats=4, ruleset="fr"),
            Meeting("fr", "gourmet", "learner", 20, seats=6, ruleset="fr"),
            *(Meeting("rulesets", "gourmet", "learner", 100, seats=4, ruleset=name) for name in ("en", "de")),
            *(Meeting("time", "gourmet", "learner", 20, seats=4, ruleset="fr", ms=ms) for ms in (1, 10, 100)),
            *(
                Meeting("steps", one, other, matches, seats=seats, ruleset="fr")
                for seats in (4, 6)
                for one, other, matches in (
                    ("learner", "apprentice", 30),
                    ("apprentice", "greedy", 10),
                    ("greedy", "random", 5),
                )
            ),
        ),
    ),
    "chocolatier": Champion(
        "bread-and-chocolate",
        tuple(
            replace(meeting, in_process=True)
            for meeting in (
                *(
                    Meeting("pagat", one, other, matches, ruleset="pagat")
                    for one, other, matches in (("greedy", "random", 50), ("blocker", "greedy", 100))
                ),
                *(
                    Meeting("pagat", one, other, matches, ruleset="pagat", ms=10, options={"hands": 4})
                    for one, other, matches in (
                        ("rememberer", "blocker", 80),
                        ("chocolatier", "rememberer", 60),
                        ("chocolatier", "gardener", 60),
                    )
                ),
                *(
                    Meeting("rulesets", one, other, matches, seats, ruleset, ms=10, options={"hands": hands})
                    for ruleset, seats, matches, hands in (
                        ("gamerules", 2, 10, 10),
                        ("shram", 2, 10, 10),
                        ("shram", 4, 25, 4),
                    )
                    for one, other in (
                        ("chocolatier", "rememberer"),
                        ("rememberer", "blocker"),
                        ("blocker", "greedy"),
                        ("greedy", "random"),
                    )
                ),
                *(
                    Meeting(
                        "time",
                        "chocolatier",
                        "rememberer",
                        matches,
                        ruleset="pagat",
                        ms=ms,
                        options={"hands": 4},
                    )
                    for ms, matches in ((1, 20), (3, 20), (10, 20), (30, 20), (100, 10))
                ),
            )
        ),
    ),
}

Scores = Mapping[tuple[int, int], tuple[Sequence[float], Sequence[float]]]
"""By match and rotation: the scores of the first bot's seats, and of the other's."""


def played(meeting: Meeting, game: str, folder: Path) -> dict[str, Any]:
    """Play a league to its end, or its games in this process; return what came of it."""
    if meeting.in_process:
        return played_here(meeting, game)
    arena = Path(sys.executable).parent / "arena"
    file, path = folder / "league.toml", folder / f"{meeting.name.replace('/', '-')}.sqlite"
    file.write_text(meeting.file(game), encoding="utf-8")
    subprocess.run([arena, "league", "create", file, "--store", path], check=True, stdout=sys.stderr)
    subprocess.run([arena, "run", "champion", "--store", path], check=True, stdout=subprocess.DEVNULL)
    with open_store(path) as store:
        games, faults = results_of(store)
        found = {**summed(games), "faults": faults}
        return found | ({"habits": habits(store, meeting.seats)} if game == "bread-basket" else {})


def played_here(meeting: Meeting, game: str) -> dict[str, Any]:
    """Play each deal twice in this process, with the sides exchanged; return what came of it."""
    rules, folder = registry.game(game), game.replace("-", "_")
    options = dict(meeting.options)
    resolved = rules.resolve(ruleset(rules.info, meeting.ruleset, options), meeting.seats)
    bots = [
        Player(
            f"{'any_game' if name == 'random' else folder}/{name}",
            arguments=("--ms", f"{meeting.ms:g}") if name in CHAMPIONS else (),
        )
        for name in (meeting.one, meeting.other)
    ]
    games = {}
    for match in range(meeting.matches):
        for side in (0, 1):
            rng = random.Random(f"{meeting.name}/{match}/{side}")
            players = [bots[(seat + side) % 2] for seat in range(meeting.seats)]
            found = play(rules, resolved, players, f"champion/{match}", rng).scores
            games[match, side] = (list(found[side::2]), list(found[1 - side :: 2]))
    return summed(games)


def results_of(store: Store) -> tuple[Scores, int]:
    """Return the scores of all games, and how many seats were forfeited."""
    games: dict[tuple[int, int], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    faults = 0
    for block in store.seats.results(store.leagues.get().uuid):
        for row in block:
            games[row.match_no, row.rotation][row.entry_no % 2].append(row.score)
            faults += row.forfeited
    return games, faults


def summed(games: Scores) -> dict[str, Any]:
    """Return share and lead of the first bot's seats, with their standard errors over the matches."""
    shares: dict[int, list[float]] = defaultdict(list)
    leads: dict[int, list[float]] = defaultdict(list)
    for (match_no, _), (some, others) in games.items():
        pairs = [(own, other) for own in some for other in others]
        shares[match_no].append(fmean((own > other) + (own == other) / 2 for own, other in pairs))
        leads[match_no].append(fmean(own - other for own, other in pairs))
    share, share_error = by_matches(shares)
    lead, lead_error = by_matches(leads)
    return {
        "matches": len(shares),
        "games": len(games),
        "share": share,
        "share_error": share_error,
        "lead": lead,
        "lead_error": lead_error,
    }


def by_matches(found: Mapping[int, list[float]]) -> tuple[float, float]:
    """Return the mean over matches and its standard error, rounded."""
    means = [fmean(one) for one in found.values()]
    return round(fmean(means), 4), round(stdev(means) / sqrt(len(means)), 4)


def habits(store: Store, seats: int) -> dict[str, dict[str, int]]:
    """Return how often each bot did what, counted over all its hands."""
    league = store.leagues.get()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for game in {(row.match_no, row.rotation) for block in store.seats.results(league.uuid) for row in block}:
        body = store.replays.get(league.uuid, *game).decoded("champion")
        names = [entry["label"].rsplit(" ", 1)[0] for entry in body["entries"]]
        for seat, what, number in happened(body["events"], seats):
            counts[names[seat]][what] += number
    return {name: dict(sorted(found.items())) for name, found in sorted(counts.items())}


def happened(events: list[dict[str, Any]], seats: int) -> Iterator[tuple[int, str, int]]:
    """Yield what a seat did, in a few words, and how often, or with how many points."""
    held = [0] * seats
    for event, after in zip(events, [*events[1:], {"kind": ""}], strict=True):
        data = event["data"]
        mover = data.get("seat", 0)
        alone = sum(held) == held[mover]
        match event["kind"]:
            case "dealt":
                held = list(data["held"])
                for seat in range(seats):
                    yield seat, "hands", 1
                    yield seat, "Chefs dealt", event["private"][str(seat)]["hand"].count("C")
            case "played":
                yield mover, "Chefs played as a 10", int(data["card"] == "C")
                yield mover, "cards played alone", int(alone)
                held[mover] -= 1
            case "fetched":
                takes = after["kind"] == "taken"
                yield mover, "Chefs used to take a trick" if takes else "Chefs used to wait", 1
            case "stopped":
                yield mover, "turns of one card by choice", 1
            case "taken":
                yield mover, f"{data['trick']} tricks", 1
                yield mover, f"{data['trick']} points", data["points"]
                yield mover, "points taken alone", data["points"] * alone
            case "hand_ended":
                for seat, points in enumerate(data["points"]):
                    yield seat, "points", points


def table(found: Mapping[str, Any], group: str) -> list[str]:
    """Return the table of a group of meetings in Markdown."""
    lines = [
        "| bot | against | ruleset | seats | time | matches | games | its share | points a game |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, one in found.items():
        kind, bot, other, rules, seats, ms = name.split("/")
        if kind == group:
            lines.append(
                f"| `{bot}` | `{other}` | `{rules}` | {seats} | {ms} ms | {one['matches']} | {one['games']} "
                f"| {one['share']:.2f} ± {one['share_error']:.2f} | {one['lead']:+.1f} ± {one['lead_error']:.1f} |"
            )
    return lines


def table_of_habits(found: Mapping[str, Any]) -> list[str]:
    """Return what baker and counter do in a hand at tables of two, from their games with `tens`, in Markdown."""
    kinds = (
        "points",
        "sandwich tricks",
        "sandwich points",
        "soup tricks",
        "soup points",
        "points taken alone",
        "cards played alone",
        "turns of one card by choice",
        "Chefs dealt",
        "Chefs used to wait",
        "Chefs used to take a trick",
        "Chefs played as a 10",
    )
    counts = found["tens/baker/counter/tens/2/4"]["habits"]
    lines = [
        "| in a hand | " + " | ".join(f"`{bot}`" for bot in counts) + " |",
        "|---" * (1 + len(counts)) + "|",
    ]
    for kind in kinds:
        row = " | ".join(f"{did.get(kind, 0) / did['hands']:.2f}" for did in counts.values())
        lines.append(f"| {kind} | {row} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("champion", choices=CHAMPIONS)
    parser.add_argument("--only", help="meetings whose names begin so, such as tens/baker/dreamer")
    parser.add_argument("--matches", type=int, help="how many matches of each; default: as on the page")
    parser.add_argument("--tables", action="store_true", help="play nothing; print the tables of the page")
    parser.add_argument("--again", action="store_true", help="play also those whose figures are there")
    given = parser.parse_args()
    champion = CHAMPIONS[given.champion]
    figures = ROOT / "benchmarks/figures" / f"{given.champion}.json"
    found = json.loads(figures.read_text(encoding="utf-8")) if figures.exists() else {}
    if given.tables:
        for group in dict.fromkeys(meeting.group for meeting in champion.meetings):
            print(*table(found, group), "", sep="\n")
        if given.champion == "baker":
            print(*table_of_habits(found), sep="\n")
        return
    if shutil.which("cc") is None:
        sys.exit(f"{given.champion} is missing: there is no C compiler (cc) on this machine")
    with TemporaryDirectory(prefix="arena-champion-") as folder:
        for meeting in champion.meetings:
            if not meeting.name.startswith(given.only or "") or (meeting.name in found and not given.again):
                continue
            one = Meeting(**{**vars(meeting), "matches": given.matches or meeting.matches})
            found[meeting.name] = told = played(one, champion.game, Path(folder))
            figures.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            print(f"{meeting.name}: {told['share']:.3f} ± {told['share_error']:.3f}", flush=True)


if __name__ == "__main__":
    main()
