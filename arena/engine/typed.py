"""Views and moves as typed objects, made from the protocol's JSON."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

T = TypeVar("T", bound="Typed")


@dataclass(frozen=True)
class Typed:
    """A part of a message. Its fields have the names of the JSON keys; lists become tuples."""

    @classmethod
    def of(cls: type[T], data: dict[str, Any]) -> T:
        """Return the object for a JSON object. Keys that it has no field for are ignored.

        Raises KeyError if a key is missing.
        """
        return cls(**{field.name: _tuples(data[field.name]) for field in fields(cls)})


@dataclass(frozen=True)
class Move(Typed):
    """A move. `json()` is what a bot returns."""

    type: ClassVar[str]

    def json(self) -> dict[str, Any]:
        """Return the move as the protocol has it."""
        return {
            "type": self.type,
            **{field.name: _lists(getattr(self, field.name)) for field in fields(self)},
        }


def move_of(kinds: tuple[type[Move], ...], raw: dict[str, Any]) -> Move:
    """Return the typed form of a JSON move, which is one of these kinds. Raises KeyError for others."""
    return {kind.type: kind for kind in kinds}[raw["type"]].of(raw)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _lists(value: Any) -> Any:
    return list(map(_lists, value)) if isinstance(value, tuple) else value
