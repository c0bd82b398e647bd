"""`arena match`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.arriving import arriving_beside
from arena.cli.casual import enter
from arena.cli.confinement import confined
from arena.cli.display.tables import Column, Format, list_rows
from arena.cli.exit_codes import BOT_FAILED
from arena.cli.messages import say, say_error
from arena.cli.open_store import reading_if_there
from arena.cli.options import (
    DEFAULT_STORE,
    FormatOption,
    GameOption,
    RuleOptions,
    RulesetOption,
    SandboxOption,
    StoreOption,
    naming_store,
)
from results.reports.rows import ReportRow


class SeatRow(ReportRow, frozen=True, kw_only=True):
    """A bot's result in one game."""

    game: str
    """Match number and rotation, such as `12.0`."""
    seat: int
    bot: str
    score: int
    rank: int
    decisions: int
    mean_ms: float
    max_ms: float
    """Mean and longest wall time of a decision."""
    verdict: str
    """Why the bot forfeited; empty if it did not."""


if TYPE_CHECKING:
    from results.records import GameRecord

_LAST_WORDS = ("startup", "crash")
"""Verdicts for which the last line of a bot's log explains most."""
_MOST_CHARS = 200

COLUMNS = (
    Column("game", "game", right=True, priority=4),
    Column("seat", "seat", right=True, priority=3),
    Column("bot", "bot", priority=0),
    Column("score", "score", right=True, priority=1),
    Column("rank", "rank", right=True, priority=1),
    Column("decisions", "decisions", right=True, priority=6),
    Column("mean_ms", "mean ms", 2, priority=7),
    Column("max_ms", "max ms", 1, priority=7),
    Column("verdict", "verdict", priority=2),
)


def match(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...", help="A bot for each seat: a folder or archive, or the name of a submitted bot."
        ),
    ],
    game: GameOption = None,
    ruleset: RulesetOption = None,
    option: RuleOptions = None,
    seed: Annotated[str | None, typer.Option("--seed", "-s", help="Play the deal of this seed.")] = None,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Play the deal once in each rotation of seats.")
    ] = False,
    sandbox: SandboxOption = "auto",
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Play a single game between bots, or with --rotate a whole match. It is stored in the league `casual`, unrated."""
    from functools import cache

    from arena.league.definition.named_bots import common_game, labels
    from arena.league.definition.staged_bots import keep_files, staged_bots
    from arena.league.inbox.played_match import MatchPlayer
    from arena.league.match import deal_of_seed, play_match, resolve_match
    from arena.submissions.advice import not_a_message
    from arena.submissions.build import Builder
    from results.store import files_beside

    at = naming_store(store)
    confinement = cache(lambda: confined(store, sandbox))
    builder = Builder(files_beside(store), confinement, say)
    with arriving_beside(store) as arriving:
        with reading_if_there(store) as opened:
            found = staged_bots(store, opened, bots, Path(), arriving, builder)
        versions = [bot.version for bot in found]
        rules = resolve_match(
            game or common_game(versions), ruleset, option or [], len(bots), "cyclic" if rotate else None
        )
        label_of = dict(zip((version.id for version in versions), labels(versions), strict=True))
        index_of = {number: index for index, number in enumerate(label_of)}
        bot_of = {bot.version.id: bot for bot in found}
        players = [(label, bot_of[number]) for number, label in label_of.items()]
        seats = [index_of[version.id] for version in versions]
        played = play_match(rules, players, seats, deal_of_seed(seed), confinement())
        keep_files(store, found)
    bots_played = [
        MatchPlayer(label, bot.version.sha256, bot.version.hash_scheme, bot.build) for label, bot in players
    ]
    entered = enter(store, played, bots_played, rules)
    name = "casual/?" if entered is None else f"casual/{entered.match_no}"
    rows: list[SeatRow] = []
    faults: dict[str, str] = {}
    for record in played.games:
        for seat in record.seats:
            asked = max(1, seat.decisions)
            label = players[seat.entry_no][0]
            rows.append(
                SeatRow(
                    game=f"{name.removeprefix('casual/')}.{record.rotation}",
                    seat=seat.seat,
                    bot=label,
                    score=seat.score,
                    rank=seat.rank,
                    decisions=seat.decisions,
                    mean_ms=seat.wall_ns / asked / 1e6,
                    max_ms=seat.max_wall_ns / 1e6,
                    verdict=str(seat.verdict or ""),
                )
            )
            if seat.verdict:
                fault = f"{label} ({seat.verdict}): {seat.detail}"
                if seat.verdict in _LAST_WORDS and (words := last_words(record, seat.seat)):
                    fault += f"; last line of its log: {words}"
                number = "" if entered is None else f" --bot {entered.entries[seats.index(seat.entry_no)]}"
                log = f"see its log: arena faults casual --log{number}{at}"
                why = not_a_message(seat.detail)
                faults[fault] = f"{why}; {log}" if why else log
    list_rows(SeatRow, COLUMNS, rows, form, f"{rules.game.info.name} · {rules.ruleset.name}")
    for fault, log in faults.items():
        say_error(fault, log)
    if form is Format.TABLE and entered is not None:
        say(f"see the game: arena replay show {name}.{played.games[0].rotation}{at}")
    if faults:
        raise typer.Exit(BOT_FAILED)


def last_words(record: "GameRecord", seat: int) -> str:
    """Return the last line of a bot's log, such as the end of a traceback; empty if there is none."""
    from results.escaping import one_line

    written = next((log.tail or log.head for log in record.logs if log.seat == seat), b"")
    lines = written.decode("utf-8", "replace").strip().splitlines()
    return one_line(lines[-1].strip()[:_MOST_CHARS]) if lines else ""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("match")(match)
