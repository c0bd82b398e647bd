"""The content hash that identifies a version's files."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class File:
    """One file of a version."""

    path: str
    """Relative, with slashes."""
    executable: bool
    content: bytes


def content_hash(files: Iterable[File]) -> str:
    """Return the SHA-256 of the path, mode and content of all files, as 64 hexadecimal digits.

    The length stands before every name and content, so different trees give different bytes.
    """
    digest = sha256(b"arena content hash 1\n")
    for file in sorted(files, key=lambda file: file.path):
        mode, name, content = b"x" if file.executable else b"-", file.path.encode(), file.content
        digest.update(b"%s %d %d\n%s" % (mode, len(name), len(content), name))
        digest.update(content)
    return digest.hexdigest()
