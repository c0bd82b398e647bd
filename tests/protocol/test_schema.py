"""The JSON Schema: up to date, and of the same mind as the codec."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from generators.protocol import render as protocol_page
from protocol import codec
from protocol.messages import ArenaMessage, BotMessage
from protocol.verdicts import MalformedLine, Verdict
from protocol.write_schema import FILE, render, schema
from tests.protocol.any_messages import almost_messages, arena_messages, bot_messages

ROOT = Path(__file__).parents[2]
VALIDATOR = jsonschema.Draft202012Validator(schema())
BOT_VALIDATOR = VALIDATOR.evolve(schema={**schema(), "anyOf": [{"$ref": "#/$defs/BotMessage"}]})


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == render(), "run python -m protocol.write_schema"


def test_the_script_tells_a_stale_file_and_writes_it_anew(tmp_path: Path) -> None:
    """The script works on a copy of the package, so that a failing test leaves the real file alone."""
    copy = tmp_path / "protocol"
    copy.mkdir()
    for path in [*(ROOT / "protocol").glob("*.py"), FILE]:
        (copy / path.name).write_bytes(path.read_bytes())
    file = copy / FILE.name

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "protocol.write_schema", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("--check").returncode == 0
    file.write_text("{}")
    stale = run("--check")
    assert stale.returncode == 1
    assert "out of date: run python -m protocol.write_schema" in stale.stderr
    assert file.read_text() == "{}"
    assert run().returncode == 0
    assert file.read_text(encoding="utf-8") == render()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@given(bot_messages)
def test_what_the_codec_writes_of_a_bot_is_valid(message: BotMessage) -> None:
    BOT_VALIDATOR.validate(json.loads(codec.encode(message, line_bytes=1 << 20)))


@given(arena_messages)
def test_what_the_codec_writes_of_an_arena_is_valid(message: ArenaMessage) -> None:
    VALIDATOR.validate(json.loads(codec.encode(message, line_bytes=1 << 20)))


@given(almost_messages)
def test_what_the_codec_reads_is_valid(line: bytes) -> None:
    try:
        codec.decode(line)
    except MalformedLine:
        return
    BOT_VALIDATOR.validate(json.loads(line))


@pytest.mark.parametrize(
    "message",
    [
        {"type": "move", "id": 1},
        {"type": "move", "id": True, "move": 0},
        {"type": "move", "id": 2**53, "move": 0},
        {"type": "hello", "protocols": [1]},
        {"type": "start"},
        [],
    ],
)
def test_what_the_codec_refuses_for_its_fields_is_not_valid(message: Any) -> None:
    with pytest.raises(MalformedLine):
        codec.decode(json.dumps(message).encode())
    assert not BOT_VALIDATOR.is_valid(message)


def test_an_ask_has_either_legal_or_example() -> None:
    ask: dict[str, Any] = {"type": "ask", "id": 1, "kind": "turn", "view": {}, "events": []}
    ask["time"] = {"move_ms": 0, "bank_ms": 0}
    assert VALIDATOR.is_valid({**ask, "legal": []})
    assert VALIDATOR.is_valid({**ask, "example": None})
    assert not VALIDATOR.is_valid(ask)
    assert not VALIDATOR.is_valid({**ask, "legal": [], "example": None})


def test_the_reference_names_every_message_field_and_verdict() -> None:
    page = protocol_page()
    for name, part in schema()["$defs"].items():
        for field in part.get("properties", {}):
            assert field == "type" or f"| `{field}` |" in page, f"{name}.{field}"
    for verdict in Verdict:
        fault_of = "the platform" if verdict.is_platform else "the bot"
        if verdict is Verdict.RESIGNED:
            fault_of = "a person"
        assert f"| `{verdict}` | {fault_of} |" in page
