"""Taking in a bot for a test, without the staging of `arena submit`."""

from pathlib import Path

from arena.submissions.intake import keep
from arena.submissions.programs import runtimes_of
from arena.submissions.versions import Candidate, look_at
from results.store import Store


def take_in(folder: Path, store: Store) -> Candidate:
    """Read a bot's folder and keep its files next to the store."""
    candidate = look_at(folder, store, runtimes_of(store))
    keep(candidate.intake.files, candidate.folder)
    return candidate
