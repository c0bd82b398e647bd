"""JSON in one way of writing: sorted keys, no spaces; equal text for equal values."""

from typing import Any

import msgspec


def to_text(value: object) -> str:
    """Return a value as canonical JSON. Raises TypeError for what JSON can't hold."""
    return msgspec.json.encode(value, order="sorted").decode()


def from_text(text: str) -> Any:
    """Return the value of a JSON text that the store wrote. Raises msgspec.DecodeError where it is damaged."""
    return msgspec.json.decode(text)


def object_from_text(text: str) -> dict[str, Any]:
    """Return a JSON object that the store wrote. Raises msgspec.DecodeError where it is none any more."""
    return msgspec.json.decode(text, type=dict[str, Any])
