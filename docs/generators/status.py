"""The JSON Schema of what `arena status --json` prints, from its rows."""

import json
from typing import Any

import msgspec

from results.reports.status_rows import VERSION, StatusRow


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12). Fields may be added within a version, so unknown ones are allowed."""
    found = msgspec.json.schema(StatusRow)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:arena:status:{VERSION}",
        "title": f"arena status --json, version {VERSION}",
        **found,
    }


def render() -> str:
    """Return docs/status.schema.json."""
    return json.dumps(schema(), indent=2) + "\n"
