"""The content hash that identifies a version's files, in numbered schemes."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

HASH_SCHEME = 2
"""The scheme for new versions. Existing versions keep their scheme and hash."""
HASH_SCHEMES = (1, 2)


@dataclass(frozen=True, slots=True)
class File:
    """One file of a version."""

    path: str
    """Relative, with slashes."""
    executable: bool
    content: bytes


def content_hash(files: Iterable[File], scheme: int = HASH_SCHEME) -> str:
    """Return the SHA-256 of the path, mode and content of all files, as 64 hexadecimal digits.

    Scheme 2 writes the length before every name and content, so different trees give different bytes.
    Scheme 1 ended a name with a line feed, which names may also contain, so two trees can have the same hash.
    Raises ValueError for any other scheme.
    """
    if scheme not in HASH_SCHEMES:
        raise ValueError(f"there is no content hash of scheme {scheme}")
    digest = sha256()
    if scheme != 1:
        digest.update(b"arena content hash %d\n" % scheme)
    for file in sorted(files, key=lambda file: file.path):
        mode, name, content = b"x" if file.executable else b"-", file.path.encode(), file.content
        if scheme == 1:
            digest.update(b"%s %d %s\n" % (mode, len(content), name))
        else:
            digest.update(b"%s %d %d\n%s" % (mode, len(name), len(content), name))
        digest.update(content)
    return digest.hexdigest()
