"""A league whose field changes, played in this process."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from arena.executors.worker import SerialExecutor
from arena.league.create import create_at
from arena.league.definition.read import read_plan
from arena.league.running.run import LeagueRun
from arena.league.stored_games import find
from results.base.errors import MatchUnfinished
from results.records import LeagueRecord, VersionRecord
from results.store import Store, open_store
from tests.support.leagues import in_this_process, simple, write_bot
from tests.support.submissions import enter_checked, take_in

LADDER = '[schedule]\nkind = "ladder"\nlag = 8\n'
ROUNDS = '[schedule]\nkind = "round-robin"\nrounds = 3\n'
CRASHES = "import sys\nsys.exit(3)\n"


def open_league(
    folder: Path,
    tables: str = LADDER,
    bots: int = 4,
    name: str = "main",
    *,
    seats: str = "2",
    rating: str = "draw_probability = 0.1",
    authors: Sequence[str] = (),
    before: str = "",
) -> Store:
    """Create a league of quick games between bots called bot-0, bot-1 and so on; return its store.

    It may have leagues already. `seats`, `rating` and `before`, keys of the whole file, are as in the league file; by
    default all bots have one author.
    """
    entries = ""
    for number in range(bots):
        place = folder / "bots" / f"bot-{number}"
        if not place.exists():
            author = authors[number] if authors else "tests"
            write_bot(folder / "bots", f"bot-{number}", simple(number), game="bread-basket", author=author)
        entries += f'[[bots]]\npath = "{place}"\n'
    file = folder / f"{name}.toml"
    file.write_text(
        f'name = "{name}"\ngame = "bread-basket"\nseats = {seats}\noptions = {{ hands = 1 }}\nseed = 7\n'
        'workers = 1\nsandbox = "off"\npondering = true\nkeep_replays = "none"\n'
        f"{before}[rating]\n{rating}\n{tables}{entries}"
    )
    create_at(folder / "arena.sqlite", read_plan(file))
    return open_store(folder / "arena.sqlite")


def submitted(
    store: Store, name: str, source: str, *, game: str = "bread-basket", author: str = "tests"
) -> VersionRecord:
    """Enter a new version of a bot with this source into the store, as if it had passed its check."""
    folder = store.path.parent / "new" / name
    if folder.exists():
        (folder / "bot.py").write_text(source)
    else:
        write_bot(folder.parent, name, source, game=game, author=author)
    return enter_checked(store, take_in(folder, store), {game: {}})


def play(
    store: Store,
    name: str = "main",
    *,
    until: int | None = None,
    take_up: Callable[[], None] = lambda: None,
) -> LeagueRun:
    """Play a league in this process until it ends, rests, or that many matches are planned; return the run."""
    league = store.leagues.get(name)
    run = LeagueRun(store, league, executor=SerialExecutor(), take_up=take_up)

    def shown(_: object) -> None:
        if until is not None and planned(store, name) >= until:
            run.stop.after_game = True

    with in_this_process():
        run.run(shown)
    return run


def planned(store: Store, name: str = "main") -> int:
    """Return how many matches of a league are planned."""
    return store.leagues.progress(name).matches_planned


def digests(store: Store, name: str) -> tuple[str, str]:
    """Return the digests of a league's games and of its ratings."""
    return store.games.fingerprint(name), store.ratings.digest(name)


def field_of(store: Store, name: str, first: int, end: int | None = None) -> set[str]:
    """Return the labels of the entries that play in matches `first` to `end` − 1."""
    league: LeagueRecord = store.leagues.get(name)
    labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
    matches = store.matches.all(name, first=first, last=None if end is None else end - 1)
    return {labels[entry] for match in matches for entry in match.entries}


def assert_hidden(store: Store, league: LeagueRecord, matches: Iterable[int]) -> None:
    """Fail if the first game of one of these matches can be looked at in any way: replay, log, fault or seed."""
    for match_no in matches:
        for look in (store.replays.get, store.replays.logs, store.replays.check_visible):
            with pytest.raises(MatchUnfinished):
                look(league.name, match_no, 0)
        with pytest.raises(MatchUnfinished):
            find(store, league, match_no, 0)
