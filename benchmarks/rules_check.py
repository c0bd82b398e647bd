"""Measures how long `arena db verify` takes for a game, with all its checks: rows, fingerprints and the rules.

    python benchmarks/rules_check.py [--rounds 5] [--share 1] [--results FILE]

The stores hold leagues of random players, in the first ruleset of each game at its smallest table. Times are CPU
times in one process; with two (`--jobs 2`), the speed by the clock is compared with that of one.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgspec

from arena.core.game import AnyGame
from arena.core.ruleset import Ruleset, ruleset
from arena.core.ticket import Ticket
from arena.league.stored_games import check_body
from arena.players.base import Reply, ScriptedPlayer
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.registry import game as game_named
from benchmarks.comparison import Line, Target, add_results_option, keep, ratio_line, rounds, value_line
from protocol.messages import Ask
from results.records import EntrySpec, MatchRecord, RulesetRecord
from results.store import open_store
from results.store.verification.verify import verify

GAMES = {"bread-basket": (1.5, 300), "sandwich": (1.5, 200), "bread-and-chocolate": (10.0, 30)}
"""The most milliseconds that are wanted for a game, and how many games are checked."""
JOBS_OF, LARGER = "bread-basket", 12
"""With two processes, one game with this many times the matches: the start of processes takes a while."""


def fill(path: Path, game: AnyGame, rules: Ruleset, seats: int, matches: int, copies: int = 1) -> None:
    """Make a store with a league of random players, one game a match; every game is stored `copies` times."""
    referee = Referee()
    with open_store(path, create=True) as store:
        record = RulesetRecord(
            game.info.name,
            game.info.version,
            rules.name,
            msgspec.json.encode(dict(rules.options), order="sorted").decode(),
        )
        entries = [EntrySpec(f"random {number}", None) for number in range(seats)]
        league = store.leagues.create("benchmark", config={}, ruleset=record, entries=entries).uuid
        table = tuple(range(seats))
        store.matches.plan(
            league, [MatchRecord(league, number, 0, table, 1) for number in range(matches * copies)]
        )
        rng = random.Random(1)

        def answer(ask: Ask) -> Reply:
            return Reply(rng.choice(ask.legal) if ask.legal else ask.example, None, 0, 0)

        games = []
        for number in range(matches):
            ticket = Ticket(league, number, 0, table, rules, number.to_bytes(32, "big"))
            players = [ScriptedPlayer(answer) for _ in table]
            played = referee.play(game, players, [Entrant(entry.label, "") for entry in entries], ticket)
            fields = {name: getattr(played, name) for name in played.__struct_fields__}
            fields["finished_at"] = "2026-01-31T12:00:00Z"
            games += [
                type(played)(**{**fields, "match_no": number + matches * copy}) for copy in range(copies)
            ]
        for start in range(0, len(games), 32):
            store.append(games[start : start + 32])


def verify_s(path: Path, *, jobs: int = 1, clock: str = "cpu") -> float:
    """Return the seconds for verifying a store."""
    now_s = time.process_time if clock == "cpu" else time.perf_counter
    with open_store(path, readonly=True) as store:
        begun_s = now_s()
        found = verify(store, check_body=check_body, jobs=jobs)
        took_s = now_s() - begun_s
    assert not found, found[0]
    return took_s


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--share", type=float, default=1, help="the share of the games to play")
    add_results_option(parser)
    given = parser.parse_args()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        for name, (most_ms, count) in GAMES.items():
            game = game_named(name)
            rules = ruleset(game.info)
            seats = min(game.seats(rules))
            matches = max(4, round(count * given.share))
            setting = f"{name} {rules.name}, {seats} seats"
            path = Path(folder) / f"{name}.sqlite"
            fill(path, game, game.resolve(rules, seats), seats, matches)
            values = [
                verify_s(path) * 1000 / matches for _ in rounds(given.rounds, given.most_s / len(GAMES) / 2)
            ]
            print(
                f"{setting}: {statistics.median(values):.2f} ms a game ({min(values):.2f} to {max(values):.2f})"
            )
            lines.append(
                value_line(
                    "verify a stored game",
                    setting,
                    "ms of CPU time",
                    ("verify", values),
                    target=Target(at_most=most_ms),
                )
            )
            if name != JOBS_OF:
                continue
            path = Path(folder) / f"{name}-large.sqlite"
            fill(path, game, game.resolve(rules, seats), seats, matches, LARGER)
            pairs = [
                [matches * LARGER / verify_s(path, jobs=jobs, clock="wall") for jobs in (1, 2)]
                for _ in rounds(max(1, given.rounds // 2), given.most_s / 2)
            ]
            one, two = (list(column) for column in zip(*pairs, strict=True))
            lines.append(
                ratio_line(
                    "speed of verify --jobs 2 ÷ --jobs 1",
                    setting,
                    "games/s",
                    ("--jobs 2", two),
                    ("--jobs 1", one),
                    note="Needs two idle cores. The processes start within the time.",
                )
            )
            print(f"{setting}: {lines[-1].median:.2f} times as fast with two jobs")
    keep(given.results, lines)


if __name__ == "__main__":
    main()
