"""How often a late answer is excused: once a game, and for an entry in one game of fifty."""

from pathlib import Path

import pytest
from msgspec import structs

from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.league.running.machine_faults import OverloadRetries
from arena.league.running.work_units import Excused
from arena.registry import game
from protocol.verdicts import Verdict
from results.records import AttemptRecord, LeagueRecord, MatchRecord
from results.store import Store
from tests.support.ledgers import NOW, new_league, new_store, plan, played


class Ledger:
    """A small league with matches between entries 0 and 1."""

    def __init__(self, place: Path, matches: int) -> None:
        self.store: Store = new_store(place)
        self.league: LeagueRecord = new_league(self.store)
        self.matches: list[MatchRecord] = plan(self.store, self.league, *[(0, 1)] * matches)

    def excuses(self) -> OverloadRetries:
        return OverloadRetries(self.store, self.league.uuid)

    def asked(self, match_no: int, entry_no: int | None = 1) -> Excused:
        """Return a game with a fault for which the machine is to blame."""
        rules = game("bread-basket")
        ticket = Ticket(self.league.uuid, match_no, 0, (0, 1), ruleset(rules.info), bytes(32))
        record = AttemptRecord(*ticket.key, 1, Verdict.OVERLOAD, "late", "w1", NOW, entry_no)
        return Excused(ticket, played(self.matches[match_no], faults={1: Verdict.TIMEOUT}), record)

    def enter(self, excused: Excused) -> None:
        self.store.append([], [excused.record])

    def play(self, excuses: OverloadRetries, count: int, first: int = 0) -> None:
        for match in self.matches[first : first + count]:
            record = played(match)
            self.store.append([record])
            excuses.count(record)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path, 110)


def test_one_of_the_first_fifty_games(ledger: Ledger) -> None:
    excuses = ledger.excuses()
    assert excuses.grants(ledger.asked(0))
    assert not excuses.grants(ledger.asked(1)), "its second, with no game played yet"
    ledger.play(excuses, 50)
    assert not excuses.grants(ledger.asked(60)), "fifty games bear one"
    ledger.play(excuses, 1, first=50)
    assert excuses.grants(ledger.asked(61)), "the fifty-first begins the second"
    assert not excuses.grants(ledger.asked(62))


def test_each_entry_has_its_own(ledger: Ledger) -> None:
    excuses = ledger.excuses()
    assert excuses.grants(ledger.asked(0, entry_no=0))
    assert excuses.grants(ledger.asked(1, entry_no=1))
    assert not excuses.grants(ledger.asked(2, entry_no=0))


def test_a_game_is_excused_once_whoever_was_late(ledger: Ledger) -> None:
    excuses = ledger.excuses()
    assert excuses.grants(ledger.asked(0, entry_no=0))
    assert not excuses.grants(ledger.asked(0, entry_no=1))
    assert excuses.grants(ledger.asked(1, entry_no=1)), "which cost that entry nothing"


def test_one_of_nobody_is_no_excuse(ledger: Ledger) -> None:
    assert not ledger.excuses().grants(ledger.asked(0, entry_no=None))


def test_a_run_that_goes_on_counts_on(ledger: Ledger) -> None:
    excuses, asked = ledger.excuses(), ledger.asked(0)
    assert excuses.grants(asked)
    ledger.enter(asked)
    resumed = ledger.excuses()
    assert not resumed.grants(ledger.asked(0, entry_no=0)), "that game was excused"
    assert not resumed.grants(ledger.asked(1)), "that entry has had its excuse"
    ledger.play(resumed, 51)
    assert ledger.excuses().grants(ledger.asked(70))


def test_other_failures_of_the_platform_are_no_excuses(ledger: Ledger) -> None:
    asked = ledger.asked(0)
    ledger.enter(Excused(asked.ticket, asked.game, structs.replace(asked.record, verdict=Verdict.HOST)))
    assert ledger.excuses().grants(asked)
