"""Bots that follow the golden transcripts: what their processes are sent is what the transcripts say."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Reply
from arena.players.bot import BotPlayer
from arena.players.pool import BotPool, PoolLimits
from arena.referee.referee import Referee
from arena.registry import game
from arena.sandbox.bot_program import Program
from protocol import codec
from protocol.messages import Ask, Clock, End, Limits, Start
from protocol.verdicts import Verdict
from tests.support.bots.programs import program
from tests.support.bots.transcripts import FOLDER, Transcript, holds
from tests.support.tables import entrants, new_token

FOLLOWER = """
import json, sys
follow = [json.loads(line) for line in open("script")]
heard = open(sys.argv[1], "wb", buffering=0)
while follow and (line := sys.stdin.buffer.readline()):
    heard.write(line)
    follow.pop(0)
    while follow and "bot" in follow[0]:
        print(json.dumps(follow.pop(0)["bot"]), flush=True)
heard.write(sys.stdin.buffer.read())
"""
PATHS = sorted(FOLDER.glob("v*/*.jsonl"))


@dataclass(frozen=True)
class Followers:
    """For every seat of a transcript a bot that says what the transcript says, whatever it hears."""

    transcript: Transcript
    folder: Path

    def program(self, seat: int) -> Program:
        script = "".join(json.dumps(line) + "\n" for line in self.transcript.lines if line["seat"] == seat)
        files = {"bot.py": FOLLOWER, "script": script}
        command = ("python3", "-S", "-E", "bot.py", str(self.folder / f"heard-{seat}"))
        return program(self.folder / str(seat), files, command)

    def heard(self, seat: int) -> list[Any]:
        return [json.loads(line) for line in (self.folder / f"heard-{seat}").read_text().splitlines()]

    def check(self) -> None:
        """Compare what was heard with what the transcript says, but for the time that was left."""
        for seat in self.transcript.seats:
            told = self.transcript.said("arena", seat)
            heard = self.heard(seat)
            assert [message["type"] for message in heard] == [message["type"] for message in told]
            for now, then in zip(heard, told, strict=True):
                then.pop("time", None)
                assert holds(now, then), f"seat {seat}: {now} instead of {then}"


@pytest.mark.parametrize("path", PATHS, ids=[f"{path.parent.name}-{path.stem}" for path in PATHS])
def test_processes_are_told_what_the_transcripts_say(path: Path, tmp_path: Path) -> None:
    transcript = Transcript.read(path)
    followers = Followers(transcript, tmp_path)
    programs = {seat: followers.program(seat) for seat in transcript.seats}
    with BotPool(programs, tmp_path / "pool", new_token(), PoolLimits(60_000)) as pool:
        players = [pool.take(seat, ("league", 0), seat) for seat in transcript.seats]
        if transcript.head["ticket"]:
            referee_it(transcript, players)
        else:
            speak_it(transcript, players[0])
        for seat, player in enumerate(players):
            pool.give_back(seat, player, seat)
    followers.check()


def referee_it(transcript: Transcript, players: list[BotPlayer]) -> None:
    """Play the game of the ticket."""
    given = transcript.head["ticket"]
    rules, seats = game(given["game"]), len(players)
    options = rules.resolve(ruleset(rules.info, given["ruleset"], given["options"]), seats)
    ticket = Ticket("league", 0, 0, tuple(range(seats)), options, bytes.fromhex(given["match_seed"]))
    clock = Clock(**{**given["clock"], "ready_ms": given["clock"]["ready_ms"]})
    record = Referee(clock, Limits(**given["limits"])).play(rules, players, entrants(seats), ticket)
    end = next(message for message in transcript.said("arena") if message["type"] == "end")
    assert [seat.verdict for seat in record.seats] == end["verdicts"]
    assert [seat.rank for seat in record.seats] == end["ranks"]


def speak_it(transcript: Transcript, player: BotPlayer) -> None:
    """Say to a bot what the transcript says, where no game stands behind it."""
    answers = transcript.said("bot")[1:]
    messages = [codec.decode_arena(json.dumps(said).encode()) for said in transcript.said("arena")]
    started = False
    for message in messages:
        if isinstance(message, Start):
            assert player.start(message, 60_000) is None
            assert answers.pop(0) == {"type": "ready"}
            started = True
        elif isinstance(message, Ask):
            reply = player.ask(message, 60_000_000_000)
            assert isinstance(reply, Reply)
            answer = answers.pop(0)
            assert (reply.move, reply.note) == (answer["move"], answer.get("note"))
        elif isinstance(message, End):
            player.end(message)
    if not started:
        start = Start("any", "any", {}, 0, 2, 0, Clock(60_000, 0, 0, 0), Limits(65_536, 16, 65_536, 0), {})
        fault = player.start(start, 60_000)
        assert isinstance(fault, Fault)
        assert fault.verdict is Verdict.STARTUP
        player.stop()
    assert answers == []
