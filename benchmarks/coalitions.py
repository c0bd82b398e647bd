"""Holds the flags of coalitions to their error rate, and counts the matches that they need.

    python benchmarks/coalitions.py [--leagues 2000] [--part honest|power|real] [--setting N] [--banks FOLDER]

Honest: simulated leagues in which every two entries have some effect on each other, some more, some less, and who sits
before an entry matters. Nobody plays softly, so any flag is a mistake. Some are made by scores, which are sums, and
some by odds, with fields so wide that many games are decided beforehand.

Power: some of these with one entry that plays softly against another; how often that pair is flagged, by how many
points and after how many matches, and how often any other.

Real: leagues drawn from matches of reference bots, and of Bread Basket with two more: `feeder` loses to `friend`,
whom it knows by its first turn (`benchmarks/coalition_bots`). The matches are played once, in this process, and kept
in a folder. Honest bots do have effects on each other; how often are these flagged?

All parts give the same figures on every machine. ± is one standard error.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena_fair_play.coalitions import coalitions
from arena_fair_play.findings import Coalitions

from arena.core.ruleset import Rotations, ruleset
from arena.core.seatings import seatings
from arena.registry import game as game_named
from benchmarks.in_process import Player, play
from results.analysis.fit_results import Measure
from results.records.query_rows import SeatResult

Rows = NDArray[np.int64]
"""Seats of games, with the columns of `SeatResult`."""

DEAL_SD = 0.7
"""Spread of what the cards at one seat are worth in all games of a deal; the rest of a game has a spread of 1."""
FIRST_SEAT = 0.3
"""What the first seat is worth; the last as much less, the others between."""


class Setting(NamedTuple):
    """Simulated leagues. Strengths, effects and steps are in units of the luck of one game."""

    words: str
    entries: int
    seats: int
    games: int
    """Games per match: 1, or one for each rotation of the seats."""
    matches: int
    spread: float
    """Standard deviation of the strengths."""
    effects: float
    """Standard deviation of what an entry does to each other one's results at its tables."""
    before: float
    """Standard deviation of what an entry does to the results of the one that sits after it."""
    step: float = 0.01
    """Scores are whole multiples of it: a large step gives many ties."""
    measure: Measure = Measure.SCORES
    is_by_odds: bool = False
    """Strengths, effects and deals are log odds: Davidson at tables of two, Plackett and Luce at larger ones. Without
    rotations there is no deal."""
    ties: float = 0.0
    """At tables of two, by odds: ν of Davidson."""
    outlier: float | None = None
    """Strength of entry 0, whatever the spread of the others."""


def _by_odds(
    words: str,
    shape: tuple[int, int, int, int],
    spread: float,
    effects: float,
    *,
    ties: float = 0.0,
    outlier: float | None = None,
) -> Setting:
    """Return a setting by odds; `shape` is entries, seats, games, matches."""
    entries, seats, games, matches = shape
    return Setting(
        words, entries, seats, games, matches, spread, effects, 0.0, 1.0, Measure.SHARES, True, ties, outlier
    )


HONEST = (
    Setting("no effects", 8, 4, 1, 400, 0.5, 0.0, 0.0),
    Setting("no effects, wide field, shares", 8, 4, 4, 100, 1.0, 0.0, 0.0, 0.1, Measure.SHARES),
    Setting("effects", 8, 4, 4, 100, 0.5, 0.2, 0.0),
    Setting("effects, neighbours", 6, 4, 4, 100, 0.5, 0.2, 0.5),
    Setting("large effects", 10, 4, 4, 100, 0.5, 0.5, 0.3),
    Setting("effects, heavy ties, shares", 8, 3, 3, 150, 0.5, 0.2, 0.0, 2.0, Measure.SHARES),
    Setting("effects", 5, 3, 3, 150, 0.5, 0.3, 0.0),
    Setting("effects", 6, 2, 2, 300, 0.5, 0.3, 0.0),
    Setting("many bots, few matches", 12, 4, 1, 200, 0.5, 0.2, 0.0),
    Setting("effects, very wide, shares", 8, 2, 2, 1000, 2.0, 0.2, 0.0, 0.1, Measure.SHARES),
    _by_odds("odds, wide", (8, 2, 1, 400), 1.0, 0.0),
    _by_odds("odds, very wide, ties", (10, 2, 2, 600), 2.0, 0.0, ties=0.5),
    _by_odds("odds, wide, effects", (8, 2, 2, 400), 1.5, 0.3),
    _by_odds("odds, wide, effects, ties", (8, 2, 2, 1500), 1.5, 0.3, ties=1.0),
    _by_odds("odds, large effects", (8, 2, 2, 1000), 1.5, 0.7),
    _by_odds("odds, one weak", (8, 2, 2, 300), 1.0, 0.0, outlier=-4.0),
    _by_odds("odds, one weak, effects", (8, 2, 2, 1500), 1.0, 0.3, outlier=-4.0),
    _by_odds("odds, one hopeless, many games", (8, 2, 1, 6000), 1.0, 0.0, outlier=-6.0),
    _by_odds("odds, one strong, effects", (6, 2, 2, 300), 0.7, 0.2, outlier=4.0),
    _by_odds("odds, very wide, many bots", (16, 2, 2, 1500), 2.0, 0.2),
    _by_odds("odds, wide", (8, 4, 4, 100), 1.5, 0.0),
    _by_odds("odds, wide, one weak, effects", (8, 4, 4, 200), 1.0, 0.2, outlier=-5.0),
    _by_odds("odds, very wide, effects", (8, 3, 3, 300), 2.0, 0.2),
)
POWER = Setting("effects", 8, 4, 4, 0, 0.5, 0.2, 0.0)
LOSSES = (0.5, 1.0, 2.0)
LENGTHS = (50, 100, 200, 400)


