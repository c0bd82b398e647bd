"""Golden transcripts: what was said once is still valid, still means the same, and is still what the arena says."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from protocol import codec
from protocol.messages import SUPPORTED, HelloReply, Move, negotiate
from protocol.verdicts import NoCommonVersion
from protocol.write_schema import FILE
from tests.support.bots.scripted_arena import kit_bot
from tests.support.bots.transcripts import FOLDER, Transcript, holds, replay

PATHS = sorted(FOLDER.glob("v*/*.jsonl"))
SCHEMA = json.loads(FILE.read_text(encoding="utf-8"))
IDS = [f"{path.parent.name}-{path.stem}" for path in PATHS]
whole = pytest.mark.parametrize("path", PATHS, ids=IDS)
played = pytest.mark.parametrize(
    "path", [path for path in PATHS if Transcript.read(path).head["ticket"]], ids=lambda path: path.stem
)


VALIDATOR = {
    who: jsonschema.Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})
    for who, kind in (("arena", "ArenaMessage"), ("bot", "BotMessage"))
}


def test_there_is_a_transcript_of_every_version_and_kind() -> None:
    assert {path.parent.name for path in PATHS} == {f"v{version}" for version in SUPPORTED}
    assert {path.stem for path in PATHS} >= {"two-seats", "forfeit", "composed", "version-mismatch"}


@whole
def test_the_codec_reads_every_line_and_writes_it_again(path: Path) -> None:
    transcript = Transcript.read(path)
    for message in transcript.said("arena"):
        assert json.loads(codec.encode(codec.decode_arena(json.dumps(message).encode()))) == message
    for message in transcript.said("bot"):
        assert json.loads(codec.encode(codec.decode(json.dumps(message).encode()))) == message


@whole
def test_every_line_fits_the_schema(path: Path) -> None:
    transcript = Transcript.read(path)
    for who, validator in VALIDATOR.items():
        for message in transcript.said(who):
            validator.validate(message)


@whole
def test_every_ask_is_answered_by_its_id_and_every_start_by_ready(path: Path) -> None:
    transcript = Transcript.read(path)
    for seat in transcript.seats:
        owed: list[Any] = []
        for line in (line for line in transcript.lines if line["seat"] == seat):
            message = line.get("arena") or line["bot"]
            answer = {"hello": "hello", "start": "ready", "ask": "move"}.get(message["type"])
            if "arena" in line:
                assert not owed
                owed = [(answer, message.get("id"))] if answer else []
            else:
                assert owed == [(message["type"], message.get("id"))]
                owed = []


@played
def test_the_referee_still_says_what_it_said(path: Path) -> None:
    transcript = Transcript.read(path)
    result = replay(transcript)
    end = transcript.said("arena", seat=0)[-2]
    assert end["type"] == "end"
    assert [seat.score for seat in result.seats] == end["scores"]
    assert [seat.verdict for seat in result.seats] == end["verdicts"]


SCRIPTED_BOT = """
import json
from arena_kit import run
moves = iter(json.load(open("moves.json")))
run(lambda ask, game: next(moves))
"""


@whole
def test_the_kit_speaks_as_bots_did(path: Path, tmp_path: Path) -> None:
    transcript = Transcript.read(path)
    for seat in transcript.seats:
        said = transcript.said("bot", seat)
        moves = [(message["move"], message.get("note")) for message in said if message["type"] == "move"]
        if said[0]["protocol"] not in SUPPORTED:
            continue  # a bot of the future; the kit is of today
        folder = tmp_path / str(seat)
        folder.mkdir()
        (folder / "moves.json").write_text(json.dumps(moves))
        with kit_bot(folder, SCRIPTED_BOT.replace("next(moves)", "tuple(next(moves))")) as arena:
            arena.say(*transcript.said("arena", seat))
            code, out, log = arena.finish()
        assert (code, log) == (0, "")
        assert [json.loads(line) for line in out.splitlines()] == said


def test_the_mismatch_is_one() -> None:
    transcript = Transcript.read(FOLDER / "v1" / "version-mismatch.jsonl")
    answer = codec.decode(json.dumps(transcript.said("bot")[0]).encode())
    assert isinstance(answer, HelloReply)
    with pytest.raises(NoCommonVersion, match="the arena speaks 1; the bot answered 2"):
        negotiate(transcript.said("arena")[0]["protocols"], answer.protocol)


def test_a_forfeit_is_told_to_the_others_and_the_forfeited_hears_no_more() -> None:
    transcript = Transcript.read(FOLDER / "v1" / "forfeit.jsonl")
    assert isinstance(codec.decode(json.dumps(transcript.said("bot", 1)[-1]).encode()), Move)
    assert transcript.said("arena", 1)[-1]["type"] == "ask"
    for seat in (0, 2):
        events = [event for message in transcript.said("arena", seat) for event in message.get("events", [])]
        assert events.count({"kind": "forfeit", "seat": 1, "verdict": "illegal"}) == 1


def test_new_fields_are_no_change_and_all_else_is() -> None:
    assert holds({"a": [{"b": 1, "new": 2}]}, {"a": [{"b": 1}]})
    changed: list[Any] = [
        {"a": []},
        {"a": [{"b": 2}]},
        {"a": [{"new": 1}]},
        {},
        [],
        {"a": [{"b": 1}, 1]},
        {"a": [{"b": True}]},
    ]
    for now in changed:
        assert not holds(now, {"a": [{"b": 1}]})
