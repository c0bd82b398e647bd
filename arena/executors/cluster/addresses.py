"""Where the hosts of a cluster meet: `local:N` or the address of a Dask scheduler."""

import ipaddress
import re
from dataclasses import dataclass

from arena.core.errors import UsageError

MOST_LOCAL_HOSTS = 64
_URL = re.compile(r"(?P<protocol>[a-z]+)://(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:/\s]+):(?P<port>\d{1,5})/?")
FORMS = "tls://HOST:PORT, or local:N for N hosts on this machine"


@dataclass(frozen=True, slots=True)
class LocalHosts:
    """So many hosts on this machine, with a scheduler of their own."""

    hosts: int


@dataclass(frozen=True, slots=True)
class SchedulerAddress:
    """A scheduler that somebody has started."""

    url: str
    is_encrypted: bool


def read_address(given: str) -> LocalHosts | SchedulerAddress:
    """Return what an address means. Raises UsageError; see `scheduler_address`."""
    if given.startswith("local:"):
        count = given.removeprefix("local:")
        if not count.isascii() or not count.isdigit() or not 1 <= int(count) <= MOST_LOCAL_HOSTS:
            raise UsageError(
                f"{given!r}: the number of hosts is not 1 to {MOST_LOCAL_HOSTS}", "for example: local:3"
            )
        return LocalHosts(int(count))
    return scheduler_address(given)


def scheduler_address(given: str) -> SchedulerAddress:
    """Return the address of a scheduler. Raises UsageError for anything else, and for one without TLS.

    Without TLS, whoever reaches the port runs programs on all machines. Only on loopback may it be missing.
    """
    found = _URL.fullmatch(given)
    if found is None or found["protocol"] not in ("tls", "tcp") or not 0 < int(found["port"]) < 65_536:
        raise UsageError(f"{given!r} is not the address of a scheduler", f"write {FORMS}")
    url = given.rstrip("/")
    if found["protocol"] == "tcp" and not is_loopback(found["host"]):
        secure = "tls" + url.removeprefix("tcp")
        raise UsageError(
            f"{given}: without TLS, anyone who reaches this port can run programs on all machines of the cluster",
            "make certificates with `arena host certificates FOLDER`, start the scheduler with them, and use "
            f"{secure} with --certificates FOLDER",
        )
    return SchedulerAddress(url, found["protocol"] == "tls")


def is_loopback(host: str) -> bool:
    """Return whether the name or address of a host can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
