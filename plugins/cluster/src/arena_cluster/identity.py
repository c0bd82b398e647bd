"""The certificates with which runner, scheduler and hosts know each other.

All machines of a cluster have the same three files. Whoever has them can run programs on all of these machines, so
one certificate for each would protect nothing more. The key of the authority isn't kept: nobody can be added later but
with these files, and shutting somebody out takes new ones.
"""

import ctypes
import os
import stat
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from arena.core.errors import UsageError

CA_FILE, CERTIFICATE_FILE, KEY_FILE = "ca.pem", "cert.pem", "key.pem"
DAYS = 365
_PR_SET_DUMPABLE = 4
_MAKE = "arena host certificates FOLDER"
_COPY = f"make the files once with `{_MAKE}`, and copy the whole folder to all machines"


def hide_memory() -> None:
    """Keep other processes of this account from reading what this one has in memory, such as a key."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0)


def needs_certificates() -> UsageError:
    """Return the error for a `tls://` address without certificates."""
    return UsageError(
        "tls:// needs the certificates of the cluster",
        "name their folder with --certificates FOLDER, or `certificates` in [executors.cluster] of the settings file; "
        f"`{_MAKE}` makes them",
    )


@dataclass(frozen=True, slots=True)
class Identity:
    """What proves that a machine belongs to a cluster. Texts in PEM."""

    ca: str
    certificate: str
    key: str = field(repr=False)

    def security(self) -> Any:
        """Return it as Dask takes it: TLS in both directions, for all roles, and never without."""
        from distributed import Security

        roles = {
            f"tls_{role}_{part}": text
            for role in ("client", "scheduler", "worker")
            for part, text in (("cert", self.certificate), ("key", self.key))
        }
        return Security(require_encryption=True, tls_ca_file=self.ca, **roles)


def read_identity(folder: Path) -> Identity:
    """Return the certificates in a folder. Raises UsageError: missing, expired, foreign, or others can read the key."""
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "is no folder"
        raise UsageError(
            f"certificates: {folder} {what}",
            f"name the folder with {CA_FILE}, {CERTIFICATE_FILE} and {KEY_FILE}; `{_MAKE}` makes it",
        )
    texts = {}
    for name in (CA_FILE, CERTIFICATE_FILE, KEY_FILE):
        try:
            texts[name] = (folder / name).read_text(encoding="ascii")
        except PermissionError:
            raise UsageError(
                f"{folder / name} cannot be read by this account",
                "use the account that the files belong to, or make them this account's with chown",
            ) from None
        except FileNotFoundError:
            raise UsageError(f"{folder / name} is missing", _COPY) from None
        except OSError as error:
            raise UsageError(f"{folder / name} cannot be read: {error.strerror}", _COPY) from None
        except ValueError:
            texts[name] = ""
        if "-----BEGIN" not in texts[name]:
            raise UsageError(f"{folder / name} is not a PEM file", _COPY)
    key = folder / KEY_FILE
    if key.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(
            f"{key} can be read by other accounts, who could then run programs on all machines of the cluster",
            f"chmod 600 {key}",
        )
    identity = Identity(texts[CA_FILE], texts[CERTIFICATE_FILE], texts[KEY_FILE])
    _check(identity, folder)
    return identity


def _check(identity: Identity, folder: Path) -> None:
    """Raise UsageError if certificates can't be understood, don't belong together, or have expired."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import serialization

    name = CA_FILE
    try:
        authority = x509.load_pem_x509_certificate(identity.ca.encode())
        name = CERTIFICATE_FILE
        member = x509.load_pem_x509_certificate(identity.certificate.encode())
        name = KEY_FILE
        key = serialization.load_pem_private_key(identity.key.encode(), None)
    except (ValueError, TypeError):  # TypeError: it needs a password
        raise UsageError(f"{folder / name} is damaged", _COPY) from None
    try:
        member.verify_directly_issued_by(authority)
        belongs = member.public_key() == key.public_key()
    except (ValueError, TypeError, InvalidSignature):
        belongs = False
    if not belongs:
        raise UsageError(f"the files in {folder} don't belong together", _COPY)
    ends = min(authority.not_valid_after_utc, member.not_valid_after_utc)
    if ends <= datetime.now(UTC):
        raise UsageError(
            f"the certificates in {folder} have expired on {ends:%Y-%m-%d}",
            f"make new ones with `{_MAKE}`, copy the folder to all machines, and start all with it",
        )


def write_identity(identity: Identity, folder: Path) -> None:
    """Write certificates into a folder, for this account alone. Raises UsageError if there are some, and OSError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{folder} can't be a folder: there is a file", "name a new folder") from None
    for name, text in (
        (CA_FILE, identity.ca),
        (CERTIFICATE_FILE, identity.certificate),
        (KEY_FILE, identity.key),
    ):
        try:
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise UsageError(
                f"{folder / name} exists, and other machines may use it", "name a new folder"
            ) from None
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)


def new_identity(days: int = DAYS) -> Identity:
    """Return new certificates, valid for so many days."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    begins = datetime.now(UTC) - timedelta(hours=1)  # clocks of machines differ a little
    ends = begins + timedelta(days=days)

    def certificate(subject: str, issuer: str, key: Any, signer: Any, *, is_authority: bool) -> str:
        builder = (
            x509.CertificateBuilder()
            .subject_name(named(subject))
            .issuer_name(named(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(ends)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        return str(builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM), "ascii")

    authority, member = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    key = member.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Identity(
        certificate("arena authority", "arena authority", authority, authority, is_authority=True),
        certificate("arena member", "arena authority", member, authority, is_authority=False),
        str(key, "ascii"),
    )