class Field(NamedTuple):
    """Bots that meet in real games."""

    game: str
    ruleset: str
    seats: int
    rotations: Rotations
    honest: tuple[str, ...]
    deals: int
    """At each table of honest bots."""
    others: tuple[str, ...] = ()
    other_deals: int = 0
    """At each table with one of the others."""
    lengths: tuple[int, ...] = (40, 80, 160)
    """Matches of the leagues that are drawn."""


_OWN = str(Path(__file__).parent / "coalition_bots") + "/"
_BREAD_BASKET = (
    *(f"bread_basket/{name}" for name in ("counter", "crumb", "greedy", "reader")),
    "any_game/random",
)
FIELDS = {
    "bread-basket": Field(
        "bread-basket",
        "tens",
        4,
        "balanced",
        _BREAD_BASKET,
        36,
        (_OWN + "feeder", _OWN + "friend"),
        8,
    ),
    "bread-and-chocolate": Field(
        "bread-and-chocolate",
        "shram",
        3,
        "cyclic",
        (*(f"bread_and_chocolate/{name}" for name in ("blocker", "greedy", "listener")), "any_game/random"),
        40,
    ),
    "sandwich": Field(
        "sandwich",
        "en",
        3,
        "balanced",
        (*(f"sandwich/{name}" for name in ("apprentice", "bland", "greedy", "learner")), "any_game/random"),
        24,
    ),
    "bread-basket-2-seats": Field(
        "bread-basket",
        "tens",
        2,
        "balanced",
        _BREAD_BASKET,
        96,
        (_OWN + "feeder", _OWN + "friend"),
        48,
        (80, 160, 320, 640),
    ),
    "bread-and-chocolate-2-seats": Field(
        "bread-and-chocolate",
        "shram",
        2,
        "cyclic",
        (*(f"bread_and_chocolate/{name}" for name in ("blocker", "greedy", "listener")), "any_game/random"),
        600,
        lengths=(80, 320, 1280),
    ),
}
REAL_LEAGUES = 200
"""At most: they are drawn from the same matches again and again."""

