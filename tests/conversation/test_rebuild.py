"""What a seat was sent is rebuilt to the byte, in every ruleset, with forfeits of every kind."""

import json
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.conversation.rebuild import NO_EXAMPLE, NO_IDS, NO_SEED, NO_TIMES, conversation
from arena.core.replay import check
from arena.referee.transcript import Transcript as Written
from arena.registry import game
from protocol import codec
from protocol.messages import UNSAID_CLOCK, UNSAID_LIMITS, Clock, Limits, Move
from protocol.verdicts import Verdict
from results.records import MatchDeal
from tests.support.bots.transcripts import FOLDER, Transcript, replay
from tests.support.game_tables import forfeiting_tables
from tests.support.recording import Recording, play, stored
from tests.support.tables import body_of

QUICK = {("bread-basket", "tens", 2), ("bread-and-chocolate", "shram", 2), ("sandwich", "fr", 3)}
LAST_LOOK = 1_000_000


def all_tables() -> list[Any]:
    """Return every game, ruleset and number of seats once; one of each game is quick."""
    found = dict.fromkeys(table[:3] for table in forfeiting_tables())
    return [
        pytest.param(*table, id="-".join(map(str, table)), marks=[] if table in QUICK else [pytest.mark.slow])
        for table in found
    ]


def assert_rebuilt(name: str, ruleset: str, players: list[Recording], rotation: int = 0) -> None:
    """Play a game and compare what was sent with what is rebuilt, seat by seat, to the byte."""
    record = play(game(name), ruleset, players, rotation)
    check(game(name), body_of(record))
    for player in players:
        told = conversation(stored(record), player.seat)
        said = list(told.lines())
        assert [line for speaker, line in said if speaker == "arena"] == player.sent
        answers = [codec.decode(line[:-1]) for speaker, line in said if speaker == "bot"]
        moves = [answer for answer in answers if isinstance(answer, Move)]
        assert [(move.move, move.note) for move in moves] == record_moves(body_of(record), player.seat)
        assert told.unknown == ()
        assert (told.end is None) == (record.seats[player.seat].verdict is not None)


def record_moves(body: dict[str, Any], seat: int) -> list[tuple[Any, Any]]:
    """Return the moves and notes of a bot in a replay's body."""
    return [
        (move["move"], move.get("note"))
        for move in body["moves"]
        if move["seat"] == seat and move["by"] == "bot"
    ]


@pytest.mark.parametrize(("name", "ruleset", "seats"), all_tables())
def test_every_line_is_rebuilt(name: str, ruleset: str, seats: int) -> None:
    assert_rebuilt(
        name, ruleset, [Recording(seat, 1 + 50 * seat) for seat in range(seats)], rotation=seats - 1
    )


@pytest.mark.parametrize(
    ("fails_at", "verdict"),
    [
        (-1, Verdict.STARTUP),
        (0, Verdict.ILLEGAL),
        pytest.param(0, Verdict.CRASH, marks=pytest.mark.slow),
        (2, Verdict.ILLEGAL),
        (LAST_LOOK, Verdict.PONDERING),
    ],
)
@pytest.mark.parametrize("seats", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_with_a_forfeit_too(seats: int, fails_at: int, verdict: Verdict) -> None:
    players = [
        Recording(seat, fails_at=fails_at if seat == 1 else None, verdict=verdict) for seat in range(seats)
    ]
    record = play(game("bread-basket"), "tens", players)
    told = conversation(stored(record), 1)
    assert told.forfeit is not None
    assert told.forfeit.verdict == verdict
    assert told.got_ready == (fails_at != -1)
    sent = [line for speaker, line in told.lines() if speaker == "arena"]
    if verdict is Verdict.CRASH:  # found before the question was sent
        assert sent == players[1].sent[:-1]
        assert told.questions[-1].wrote == "half a li"
        assert not told.questions[-1].was_sent
    else:
        assert sent == players[1].sent
    if verdict is Verdict.ILLEGAL:
        assert told.questions[-1].answer is None
        assert json.loads(told.questions[-1].wrote) == {"move": {"type": "no such move"}}
        assert told.questions[-1].decision == told.forfeit.decision
    for player in players:
        if player.seat != 1:
            sent = [
                line
                for speaker, line in conversation(stored(record), player.seat).lines()
                if speaker == "arena"
            ]
            assert sent == player.sent


def test_what_is_not_stored_is_named() -> None:
    players = [Recording(seat, 7) for seat in range(3)]
    record = play(game("sandwich"), "fr", players)
    told = conversation(stored(record, timing={}, deal=None), 0)
    assert set(told.unknown) == {NO_SEED, NO_EXAMPLE, NO_IDS, NO_TIMES}
    assert len(told.questions) == len(players[0].moves)
    assert [question.ask.id for question in told.questions] == [*range(1, len(players[0].moves) + 1)]


PLAYED = [path for path in sorted(FOLDER.glob("v*/*.jsonl")) if Transcript.read(path).head["ticket"]]
"""Those with rules behind them."""


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_the_golden_transcripts_are_rebuilt(path: Path) -> None:
    transcript = Transcript.read(path)
    given = transcript.head["ticket"]
    facts = stored(
        replay(transcript),
        deal=MatchDeal(bytes.fromhex(given["match_seed"])),
        clock=Clock(**given["clock"]),
        limits=Limits(**given["limits"]),
    )
    for seat in transcript.seats:
        told = conversation(facts, seat)
        sent = [json.loads(line) for speaker, line in told.lines() if speaker == "arena"]
        assert sent == [one for one in transcript.said("arena", seat) if one["type"] not in ("hello", "quit")]


def test_a_game_that_says_nothing_of_its_clock_keeps_its_meaning() -> None:
    """Whatever the defaults of new leagues will be."""
    clock, limits = Clock(2_000, 1_000, 10_000, 20), Limits(65_536, 16, 16_777_216, 500)
    assert (clock, limits) == (UNSAID_CLOCK, UNSAID_LIMITS)
    unsaid = msgspec.json.decode(zlib.decompress(Written().timing((), (), clock, limits)))
    assert not {"clock", "limits"} & unsaid.keys()
    longer = msgspec.structs.replace(clock, move_ms=2_000)
    said = msgspec.json.decode(zlib.decompress(Written().timing((), (), longer, limits)))
    assert said["clock"] == msgspec.to_builtins(longer)
