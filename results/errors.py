"""Errors of the ledger; each says what was wrong, and `hint` what to do about it.

A user's mistake has exit code 2, everything else 1.
"""

from collections.abc import Sequence


class LedgerError(Exception):
    """Anything that the ledger refuses or fails at."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


# The file


class StoreMissing(LedgerError):
    """There is no file at the path of the store."""

    exit_code = 2


class NotAStore(LedgerError):
    """The file is there, but it is not a store."""

    exit_code = 2


class StoreTooNew(LedgerError):
    """The store was written by a newer program."""


class StoreTooOld(LedgerError):
    """The store has to be brought up to date, and was opened for reading only."""


class StoreBusy(LedgerError):
    """Another process holds what is needed: the store's write lock, or the league."""


class StoreDamaged(LedgerError):
    """The file holds something that SQLite can't read."""


class StoreFailed(LedgerError):
    """The machine refused what the store needs: disk space, permission, the disk itself."""


class StoreFull(StoreFailed):
    """There is no room where the store is written."""


class RulesMissing(LedgerError):
    """The rules that a replay is to be held against are not on this machine."""


# Names


class UnknownName(LedgerError):
    """A name that is not among those that exist; the hint lists them."""

    exit_code = 2

    def __init__(self, what: str, name: str, known: Sequence[str]) -> None:
        shown = list(known[:20]) + (["…"] if len(known) > 20 else [])
        super().__init__(f"there is no {what} {name!r}", "there are: " + (", ".join(shown) or "none"))


class UnknownLeague(UnknownName):
    """No league of that name, or no league at all."""

    def __init__(self, name: str | None, known: Sequence[str]) -> None:
        super().__init__("league", name or "", known)
        if name is None:
            self.args = ("this store has no league yet",)
            self.hint = "create one with `arena league create FILE`"
            if "casual" in known:  # the built-in league of single games
                self.args = ("this store has no league yet, but single games",)
                self.hint = (
                    "name them: arena replay show casual/0.0, arena faults casual, arena rankings casual"
                )


class UnknownVersion(UnknownName):
    """No version of a bot by that name."""


class UnknownEntry(UnknownName):
    """No entry of that label or number in the league."""


class UnknownRating(UnknownName):
    """No rating system of that name."""


class UnknownGame(LedgerError):
    """The ledger has no such match or game."""

    exit_code = 2


class AmbiguousName(LedgerError):
    """A name that means several things; the hint lists them."""

    exit_code = 2


class NameRefused(LedgerError):
    """A name that is taken, or that can't be told apart on the command line."""

    exit_code = 2


# What is asked for at the wrong time


class MatchUnfinished(LedgerError):
    """Replays and logs of a match can be seen once all its games are in."""

    exit_code = 2


class LeagueUnfinished(LedgerError):
    """The secret of a league can be revealed once it is finished or stopped."""

    exit_code = 2


class LeagueClosed(LedgerError):
    """The league's secret has been revealed; it can't go on."""

    exit_code = 2


class ReplayNotKept(LedgerError):
    """The game is in the ledger, but its replay was not kept."""

    exit_code = 2


# What is given


class BadRating(LedgerError):
    """A rating system with parameters that it can't have."""

    exit_code = 2


class RatingMissing(LedgerError):
    """The rating system of a league is not installed on this machine."""

    def __init__(self, league: str, system: str) -> None:
        super().__init__(
            f"league {league!r} is rated by {system!r}, and no such rating system is installed",
            "install the package that adds it; what is stored can be read without it",
        )


class RatingFailed(LedgerError):
    """A rating system that raises, or gives what are no ratings."""


class BadPolicy(LedgerError):
    """A rule for keeping replays that is not one of those that exist."""

    exit_code = 2


class RecordRefused(LedgerError):
    """Something given to the store does not agree with itself or with the league."""


class LedgerConflict(LedgerError):
    """What was given differs from what the ledger holds; what it holds stays, the rest was stored."""

    def __init__(self, conflicts: Sequence[str]) -> None:
        self.conflicts = tuple(conflicts)
        more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
        super().__init__(
            f"{conflicts[0]}{more}",
            "the ledger keeps what it had; look for two runners of one league, or a bot that is not deterministic",
        )


class FoldFailed(LedgerError):
    """The games were stored, but the derived tables could not be moved forward."""
