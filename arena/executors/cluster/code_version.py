"""What must be the same on all machines of a cluster: the code of Arena, and Dask."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("arena", "protocol", "results")
SHOWN_DIGITS = 12


@cache
def arena_version() -> str:
    """Return the version of Arena with a digest of its code, which tells apart two states of a working copy."""
    root = Path(__file__).resolve().parents[3]
    digest = sha256()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return f"{_version('arena-league')}+{digest.hexdigest()[:SHOWN_DIGITS]}"


def dask_version() -> str:
    """Return the version of Dask.distributed; empty if it isn't installed."""
    return _version("distributed")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
