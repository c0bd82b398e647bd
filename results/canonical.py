"""JSON in one way of writing: sorted keys, no spaces; equal text for equal values."""

from typing import Any

import msgspec


def to_text(value: object) -> str:
    """Return a value as canonical JSON. Raises TypeError for what JSON can't hold."""
    return msgspec.json.encode(value, order="sorted").decode()


def from_text(text: str) -> Any:
    """Return the value of a JSON text that the store wrote."""
    return msgspec.json.decode(text)
