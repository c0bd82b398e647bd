"""Holds the flags of `arena stats --view authors` to their error rate, and counts what finds puppets.

    python benchmarks/authors.py [--leagues 1000] [--part honest|power] [--setting N]

Honest: simulated leagues in which nobody plays softly and bots of one author share tables by chance, as with
`same_author = true`, so any flag is a mistake. Bots are equal or not, and have effects on each other, or not.

Power: a bot with puppets, which lose to it on purpose, among bots of equal strength: how often it is flagged, how many
of its puppets, and how often a bot of somebody else who has several bots; by the number of matches, of puppets, and by
how often they lose on purpose.

All parts give the same figures on every machine. ± is one standard error.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena_fair_play.findings import OwnAuthor
from arena_fair_play.own_author import own_author

from benchmarks.coalitions import Rows, Setting, league
from results.analysis.fit_results import Measure

Authors = dict[int, str]


def _setting(
    words: str,
    shape: tuple[int, int, int, int],
    *,
    spread: float = 0.0,
    effects: float = 0.0,
    ties: float = 0.0,
    outlier: float | None = None,
) -> Setting:
    """Return a setting by odds; `shape` is entries, seats, games, matches."""
    return Setting(words, *shape, spread, effects, 0.0, 1.0, Measure.SHARES, True, ties, outlier)


HONEST: tuple[tuple[Setting, tuple[int, ...]], ...] = (
    (_setting("equal", (16, 2, 2, 800)), (7,)),
    (_setting("equal, one author with two", (8, 2, 2, 200)), (2,)),
    (_setting("unequal", (16, 2, 2, 800), spread=1.0), (4, 3, 2)),
    (_setting("unequal, effects", (16, 2, 2, 800), spread=1.0, effects=0.3), (4, 3, 2)),
    (_setting("unequal, effects, half of one author", (12, 2, 2, 600), spread=1.0, effects=0.3), (6,)),
    (_setting("unequal, large effects", (10, 2, 2, 1000), spread=1.0, effects=0.7), (3, 2, 2)),
    (_setting("very unequal, ties", (12, 2, 2, 800), spread=2.0, ties=0.5), (3, 3, 3, 3)),
    (_setting("one very weak", (10, 2, 2, 600), spread=1.0, effects=0.2, outlier=-5.0), (4, 2)),
    (_setting("one very strong", (10, 2, 2, 600), spread=0.7, effects=0.2, outlier=4.0), (4, 2)),
    (_setting("small field, effects", (6, 2, 2, 400), spread=1.0, effects=0.3), (2, 2)),
    (_setting("few matches", (16, 2, 1, 300), spread=1.0), (4, 3, 2)),
    (_setting("equal", (12, 4, 4, 200)), (3, 2)),
    (_setting("unequal", (12, 4, 4, 200), spread=1.0), (3, 2, 2)),
    (_setting("unequal, effects", (12, 4, 4, 400), spread=1.0, effects=0.3), (3, 2, 2)),
    (_setting("one very weak, effects", (10, 4, 4, 200), spread=1.0, effects=0.2, outlier=-5.0), (3, 2)),
)
"""Settings, and how many bots each author has that has several."""

PUPPETS = 6
POWER = _setting("puppets", (16, 2, 2, 4800))
"""600 matches of each bot."""
EACH = (40, 80, 150, 300, 600)
"""Matches of each bot."""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=1000)
    parser.add_argument("--part", choices=("honest", "power"))
    parser.add_argument(
        "--setting", type=int, choices=range(len(HONEST)), action="append", help="only this one"
    )
    given = parser.parse_args()
    if given.part in (None, "honest"):
        print(f"{given.leagues} leagues each: % with any flag")
        for number in given.setting or range(len(HONEST)):
            print(honest(number, given.leagues), flush=True)
    if given.part in (None, "power"):
        for line in power(max(10, given.leagues // 10)):
            print(line, flush=True)


def honest(number: int, leagues: int) -> str:
    """Return a line about a setting: in how many leagues any bot is flagged, in percent."""
    setting, sizes = HONEST[number]
    flagged = [is_wrongly_flagged(number, at) for at in range(leagues)]
    return (
        f"{setting.words:38} {setting.entries:2} bots, authors of {', '.join(map(str, sizes)):10} "
        f"{setting.seats} seats, {setting.matches:4} × {setting.games}  {percent(flagged)}"
    )


def is_wrongly_flagged(number: int, at: int) -> bool:
    """Return whether any bot of a simulated honest league is flagged."""
    setting, sizes = HONEST[number]
    rng = np.random.default_rng([31, number, at])
    return any(
        one.is_flagged for one in own_author([league(setting, rng)], [], authors_of(sizes, setting.entries))
    )


def authors_of(sizes: Sequence[int], entries: int) -> Authors:
    """Return the authors of entries: the first ones have several bots each, the others one."""
    several = [f"author {number}" for number, size in enumerate(sizes) for _ in range(size)]
    return dict(enumerate([*several, *(f"alone {number}" for number in range(len(several), entries))]))


def with_puppets(rows: Rows, puppets: int, part: float, rng: np.random.Generator) -> Rows:
    """Return games at tables of two in which 1, 2, … lose that part of the matches against 0 on purpose."""
    tables = rows.reshape(-1, 2, rows.shape[1]).copy()
    entry = tables[:, :, 3]
    thrown = (entry.min(axis=1) == 0) & (entry.max(axis=1) <= puppets)
    thrown &= (rng.random(int(tables[:, 0, 0].max()) + 1) < part)[tables[:, 0, 0]]
    tables[thrown, :, 4] = 1 + (entry[thrown] != 0)
    tables[thrown, :, 5] = 2 * (entry[thrown] == 0)
    return tables.reshape(rows.shape)


def power(leagues: int) -> Iterator[str]:
    """Yield how often the bot with puppets is flagged, how many puppets are, and how often anybody else's bots."""
    yield f"{leagues} leagues each: % with the bot flagged; % of its puppets; % with a bot of somebody else"
    cases = [
        *((each, PUPPETS, 1.0) for each in EACH),
        *((600, PUPPETS, part) for part in (0.5, 0.25, 0.1)),
        *((each, 1, 1.0) for each in (150, 300, 600)),
    ]
    for each, puppets, part in cases:
        right, of_puppets, wrong, gains = [], [], [], []
        for number in range(leagues):
            rng = np.random.default_rng([32, each, puppets, round(100 * part), number])
            setting = POWER._replace(matches=POWER.entries * each // 2)
            found = with_author(with_puppets(league(setting, rng), puppets, part, rng), puppets)
            right.append(found[0].is_flagged)
            of_puppets += [one.is_flagged for one in found[1 : 1 + puppets]]
            wrong.append(any(one.is_flagged for one in found[1 + puppets :]))
            gains += [] if found[0].difference is None else [100 * found[0].difference]
        yield (
            f"{puppets} puppets lose {100 * part:3.0f} % on purpose, {each:3} matches each:  {percent(right)}  "
            f"{percent(of_puppets)}  {percent(wrong)}   difference {np.mean(gains):+.1f}"
        )


def with_author(rows: Rows, puppets: int) -> tuple[OwnAuthor, ...]:
    """Return what is found if the first bots have one author, and the last two another one."""
    return own_author([rows], [], authors_of((1 + puppets, 2), POWER.entries))


def percent(values: Sequence[bool]) -> str:
    """Return the mean in percent with its standard error."""
    mean = float(np.mean(values))
    return f"{100 * mean:5.1f} ±{100 * np.sqrt(mean * (1 - mean) / len(values)):.1f}"


if __name__ == "__main__":
    main()
