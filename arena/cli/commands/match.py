"""`arena match`."""

import json
import zlib
from functools import partial, reduce
from pathlib import Path
from typing import Annotated

import typer

from arena.checking.trial_start import start_table
from arena.cli.base import options
from arena.cli.base.change_now_or_queue import enter_match
from arena.cli.base.confinement import confined, confined_builder
from arena.cli.base.open_store import reading, reading_if_there
from arena.cli.base.stored_names import find_game
from arena.cli.display.long_work import busy
from arena.cli.display.message_text import cut, decision_words
from arena.cli.display.tables import Format, list_rows, print_table
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import BOT_FAILED, say, say_error
from arena.core.errors import UsageError
from arena.league.deal_again import Repetition, difference, named_seats, repetition_of
from arena.league.definition.bot_arguments import common_game
from arena.league.definition.bots_of_commands import Table, keep_files, read_bots, staged_bots, table_of
from arena.league.single_match import Played, deal_of_seed, play_match, resolve_match
from arena.league.stored_games import find
from arena.submissions.fault_advice import advice
from arena.submissions.staging import staging_beside
from results.base.scoring import UNIT, added, game_shares
from results.base.text import counted, one_line
from results.records import GameRecord
from results.reports.columns import Column, ReportRow, columns_of


class SeatRow(ReportRow, frozen=True, kw_only=True):
    """A bot's result in one game."""

    game: Annotated[str, Column(right=True, priority=4)]
    """Match number and rotation, such as `12.0`."""
    seat: Annotated[int, Column(priority=3)]
    bot: Annotated[str, Column(priority=0)]
    score: Annotated[int | float, Column(priority=1)]
    rank: Annotated[int, Column(priority=1)]
    decisions: Annotated[int, Column(priority=6)]
    mean_ms: Annotated[float, Column(decimals=2, priority=7)]
    max_ms: Annotated[float, Column(decimals=1, priority=7)]
    """Mean and longest wall time of a decision."""
    verdict: Annotated[str, Column(priority=2)]
    """Why the bot forfeited; empty if it did not."""


_LAST_WORDS = ("startup", "crash")
"""Verdicts for which the last line of a bot's log explains most."""
_MOST_CHARS = 200


class BotSum(ReportRow, frozen=True, kw_only=True):
    """A bot's results in all games of a match."""

    bot: Annotated[str, Column(priority=0)]
    points: Annotated[int | float, Column(priority=1)]
    share_percent: Annotated[float, Column(decimals=1, priority=1)]
    """Mean share of opponents that it finished above, a tie counting half."""
    mean_rank: Annotated[float, Column(decimals=2, priority=2)]
    forfeits: Annotated[int, Column(priority=3)]
    mean_ms: Annotated[float, Column(decimals=2, priority=4)]
    max_ms: Annotated[float, Column(decimals=1, priority=5)]
    total_s: Annotated[float, Column("all s", 2, priority=4)]
    """Wall time of all its decisions."""


