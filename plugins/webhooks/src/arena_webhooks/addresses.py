"""Which addresses webhooks may have, and to which machines they may lead: never into the server's own network.

Sources: the registries of special addresses of IANA (RFC 6890), RFC 6052 (NAT64), RFC 3056 (6to4).
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import NamedTuple

from arena.core.errors import UsageError

PORT = 443
"""The only one."""
MOST_CHARS = 500
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(
    rf"https://(?P<host>(?:{_LABEL}\.)+(?!\d+[./:?]|\d+$|0[xX])[A-Za-z0-9][A-Za-z0-9-]{{0,61}}[A-Za-z0-9])(?::{PORT})?"
    r"(?P<path>/[!\"$-~]*)?"
)
"""No port but one, nobody's password, no fragment, and a name with a dot rather than a number of a machine."""
_HOW = "copy it from the settings of your channel; it begins like https://hooks.example/"
_NOT_PUBLIC = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "168.63.129.16/32",  # the metadata of machines in Azure
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
        ),
    )
)
_GLOBAL = IPv6Network("2000::/3")
"""All that has been given out; what stands for an IPv4 address, such as `::ffff:` and `64:ff9b::`, is outside."""
_NOT_GLOBAL = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))


class Target(NamedTuple):
    """Where a message is sent."""

    host: str
    path: str
    """With what follows `?`. It is a secret: who knows it can write into the channel."""


def target_of(address: str) -> Target:
    """Return where an address leads. Raises UsageError, without the address, for one that webhooks can't have."""
    if len(address) > MOST_CHARS:
        raise UsageError(f"the address has more than {MOST_CHARS} characters", _HOW)
    found = _ADDRESS.fullmatch(address)
    if found is None or len(found["host"]) > 253:
        raise UsageError("a webhook needs an https address with a host name, and no port", _HOW)
    return Target(found["host"].lower(), found["path"] or "/")


def is_public(text: str) -> bool:
    """Return whether a number of a machine, IPv4 or IPv6, is one of the public network.

    >>> [is_public(one) for one in ("8.8.8.8", "10.0.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "2002:a00:1::")]
    [True, False, False, True, False]
    """
    try:
        found = ip_address(text)
    except ValueError:
        return False
    if found.version == 4:
        return found.is_global and not any(found in net for net in _NOT_PUBLIC)
    return found.is_global and found in _GLOBAL and not any(found in net for net in _NOT_GLOBAL)


def all_public(texts: Iterable[str]) -> bool:
    """Return whether there is a machine, and all of them are public."""
    found = list(texts)
    return bool(found) and all(map(is_public, found))
