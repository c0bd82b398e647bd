"""Addresses of servers, as users write them."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from arena.core.errors import UsageError

MOST_CHARS = 500
_EXAMPLE = "write it like https://arena.example.org"


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server's home page, without the slash at its end."""

    scheme: str
    """`http` or `https`."""
    host: str
    port: int
    path: str
    """Of a server below a path, such as `/arena`; usually empty."""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == (443 if self.scheme == "https" else 80)
        return f"{self.scheme}://{host}{'' if is_usual else f':{self.port}'}{self.path}"

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is sent: by encryption, or because it stays on this machine."""
        return self.scheme == "https" or is_loopback(self.host)


def address_of(text: str, *, insecure: bool = False) -> Address:
    """Return the address in a text. Raises UsageError.

    Plain HTTP is allowed only to this machine, unless `insecure`.
    """
    shown = text if len(text) <= MOST_CHARS else f"{text[:50]}…"
    wrong = UsageError(f"{shown!r} is not the address of a server", _EXAMPLE)
    if len(text) > MOST_CHARS or not text.isprintable() or " " in text or "\\" in text:
        raise wrong
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        port, host = parts.port, parts.hostname
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise wrong
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the address contains a name or a password",
            f"leave them out; `arena sign-in {host}{parts.path.rstrip('/')}` asks for a token",
        )
    try:
        host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        raise wrong from None
    address = Address(
        parts.scheme, host, port or (443 if parts.scheme == "https" else 80), parts.path.rstrip("/")
    )
    if not address.is_private and not insecure:
        raise UsageError(
            f"{address} is not encrypted: others could read your token and what you send",
            "use https, or allow it with --insecure if you trust every machine on the way",
        )
    return address


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
