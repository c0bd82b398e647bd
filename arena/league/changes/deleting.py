"""Deletes versions that nothing holds."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.submissions.leaving import mark
from results.advice import Advice, by
from results.records import VersionRecord
from results.store import Store
from results.store.league_rows import CASUAL

_MOST_NAMED = 5


class DeleteVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """A version is deleted."""

    kind: ClassVar[str] = "delete-version"
    version: Annotated[str, Meta(min_length=1, max_length=512)]
    """Its full name, `author/bot@3`."""
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """Its content hash, so that no other version is meant."""

    def perform(self, store: Store) -> str:
        """Delete the version; its files are removed after the transaction. Return in words what happened.

        Raises UsageError if there is no such version, or if a league, match or comparison holds it.
        """
        version = store.versions.find(self.version)
        if version.sha256 != self.sha256 or version.reference != self.version:
            raise UsageError(
                f"{self.version} isn't the version that was to be deleted",
                Advice("see what is there", by("bots", "--all")),
            )
        check_unheld(store, version)
        mark(store.files, version)
        store.versions.delete(version)
        return f"{version.reference} is deleted ({version.sha256[:12]})"


def check_unheld(store: Store, version: VersionRecord) -> None:
    """Raise UsageError, naming them, if leagues, comparisons or single matches hold a version."""
    held = list(dict.fromkeys(league for league, _, _ in store.entries.of_versions([version.id])[version.id]))
    if not held:
        return
    leagues = [league for league in held if league != CASUAL]
    more = f" and {len(held) - _MOST_NAMED} more" if len(held) > _MOST_NAMED else ""
    if CASUAL in held:
        hint = Advice(f"games in {CASUAL} are kept for good, and so are their bots")
    else:
        hint = Advice("delete what holds it first, with all its games", by("league delete", leagues[0]))
    going_on = [league for league in leagues if store.leagues.get(league).state != "finished"]
    if going_on:
        hint = Advice(hint, "; to stop it from playing on", by("league retire", going_on[0], version.bot))
    raise UsageError(f"{version.reference} is held by games in {', '.join(held[:_MOST_NAMED])}{more}", hint)
