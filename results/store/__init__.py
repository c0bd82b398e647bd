"""The store: all SQL of the ledger, and the only access to it."""

from results.base.permissions import Readers, exposed, share, shut_folder
from results.store.beside_store import Runner, runner_of
from results.store.database import files_beside
from results.store.opening import check_place, new_store, open_store
from results.store.sqlite_file import bug_warning, new_bug_warning, refuse_read_only, sqlite_version
from results.store.store import Store
from results.store.store_lock import RUNNERS, WRITES, Holder, StoreHeld, holder_of, holding

__all__ = [
    "RUNNERS",
    "WRITES",
    "Holder",
    "Readers",
    "Runner",
    "Store",
    "StoreHeld",
    "bug_warning",
    "check_place",
    "exposed",
    "files_beside",
    "holder_of",
    "holding",
    "new_bug_warning",
    "new_store",
    "open_store",
    "refuse_read_only",
    "runner_of",
    "share",
    "shut_folder",
    "sqlite_version",
]
