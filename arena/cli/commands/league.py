"""`arena league create|run|status`."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.commands.placing import placing, print_placing
from arena.cli.commands.rankings import LeagueArgument, print_rankings, state_of
from arena.cli.confinement import LeagueSandboxOption, Sandbox, tell, wanted
from arena.cli.display.league_plan import tell_plan, warn_of_search
from arena.cli.display.tables import (
    Column,
    Format,
    FormatOption,
    answer,
    console,
    error_console,
    list_rows,
    played_again,
    say,
    say_error,
    warn,
)
from arena.cli.exit_codes import INTERRUPTED, OURS, PAUSED
from arena.cli.interruption import hang_up
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading, writing

if TYPE_CHECKING:
    from arena.sandbox.refusals import Refusal
    from results.analysis.fit_cache import KeptFit
    from results.records import LeagueRecord
    from results.store import Store

app = typer.Typer(help="Create leagues from TOML files, run them, see how they stand.", no_args_is_help=True)
app.command("placing")(placing)

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        max=1024,
        help="Worker processes; default: the league file's, else one a core.",
    ),
]

ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="How games are played: processes (the default), serial, or one that a package adds.",
    ),
]


@app.command()
def create(
    file: Annotated[Path, typer.Argument(help="The league file (TOML).")],
    store: StoreOption = DEFAULT_STORE,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check everything and tell what would be played; create nothing."),
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="NAME=VALUE", help="Set an option of the game over the file's."
        ),
    ] = None,
) -> None:
    """Create a league: its bots are taken in and its rules fixed; nothing is played yet."""
    from arena.league.create import create_at, read_plan
    from arena.league.footprint import footprint

    with error_console().status("reading the bots"):
        plan = read_plan(file, option or [])
        size = footprint(
            plan.setting
        )  # plays the game, and so finds what is wrong with it before anything is done
        created = create_at(store, plan, dry_run=dry_run)
    league = created.league
    tell_plan(plan, size)
    for entry in created.entries:
        if entry.prior:
            start = league.scale.shown(entry.prior)
            say(f"{entry.label} starts at {start}, from its last rating in an earlier league")
    if not league.sealed:
        say("not sealed: the league has a seed, so whoever knows it knows the deals")
        warn_of_search(plan)
    if dry_run:
        say("a dry run: nothing was created")
        return
    if league.sealed:
        say(f"sealed: the deals follow from a secret whose SHA-256 is {league.commitment}")
    say(f"created {league.name!r} in {store}; run it with: arena league run{_name_and_store(league, store)}")


@app.command()
def run(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    sandbox: LeagueSandboxOption = None,
    executor: ExecutorOption = None,
) -> None:
    """Play a league's games, from wherever it stands to its end.

    The first Ctrl-C finishes the games being played, the second stops at once; the same command goes on.
    """
    with writing(store, create=False) as opened:
        run_shown(opened, opened.leagues.get(name), store, workers, sandbox, executor)


def run_shown(
    opened: "Store",
    league: "LeagueRecord",
    store: Path,
    workers: int | None,
    sandbox: Sandbox | None = None,
    executor: str | None = None,
) -> None:
    """Run a league under the live display, then show its rankings. Exits with 4 when interrupted, 5 when paused."""
    go_on = f"arena league run{_name_and_store(league, store)}"
    with pausing(go_on):
        from arena.cli.display.live_league import LiveLeague
        from arena.league.running.interrupts import Interrupts
        from arena.league.running.run import LeagueRun

        league_run = LeagueRun(
            opened,
            league,
            workers=workers,
            executor=executor,
            sandbox=wanted(sandbox) if sandbox else None,
        )
        tell(league_run.sandbox, league_run.probe)
        with (
            LiveLeague(opened, league, league_run.workers) as live,
            Interrupts(league_run.stop, live.say, hang_up),
        ):
            complete = league_run.run(live.show)
    league = opened.leagues.get(league.name)
    print_rankings(console(), opened, league, final_fit(opened, league))
    print_placing(opened, league)
    for line in league_run.notices:
        warn(line)
    if league_run.ended:
        say(f"{league.name} is over: {league_run.ended}")
    progress = league_run.progress
    if progress.failed_attempts:
        say(played_again(progress.failed_attempts, progress.void_matches, "arena faults --platform"))
    if league_run.paused:
        raise paused(league_run.paused, go_on)
    if not complete:
        say(f"stopped; go on with: {go_on}")
        raise typer.Exit(INTERRUPTED)
    if progress.void_matches:
        raise typer.Exit(OURS)


@contextmanager
def pausing(go_on: str) -> Iterator[None]:
    """Turn what the machine refuses meanwhile into an exit that says so, and with which command to go on."""
    from arena.core.errors import MachineRefuses
    from arena.sandbox.refusals import Refusal, refusal
    from results.errors import StoreFull

    try:
        yield
    except (MachineRefuses, StoreFull) as error:
        raise paused(Refusal(str(error), error.hint), go_on) from None
    except (OSError, MemoryError, RuntimeError) as error:
        if refused := refusal(error):
            raise paused(refused, go_on) from error
        raise


def paused(refused: "Refusal", go_on: str) -> typer.Exit:
    """Say what the machine refuses, what to do about it, and the command that goes on; return the exit."""
    say_error(f"paused, as no game can be played here: {refused.what}", refused.remedy)
    say(f"nothing is lost, no game is void for it; once that is mended, go on with: {go_on}")
    return typer.Exit(PAUSED)


def final_fit(store: "Store", league: "LeagueRecord") -> "KeptFit | None":
    """Return the order-free fit; at the end of a league it is made anew for a person at a terminal."""
    from results.analysis.fit_cache import kept_fit, new_fit

    fresh = console().is_terminal and league.state == "finished"
    return new_fit(store, league.uuid) if fresh else kept_fit(store, league.uuid)


def _name_and_store(league: "LeagueRecord", store: Path) -> str:
    words = [league.name, *([] if store == DEFAULT_STORE else ["--store", str(store)])]
    return " " + shlex.join(words)


STATUS_COLUMNS = (
    Column("name", "league", priority=0),
    Column("game", "game", priority=6),
    Column("ruleset", "ruleset", priority=7),
    Column("entries", "bots", right=True, priority=3),
    Column("matches", "matches", right=True, priority=4),
    Column("games", "games", right=True, priority=2),
    Column("faults", "faults", right=True, priority=5),
    Column("state", "state", priority=1),
)


@app.command()
def status(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show how far leagues are: all of the store, or the one named, with its own order if its format has one."""
    with reading(store) as opened:
        leagues = [opened.leagues.get(name)] if name else opened.leagues.all()
        rows = []
        for league in leagues:
            progress = opened.leagues.progress(league.uuid)
            rows.append(
                {
                    "name": league.name,
                    "game": league.ruleset.game if league.ruleset else None,
                    "ruleset": league.ruleset.name if league.ruleset else None,
                    "entries": len(opened.entries.all(league.uuid)),
                    "matches": progress.matches_done,
                    "games": progress.games_done,
                    "faults": sum(row.faults for row in opened.ratings.standings(league.uuid)),
                    "state": state_of(league),
                }
            )
        list_rows(
            STATUS_COLUMNS, rows, form, f"leagues in {store}", "no leagues yet: arena league create FILE"
        )
        if name and form is Format.TABLE:
            print_placing(opened, leagues[0])
            _tell_end(opened, leagues[0])


