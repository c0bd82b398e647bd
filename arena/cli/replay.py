"""`arena replay list|show|verify|export`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exits import OURS
from arena.cli.rankings import LeagueArgument, heading
from arena.cli.storing import DEFAULT_STORE, StoreOption, reading
from arena.cli.terminal import Column, Format, FormatOption, console, list_rows, printable, say_error
from protocol.verdicts import Verdict

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store

app = typer.Typer(help="Games as they were played: list, read, verify, export.", no_args_is_help=True)

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="LEAGUE/MATCH.ROTATION, such as demo/12.0; without LEAGUE/: the only or newest league.",
    ),
]

COLUMNS = (
    Column("game", "game", right=True),
    Column("seats", "seats: score", wide=True),
    Column("decisions", "moves", right=True),
    Column("faults", "faults", wide=True),
    Column("finished_at", "finished"),
)


def find_game(store: "Store", text: str) -> "tuple[LeagueRecord, int, int]":
    """Return league, match number and rotation of LEAGUE/MATCH.ROTATION. Raises UsageError."""
    from arena.core.errors import UsageError

    name, _, number = text.rpartition("/")
    match_no, dot, rotation = number.partition(".")
    if not match_no.isdigit() or (dot and not rotation.isdigit()):
        raise UsageError(f"{text!r} names no game", "write LEAGUE/MATCH.ROTATION, such as demo/12.0")
    return store.league(name or None), int(match_no), int(rotation or 0)


@app.command("list")
def list_games(
    name: LeagueArgument = None,
    bot: Annotated[str | None, typer.Option("--bot", help="Only games of this entry.")] = None,
    verdict: Annotated[
        Verdict | None, typer.Option("--verdict", help="Only games in which a seat was forfeited for this.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most this many, the newest.")] = 20,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List a league's games, the newest first."""
    with reading(store) as opened:
        league = opened.league(name)
        labels = {entry.entry_no: entry.label for entry in opened.entries(league.uuid)}
        entry_no = opened.find_entry(league.uuid, bot).entry_no if bot else None
        games = opened.games(league.uuid, entry_no=entry_no, verdict=verdict, newest_first=True, limit=limit)
        rows = [
            {
                "game": f"{game.match_no}.{game.rotation}",
                "seats": ", ".join(f"{labels[seat.entry_no]} {seat.score}" for seat in game.seats),
                "decisions": game.decisions,
                "faults": ", ".join(
                    f"{labels[seat.entry_no]}: {seat.verdict}" for seat in game.seats if seat.verdict
                ),
                "finished_at": game.finished_at[:19].replace("T", " "),
            }
            for game in games
        ]
        list_rows(COLUMNS, rows, form, heading(opened, league), f"{league.name}: no games")


@app.command()
def show(
    game: GameArgument,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the table before every decision.")] = False,
    seat: Annotated[
        int | None,
        typer.Option(
            "--seat", min=0, help="Tell and draw it as this seat saw it; default: as the public did."
        ),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Print a game readably: who sat where, what happened in order, how it ended."""
    with reading(store) as opened:
        body = body_of(opened, *find_game(opened, game))
    if seat is not None and seat >= body["seats"]:
        raise typer.BadParameter(f"the game has seats 0 to {body['seats'] - 1}", param_hint="--seat")
    for line in tell(body, boards=boards, width=min(console().width, 100), seat=seat):
        typer.echo(printable(line))


def body_of(store: "Store", league: "LeagueRecord", match_no: int, rotation: int) -> dict[str, Any]:
    """Return a game's replay body."""
    body: dict[str, Any] = json.loads(store.replay(league.uuid, match_no, rotation).body)
    return body


def tell(body: dict[str, Any], *, boards: bool, width: int, seat: int | None = None) -> list[str]:
    """Return a game in lines for people, as a seat saw it (None: the public)."""
    from arena import registry
    from arena.core.replay import steps

    rules = registry.game(body["game"])
    names = [entry["label"] for entry in body["entries"]]
    lines = [f"{rules.info.title} · {body['ruleset']} · {body['seats']} players", ""]
    lines += [f"  seat {number}: {name}" for number, name in enumerate(names)]
    lines.append("")
    for step in steps(rules, body):
        if boards and step.moves:
            lines += ["", rules.draw(rules.view(step.state, seat), width), ""]
        notes = [f"    ({names[move['seat']]}: {move['note']})" for move in step.moves if move.get("note")]
        for event in step.events:
            if event.kind == "forfeit":
                out = event.data["seat"]
                lines.append(f"*** {names[out]} (seat {out}) is out: {event.data['verdict']}")
                continue
            text = rules.describe(event.seen_by(seat))
            if text:
                lines.append(text)
        lines += notes
    lines.append("")
    for place in sorted(range(len(names)), key=lambda number: body["ranks"][number]):
        verdict = f"  ({body['verdicts'][place]})" if body["verdicts"][place] else ""
        lines.append(f"  {body['ranks'][place]}. {names[place]}: {body['scores'][place]}{verdict}")
    return lines


@app.command()
def verify(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Play every stored replay of a league through the rules again, and compare every event and score."""
    from rich.progress import track

    from arena import registry
    from arena.cli.db import check_body
    from arena.cli.terminal import error_console

    wrong = 0
    with reading(store) as opened:
        league = opened.league(name)
        if league.ruleset is not None:
            registry.game(league.ruleset.game)
        keys = [(game.match_no, game.rotation) for game in opened.games(league.uuid) if game.has_replay]
        out = error_console()
        for match_no, rotation in track(
            keys, "verifying", console=out, transient=True, disable=not out.is_terminal
        ):
            finding = check_body(body_of(opened, league, match_no, rotation))
            if finding:
                wrong += 1
                say_error(f"{league.name}/{match_no}.{rotation}: {finding}")
    typer.echo(f"{league.name}: {len(keys) - wrong} of {len(keys)} replays verify")
    if wrong:
        raise typer.Exit(OURS)


@app.command()
def export(
    game: GameArgument,
    target: Annotated[
        Path | None, typer.Option("--output", "-O", help="The file to write; default: the terminal.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a game's replay body as JSON: deal, moves, events, result; readable without Arena."""
    with reading(store) as opened:
        text = json.dumps(body_of(opened, *find_game(opened, game)), indent=1, ensure_ascii=False)
    if target is None:
        typer.echo(text)
    else:
        target.write_text(text + "\n", encoding="utf-8")