Bank = dict[tuple[int, ...], list[list[tuple[list[int], list[int]]]]]
"""By table: matches, of games, of the entries and scores by seat."""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=2000)
    parser.add_argument("--part", choices=("honest", "power", "real"))
    parser.add_argument(
        "--setting", type=int, choices=range(len(HONEST)), action="append", help="only this one; from 0"
    )
    parser.add_argument("--field", choices=list(FIELDS), action="append", help="only this one")
    parser.add_argument("--banks", type=Path, default=Path(tempfile.gettempdir()) / "arena-coalitions")
    given = parser.parse_args()
    if given.part in (None, "honest"):
        chosen = [HONEST[number] for number in given.setting or range(len(HONEST))]
        for line in honest(chosen, given.leagues):
            print(line, flush=True)
    if given.part in (None, "power"):
        for line in power(max(10, given.leagues // 10)):
            print(line, flush=True)
    if given.part in (None, "real"):
        given.banks.mkdir(parents=True, exist_ok=True)
        for name in given.field or FIELDS:
            for line in real(name, given.banks / f"{name}.json", min(REAL_LEAGUES, given.leagues)):
                print(line, flush=True)


def honest(settings: Sequence[Setting], leagues: int) -> Iterator[str]:
    """Yield a line for each setting: in how many leagues any pair is flagged, in percent."""
    yield f"{leagues} leagues each: % with any flag"
    for setting in settings:
        flagged = [is_wrongly_flagged(setting, number) for number in range(leagues)]
        yield (
            f"{setting.words:32} {setting.entries:2} entries, {setting.seats} seats, {setting.matches:3} × "
            f"{setting.games}, effects {setting.effects}  {_percent(flagged)}"
        )


def is_wrongly_flagged(setting: Setting, number: int) -> bool:
    """Return whether any pair of a simulated honest league is flagged."""
    rng = np.random.default_rng([21, setting.entries, setting.seats, setting.matches, number])
    found = coalitions([league(setting, rng)], setting.measure)
    return any(term.is_flagged for term in found.terms)


def power(leagues: int) -> Iterator[str]:
    """Yield by what entry 0 loses to entry 1, which gets a third of it, how often they are flagged, and others."""
    yield f"{leagues} leagues each: % with 0 and 1 flagged; % with any other flag"
    for measure in (Measure.SCORES, Measure.SHARES):
        for loss in LOSSES:
            for matches in LENGTHS:
                right, wrong = [], []
                for number in range(leagues):
                    rng = np.random.default_rng([22, matches, round(10 * loss), number])
                    found = coalitions([league(POWER._replace(matches=matches), rng, loss)], measure)
                    is_right, is_wrong = _flags(found, 0, 1)
                    right.append(is_right)
                    wrong.append(is_wrong)
                yield f"{measure}, loses {loss:.1f} a game, {matches:3} × 4:  {_percent(right)}   {_percent(wrong)}"


def _flags(found: Coalitions, one: int, other: int) -> tuple[bool, bool]:
    """Return whether a pair is flagged, and whether any other."""
    flagged = [(term.entry_no, term.other_no) == (one, other) for term in found.terms if term.is_flagged]
    return any(flagged), not all(flagged)


def league(setting: Setting, rng: np.random.Generator, loss: float = 0.0) -> Rows:
    """Return the games of a league at random tables; entry 0 loses so much a game to 1, which gets a third of it."""
    seats, games = setting.seats, setting.games
    strengths = rng.normal(0, setting.spread, setting.entries)
    if setting.outlier is not None:
        strengths[0] = setting.outlier
    effects = rng.normal(0, setting.effects, (setting.entries, setting.entries))
    before = rng.normal(0, setting.before, setting.entries)
    effects[0, 1] -= loss
    effects[1, 0] += loss / 3
    tables = np.argsort(rng.random((setting.matches, setting.entries)), axis=1)[:, :seats]
    rotation, seat = np.arange(games)[:, None], np.arange(seats)[None, :]
    entry = tables[:, (seat - rotation) % seats]
    worth = strengths[entry] + np.linspace(FIRST_SEAT, -FIRST_SEAT, seats)
    if games > 1 or not setting.is_by_odds:
        worth = worth + rng.normal(0, DEAL_SD, (setting.matches, 1, seats))
    if not setting.is_by_odds:
        worth = worth + rng.normal(0, 1, entry.shape)
    for step in range(1, seats):
        worth = worth + effects[entry, np.roll(entry, step, axis=2)]
    worth = worth + before[np.roll(entry, 1, axis=2)]
    if setting.is_by_odds:
        return _rows(entry, _scores_by_odds(worth, setting.ties, rng))
    return _rows(entry, np.round(worth / setting.step).astype(np.int64))


def _scores_by_odds(worth: NDArray[np.float64], ties: float, rng: np.random.Generator) -> Rows:
    """Return the scores of games, higher ones better, that follow from log odds; both are [match, game, seat]."""
    if worth.shape[2] > 2:
        return np.argsort(np.argsort(worth + rng.gumbel(size=worth.shape), axis=2), axis=2)
    lead = worth[..., 0] - worth[..., 1]
    total = np.exp(lead / 2) + ties + np.exp(-lead / 2)
    at = rng.random(lead.shape) * total
    first = np.where(at < np.exp(lead / 2), 2, np.where(at < np.exp(lead / 2) + ties, 1, 0))
    return np.stack([first, 2 - first], axis=2)


def _rows(entry: Rows, score: Rows) -> Rows:
    """Return the rows of some matches; both inputs are [match, game, seat]."""
    rows = np.zeros((*entry.shape, len(SeatResult._fields)), dtype=np.int64)
    rows[..., 0] = np.arange(len(entry))[:, None, None]
    rows[..., 1], rows[..., 2] = np.arange(entry.shape[1])[:, None], np.arange(entry.shape[2])
    rows[..., 3] = entry
    rows[..., 4] = 1 + (score[..., None, :] > score[..., :, None]).sum(axis=-1)
    rows[..., 5] = score
    return rows.reshape(-1, rows.shape[-1])


def real(name: str, path: Path, leagues: int) -> Iterator[str]:
    """Yield for each length how often honest bots are flagged, and the feeder and its friend if there are any."""
    field = FIELDS[name]
    bank = _bank(field, path)
    bots = [Path(bot).name for bot in (*field.honest, *field.others)]
    count = len(field.honest)
    yield f"{name}: {', '.join(bots)}; {leagues} leagues each, drawn from {sum(map(len, bank.values()))} matches"
    fields = {"honest": [table for table in bank if max(table) < count]}
    if field.others:
        fields["honest, with feeder or friend at a table"] = [
            table for table in bank if not {count, count + 1} <= set(table)
        ]
    for words, tables in fields.items():
        for measure in (Measure.SCORES, Measure.SHARES):
            for length in field.lengths:
                if sum(len(bank[table]) for table in tables) >= 2 * length:
                    flagged = _honest(bank, bots, tables, length, measure, leagues)
                    yield f"{words}, {measure}, {length:3} matches:  {flagged}"
    if not field.others:
        return
    for measure in (Measure.SCORES, Measure.SHARES):
        for length in field.lengths:
            right, wrong = [], []
            for number in range(leagues):
                rng = np.random.default_rng([24, length, number])
                found = coalitions([_drawn(bank, list(bank), length, rng)], measure)
                is_right, is_wrong = _flags(found, count, count + 1)
                right.append(is_right)
                wrong.append(is_wrong)
            yield (
                f"with feeder and friend, {measure}, {length:3} matches:  flagged {_percent(right)}   "
                f"another {_percent(wrong)}"
            )


def _honest(
    bank: Bank,
    bots: Sequence[str],
    tables: Sequence[tuple[int, ...]],
    length: int,
    measure: Measure,
    leagues: int,
) -> str:
    """Return in how many leagues any pair of honest bots is flagged, and which most often."""
    flagged: list[bool] = []
    named: Counter[str] = Counter()
    for number in range(leagues):
        rng = np.random.default_rng([23, length, number])
        found = coalitions([_drawn(bank, tables, length, rng)], measure)
        flags = [term for term in found.terms if term.is_flagged]
        flagged.append(bool(flags))
        named.update(f"{bots[term.entry_no]}–{bots[term.other_no]} {term.kind}" for term in flags)
    return f"{_percent(flagged)}  {', '.join(f'{words} {n}' for words, n in named.most_common(4))}"


def _drawn(bank: Bank, tables: Sequence[tuple[int, ...]], length: int, rng: np.random.Generator) -> Rows:
    """Return the games of a league: at every table as many matches as at every other, or one more."""
    order = {table: iter(rng.permutation(len(bank[table]))) for table in tables}
    chosen: list[list[tuple[list[int], list[int]]]] = []
    while len(chosen) < length:
        for i in rng.permutation(len(tables)):
            number = next(order[tables[i]], None)
            if number is not None:
                chosen.append(bank[tables[i]][number])
    chosen = chosen[:length]
    entry = np.array([[game[0] for game in match] for match in chosen], dtype=np.int64)
    score = np.array([[game[1] for game in match] for match in chosen], dtype=np.int64)
    return _rows(entry, score)


def _bank(field: Field, path: Path) -> Bank:
    """Return the matches of a field, which are played unless the file has them."""
    known = json.loads(path.read_text()) if path.exists() else {}
    bots = (*field.honest, *field.others)
    tables = list(combinations(range(len(bots)), field.seats))
    for number, table in enumerate(tables):
        key = " ".join(map(str, table))
        deals = field.deals if max(table) < len(field.honest) else field.other_deals
        if key not in known:
            known[key] = [_match(field, bots, table, deal) for deal in range(deals)]
            part = path.with_suffix(f".{os.getpid()}.part")
            part.write_text(json.dumps(known, separators=(",", ":")))
            part.replace(path)
        print(f"\r{number + 1} of {len(tables)} tables", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {
        table: [
            [(entries, scores) for entries, scores in match] for match in known[" ".join(map(str, table))]
        ]
        for table in tables
    }


def _match(
    field: Field, bots: Sequence[str], table: tuple[int, ...], deal: int
) -> list[tuple[list[int], list[int]]]:
    """Return the entries and scores by seat of each game of a match."""
    game = game_named(field.game)
    rules = game.resolve(ruleset(game.info, field.ruleset, {}), field.seats)
    circle = list(table)
    random.Random(f"{table}/{deal}").shuffle(circle)
    games = []
    for rotation, seated in enumerate(seatings(tuple(circle), field.rotations)):
        players = [Player(bots[entry]) for entry in seated]
        rng = random.Random(f"{table}/{deal}/{rotation}")
        outcome = play(game, rules, players, f"{field.game}/{table}/{deal}", rng)
        games.append((list(seated), list(outcome.scores)))
    return games


def _percent(values: Sequence[bool]) -> str:
    mean = float(np.mean(values))
    return f"{100 * mean:5.1f} ±{100 * np.sqrt(mean * (1 - mean) / len(values)):.1f}"


if __name__ == "__main__":
    main()
