"""What a host is started with."""

from msgspec import Struct

from arena.executors.cluster.identity import Identity


class HostOrders(Struct, frozen=True, kw_only=True):
    """Read by a host from its standard input, because command lines can be read by everybody."""

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
