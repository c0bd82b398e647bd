"""Takes files of bots in next to the store of a command that checks or plays them first."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def arriving_beside(store: Path) -> Iterator[Path]:
    """Yield a folder of `staging` for the files of new bots; the store at this path needn't exist yet.

    Raises as `check_place` and `refuse_read_only` if the store can't be written to.
    """
    from arena.submissions.staging import staging, sweep
    from results.store import check_place, files_beside, refuse_read_only

    check_place(store, create=True)
    refuse_read_only(store)
    files = files_beside(store)
    sweep(files, store)
    with staging(files, store) as arriving:
        yield arriving