def match(
    bots: Annotated[list[str] | None, typer.Argument(metavar="BOT")] = None,
    like: Annotated[str | None, typer.Option(metavar="GAME")] = None,
    game: options.Game = None,
    ruleset: options.Ruleset = None,
    option: options.RuleOptions = None,
    seed: options.Seed = None,
    rotate: Annotated[bool, typer.Option("--rotate")] = False,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Play a single game between bots, or with --rotate a whole match.

    It is stored in the league `casual`, unrated.

    The table of a match of several games ends with a line for each bot: points, share, mean rank and time of all games.

    Each bot is started once first; if one doesn't start, nothing is played or stored.

    With --like, a finished game is played again. If all bots are the same and deterministic, so is the game; the
    command says so, or where the two first differ.

    Options:
        like: Play the deal of a stored game again, LEAGUE/MATCH.ROTATION: same rules, seats and seeds.
        rotate: Play the deal several times, so that every bot plays every seat.
        bots: A bot for each seat: {options.ANY_BOT}. With --like, only those that change: a bot for each seat, or
            SEAT=BOT for single ones.
    """
    given = {"--game": game, "--ruleset": ruleset, "--option": option, "--seed": seed, "--rotate": rotate}
    if like is None and not bots:
        raise UsageError("a match needs bots", "name a bot for each seat, or a stored game with --like")
    if like is not None and (fixed := [name for name, value in given.items() if value]):
        raise UsageError(f"--like fixes what {fixed[0]} says", f"remove {fixed[0]}, or --like")
    confinement, builder = confined_builder(store, sandbox)
    with staging_beside(store) as staging:
        repeated = None
        if like is not None:
            with reading(store) as opened:
                stored = find(opened, *find_game(opened, like))
                seats_of = named_seats(bots or (), stored)
                read = read_bots(store, opened, list(seats_of.values()), Path())
                found = staged_bots(store, opened, read, staging, builder)
                repeated = repetition_of(opened, stored, dict(zip(seats_of, found, strict=True)))
            rules, table, deal = repeated.rules, repeated.table, repeated.deal
        else:
            with reading_if_there(store) as opened_if:
                read = read_bots(store, opened_if, bots or [], Path())
                name = game or common_game([bot.games for bot in read])
                rules = resolve_match(name, ruleset, option or [], len(read), rotate=rotate)
                found = staged_bots(store, opened_if, read, staging, builder)
            table, deal = table_of(found), deal_of_seed(seed, rules.game.info.name)
        file = None if repeated is None else repeated.file
        confines = confinement() if file is None else confined(store, sandbox, file)
        start_table(table, rules, confines, say)
        with busy("playing") as work:
            played = play_match(rules, table, deal, confines, progress=partial(work.take, unit="games"))
        keep_files(store, found)
    entered = enter_match(store, played, table, rules)
    number = "casual/?" if entered is None else f"casual/{entered.match_no}"
    title = f"{rules.game.info.name} · {rules.ruleset.name}{_sides(played)}"
    list_rows(SeatRow, _rows(played, table, number), form, title)
    if form is Format.TABLE and len(played.games) > 1:
        print_table(
            console(),
            columns_of(BotSum),
            bot_sums(played, table),
            f"all {counted(len(played.games), 'game')} together",
        )
    faults = _faults(played, table, None if entered is None else number, options.naming_store(store))
    for fault, more in faults.items():
        say_error(fault, more)
    if form is Format.TABLE and entered is not None:
        say(
            f"see the game: arena replay show {number}.{played.games[0].rotation}{options.naming_store(store)}"
        )
    if repeated is not None:
        _compare(repeated, played.games[0], like or "", changed=bool(bots))
    if faults:
        raise typer.Exit(BOT_FAILED)


def _sides(played: Played) -> str:
    """Return in words which seats are partners, if some are."""
    sides = [
        [str(seat) for seat, one in enumerate(played.sides) if one == side]
        for side in sorted(set(played.sides))
    ]
    return f" · seats {' against '.join(map(' and '.join, sides))}" if sides else ""


def _rows(played: Played, table: Table, match: str) -> list[SeatRow]:
    """Return the results of all games of a match; `match` is its name, such as `casual/12`."""
    return [
        SeatRow(
            game=f"{match.removeprefix('casual/')}.{record.rotation}",
            seat=seat.seat,
            bot=table.players[seat.entry_no].label,
            score=seat.score,
            rank=seat.rank,
            decisions=seat.decisions,
            mean_ms=seat.wall_ns / max(1, seat.decisions) / 1e6,
            max_ms=seat.max_wall_ns / 1e6,
            verdict=str(seat.verdict or ""),
        )
        for record in played.games
        for seat in record.seats
    ]


def bot_sums(played: Played, table: Table) -> list[BotSum]:
    """Return the results of each bot in all games, the best share first."""
    sums = []
    for number, player in enumerate(table.players):
        seats = [
            (record, seat) for record in played.games for seat in record.seats if seat.entry_no == number
        ]
        shares = [
            game_shares([one.rank for one in record.seats], played.sides)[seat.seat] for record, seat in seats
        ]
        decisions, wall_ns = sum(seat.decisions for _, seat in seats), sum(seat.wall_ns for _, seat in seats)
        sums.append(
            BotSum(
                bot=player.label,
                points=reduce(added, (seat.score for _, seat in seats)),
                share_percent=100 * sum(shares) / UNIT / len(seats),
                mean_rank=sum(seat.rank for _, seat in seats) / len(seats),
                forfeits=sum(bool(seat.verdict) for _, seat in seats),
                mean_ms=wall_ns / max(1, decisions) / 1e6,
                max_ms=max(seat.max_wall_ns for _, seat in seats) / 1e6,
                total_s=wall_ns / 1e9,
            )
        )
    return sorted(sums, key=lambda one: (-one.share_percent, -one.points))


def _faults(played: Played, table: Table, match: str | None, at: str) -> dict[str, str]:
    """Return what is said of each forfeit, and what to do about it.

    `match` is the name of the match, None while it isn't stored; `at` names the store in a command.
    """
    faults: dict[str, str] = {}
    for record in played.games:
        for seat in record.seats:
            if not seat.verdict:
                continue
            fault = f"{table.players[seat.entry_no].label} ({seat.verdict}): {seat.detail}"
            said = _log(record, seat.seat)
            if seat.verdict in _LAST_WORDS and (words := last_words(record, seat.seat)):
                fault += f"; last line of its log: {words}"
            more = f"see its log: arena faults casual --log{at}"
            if match is not None:
                more = f"see why: arena why {match}.{record.rotation} --seat {seat.seat}{at}"
            bot = table.players[seat.entry_no].bot
            what = ""
            if bot is not None:
                what = advice(seat.reason, said, bot.language, kit=bot.kit, verdict=seat.verdict)
            faults[fault] = f"{what}; {more}" if what else more
    return faults


def _compare(repeated: Repetition, played: GameRecord, like: str, *, changed: bool) -> None:
    """Say whether a game that was played again came out as the stored one; `changed`: other bots took seats."""
    if repeated.fingerprint == played.fingerprint:
        say(f"the same game as {like}, to the last move and note")
        return
    if repeated.body is None:
        say(
            f"not the same game as {like}, whose replay was not kept, so there is no telling where they differ"
        )
        return
    found = difference(repeated.body, json.loads(zlib.decompress(played.body)))
    if found is None or found.decision is None:
        what = "names, versions or notes" if changed else "notes"
        say(f"the same moves as in {like}; only {what} differ")
        return
    say(f"differs from {like} at {decision_words(found.decision)}:")
    say(f"  then: {cut(found.stored, _MOST_CHARS) or 'the game was over'}")
    say(f"  now:  {cut(found.played, _MOST_CHARS) or 'the game is over'}")


def last_words(record: GameRecord, seat: int) -> str:
    """Return the last line of a bot's log, such as the end of a traceback; empty if there is none."""
    lines = _log(record, seat).strip().splitlines()
    return one_line(lines[-1].strip()[:_MOST_CHARS]) if lines else ""


def _log(record: GameRecord, seat: int) -> str:
    """Return the end of a bot's log."""
    written = next((log.tail or log.head for log in record.logs if log.seat == seat), b"")
    return written.decode("utf-8", "replace")
