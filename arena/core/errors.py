"""Errors that games and schedules raise and meet: their part of the tree in `results.base.errors`."""

from results.base.errors import ArenaError as ArenaError
from results.base.errors import BadFile as BadFile
from results.base.errors import BadOption as BadOption
from results.base.errors import BadValue as BadValue
from results.base.errors import CorruptReplay as CorruptReplay
from results.base.errors import IllegalMove as IllegalMove
from results.base.errors import MachineRefuses as MachineRefuses
from results.base.errors import UnknownName as UnknownName
from results.base.errors import UsageError as UsageError
