"""Turns played in a row and turns played one by one give the same game, whatever the players do."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from arena.core.durations import NS_PER_MS
from arena.players.house import ScriptedPlayer

from arena.conformance.tables import Table, quick
from arena.core.chance import Stream
from arena.core.game import AnyGame
from arena.core.ruleset import Ruleset, ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Reply
from arena.referee.referee import Referee, _Playing
from protocol.messages import Ask, Clock, End, Start
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.support.game_tables import TABLES
from tests.support.games import BIDS, DICEY, Dicey
from tests.support.tables import SEED, play

CLOCK = Clock(ready_ms=1_000, move_ms=100, bank_ms=300, margin_ms=20)
CRASH = Fault(Verdict.CRASH, "exited with code 1", was_asked=True)
ANSWERS: dict[str, Callable[[Any], Reply | Fault]] = {
    "plain": lambda move: Reply(move, None, 5 * NS_PER_MS, 7),
    "noted": lambda move: Reply(move, "well", 6 * NS_PER_MS, 8),
    "with an empty note": lambda move: Reply(move, "", 6 * NS_PER_MS, 8),
    "in exactly its time": lambda move: Reply(move, None, 100 * NS_PER_MS, 9),
    "from the bank": lambda move: Reply(move, None, 150 * NS_PER_MS, 9),
    "in the margin": lambda move: Reply(move, None, 420 * NS_PER_MS, 9),
    "late": lambda move: Reply(move, None, 421 * NS_PER_MS, 10, "overload: nobody's fault"),
    "illegal": lambda _: Reply("nonsense", "sorry", 5 * NS_PER_MS, 7),
    "illegal and late": lambda _: Reply({"type": "nonsense"}, None, 900 * NS_PER_MS, 7),
    "crash": lambda _: CRASH,
    "overload": lambda _: replace(CRASH, excuse="killed: the machine was out of memory"),
    "malformed": lambda _: Fault(Verdict.MALFORMED, "not JSON", wrote="{"),
    "timeout": lambda _: Fault(Verdict.TIMEOUT, "no answer", was_asked=False),
}


class Noting(ScriptedPlayer):
    """Plays random moves, answers one of its asks, from 0, in one of the ways above, and notes what it is told."""

    def __init__(self, seat: int, special: str, at_ask: int) -> None:
        self.told: list[Start | Ask | End | str] = []
        self._stream = Stream(bytes(32), f"player/{seat}")
        self._special, self._at_ask = special, at_ask
        super().__init__(self._answer_to)

    def _answer_to(self, ask: Ask) -> Reply | Fault:
        number = sum(isinstance(message, Ask) for message in self.told)
        self.told.append(ask)
        legal = ask.legal
        move = legal[self._stream.randrange(len(legal))] if isinstance(legal, list) else ask.example
        return ANSWERS[self._special if number == self._at_ask else "plain"](move)

    def stop(self) -> Any:
        self.told.append("stopped")
        return super().stop()


class Short(Dicey):
    """A game that is cut off after its second turn."""

    info = replace(DICEY.info, longest_decisions=2)


@dataclass
class Played:
    """Everything that can be seen of a game."""

    record: GameRecord
    told: list[list[Any]]
    ended: list[End | None]
    excused: list[tuple[int, Fault]]


def played(game: AnyGame, rules: Ruleset, seats: int, special: dict[int, tuple[str, int]]) -> Played:
    """Play a game; `special` says by seat how which of its asks is answered."""
    players = [Noting(seat, *special.get(seat, ("plain", 0))) for seat in range(seats)]
    excused: list[tuple[int, Fault]] = []
    referee = Referee(
        CLOCK, excused=lambda *one: excused.append(one), now=lambda: "now", monotonic_ns=lambda: 0
    )
    record = play(game, players, referee, Ticket("league", 0, 0, tuple(range(seats)), rules, SEED))
    return Played(record, [one.told for one in players], [one.ended for one in players], excused)


def check_both_ways(game: AnyGame, rules: Ruleset, seats: int, special: dict[int, tuple[str, int]]) -> Played:
    """Play a game in a row and one by one, and compare all that can be seen; return it."""
    in_a_row = played(game, rules, seats, special)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Playing, "_is_plain", lambda _: False)
        one_by_one = played(game, rules, seats, special)
    assert in_a_row == one_by_one
    return in_a_row


@pytest.mark.parametrize("how", ANSWERS)
@pytest.mark.parametrize("seats", [2, 3])
def test_whatever_is_answered_both_ways_give_the_same_game(how: str, seats: int) -> None:
    """In a game with all kinds of turns: of one seat, of all, forced, and composed."""
    rules = BIDS.resolve(ruleset(BIDS.info), seats)
    for seat in range(seats):
        for at_ask in range(5):
            check_both_ways(BIDS, rules, seats, {seat: (how, at_ask)})


def test_games_that_draw_late_and_games_that_are_cut_off_are_the_same() -> None:
    for how in ("plain", "illegal", "late", "from the bank"):
        whole = check_both_ways(DICEY, ruleset(DICEY.info), 2, {1: (how, 1)})
        assert whole.record.decisions > 2
        assert check_both_ways(Short(), ruleset(DICEY.info), 2, {1: (how, 0)}).record.decisions <= 2


@pytest.mark.parametrize(
    "table",
    [pytest.param(table, id=str(table), marks=() if quick(table) else pytest.mark.slow) for table in TABLES],
)
def test_every_game_is_the_same_both_ways(table: Table) -> None:
    check_both_ways(table.game, table.rules, table.seats, {})


@pytest.mark.slow
@pytest.mark.parametrize("how", ANSWERS)
@pytest.mark.parametrize("table", [table for table in TABLES if quick(table)], ids=str)
def test_every_game_is_the_same_both_ways_with_every_answer(table: Table, how: str) -> None:
    for seat in {0, table.seats - 1}:
        for at_ask in (0, 1, 4):
            check_both_ways(table.game, table.rules, table.seats, {seat: (how, at_ask)})


def test_turns_in_a_row_are_played_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Playing, "_ask", lambda *_: pytest.fail("a plain turn was played the general way"))
    assert played(DICEY, ruleset(DICEY.info), 2, {}).record.decisions > 2
