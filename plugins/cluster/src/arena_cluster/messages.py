"""What runner and hosts tell each other, as plain data in msgpack."""

from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from arena_cluster.identity import Identity

PACKAGES = ("arena", "protocol", "results", "arena_cluster")
SHOWN_DIGITS = 12


@cache
def arena_version() -> str:
    """Return the version of Arena with a digest of its code and of this package, to tell apart two working copies."""
    digest = sha256()
    for package in PACKAGES:
        root = Path(*import_module(package).__path__)
        for path in sorted(root.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{package}/{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return f"{_version('arena-league')}+{digest.hexdigest()[:SHOWN_DIGITS]}"


def dask_version() -> str:
    """Return the version of Dask.distributed; empty if it isn't installed."""
    return _version("distributed")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


T = TypeVar("T")


class SlotTickets(Struct, frozen=True):
    """Tickets that one slot of a host plays one after the other."""

    slot: int
    numbers: tuple[int, ...]
    """Of the tickets, unique in a run."""
    tickets: bytes
    """Packed by the work, in this order."""


class Unit(Struct, frozen=True):
    """More work for a host, and when it is to report. Without tickets, it only asks for a report."""

    number: int
    slots: tuple[SlotTickets, ...]
    few: int = 1
    """Report once a slot that has played has no more than so many tickets left,"""
    pause_s: float = 0.0
    """but not within so many seconds of the last report."""


class UnitReport(Struct, frozen=True):
    """What became of a host's tickets since its last report, of all its units. Each of them is in one of the three."""

    results: tuple[tuple[int, bytes], ...] = ()
    """By number: a list of one result, packed by the work."""
    lost: tuple[tuple[int, str], ...] = ()
    """Tickets in whose game the agent of the host was lost, with what is known of it."""
    unplayed: tuple[int, ...] = ()
    faults: int = 0
    """How many of the results are faults of the platform."""
    played_s: float = 0.0
    """Seconds that slots have played since the last report, summed over all slots."""
    left: int = 0
    """How many tickets the host still has."""
    is_closed: bool = False
    """Whether it begins no more games in this session."""


class Facts(Struct, frozen=True, kw_only=True):
    """What a host says of itself with each heartbeat."""

    id: str
    """New with each start of its Dask worker."""
    name: str
    slots: int
    python: str
    arena: str
    """Version of the distribution, and the digest of its code."""
    distributed: str
    machine: str
    level: str
    """The level of isolation that its probe has found."""
    speed: float = 0.0
    """Reference playouts a second on one core; 0: not measured yet."""
    versions: int = 0
    """How many versions it has cached."""
    is_leaving: bool = False


class SessionEnd(Struct, frozen=True):
    """Why a session on a host is over."""

    kind: str
    """ended · refused · failed · left"""
    why: str = ""
    hint: str = ""
    last: UnitReport = UnitReport()
    """What no unit has reported."""


class Heard(Struct, frozen=True):
    """A line from a host during a session."""

    host: str
    """`Facts.id`."""
    token: str
    playing: tuple[int, ...] | None = None
    """The numbers of the tickets it plays now."""
    needs: str = ""
    """The hash of a version that it has not."""
    ready: str = ""
    """The level of isolation at which it plays; it is ready now."""


class HostOrders(Struct, frozen=True, kw_only=True):
    """What a host is to do. It reads this from its standard input, because command lines can be read by everybody."""

    scheduler: str
    """Its address."""
    identity: Identity
    slots: int
    """How many games it plays at a time."""
    name: str
    folder: str
    """For versions and temporary files; it is the host's own."""
    private: tuple[str, ...] = ()
    """More folders that no bot may see."""
    listens_on: str = ""
    """The address under which the scheduler reaches it; empty: that from which it reaches the scheduler."""
    may_be_unconfined: bool = False
    """Whether it plays with a weaker sandbox, where the league leaves that open."""
    is_quiet: bool = False
    """Whether it says only what is wrong."""
    cache_bytes: int = 2**31
    """Size of all versions that it keeps."""
    first_core: int = 0
    """The core of its first slot, where several hosts share a machine."""
    hang_s: float = 60.0
    """Kill the process that plays if it has said nothing for so long."""


def pack(message: Any) -> bytes:
    """Return a message as bytes."""
    return msgspec.msgpack.encode(message)


def unpack(packed: bytes, kind: type[T]) -> T:
    """Return a message of a kind. Raises msgspec.DecodeError for anything else."""
    return msgspec.msgpack.decode(packed, type=kind)
