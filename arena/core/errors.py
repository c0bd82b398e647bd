"""Errors that games raise and meet: their part of the tree in `results.base.errors`."""

from results.base.errors import (
    ArenaError,
    BadOption,
    CorruptReplay,
    IllegalMove,
    MachineRefuses,
    UnknownName,
    UsageError,
)

__all__ = [
    "ArenaError",
    "BadOption",
    "CorruptReplay",
    "IllegalMove",
    "MachineRefuses",
    "UnknownName",
    "UsageError",
]
