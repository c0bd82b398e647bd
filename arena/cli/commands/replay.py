"""`arena replay list|show|watch|verify|export`."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import typer

from arena import registry
from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import find_entry, find_game, league_or_casual
from arena.cli.display.finished_game_text import lines_of, screens
from arena.cli.display.long_work import busy
from arena.cli.display.tables import Format, heading, list_rows
from arena.cli.terminal.consoles import console, write_data
from arena.cli.terminal.messages import OURS, answer, say, say_error, warn, write_file
from arena.cli.terminal.typed_input import Gone, LineInput, NoTimeLeft, TooLong
from arena.conversation.narration import Eyes
from arena.league.stored_games import check_body
from protocol.verdicts import Verdict
from results.base.errors import SegmentAway
from results.base.text import counted, json_text
from results.records import LeagueRecord
from results.records.query_rows import FinishedGame
from results.reports.columns import Column, ReportRow
from results.reports.leagues import league_summary
from results.store import Store

app = typer.Typer(no_args_is_help=True)


@app.callback()
def replay() -> None:
    """List, show, watch, verify and export finished games."""


def _not_rated(row: "GameRow") -> str:
    return "" if row.rated else "not rated"


class GameRow(ReportRow, frozen=True, kw_only=True):
    """A finished game."""

    game: Annotated[str, Column(right=True, priority=0)]
    """Match number and rotation, such as `12.0`."""
    seats: Annotated[str, Column("seats: score", wide=True, priority=1)]
    """Bots with their scores, in seat order."""
    decisions: Annotated[int, Column("moves", priority=4)]
    faults: Annotated[str, Column(wide=True, priority=2)]
    """Bots that forfeited, each with its verdict."""
    finished_at: Annotated[str, Column("finished", priority=5)]
    """UTC, to the second."""
    rated: Annotated[bool, Column(priority=3, drawn=_not_rated, only_if=_not_rated)]
    """False in leagues without ratings, and if bots of one author meet in its match."""


IN_A_TABLE = 20
AT_A_TIME = 1000
"""Games of a list that are read together."""


@app.command("list")
def list_games(
    name: options.League = None,
    bot: options.Bot = None,
    verdict: Verdict | None = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            min=1,
            help=f"List at most this many games; default: {IN_A_TABLE} in a table, else all.",
        ),
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """List a league's games, newest first.

    Options:
        verdict: List only games with a forfeit for this verdict.
    """
    with reading(store) as opened:
        league = league_or_casual(opened, name)
        labels = {
            entry.entry_no: entry.label if entry.version else f"{entry.label} (person)"
            for entry in opened.entries.all(league.uuid)
        }
        entries = [find_entry(opened, league, bot).entry_no] if bot else []
        most = limit or (IN_A_TABLE if form is Format.TABLE else None)
        rows = (
            GameRow(
                game=f"{game.match_no}.{game.rotation}",
                seats=", ".join(f"{labels[seat.entry_no]} {seat.score}" for seat in game.seats),
                decisions=game.decisions,
                faults=", ".join(
                    f"{labels[seat.entry_no]}: {seat.verdict}" for seat in game.seats if seat.verdict
                ),
                finished_at=game.finished_at[:19].replace("T", " "),
                rated=league.rated and game.rated,
            )
            for game in _newest(opened, league.uuid, entries, verdict, most)
        )
        with busy("counting games"):
            title = heading(league_summary(opened, league))
            number = opened.games.number(league.uuid, entries=entries, verdict=verdict)
        shown = min(most or number, number)
        list_rows(GameRow, rows, form, title, f"{league.name}: no games", of=shown)
        if most and most < number:
            say(f"the newest {most:,} of {number:,} games; all of them: --limit {number}")


def _newest(
    store: Store, league: str, entries: list[int], verdict: Verdict | None, most: int | None
) -> Iterator[FinishedGame]:
    """Yield the newest games, the newest first; None: all of them. A long league is never read at once."""
    after, left = None, sys.maxsize if most is None else most
    while left > 0:
        found = store.games.all(
            league,
            entries=entries,
            verdict=verdict,
            after=after,
            newest_first=True,
            limit=min(left, AT_A_TIME),
        )
        yield from found
        if len(found) < AT_A_TIME:
            return
        left -= len(found)
        after = (found[-1].match_no, found[-1].rotation)


@app.command()
def show(
    game: options.GameName,
    boards: Annotated[bool, typer.Option("--boards")] = False,
    seat: Annotated[int | None, typer.Option(min=0)] = None,
    public: Annotated[bool, typer.Option("--public")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Print a game in words: seats, hands, every event, and the result.

    A game is hidden until its match is finished.

    Options:
        boards: Draw the table before every decision.
        seat: Show only what this seat saw; default: all hands.
        public: Show only what spectators saw, without any hands.
    """
    with reading(store) as opened:
        body = body_of(opened, *find_game(opened, game))
    eyes = _eyes(body, seat, public=public)
    for line in lines_of(body, eyes, boards=boards, width=min(console().width, 100)):
        answer(line)


