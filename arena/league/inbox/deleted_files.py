"""Removes the files of deleted versions, unless a command that waits in the inbox needs them."""

from arena.league.inbox.command import NoCommand
from arena.league.inbox.files import inbox_folder, read, waiting
from arena.submissions import leaving
from results.store import Store


def remove_deleted(store: Store) -> None:
    """Remove the files of versions deleted from a store. Only for the process that holds its lock."""
    leaving.remove_deleted(store, lambda sha256: _waits_for(store, sha256))


def _waits_for(store: Store, sha256: str) -> bool:
    for name in waiting(store.files):
        try:
            if sha256.encode() in read(inbox_folder(store.files) / name):
                return True
        except (NoCommand, OSError):
            continue
    return False
