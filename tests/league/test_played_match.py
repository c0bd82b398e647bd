"""A single match is played without the store, then entered whole; records that make no sense are refused whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import msgpack, structs

from arena.core.errors import ArenaError
from arena.league.changes.submitted_versions import DeleteVersion
from arena.league.definition.bots_of_commands import keep_files, read_bots, staged_bots, table_of
from arena.league.inbox.dispatch import command_for, leave_with, perform, perform_or_leave_with
from arena.league.inbox.files import attach, leave, new_id
from arena.league.inbox.played_match import MatchPlayer, MatchRecords, PlayedMatch, entering
from arena.league.inbox.take_up import Inbox, remove_deleted
from arena.league.running.work_units import raised
from arena.league.single_match import Played, resolve_match, why_aborted
from arena.registry import game
from arena.submissions.entering import enter
from arena.submissions.staging import staging_folder
from results.records import GameRecord, MatchDeal, MatchRecord
from results.store import Store, holding, open_store
from results.store.verification.verify import verify
from tests.support.games import BIDS
from tests.support.leagues import arena_here, simple, write_bot
from tests.support.ledgers import RULES, new_store, played
from tests.support.submissions import take_in


def records() -> MatchRecords:
    match = MatchRecord("casual", 0, 0, (0, 1), 2)
    return MatchRecords((played(match, 0), played(match, 1)))


def a_match(store: Store, folder: Path, uuid: str) -> PlayedMatch:
    versions = [take_in(write_bot(folder, name, simple(0)), store) for name in ("ann", "bob")]
    players = tuple(MatchPlayer(version.manifest.name, version.sha256) for version in versions)
    return PlayedMatch(players, (0, 1), RULES, 2, uuid)


def test_it_is_entered_with_the_numbers_of_the_ledger(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        for number in range(2):
            uuid = new_id()
            attach(store.files, uuid, msgpack.encode(records()))
            leave(store.files, command_for(a_match(store, tmp_path / str(number), uuid), uuid))
        assert [record.words for record in Inbox(store).take_up()] == [
            "casual/0",
            "casual/1",
        ]
        assert [match.state for match in store.matches.all("casual")] == ["done", "done"]
        assert [entry.label for entry in store.entries.all("casual")] == ["ann", "bob"]
        assert not [*(store.files / "inbox/attached").iterdir()]


@pytest.mark.parametrize("by_name", [False, True])
def test_a_version_that_is_deleted_while_it_plays_is_entered_again(tmp_path: Path, by_name: bool) -> None:
    folders = [write_bot(tmp_path, name, simple(0)) for name in ("ann", "bob")]
    with new_store(tmp_path) as store:
        ann = enter(store, take_in(folders[0], store))
        bots = ["ann" if by_name else str(folders[0]), str(folders[1])]
        with staging_folder(store.files, store.path) as staging:
            read = read_bots(store.path, store, bots, tmp_path)
            found = staged_bots(store.path, store, read, staging)
            perform(store, command_for(DeleteVersion(ann.reference, ann.sha256)))
            remove_deleted(store)
            assert not (store.files / "versions" / ann.sha256).exists()
            keep_files(store.path, found)
        whole = records()
        match = Played((0, 1), whole.games, whole.attempts, MatchDeal(bytes(32)))
        rules = resolve_match("bread-basket", None, [], 2, "cyclic")
        assert (
            perform_or_leave_with(store.path, *entering(rules, table_of(found), match), create=True).words
            == "casual/0"
        )
        assert [entry.label for entry in store.entries.all("casual")] == ["ann", "bob"]
        assert verify(store) == []


@pytest.mark.parametrize(
    ("game", "seats", "rotations"),
    [("bread-basket", 4, "balanced"), ("sandwich", 3, "balanced"), ("bread-and-chocolate", 2, "cyclic")],
)
def test_a_rotated_match_has_the_rotations_that_its_game_recommends(
    game: str, seats: int, rotations: str
) -> None:
    assert resolve_match(game, None, [], seats, rotate=True).rotations == rotations
    assert resolve_match(game, None, [], seats).rotations == "off"


def first_game(change: Callable[[GameRecord], GameRecord]) -> bytes:
    whole = records()
    return msgpack.encode(MatchRecords((change(whole.games[0]), *whole.games[1:])))


def seat(**changes: Any) -> Callable[[GameRecord], GameRecord]:
    return lambda game: structs.replace(
        game, seats=(structs.replace(game.seats[0], **changes), *game.seats[1:])
    )


@pytest.mark.parametrize(
    ("content", "changes", "said"),
    [
        (None, {}, "the records of the match can't be read"),
        (b"", {}, "the records of the match can't be read"),
        (b"\xc1", {}, "the records of the match can't be read"),
        (b"\x91" * 100_000, {}, "the records of the match can't be read"),
        (first_game(seat(entry_no=7)), {}, "a player that isn't in it"),
        (first_game(seat(entry_no=1)), {}, "are not those of the match"),
        (first_game(seat(rank=5)), {}, "are not valid ranks"),
        (first_game(lambda game: structs.replace(game, rotation=9)), {}, "its match has 2 games"),
        (msgpack.encode(records()), {"games": 1}, "its match has 1 games"),
        (msgpack.encode(records()), {"games": 10**9}, "match: "),
        (msgpack.encode(records()), {"seats": (0, 5)}, "a player that isn't in it"),
        (msgpack.encode(records()), {"records": "../../../arena.sqlite"}, "match: "),
        (msgpack.encode(records()), {"players": ()}, "match: "),
    ],
)
def test_records_that_make_no_sense_are_refused(
    tmp_path: Path, content: bytes | None, changes: dict[str, Any], said: str
) -> None:
    with new_store(tmp_path) as store:
        uuid = new_id()
        match = a_match(store, tmp_path, uuid)
        if content is not None:
            attach(store.files, uuid, content)
        leave(store.files, command_for(structs.replace(match, **changes), uuid))
        (record,) = Inbox(store).take_up()
        assert (record.outcome, said in record.words, "bug in" in record.words) == ("refused", True, False), (
            record
        )
        assert store.leagues.all() == []
        assert verify(store) == []


def test_a_match_that_cannot_be_played_stores_nothing(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        write_bot(tmp_path, name, simple(0))
    done = arena_here("match", "ann", "bob", "--game", "bread-basket", "-o", "hands=no", cwd=tmp_path)
    assert done.returncode == 2
    assert {path.name for path in tmp_path.iterdir()} == {"ann", "bob"}


def test_a_match_that_is_left_takes_effect_once_and_is_known_by_its_id(tmp_path: Path) -> None:
    uuid = new_id()
    with new_store(tmp_path) as store:
        change = a_match(store, tmp_path, uuid)
    content = msgpack.encode(records())
    assert leave_with(store.path, lambda _: change, content, uuid) == "casual/0"
    assert leave_with(store.path, lambda _: change, content, uuid) == "casual/0"
    with holding(store.path, "runs a league"):
        assert leave_with(store.path, lambda _: change, content, new_id(), wait_s=0) == ""
    with open_store(store.path) as store:
        assert len(store.matches.all("casual")) == 1
        assert store.commands.find(uuid)


@pytest.mark.parametrize(
    "error", [TypeError("object of type 'Decision' has no len()"), ArenaError("unequal scores")]
)
def test_what_a_game_of_others_returns_wrongly_is_the_fault_of_that_game(error: Exception) -> None:
    """However deep in Arena it is noticed; of Arena's own games, it would be a fault of Arena."""
    try:
        raise error
    except Exception as caught:  # noqa: BLE001 - as a worker catches it
        found = why_aborted(raised(caught), BIDS)
        own = why_aborted(raised(caught), game("bread-basket"))
    assert "the game 'bids' of" in str(found)
    assert str(error) in str(found)
    assert "results.base.errors" not in str(found)
    assert "python -m arena_conformance --game bids" in found.hint
    assert "arena_conformance" not in own.hint