@app.command()
def watch(
    game: options.GameName,
    seat: Annotated[int | None, typer.Option(min=0)] = None,
    public: Annotated[bool, typer.Option("--public")] = False,
    speed: Annotated[float | None, typer.Option(min=0.25, max=16)] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Watch a finished game step by step, or let it play.

    Enter shows the next step, b the one before, a number that step; p plays, Enter then pauses; q quits. A game is
    hidden until its match is finished. If input or output is not a terminal, prints the game like `show --boards`.

    Options:
        seat: Show only what this seat saw; default: all hands.
        public: Show only what spectators saw, without any hands.
        speed: Play at so many steps a second from the beginning.
    """
    with reading(store) as opened:
        league, match_no, rotation = find_game(opened, game)
        stored = opened.replays.get(league.uuid, match_no, rotation)
    name = f"{league.name}/{match_no}.{rotation}"
    body = stored.decoded(name)
    eyes, out = _eyes(body, seat, public=public), console()
    width = min(out.width, 100)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for line in lines_of(body, eyes, boards=True, width=width):
            answer(line)
        return
    shown = screens(body, stored.decoded_timing(name), eyes, width)
    last, at, plays = len(shown) - 1, 0, speed is not None
    with LineInput() as typed:
        while True:
            out.clear()
            for line in shown[at]:
                answer(line)
            plays = plays and at < last
            help_ = (
                "Enter pauses"
                if plays
                else f"{'' if at == last else 'Enter next · p play · '}b back · q quit"
            )
            ask = partial(out.print, f"\n{name} · step {at} of {last} · {help_}> ", end="", markup=False)
            try:
                said = typed.read(ask, 1 / (speed or 1.0) if plays else None).strip()
            except NoTimeLeft:
                at += 1
                continue
            except TooLong:
                continue
            except Gone:
                return
            if said == "q":
                return
            step = int(said) if said.isdecimal() else at - 1 if said == "b" else at + 1
            at, plays = at if plays else max(0, min(step, last)), said == "p"


def _eyes(body: dict[str, Any], seat: int | None, *, public: bool) -> Eyes | int:
    """Return whose eyes the options ask for. Raises BadParameter."""
    if public and seat is not None:
        raise typer.BadParameter(
            "--public and --seat exclude each other; remove one of them", param_hint="--public"
        )
    if seat is not None and seat >= body["seats"]:
        raise typer.BadParameter(f"the game has seats 0 to {body['seats'] - 1}", param_hint="--seat")
    return seat if seat is not None else Eyes.PUBLIC if public else Eyes.ALL


def body_of(store: Store, league: LeagueRecord, match_no: int, rotation: int) -> dict[str, Any]:
    """Return a game's replay body."""
    return store.replays.get(league.uuid, match_no, rotation).decoded(f"{league.name}/{match_no}.{rotation}")


@app.command()
def verify(name: options.League = None, store: options.Store = options.DEFAULT_STORE) -> None:
    """Verify a league's replays: play each by the rules, and compare."""
    away: list[SegmentAway] = []
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if league.ruleset is not None:
            registry.game(league.ruleset.game)
        findings = []
        with busy("verifying replays") as work:
            keys = [
                (game.match_no, game.rotation) for game in opened.games.all(league.uuid) if game.has_replay
            ]
            for match_no, rotation in work.over(keys, len(keys), "games"):
                try:
                    finding = check_body(body_of(opened, league, match_no, rotation))
                except SegmentAway as error:
                    away.append(error)
                    continue
                if finding:
                    findings.append(f"{league.name}/{match_no}.{rotation}: {finding}")
    for finding in findings:
        say_error(finding)
    wrong = len(findings)
    answer(f"{league.name}: {len(keys) - wrong - len(away)} of {len(keys)} replays verify")
    if away:
        warn(
            f"not verified: {counted(len(away), 'replay')} in segments that aren't here; fetch them: arena db fetch"
        )
    if wrong:
        raise typer.Exit(OURS)


@app.command()
def export(
    game: options.GameName,
    target: options.Target = None,
    force: options.Force = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Export a game as JSON: deal, moves, events and result."""
    with reading(store) as opened:
        text = laid_out(body_of(opened, *find_game(opened, game)))
    if target is None or str(target) == "-":
        write_data(text + "\n")
    else:
        write_file(target, text + "\n", force=force)


def laid_out(body: dict[str, Any]) -> str:
    """Return a replay body as JSON, with a line for each move, each event and each random stream."""
    parts = [f" {json_text(key)}: {_laid_out(value)}" for key, value in body.items()]
    return "{\n" + ",\n".join(parts) + "\n}"


def _laid_out(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n  " + ",\n  ".join(map(json_text, value)) + "\n ]"
    if isinstance(value, dict) and any(isinstance(item, list | dict) for item in value.values()):
        lines = [f"{json_text(key)}: {json_text(item)}" for key, item in value.items()]
        return "{\n  " + ",\n  ".join(lines) + "\n }"
    return json_text(value)
