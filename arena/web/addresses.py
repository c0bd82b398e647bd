"""Addresses of clients: which count as one machine, and which are proxies that are believed."""

import ipaddress
from collections.abc import Iterable

EVERY = "*"


def counted_as(host: str) -> str:
    """Return what an address is counted as: of IPv6 the first half, because one machine has all the others."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:100]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False).network_address) + "/64"
    return str(address)


def is_loopback(host: str) -> bool:
    """Return whether an address is one of this machine alone."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def is_among(host: str, networks: Iterable[str]) -> bool:
    """Return whether an address is one of these, or in one of these networks; `*` stands for all."""
    for network in networks:
        if network in (EVERY, host):
            return True
        try:
            if ipaddress.ip_address(host.partition("%")[0]) in ipaddress.ip_network(network, strict=False):
                return True
        except ValueError:
            continue
    return False
