"""The content hash that names a version: one for each tree of files, by numbered schemes."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

HASH_SCHEME = 2
"""The scheme of new versions. Versions keep the scheme, and the hash, that they were entered with."""
HASH_SCHEMES = (1, 2)


@dataclass(frozen=True, slots=True)
class File:
    """One file of a version."""

    path: str
    """Relative, with slashes."""
    executable: bool
    content: bytes


def content_hash(files: Iterable[File], scheme: int = HASH_SCHEME) -> str:
    """Return SHA-256 over the path, mode and content of each file, 64 hexadecimal digits.

    Scheme 2 gives the length of every name and content ahead of it, so different trees are different bytes.
    Scheme 1 ended a name with a line feed, which a name may also hold: there two trees can share one hash.
    Raises ValueError for another scheme.
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
