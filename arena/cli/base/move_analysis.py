"""`--analyse`: prices the moves of a bot in one game or in many of a league, and prints them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from arena.cli.display.loss_page import WIDEST
from arena.cli.display.move_prices import KIND_COLUMNS, KindRow, dear_lines, in_short, kinds, to_work_on
from arena.cli.display.progress import Work, busy
from arena.cli.display.tables import print_table
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import answer_json, print_line, warn
from arena.conversation.rebuild import StoredGame
from arena.core.errors import ArenaError, UsageError
from arena.league.move_prices import Prices, price_moves
from arena.league.stored_games import FoundGame, find, read
from results.base.errors import LedgerError
from results.base.text import counted
from results.records import EntryRecord, LeagueRecord
from results.store import Store

Analysis = tuple[int | None, float | None, int]
"""How moves are priced: the number of worlds, the seconds that fix it instead, and the number of processes."""


def analyse_game(
    store: Store, found: FoundGame, seats: Sequence[int], how: Analysis, *, as_json: bool
) -> None:
    """Price the moves of some seats of a game, and show the dearest."""
    stored = read(store, found)
    width = min(console().width, WIDEST)
    for seat in seats:
        with busy(f"pricing the moves of {found.labels[seat]}") as work:
            prices = _prices(store, stored, seat, how, partial(_tell_decisions, work))
        if as_json:
            answer_json(prices)
            continue
        _print_prices(stored, {found.name: prices}, f"{found.name}: {found.labels[seat]} in seat {seat}", how)
        for line in dear_lines(stored, prices, found.labels, width):
            write_line(line)


def analyse_league(
    store: Store,
    league: LeagueRecord,
    entry: EntryRecord | None,
    how: Analysis,
    newest: int,
    *,
    as_json: bool,
) -> None:
    """Price a bot's moves in its newest games, and show which kinds of moves cost it most. Raises UsageError."""
    games = store.games.all(league.uuid, entries=[entry.entry_no], newest_first=True) if entry else []
    chosen = [game for game in games if game.state == "done" and game.has_replay][:newest]
    if entry is None or not chosen:
        who = "no bot has a" if entry is None else f"{entry.label} has no"
        raise UsageError(
            f"{league.name}: {who} game that can be analysed",
            "run the league until a match is finished; games without replays can't be analysed",
        )
    priced: dict[str, Prices] = {}
    refused: dict[str, int] = {}
    stored = None
    with busy(f"pricing the moves of {entry.label}") as work:
        for done, game in enumerate(chosen, 1):
            found = find(store, league, game.match_no, game.rotation)
            try:
                stored = read(store, found)
                for seat in [one.seat for one in game.seats if one.entry_no == entry.entry_no]:
                    priced[f"{found.name} --seat {seat}"] = _prices(store, stored, seat, how, _tell_nobody)
            except UsageError:  # the game can't guess: so it is for all
                raise
            except (ArenaError, LedgerError) as error:
                refused[str(error)] = refused.get(str(error), 0) + 1
            work.take(done, len(chosen), "pricing moves", "games")
    for why, count in refused.items():
        warn(f"{counted(count, 'game')} left out: {why}")
    if as_json:
        answer_json(priced)
        return
    if stored is None or not priced:
        raise UsageError(
            f"{league.name}: no game of {entry.label} could be analysed", "see the reasons above"
        )
    rows = _print_prices(
        stored, priced, f"{entry.label} in {counted(len(chosen), 'game')} of {league.name}", how
    )
    work_on = list(to_work_on(rows))
    print_line(console(), "what to work on:" if work_on else "nothing stands out: try more --games", "bold")
    for line in work_on:
        print_line(console(), line)


def _prices(
    store: Store, stored: StoredGame, seat: int, how: Analysis, tell: Callable[[int, int], None]
) -> Prices:
    worlds, seconds, jobs = how
    return price_moves(stored, seat, worlds=worlds, seconds=seconds, jobs=jobs, cache=store.cache, tell=tell)


def _print_prices(stored: StoredGame, priced: Mapping[str, Prices], who: str, how: Analysis) -> list[KindRow]:
    """Print what moves cost, in short and by kind; return the kinds."""
    out, rows = console(), kinds(priced)
    first, *more = in_short(stored, priced, who)
    print_line(out, first, "bold")
    for line in more:
        print_line(out, line)
    if how[1] is not None:
        print_line(
            out, "the next run differs, because of --seconds; --worlds gives the same each time", "dim"
        )
    if rows:
        print_table(out, KIND_COLUMNS, rows)
    return rows


def _tell_decisions(work: Work, done: int, of: int) -> None:
    work.take(done, of, "pricing moves", "decisions")


def _tell_nobody(_done: int, _of: int) -> None:
    """Do nothing."""
