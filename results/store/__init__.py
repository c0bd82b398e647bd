"""The store: all SQL of the ledger, and the only access to it."""

from results.store.database import files_beside
from results.store.opening import check_place, new_store, open_store
from results.store.store import Store
from results.store.write_access import refuse_read_only

__all__ = ["Store", "check_place", "files_beside", "new_store", "open_store", "refuse_read_only"]
