"""Submissions as changes: a checked bot is stored, and enters the leagues that want it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta, structs

from arena.league.changes.entering import check_entering, enter, enter_tracking
from arena.league.changes.version_quota import EnteredBy
from arena.submissions.manifest import Manifest
from arena.submissions.submission import Submission, enter_submission
from results.errors import UnknownLeague
from results.records import VersionRecord
from results.store import Store


class Submit(Submission, frozen=True, forbid_unknown_fields=True):
    """A submission, and the leagues that it enters."""

    kind: ClassVar[str] = "submit"
    enter: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=64)], ...], Meta(max_length=100)] = ()
    """Names of leagues."""
    of_account: bool = False
    """Whether an account of the site has uploaded it, and not somebody who may write to the store."""

    @classmethod
    def of(cls, submission: Submission, leagues: tuple[str, ...], *, of_account: bool = False) -> "Submit":
        """Return the change that stores a submission and enters it in these leagues."""
        return cls(**structs.asdict(submission), enter=leagues, of_account=of_account)

    def perform(self, store: Store) -> str:
        """Store the bot as a version and enter it; return what happens, in words.

        Raises as `enter_submission`, and as `entering.enter` for the leagues named; then nothing has changed.
        """
        version, words = enter_submission(store, self)
        by: EnteredBy = "account" if self.of_account else "author"
        found = [enter(store, league, version, by=by) for league in self.enter]
        return "; ".join([words, *found, *enter_tracking(store, version, by=by)])


def check_leagues(
    store: Store | None,
    leagues: Iterable[str],
    path: Path,
    bot: Manifest,
    version: VersionRecord | None,
    *,
    by: EnteredBy = "author",
) -> None:
    """Raise UsageError or UnknownLeague if a bot can't enter one of these leagues, before it is checked in its games.

    `store` is the one at `path`; None if there is none yet. `version` is the bot's, if the store has it.
    """
    for league in leagues:
        if store is None:
            raise UnknownLeague(league, []).in_store(str(path.absolute()))
        check_entering(store, league, bot.author, bot.name, version, by=by)
