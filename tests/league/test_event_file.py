"""The events of a league in a file, and the same league played again from it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.core.errors import ArenaError
from arena.executors.processes import ProcessExecutor
from arena.league.changes.entries import Add, Pause, Replace, Resume, Retire
from arena.league.changes.whole_league import Aim, Extend
from arena.league.export_and_import import create_from_events, exported, read_events
from arena.league.running.run import LeagueRun
from results.records.roster import EXTENDED, REPLAYS
from results.store import Store
from tests.support.leagues import simple
from tests.support.open_leagues import CRASHES, LADDER, digests, open_league, planned, play, submitted

pytestmark = pytest.mark.xdist_group("event file")  # they look at one league


def changing(store: Store) -> Callable[[], None]:
    """Return a function that makes one change after the other, each once the league has reached a match."""
    submitted(store, "late", simple(9))
    submitted(store, "broken", CRASHES)

    def changes() -> Iterator[tuple[int, Callable[[], object]]]:
        yield 6, lambda: Add("main", "late").perform(store)
        yield 6, lambda: Pause("main", "bot-0").perform(store)
        yield 10, lambda: submitted(store, "bot-1", simple(5))
        yield 10, lambda: Replace("main", "bot-1").perform(store)
        yield 20, lambda: Add("main", "broken").perform(store)
        yield 20, lambda: Retire("main", "bot-2").perform(store)
        yield 25, lambda: Resume("main", "bot-0").perform(store)
        yield 25, lambda: submitted(store, "bot-1", simple(6))
        yield 25, lambda: Replace("main", "tests/bot-1").perform(store)
        yield 30, lambda: Aim("main", "top:2").perform(store)
        yield 35, lambda: Extend("main", matches=12).perform(store)

    waiting = list(changes())

    def take_up() -> None:
        while waiting and planned(store) >= waiting[0][0]:
            waiting.pop(0)[1]()

    return take_up


def write_events(store: Store, path: Path) -> Path:
    path.write_bytes(b"".join(exported(store, store.leagues.get("main"))))
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return the store of a ladder that changed while it ran."""
    store = open_league(tmp_path_factory.mktemp("played"), LADDER + "[stop]\nmatches = 36\n")
    play(store, take_up=changing(store))
    assert planned(store) == 48
    return store


@pytest.mark.parametrize(
    "workers",
    [pytest.param(0, id="in this process"), pytest.param(2, id="two workers", marks=pytest.mark.slow)],
)
def test_the_same_events_give_the_same_games_and_ratings(played: Store, tmp_path: Path, workers: int) -> None:
    name = f"again-{workers}"
    header, events = read_events(write_events(played, tmp_path / "main.jsonl"))
    create_from_events(played, header, events, name)
    if workers:
        run = LeagueRun(played, played.leagues.get(name), executor=ProcessExecutor(workers))
        run.run(lambda _: None)
    else:
        play(played, name)
    assert played.leagues.get(name).state == "finished"
    assert digests(played, name) == digests(played, "main")
    again = [entry.prior for entry in played.entries.all(name)]
    assert again == [entry.prior for entry in played.entries.all("main")]


@pytest.mark.slow
def test_another_order_of_events_gives_other_games(played: Store, tmp_path: Path) -> None:
    header, events = read_events(write_events(played, tmp_path / "main.jsonl"))
    moved = [*events]
    moved[0] = type(moved[0])(moved[0].at_match_no + 8, moved[0].kind, moved[0].data, moved[0].at)
    create_from_events(played, header, moved, "moved")
    play(played, "moved")
    assert digests(played, "moved") != digests(played, "main")


def test_a_copy_of_a_league_decides_nothing_itself(played: Store, tmp_path: Path) -> None:
    header, events = read_events(write_events(played, tmp_path / "main.jsonl"))
    league = create_from_events(played, header, events, "fixed")
    assert played.leagues.events("fixed")[0].kind == REPLAYS
    with pytest.raises(ArenaError, match="replays the events of another league"):
        Retire(league.name, "bot-0").perform(played)
    assert {event.kind for event in played.leagues.events("main")} >= {EXTENDED}


def refused(store: Store, path: Path) -> str:
    try:
        create_from_events(store, *read_events(path), "refused")
    except ArenaError as error:
        return f"{error}; {error.hint}"
    raise AssertionError("it was not refused")


def test_files_that_cannot_be_used(played: Store, tmp_path: Path) -> None:
    lines = write_events(played, tmp_path / "main.jsonl").read_text().splitlines()
    header = json.loads(lines[0])
    path = tmp_path / "bad.jsonl"

    def written(first: dict[str, object], *others: str) -> Path:
        path.write_text("\n".join([json.dumps(first), *others]) + "\n")
        return path

    assert "No such file" in refused(played, tmp_path / "missing.jsonl")
    path.write_bytes(b"")
    assert "is empty" in refused(played, path)
    path.write_bytes(b"\xff\x00rubbish\n")
    assert "bad.jsonl, line 1" in refused(played, path)
    assert "line 2" in refused(played, written(header, "{"))
    event = '{"at_match_no": -1, "kind": "added", "data": {}, "at": ""}'
    assert "`$.at_match_no`" in refused(played, written(header, event))
    assert "reads format 1" in refused(played, written({**header, "arena_events": 9}))
    assert "arena league reveal main" in refused(played, written({**header, "secret": None}))
    assert "commitment" in refused(played, written({**header, "secret": "00" * 32}, *lines[1:]))
    assert "hexadecimal" in refused(played, written({**header, "secret": "xx"}, *lines[1:]))
    stranger = {**header["entries"][0], "version": {**header["entries"][0]["version"], "sha256": "0" * 64}}
    assert "tests/bot-0@1" in refused(played, written({**header, "entries": [stranger]}))
    event = '{"at_match_no": 1, "kind": "retired", "data": {"entry": 99}, "at": ""}'
    assert "99" in refused(played, written(header, event))
    event = '{"at_match_no": 1, "kind": "retired", "data": {}, "at": ""}'
    assert "can't be used" in refused(played, written(header, *lines[1:], event))
    assert "refused" not in {league.name for league in played.leagues.all()}, "nothing half done"
