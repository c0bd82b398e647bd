"""Takes files of bots in next to the store of a command that checks or plays them first."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def arriving_beside(store: Path) -> Iterator[Path]:
    """Do as `arena.submissions.staging.arriving_beside`, which is imported only now."""
    from arena.submissions import staging

    with staging.arriving_beside(store) as arriving:
        yield arriving
