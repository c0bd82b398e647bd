"""A unit of work is plain data: it survives pickle, JSON and msgpack, and names nothing of one machine."""

import pickle
from pathlib import Path

import msgspec
import pytest

from arena import registry
from arena.core.errors import ArenaError
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket, match_seed
from arena.executors.base import Lost
from arena.league.definition.stored import file_of
from arena.league.running.local_games import prepare
from arena.league.running.portable_work import LeagueWork, work_of
from arena.league.running.work_units import (
    BadUnit,
    Excused,
    Failure,
    GameWork,
    Result,
    failure,
    pack_results,
    pack_tickets,
    pack_work,
    unpack_results,
    unpack_tickets,
    unpack_work,
)
from arena.sandbox.machine_shortage import Refusal
from arena.sandbox.runtimes import Runtimes
from arena.submissions.version_files_by_hash import KeptVersions
from protocol.verdicts import Verdict
from results.records import GameRecord, LogRecord, SeatRecord
from results.store import open_store
from tests.support.leagues import create_here, write_league


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store in which a league is created."""
    place: Path = tmp_path_factory.mktemp("store")
    create_here(write_league(place, rounds=1))
    return place


@pytest.fixture(scope="module")
def work(folder: Path) -> GameWork:
    with open_store(folder / "arena.sqlite") as store:
        league = store.leagues.get("test")
        return work_of(file_of(league), store.entries.all(league.uuid), "require")


@pytest.mark.parametrize("name", list(registry.games()))
def test_tickets_of_every_game_are_the_same_after_the_way(name: str) -> None:
    game = registry.game(name)
    for number, named in enumerate(game.info.rulesets):
        rules = ruleset(game.info, named)
        seats = game.seats(rules)[-1]
        resolved = game.resolve(rules, seats)
        ticket = Ticket(
            "league", number, 1, tuple(range(seats)), resolved, match_seed(b"s", 3), 2, ((1, ""),), 5
        )
        assert unpack_tickets(pack_tickets([ticket])) == [ticket]
        assert pickle.loads(pickle.dumps(ticket)) == ticket  # noqa: S301 - our own bytes
        assert msgspec.json.decode(msgspec.json.encode(ticket), type=Ticket) == ticket


def test_work_is_the_same_after_the_way(work: GameWork) -> None:
    assert unpack_work(pack_work(work)) == work
    assert pickle.loads(pickle.dumps(work)) == work  # noqa: S301 - our own bytes
    assert msgspec.json.decode(msgspec.json.encode(work), type=GameWork) == work


def test_work_names_versions_by_hash_and_no_place_of_this_machine(folder: Path, work: GameWork) -> None:
    kept = {place.name for place in (folder / "arena.files" / "versions").iterdir()}
    assert {entry.sha256 for entry in work.entries.values()} == kept
    assert (work.wanted.sandbox, work.game) == ("require", "bread-basket")
    assert str(folder).encode() not in pack_work(work)


def test_work_may_be_cut_to_the_entries_of_some_tickets(work: GameWork) -> None:
    assert work.only({2, 0}).entries == {0: work.entries[0], 2: work.entries[2]}


def test_results_are_the_same_after_the_way() -> None:
    rules = ruleset(registry.game("bread-basket").info)
    ticket = Ticket("league", 0, 0, (0, 1), rules, bytes(32))
    seat = SeatRecord(0, 1, -3, 1, Verdict.TIMEOUT, "too late", 4, 5, 6, 7, 8)
    log = LogRecord(0, b"\xff\0head", b"tail", 9)
    game = GameRecord(
        "league",
        0,
        0,
        "f" * 64,
        b"body",
        b"timing",
        10,
        11,
        "full",
        "w/0",
        "2026-01-01T00:00:00Z",
        (seat,),
        (log,),
    )
    failed = failure(ticket, Verdict.HOST, "no room", "w/0")
    results: list[Result] = [
        game,
        Excused(ticket, game, failed.record),
        failed,
        Failure(ticket, failed.record, Refusal("full", "make room")),
        Lost(ticket, "w/0", "it was killed"),
    ]
    assert unpack_results(pack_results(results)) == results


@pytest.mark.parametrize("packed", [b"", b"\xc1", b"\x80", b"\x91\x80", b"\x91\x01"])
def test_bytes_that_are_nothing_of_ours_are_refused(packed: bytes) -> None:
    for unpack in (unpack_work, unpack_tickets, unpack_results):
        with pytest.raises(BadUnit) as caught:
            unpack(packed)
        assert caught.value.hint


def test_a_machine_with_other_rules_refuses(folder: Path, work: GameWork) -> None:
    other = msgspec.structs.replace(work, rules_version=work.rules_version + 1)
    with pytest.raises(
        ArenaError, match="the league needs version 2 of the rules of bread-basket, but version 1"
    ):
        prepare(other, KeptVersions(folder), Runtimes(), ())


def test_a_league_gives_only_versions_of_its_own(folder: Path, work: GameWork) -> None:
    with open_store(folder / "arena.sqlite") as store:
        league_work = LeagueWork(store, work.only({0}))
        assert league_work.version(work.entries[0].sha256)
        for other in (work.entries[1].sha256, "../" + work.entries[0].sha256, ""):
            with pytest.raises(Exception, match="is not a version in this league"):
                league_work.version(other)
