"""JSON Schema of the messages, generated from their types: `python -m protocol.write_schema` writes `schema-v1.json`.

With --check it only says whether the file is up to date.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from protocol.messages import ArenaMessage, BotMessage

FILE = Path(__file__).with_name("schema-v1.json")


def definitions() -> dict[str, dict[str, Any]]:
    """Return the schemas of every message, of the parts of messages and of both unions, by name."""
    (arena, bot), parts = msgspec.json.schema_components(
        [ArenaMessage, BotMessage], ref_template="#/$defs/{name}"
    )
    # The types can't express that an ask has exactly one of these two fields.
    parts["Ask"]["oneOf"] = [{"required": ["legal"]}, {"required": ["example"]}]
    return {
        "ArenaMessage": {"description": "Any message of the arena.", "anyOf": arena["anyOf"]},
        "BotMessage": {"description": "Any message of a bot.", "anyOf": bot["anyOf"]},
        **parts,
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one line of the protocol.

    Unknown fields are allowed because both sides ignore them. JSON Schema can't express the limits on a
    line's length, depth and numbers, or that keys must be unique.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:arena:protocol:1",
        "title": "Arena protocol, version 1",
        "description": "One line: a message of the arena or of a bot.",
        "anyOf": [{"$ref": "#/$defs/ArenaMessage"}, {"$ref": "#/$defs/BotMessage"}],
        "$defs": definitions(),
    }


def render() -> str:
    """Return the text of the schema file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Return the exit code: 0 written or up to date, 1 out of date."""
    parser = argparse.ArgumentParser(prog="python -m protocol.write_schema", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if it is out of date"
    )
    if not parser.parse_args().check:
        FILE.write_text(render(), encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == render():
        return 0
    sys.stderr.write(f"{FILE} is out of date: run python -m protocol.write_schema\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
