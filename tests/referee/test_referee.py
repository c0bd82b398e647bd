"""The referee among players of every behaviour: what is asked, told, recorded, and how a game ends."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from arena_conformance.random_games import GameSetup, quick
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core import replay
from arena.core.chance import Stream
from arena.core.errors import CorruptReplay
from arena.core.game import ranks_with_faults
from arena.core.replay import fingerprint
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, PlayerLog, Reply
from arena.referee.referee import Referee
from protocol.messages import Ask, Limits, Start
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.support.game_tables import TABLES
from tests.support.games import BIDS
from tests.support.outside import load
from tests.support.tables import (
    PATIENT,
    SEED,
    Recorder,
    body_of,
    entrants,
    first_move,
    play,
    reply,
    ticket,
    timing_of,
)

CRASH = Fault(Verdict.CRASH, "exited with code 1")


def faulting(*at_asks: int, fault: Fault = CRASH) -> Recorder:
    """Return a player that is at fault at an ask, from 0."""
    return Recorder(lambda ask, number: fault if number in at_asks else reply(first_move(ask)))


def starting_badly(fault: Fault) -> Recorder:
    return Recorder(on_start=lambda _: fault)


def random_player(seed: bytes) -> Recorder:
    """Return a player of random moves, which is all that an example or a list of legal moves is good for."""
    stream = Stream(seed, "player")

    def answer(ask: Ask, _: int) -> Reply:
        move = ask.legal[stream.randrange(len(ask.legal))] if isinstance(ask.legal, list) else ask.example
        return reply(move, wall_ns=stream.randrange(1000))

    return Recorder(answer)


@pytest.mark.parametrize(
    "table",
    [pytest.param(table, id=str(table), marks=() if quick(table) else pytest.mark.slow) for table in TABLES],
)
def test_every_game_is_refereed_from_deal_to_result(table: GameSetup) -> None:
    given = Ticket("league", 0, 0, tuple(range(table.seats)), table.rules, SEED)
    players = [random_player(bytes([seat])) for seat in range(table.seats)]
    record = play(table.game, players, given=given)
    body = body_of(record)
    replay.check(table.game, body)
    assert fingerprint(replay.canonical(body)) == record.fingerprint
    assert [seat.score for seat in record.seats] == body["scores"]
    assert [seat.rank for seat in record.seats] == body["ranks"]
    assert record.decisions == len(body["moves"])
    assert [seat.verdict for seat in record.seats] == [None] * table.seats
    for seat, player in enumerate(players):
        assert record.seats[seat].decisions == len(player.asks)
        assert not any(isinstance(ask.legal, list) and len(ask.legal) < 2 for ask in player.asks)
        made_by_it = [move for move in body["moves"] if move["seat"] == seat and move["by"] == "bot"]
        assert len(made_by_it) == len(player.asks)
        assert player.events == seen_by(body, seat)
        assert player.ended is not None
        assert player.ended.scores == body["scores"]
        assert player.ended.ranks == body["ranks"]


def seen_by(body: dict[str, Any], seat: int) -> list[dict[str, Any]]:
    """Return all events of a replay as a seat sees them."""
    return [
        {"kind": event["kind"], **event["data"], **event.get("private", {}).get(str(seat), {})}
        for event in body["events"]
    ]


def test_the_start_tells_the_game_and_nothing_of_the_league() -> None:
    players = [Recorder() for _ in range(3)]
    given = ticket(BIDS, 3)
    limits = Limits(70_000, 10, 1_000, 50)
    play(BIDS, players, Referee(PATIENT, limits), given)
    for seat, player in enumerate(players):
        assert player.started == Start(
            game="bids",
            ruleset="plain",
            options={"cards": 3, "padding": 0},
            seat=seat,
            seats=3,
            bot_seed=given.bot_seed(seat),
            clock=PATIENT,
            limits=limits,
            private={
                "first": body_of(play(BIDS, [Recorder()] * 3))["events"][0]["private"][str(seat)]["hand"][0]
            },
        )


def test_a_game_with_longer_lines_gets_them_and_others_keep_what_the_league_says() -> None:
    def told(league_bytes: int) -> int:
        player = Recorder()
        play(BIDS, [player, Recorder()], Referee(PATIENT, Limits(league_bytes, 16, 1, 1)))
        assert player.started is not None
        return player.started.limits.line_bytes

    assert told(100_000) == 100_000
    assert told(1_000) == BIDS.info.line_bytes == 65_536


def test_simultaneous_decisions_are_put_with_nobody_knowing_of_the_others() -> None:
    players = [Recorder() for _ in range(4)]
    play(BIDS, players)
    for player in players:
        heard, bids = 0, 0
        for ask in player.asks:
            heard += sum(event["kind"] == "bid" for event in ask.events)
            if ask.kind == "bid":
                assert heard == 4 * bids, "all of the rounds before, none of this one"
                bids += 1
        assert bids == 2, "the third is forced"
    said = [ask for player in players for ask in player.asks if ask.kind == "say"]
    assert len(said) == 3
    assert all(isinstance(ask.example, dict) and not isinstance(ask.legal, list) for ask in said)


def test_every_seat_hears_every_event_once_and_in_order() -> None:
    players = [Recorder(), faulting(1), Recorder(), faulting(0)]
    record = play(BIDS, players)
    body = body_of(record)
    for seat in (0, 2):
        assert players[seat].events == seen_by(body, seat)
    for seat in (1, 3):
        heard = players[seat].events
        assert heard == seen_by(body, seat)[: len(heard)]
        assert players[seat].stopped
        assert players[seat].ended is None


def test_a_forfeit_is_told_as_the_bare_word_before_what_came_of_the_turn() -> None:
    players = [Recorder(), faulting(0, fault=Fault(Verdict.TIMEOUT, "time: SECRET")), Recorder()]
    record = play(BIDS, players)
    events = players[0].asks[1].events
    assert events[0] == {"kind": "forfeit", "seat": 1, "verdict": "timeout"}
    assert [event["kind"] for event in events[1:4]] == ["bid", "bid", "bid"]
    assert record.seats[1].detail.endswith("SECRET")
    for player in (players[0], players[2]):
        assert "SECRET" not in repr((player.asks, player.ended))
    assert "SECRET" not in json.dumps(body_of(record))
    assert players[0].ended is not None
    assert players[0].ended.verdicts == [None, "timeout", None]


def test_the_house_plays_on_for_whoever_is_out_while_two_remain() -> None:
    record = play(BIDS, [faulting(0), Recorder(), faulting(1), Recorder()])
    body = body_of(record)
    by = {seat: [move["by"] for move in body["moves"] if move["seat"] == seat] for seat in range(4)}
    assert set(by[0]) == {"house", "engine"}
    assert by[0][0] == "house"
    assert by[2][0] == "bot"
    assert "house" in by[2]
    assert set(by[1]) <= {"bot", "engine"}
    assert len([move for move in body["moves"] if move["move"]["type"] == "bid"]) == 12, "to the last card"
    replay.check(BIDS, body)


def test_a_game_of_two_ends_with_the_fault() -> None:
    record = play(BIDS, [Recorder(), faulting(1)])
    assert [seat.rank for seat in record.seats] == [1, 2]
    assert record.seats[1].verdict is Verdict.CRASH
    assert record.seats[1].at_decision == record.decisions == 3, "two bids and a number were made"
    assert [seat.score for seat in record.seats] == body_of(record)["scores"]


def test_with_three_the_game_ends_when_one_is_left() -> None:
    players = [faulting(0), faulting(1), Recorder()]
    record = play(BIDS, players)
    assert [seat.rank for seat in record.seats] == [3, 2, 1]
    first, second = record.seats[0].at_decision, record.seats[1].at_decision
    assert first is not None
    assert second is not None
    assert first < second == record.decisions
    assert players[2].ended is not None
    assert players[2].ended.ranks == [3, 2, 1]


def test_faults_in_the_same_decision_are_tied_below_all_others() -> None:
    record = play(BIDS, [faulting(0), Recorder(), faulting(0), Recorder()])
    assert [seat.rank for seat in record.seats][0::2] == [3, 3]
    assert sorted(seat.rank for seat in record.seats) in ([1, 1, 3, 3], [1, 2, 3, 3])


def test_all_at_fault_at_once_are_tied() -> None:
    record = play(BIDS, [faulting(0), faulting(0)])
    assert [seat.rank for seat in record.seats] == [1, 1]
    assert [seat.verdict for seat in record.seats] == [Verdict.CRASH] * 2


def test_a_bot_that_does_not_start_is_out_at_decision_0_and_never_asked() -> None:
    players = [Recorder(), starting_badly(Fault(Verdict.STARTUP, "no answer")), Recorder()]
    record = play(BIDS, players)
    assert players[1].asks == []
    assert players[1].stopped
    assert record.seats[1].verdict is Verdict.STARTUP
    assert record.seats[1].at_decision == 0
    assert record.seats[1].decisions == 0
    assert record.seats[1].rank == 3
    assert players[0].asks[0].events[-1] == {"kind": "forfeit", "seat": 1, "verdict": "startup"}
    replay.check(BIDS, body_of(record))


def test_nobody_starts() -> None:
    fault = Fault(Verdict.STARTUP, "no answer")
    record = play(BIDS, [starting_badly(fault) for _ in range(3)])
    assert record.decisions == 0
    assert [seat.rank for seat in record.seats] == [1, 1, 1]
    replay.check(BIDS, body_of(record))


def test_notes_are_kept_and_empty_ones_are_none() -> None:
    notes = ["first", "", None, "ünïcode\n"]
    player = Recorder(lambda ask, number: reply(first_move(ask), note=notes[number % 4]))
    record = play(BIDS, [player, Recorder()])
    kept = [
        move.get("note") for move in body_of(record)["moves"] if move["seat"] == 0 and move["by"] == "bot"
    ]
    assert kept == [note or None for note in (notes * 3)[: len(kept)]]
    assert "first" in kept


def test_a_move_is_recorded_in_the_games_own_form() -> None:
    reordered = Recorder(lambda ask, _: reply(dict(reversed(first_move(ask).items()))))
    record = play(BIDS, [reordered, Recorder()])
    assert body_of(record)["moves"] == body_of(play(BIDS, [Recorder(), Recorder()]))["moves"]


def test_an_error_of_the_game_is_no_bots_fault() -> None:
    class Broken(type(BIDS)):  # type: ignore[misc]  # the same game with one bad method
        def apply(self, *_: Any) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(Broken(), [Recorder(), Recorder()])


def test_the_record_says_who_when_and_where() -> None:
    now = "2026-11-20T12:30:15.123Z"
    referee = Referee(PATIENT, worker="host/1", sandbox="process", now=lambda: now)
    given = ticket(BIDS, 2, match_no=7, rotation=1)
    record = play(BIDS, [Recorder(), Recorder()], referee, given)
    assert record.key == given.key == ("00000000-league", 7, 1)
    assert (record.worker, record.sandbox) == ("host/1", "process")
    assert record.finished_at == now
    assert [seat.entry_no for seat in record.seats] == [0, 1]
    assert body_of(record)["entries"] == [{"label": one.label, "version": one.version} for one in entrants(2)]


def test_logs_are_kept_where_there_are_any() -> None:
    class Talkative(Recorder):
        def end(self, message: Any) -> PlayerLog:
            super().end(message)
            return PlayerLog(b"head", b"tail", 7, stale_replies=2)

        def stop(self) -> PlayerLog:
            return PlayerLog(b"last words")

    record = play(BIDS, [Talkative(), Recorder(), Talkative(lambda _, __: CRASH)])
    assert [(log.seat, log.head, log.tail, log.dropped_bytes) for log in record.logs] == [
        (0, b"head", b"tail", 7),
        (2, b"last words", b"", 0),
    ]
    assert timing_of(record)["stale_replies"] == [2, 0, 0]


def behaviour(kind: str, at: int) -> Recorder:
    """Return a player that is bad in its way at an ask, from 0."""
    moves: dict[str, Callable[[Ask], Reply | Fault]] = {
        "crash": lambda _: CRASH,
        "illegal": lambda _: reply({"type": "cheat"}),
        "late": lambda ask: reply(first_move(ask), wall_ns=10**15),
        "good": lambda ask: reply(first_move(ask)),
    }
    if kind == "startup":
        return starting_badly(Fault(Verdict.STARTUP, "no answer"))
    return Recorder(lambda ask, number: moves[kind if number == at else "good"](ask))


KINDS = st.tuples(st.sampled_from(["good", "good", "crash", "illegal", "late", "startup"]), st.integers(0, 3))


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(KINDS, min_size=2, max_size=5), st.binary(min_size=32, max_size=32))
def test_whatever_players_do_the_record_is_sound(kinds: list[tuple[str, int]], seed: bytes) -> None:
    players = [behaviour(*kind) for kind in kinds]
    record = play(BIDS, players, given=ticket(BIDS, len(kinds), seed=seed))
    body = body_of(record)
    replay.check(BIDS, body)
    faults = {seat.seat: seat.at_decision or 0 for seat in record.seats if seat.verdict}
    assert tuple(seat.rank for seat in record.seats) == ranks_with_faults(body["scores"], faults)
    assert body["verdicts"] == [seat.verdict for seat in record.seats]
    for (kind, _), player, seat in zip(kinds, players, record.seats, strict=True):
        assert (
            seat.verdict
            in {
                "good": (None,),
                "crash": (None, Verdict.CRASH),
                "illegal": (None, Verdict.ILLEGAL),
                "late": (None, Verdict.TIMEOUT),
                "startup": (Verdict.STARTUP,),
            }[kind]
        )
        assert player.stopped == (seat.verdict is not None)
        assert (player.ended is None) == (seat.verdict is not None)
        assert (seat.detail == "") == (seat.verdict is None)
    assert same_again(record, kinds, seed)


def same_again(record: GameRecord, kinds: list[tuple[str, int]], seed: bytes) -> bool:
    again = play(BIDS, [behaviour(*kind) for kind in kinds], given=ticket(BIDS, len(kinds), seed=seed))
    return again.fingerprint == record.fingerprint


def test_spectators_see_the_public_table_after_every_turn_and_every_event_once() -> None:
    tables: list[Mapping[str, Any]] = []
    events: list[Mapping[str, Any]] = []

    def watched(view: Mapping[str, Any], happened: Sequence[Mapping[str, Any]]) -> None:
        tables.append(view)
        events.extend(happened)

    record = play(BIDS, [Recorder(), Recorder()], Referee(PATIENT, watched=watched))
    played = list(replay.steps(BIDS, body_of(record)))
    assert tables == [BIDS.view(step.after, None) for step in played]
    assert events == [event.seen_by(None) for step in played for event in step.events]
    assert "hand" not in json.dumps([tables, events])


# Partners

WHIST = load("whist", "whist/game.py").GAME


def of_whist(loses: str, at_fault: Mapping[int, int]) -> tuple[GameRecord, list[Recorder]]:
    """Play a game of whist in which seats fail at an ask of theirs; check its replay by the rules."""
    game = load("whist", "whist/game.py").Whist()
    game.info = replace(game.info, forfeit_loses=loses)
    players = [faulting(at_fault[seat]) if seat in at_fault else Recorder() for seat in range(4)]
    given = Ticket("league", 0, 0, (0, 1, 2, 3), ruleset(game.info), SEED)
    record = play(game, players, given=given)
    replay.check(game, body_of(record))
    return record, players


def test_a_partner_plays_on_with_the_house_and_the_result_counts() -> None:
    record, players = of_whist("seat", {0: 2})
    assert [seat.verdict for seat in record.seats] == [Verdict.CRASH, None, None, None], (
        "nobody else is blamed"
    )
    assert record.decisions == 52, "played to its end"
    assert len(players[2].asks) > 8
    assert all(seat.score == record.seats[seat.seat % 2].score for seat in record.seats)
    ahead = record.seats[0].score > record.seats[1].score
    assert [seat.rank for seat in record.seats] == ([1, 3, 1, 3] if ahead else [3, 1, 3, 1])
    assert {move["by"] for move in body_of(record)["moves"] if move["seat"] == 0} >= {"bot", "house"}


def test_when_both_partners_are_out_their_side_has_lost() -> None:
    record, _ = of_whist("seat", {1: 1, 3: 4})
    assert [seat.rank for seat in record.seats] == [1, 3, 1, 3]
    assert record.decisions < 52
    assert [bool(seat.verdict) for seat in record.seats] == [False, True, False, True]


def test_the_first_forfeit_loses_the_game_for_its_side_where_the_game_says_so() -> None:
    record, players = of_whist("side", {2: 0})
    assert [seat.rank for seat in record.seats] == [3, 1, 3, 1]
    assert [seat.verdict for seat in record.seats] == [None, None, Verdict.CRASH, None], (
        "its partner has none"
    )
    assert record.decisions < 10
    assert players[0].ended is not None
    assert players[0].ended.ranks == [3, 1, 3, 1]
    with pytest.raises(CorruptReplay, match="before the game does"):
        replay.check(WHIST, body_of(record))  # by rules in which the partner plays on
