"""Addresses of servers, as users write them, and the tokens of this user by server.

Tokens come from the environment, or from a file that only the user can read.
"""

import ipaddress
import json
import os
import re
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
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
    """Return the address in a text. Raises UsageError. Plain HTTP is only for this machine, unless `insecure`."""
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
            "use https, or allow it with --insecure if you trust every machine on the network",
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


VARIABLE = "ARENA_TOKEN"
_TOKEN = re.compile(rf"[A-Za-z0-9._~+/=-]{{8,{MOST_CHARS}}}")
_MOST_BYTES = 1_048_576


def checked(token: str) -> str:
    """Return a token without the blanks around it. Raises UsageError if it can't be one, without quoting it."""
    token = token.strip()
    if not _TOKEN.fullmatch(token):
        raise UsageError(
            "this is not a token", "copy the whole token that an organiser gave you, and nothing else"
        )
    return token


def token_for(address: Address) -> str | None:
    """Return the token for a server: `ARENA_TOKEN` if set, else the one that was kept, or None. Raises UsageError."""
    if given := os.environ.get(VARIABLE):
        try:
            return checked(given)
        except UsageError as error:
            raise UsageError(f"{VARIABLE}: {error}", error.hint) from None
    return _kept().get(str(address))


def keep(address: Address, token: str) -> Path:
    """Keep the token for a server; return the file. Raises UsageError."""
    return _write({**_kept(), str(address): checked(token)})


def forget(address: Address) -> bool:
    """Forget the token for a server; return whether there was one. Raises UsageError."""
    kept = _kept()
    if str(address) not in kept:
        return False
    del kept[str(address)]
    _write(kept)
    return True


def tokens_path() -> Path:
    """Return the file with the tokens: `arena/tokens.json` in the user's folder for configuration."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".config"
    return folder / "arena" / "tokens.json"


def _kept() -> dict[str, str]:
    path = tokens_path()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", "remove it, then sign in again") from None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path} is not a file", "remove it, then sign in again")
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise UsageError(
                f"other users of this machine can read {path}", f"make it private: chmod 600 {path}"
            )
        content = file.read(_MOST_BYTES + 1)
    try:
        kept = json.loads(content) if len(content) <= _MOST_BYTES else None
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict) or not all(isinstance(token, str) for token in kept.values()):
        raise UsageError(f"{path} is damaged", "remove it, then sign in again")
    return kept


def _write(kept: dict[str, str]) -> Path:
    path = tokens_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, part = tempfile.mkstemp(prefix=".tokens-", dir=path.parent)  # only its owner can read it
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(kept, file, indent=1)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            Path(part).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(part).unlink()
            raise
    except OSError as error:
        raise UsageError(
            f"{path} can't be written: {error.strerror}", f"or set {VARIABLE} for each command"
        ) from None
    return path
