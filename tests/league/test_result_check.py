"""A result from another machine that is of another game, or that the rules can't give, is found out."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from arena.core.replay import canonical
from arena.core.ticket import Ticket
from arena.executors.base import Lost, Stop, TicketSource
from arena.executors.worker import SerialExecutor
from arena.league.running.portable_work import trouble_in
from arena.league.running.run import LeagueRun
from results.records import GameRecord
from results.store import open_store
from tests.support.leagues import create_here, write_league

GAME = "bread-basket"


class Watched(SerialExecutor):
    """Remembers what it was given, and what came of it."""

    def __init__(self) -> None:
        self.seen: list[tuple[Ticket, GameRecord]] = []

    def run(
        self, work: Any, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        taken: list[Ticket] = []

        class Source:
            def take(self, most: int, worker_no: int) -> list[Any]:
                found = source.take(most, worker_no)
                taken.extend(found)
                return found

        for chunk in super().run(work, Source(), stop, held):
            self.seen.append((taken[-1], chunk[0]))
            yield chunk


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Ticket, GameRecord]]:
    """Return tickets with their results."""
    folder: Path = tmp_path_factory.mktemp("checked")
    create_here(write_league(folder, rounds=1, seats=2, bots=2))
    executor = Watched()
    with open_store(folder / "arena.sqlite") as store:
        assert LeagueRun(store, store.leagues.get("test"), executor=executor, sandbox="off").run(
            lambda _: None
        )
    return executor.seen


def changed(record: GameRecord, change: Callable[[dict[str, Any]], object]) -> GameRecord:
    """Return a record with another replay, and the fingerprint of that."""
    body = msgspec.json.decode(zlib.decompress(record.body))
    change(body)
    text = canonical(body)
    return structs.replace(record, body=zlib.compress(text), fingerprint=sha256(text).hexdigest())


@pytest.mark.slow
def test_honest_results_pass(played: list[tuple[Ticket, GameRecord]]) -> None:
    assert len(played) > 1
    for ticket, record in played:
        assert trouble_in(GAME, ticket, record, by_rules=True) == ""


@pytest.mark.slow
def test_results_of_other_games_are_found_out(played: list[tuple[Ticket, GameRecord]]) -> None:
    (ticket, record), (other, _) = played[:2]
    assert trouble_in(GAME, other, record, by_rules=False).startswith("it is game 0.")
    swapped = structs.replace(record, seats=tuple(reversed(record.seats)))
    assert trouble_in(GAME, ticket, swapped, by_rules=False) == "other entries sit at the table"
    assert (
        trouble_in(GAME, ticket, Lost(other, "a", "it was lost"), by_rules=False) == "it is of another ticket"
    )
    assert trouble_in(GAME, ticket, Lost(ticket, "a", "it was lost"), by_rules=False) == ""


@pytest.mark.slow
def test_results_that_break_the_rules_are_found_out(played: list[tuple[Ticket, GameRecord]]) -> None:
    ticket, record = played[0]

    def trouble(false: GameRecord, of: Ticket = ticket) -> str:
        return trouble_in(GAME, of, false, by_rules=True)

    richer = structs.replace(record.seats[0], score=record.seats[0].score + 1)
    assert trouble(structs.replace(record, seats=(richer, *record.seats[1:]))) == (
        "its scores are not those of its replay"
    )
    assert trouble(structs.replace(record, fingerprint="0" * 64)) == "its replay has another fingerprint"
    assert trouble(structs.replace(record, body=b"none")).startswith("its replay can't be read: ")
    assert trouble(changed(record, lambda body: body["moves"].pop())).startswith(
        "its replay breaks the rules: "
    )
    assert trouble(changed(record, lambda body: body["scores"].reverse())).startswith("its ")
    another_deal = replace(ticket, match_seed=bytes(32))
    assert trouble(record, another_deal) == "its deal does not follow from the seed"
