"""`arena match`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.confinement import confined
from arena.cli.display.tables import Column, Format, list_rows
from arena.cli.exit_codes import BOT_FAILED
from arena.cli.messages import say, say_error
from arena.cli.open_store import trying, writing
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
            metavar="BOT...", help="A bot for each seat: a folder, or the name of a submitted bot."
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
    from arena.league.definition.named_bots import bots_named, common_game, labels
    from arena.league.match import casual_entries, play_match, resolve_match
    from arena.submissions.advice import not_a_message

    at = naming_store(store)
    is_new = not store.exists()
    with (
        trying(store) as opened,
        bots_named(opened, bots, Path()) as versions,  # an error adds none of them to the store
    ):
        rules = resolve_match(
            game or common_game(versions), ruleset, option or [], len(bots), "cyclic" if rotate else None
        )
        confinement = confined(store, sandbox)
    with writing(store) as opened:
        if is_new:  # nothing refuses the match, so the store is created
            with bots_named(opened, bots, Path()) as versions:
                pass
        entries = casual_entries(opened, versions, labels(versions))
        label_of = {entry.entry_no: entry.label for entry in entries}
        rows: list[SeatRow] = []
        faults: dict[str, str] = {}
        played: list[str] = []
        for record in play_match(opened, rules, entries, seed, confinement):
            played.append(f"casual/{record.match_no}.{record.rotation}")
            for seat in record.seats:
                asked = max(1, seat.decisions)
                rows.append(
                    SeatRow(
                        game=f"{record.match_no}.{record.rotation}",
                        seat=seat.seat,
                        bot=label_of[seat.entry_no],
                        score=seat.score,
                        rank=seat.rank,
                        decisions=seat.decisions,
                        mean_ms=seat.wall_ns / asked / 1e6,
                        max_ms=seat.max_wall_ns / 1e6,
                        verdict=str(seat.verdict or ""),
                    )
                )
                if seat.verdict:
                    fault = f"{label_of[seat.entry_no]} ({seat.verdict}): {seat.detail}"
                    if seat.verdict in _LAST_WORDS and (words := last_words(record, seat.seat)):
                        fault += f"; last line of its log: {words}"
                    log = f"see its log: arena faults casual --log --bot {seat.entry_no}{at}"
                    why = not_a_message(seat.detail)
                    faults[fault] = f"{why}; {log}" if why else log
        list_rows(SeatRow, COLUMNS, rows, form, f"{rules.game.info.name} · {rules.ruleset.name}")
        for fault, log in faults.items():
            say_error(fault, log)
        if form is Format.TABLE:
            say(f"see the game: arena replay show {played[0]}{at}")
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
