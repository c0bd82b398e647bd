"""Errors that games and schedules raise and meet: their part of the tree in `results.base.errors`."""

from results.base.errors import (
    ArenaError,
    BadFile,
    BadOption,
    BadValue,
    CorruptReplay,
    IllegalMove,
    MachineRefuses,
    UnknownName,
    UsageError,
)

__all__ = [
    "ArenaError",
    "BadFile",
    "BadOption",
    "BadValue",
    "CorruptReplay",
    "IllegalMove",
    "MachineRefuses",
    "UnknownName",
    "UsageError",
]
