"""Canonical JSON: sorted keys, no spaces; equal values give equal text."""

from typing import Any

import msgspec


def to_text(value: object) -> str:
    """Return a value as canonical JSON. Raises TypeError for values that JSON can't hold."""
    return msgspec.json.encode(value, order="sorted").decode()


def from_text(text: str) -> Any:
    """Parse a JSON text that the store wrote. Raises msgspec.DecodeError if it is damaged."""
    return msgspec.json.decode(text)


def object_from_text(text: str) -> dict[str, Any]:
    """Parse a JSON object that the store wrote. Raises msgspec.DecodeError if it isn't one any more."""
    return msgspec.json.decode(text, type=dict[str, Any])