def _tell_end(store: "Store", league: "LeagueRecord") -> None:
    """Say why a league ended before its schedule was complete, or what still may end it."""
    from arena.league.definition.length import how_long
    from arena.league.stopping.base import ENDED
    from arena.league.stored_league import file_of, setting_of

    ends = [str(event.data["why"]) for event in store.leagues.events(league.uuid) if event.kind == ENDED]
    if ends:
        say(f"{league.name} is over: {ends[-1]}")
    elif league.rated and league.state != "finished":
        say(f"{league.name} goes on: {how_long(file_of(league).stop, setting_of(store, league))}")


@app.command()
def reveal(name: LeagueArgument = None, store: StoreOption = DEFAULT_STORE) -> None:
    """Make the secret of a finished league public, for audits of its deals; it cannot go on after that."""
    with writing(store, create=False) as opened:
        league = opened.leagues.get(name)
        secret = opened.leagues.reveal(league.uuid)
    typer.echo(secret.hex())


@app.command()
def audit(name: LeagueArgument = None, store: StoreOption = DEFAULT_STORE) -> None:
    """Derive every deal of a league again from its revealed secret (or its seed), and compare."""
    from arena.core.errors import UsageError
    from arena.league.audit import audit as audit_league

    with reading(store) as opened:
        league = opened.leagues.get(name)
        if league.sealed and not league.revealed:
            raise UsageError(
                f"the secret of {league.name} is not public",
                f"reveal it once the league is finished: arena league reveal{_name_and_store(league, store)}",
            )
        findings = list(audit_league(opened, league))
    for finding in findings:
        say_error(finding)
    if findings:
        raise typer.Exit(OURS)
    answer(f"{league.name}: every deal follows from the secret whose SHA-256 is {league.commitment}")
