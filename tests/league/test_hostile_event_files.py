"""A file of events may come from anyone: what is wrong in it is refused in words, and leaves nothing behind."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.core.errors import ArenaError
from arena.league.export_and_import import MOST_EVENTS, create_from_events, exported, read_events
from results.store import Store
from tests.support.open_leagues import ROUNDS, open_league

HUGE = 10**30


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_league(tmp_path_factory.mktemp("hostile"))


def header_of(store: Store) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(iter(exported(store, store.leagues.get("main")))))
    return found


def refused(store: Store, header: dict[str, Any], *events: object) -> str:
    path = store.path.parent / "bad.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *events)))
    before = [league.name for league in store.leagues.all()]
    try:
        create_from_events(store, *read_events(path), "refused")
    except ArenaError as error:
        assert [league.name for league in store.leagues.all()] == before
        return str(error)
    raise AssertionError("it was not refused")


def event(kind: str, at_match_no: int = 1, **data: object) -> dict[str, object]:
    return {"at_match_no": at_match_no, "kind": kind, "data": data, "at": "2026-01-31T12:00:00Z"}


@pytest.mark.parametrize(
    "hostile",
    [
        event("added", entries=5),
        event("added", entries="3"),
        event("added", entries=[]),
        event("added", entries=[3, 3]),
        event("added", entries=[-1]),
        event("added", entries=[HUGE]),
        event("added", entries=[1]),
        event("retired", HUGE, entry=1),
        event("retired", entry=None),
        event("retired", entry="1"),
        event("retired", entry=True),
        event("replaced", entry=3),
        event("replaced", entry=3, predecessor=3),
        event("paused", entry=None),
        event("paused", entry=1, by="nobody"),
        event("paused", entry=1, why=["x"]),
        event("paused", entry=1, until="soon"),
        event("benched", entry=1),
        event("benched", entry_no=1, why={}),
        event("extended"),
        event("extended", set=[["schedule.lag", 1]]),
        event("extended", set={"schedule.lag": []}),
        event("extended", set={"schedule": 1}),
        event("extended", set={"schedule.bogus": 1}),
        event("extended", set={"schedule.kind": 1}),
        event("extended", set={"schedule.lag": -5}),
        event("extended", set={"stop.bogus": 1}),
        event("extended", set={"quota.games_per_day": 1}),
        event("final"),
        event("final", matches="x", next="y"),
        event("final", matches=HUGE, next="y"),
        event("final", matches=1, next=""),
        {"at_match_no": 1.5, "kind": "retired", "data": {"entry": 1}, "at": ""},
    ],
    ids=lambda hostile: json.dumps(hostile)[:90],
)
def test_events_that_no_league_writes(store: Store, hostile: dict[str, object]) -> None:
    said = refused(store, header_of(store), hostile)
    assert "line 2" in said or "later" in said


@pytest.mark.parametrize(
    "lie",
    [
        {"matches": HUGE},
        {"config": {}},
        {"config": {"game": "bread-basket", "flux": 1}},
        {"config": "x"},
        {"rating": "glicko-99"},
        {"rating_options": {"beta": "x"}},
        {"rating_options": {"bogus": 1}},
        {"keep_replays": "sometimes"},
        {"commitment": "x"},
        {"secret": "00"},
        {"secret": "Ω"},
        {"uuid": 5},
        {"league": 7},
    ],
    ids=str,
)
def test_headers_that_lie(store: Store, lie: dict[str, object]) -> None:
    assert refused(store, {**header_of(store), **lie})


def test_only_a_standing_ladder_may_have_no_entries(tmp_path: Path) -> None:
    store = open_league(tmp_path, ROUNDS, bots=2)
    assert "no bots" in refused(store, {**header_of(store), "entries": []})


@pytest.mark.parametrize(
    "lie",
    [
        {"label": "a\x1b[2Jb"},
        {"label": "bot-1"},
        {"label": ""},
        {"label": "--store"},
        {"prior": {"mu": 1e308, "sigma": 1}},
        {"prior": {"mu": 0, "sigma": -1}},
        {"prior": {"mu": HUGE, "sigma": 0}},
        {"predecessor": 0},
        {"predecessor": 3},
        {"predecessor": HUGE},
        {"args": [""]},
        {"args": ["x\x00y"]},
        {"args": ["x" * 100_000]},
    ],
    ids=lambda lie: str(lie)[:40],
)
def test_entries_that_lie(store: Store, lie: dict[str, object]) -> None:
    header = header_of(store)
    first = {**header["entries"][0], **lie}
    assert refused(store, {**header, "entries": [first, *header["entries"][1:]]})


@pytest.mark.parametrize(
    ("key", "value"), [("game", "chess"), ("name", "x"), ("version", 99), ("options", "{}")]
)
def test_rules_that_do_not_fit(store: Store, key: str, value: object) -> None:
    header = header_of(store)
    assert key in header["ruleset"]
    assert refused(store, {**header, "ruleset": {**header["ruleset"], key: value}})


def test_too_many_events(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    line = json.dumps(event("resumed", entry=1))
    path.write_text(json.dumps(header_of(store)) + "\n" + (line + "\n") * (MOST_EVENTS + 1))
    with pytest.raises(ArenaError, match="more than 100,000 events"):
        read_events(path)
