"""An HTTPS server on this machine with a certificate for a name of its own, and a sender that finds it there."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena_webhooks.sending import Sender
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAME = "hooks.example.org"
PUBLIC = "93.184.215.14"
"""The machine that the name means, as far as the sender knows."""
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Https:
    """The server, and what it has been sent."""

    port: int
    certificate: Path
    answers: Callable[[socket.socket], None]
    """Answers a connection whose request has been read."""
    heard: list[bytes] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    """That connections asked for, by SNI."""
    resolved: list[str] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)

    def sender(self, *resolves_to: Sequence[str], total_s: float = 10.0) -> Sender:
        """Return a sender for which a name means these machines: the first answer, the second, and so on."""
        lists = iter(resolves_to or ((PUBLIC,),))

        def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
            self.resolved.append(host)
            return [(2, 1, 6, "", (machine, port)) for machine in next(lists)]

        def connect(machine: str, timeout_s: float) -> socket.socket:
            self.connected.append(machine)
            return socket.create_connection(("127.0.0.1", self.port), timeout_s)

        return Sender(resolve, connect, ssl.create_default_context(cafile=self.certificate), total_s)


def certificate(folder: Path, name: str = NAME) -> tuple[Path, Path]:
    """Write a certificate for a name, and its key; return the files."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.pem", folder / f"{name}.key"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return files


@contextmanager
def https(folder: Path, name: str = NAME) -> Iterator[Https]:
    """Yield a server that answers 204, until its `answers` says otherwise."""
    public, secret = certificate(folder, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, secret)
    listener = socket.create_server(("127.0.0.1", 0))
    found = Https(listener.getsockname()[1], public, lambda connection: connection.sendall(OK))
    context.sni_callback = lambda _socket, asked, _context: found.names.append(asked)

    def serve(plain: socket.socket) -> None:
        with suppress(OSError), plain, context.wrap_socket(plain, server_side=True) as connection:
            read = b""
            while b"\r\n\r\n" not in read or len(read) < _length(read):
                if not (more := connection.recv(65_536)):
                    return
                read += more
            found.heard.append(read)
            found.answers(connection)

    def listen() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(plain,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    yield found
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _length(read: bytes) -> int:
    head, _, _ = read.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(head) + 4 + int(line.split(b":")[1])
    return len(head) + 4
