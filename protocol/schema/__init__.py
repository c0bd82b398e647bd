"""JSON Schema of the messages, generated from their types; `v1.json` next to this file is the result."""

import json
from pathlib import Path
from typing import Any

import msgspec

from protocol.messages import ArenaMessage, BotMessage

FILE = Path(__file__).with_name("v1.json")
"""The schema file; `python -m protocol.schema` writes it."""


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
