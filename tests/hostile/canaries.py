"""Things that no bot may reach: files, sockets and words, and whether one of them was reached."""

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import arena


@dataclass
class Canaries:
    """What a hostile bot is after."""

    secret: str
    """In every file that must not be read, and in our environment."""
    place: Path
    listeners: dict[str, socket.socket]

    def told(self, *, sandboxed: bool) -> dict[str, Any]:
        """Return what a hostile bot is told, so that it need not search."""
        tcp, tcp6, udp = (
            self.listeners[name].getsockname()[1] if name in self.listeners else 0
            for name in ("tcp", "tcp6", "udp")
        )
        return {
            "sandboxed": sandboxed,
            "secret": self.secret,
            "tcp": tcp,
            "tcp6": tcp6,
            "udp": udp,
            "unix": str(self.place / "socket"),
            "abstract": self.secret,
            "place": str(self.place),
            "ledger": str(self.ledger),
            "home": str(self.place / "home"),
            "bots": str(self.place / "bots"),
            "source": str(Path(arena.__file__).parent),
            "arena_pid": os.getpid(),
        }

    @property
    def ledger(self) -> Path:
        """A file where a ledger could be."""
        return self.place / "arena.sqlite"

    def reached(self) -> list[str]:
        """Return which of the canaries was reached or changed."""
        found = [name for name, listener in self.listeners.items() if _was_spoken_to(listener)]
        kept = (self.ledger, self.place / "home" / ".netrc")
        found += [str(file) for file in kept if not file.is_file() or file.read_text() != self.secret]
        expected = {"arena.sqlite", "home", "socket", "bots", "hostile", "good", "fresh"}
        found += sorted({path.name for path in self.place.iterdir()} - expected)
        return found


@contextmanager
def canaries(place: Path) -> Iterator[Canaries]:
    """Set up the canaries in a folder that everybody can look into."""
    secret = f"canary-{secrets.token_hex(12)}"
    with ExitStack() as stack:
        listeners = {}
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(place / "socket")),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{secret}"),
        ):
            listener = stack.enter_context(socket.socket(family, kind))
            try:
                listener.bind(address)
            except OSError:
                assert name == "tcp6", "a machine without IPv6 is the only one that may lack a listener"
                continue
            if kind == socket.SOCK_STREAM:
                listener.listen()
            listener.setblocking(False)
            listeners[name] = listener
        (place / "socket").chmod(0o777)
        (place / "home").mkdir()
        for file in (place / "arena.sqlite", place / "home" / ".netrc"):
            file.write_text(secret)
            file.chmod(0o666)
        before = os.environ.get("HOME")
        os.environ |= {"ARENA_CANARY": secret, "HOME": str(place / "home")}
        try:
            yield Canaries(secret, place, listeners)
        finally:
            del os.environ["ARENA_CANARY"]
            if before is not None:
                os.environ["HOME"] = before


def _was_spoken_to(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_STREAM:
            listener.accept()[0].close()
        else:
            listener.recv(1)
    except BlockingIOError:
        return False
    return True
