"""Errors of the ledger; each says what was wrong, and `hint` says what to do about it.

User mistakes have exit code 2, all others 1.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple, Self

from results.base.advice import Advice, StoreAt, by, run


class LedgerError(Exception):
    """Base class of everything the ledger refuses or fails at."""

    exit_code = 1

    def __init__(self, message: str, hint: object = "") -> None:
        """`hint`: what to do about it, a text or `Advice`, which site and API say in their words."""
        super().__init__(message)
        self.advice = hint

    @property
    def hint(self) -> str:
        """What to do about it, as a terminal says it."""
        return str(self.advice)


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
    """The store needs an upgrade, but was opened for reading only."""


class StoreBusy(LedgerError):
    """Another process holds the store's write lock or the league's lock."""


class StoreDamaged(LedgerError):
    """The file holds something that SQLite can't read."""


class SegmentDamaged(StoreDamaged):
    """A segment of replays can't be read, or isn't what was written."""

    def __init__(self, number: int, what: str) -> None:
        """Name the segment by its `number`, and say `what` is wrong with it."""
        super().__init__(
            f"segment {number} of replays is damaged: {what}",
            Advice(
                "get it from where it was shipped or backed up", by("db fetch", f"{number} --from FOLDER")
            ),
        )
        self.what = what


class StoreFailed(LedgerError):
    """The machine refused something the store needs: disk space, permissions, or the disk itself."""


class StoreFull(StoreFailed):
    """The disk of the store is full."""


class RulesMissing(LedgerError):
    """The rules needed to check a replay are not on this machine."""


# Names


class UnknownName(LedgerError):
    """A name that doesn't exist; the message suggests the nearest one, and the hint lists the existing ones."""

    exit_code = 2

    def __init__(self, what: str, name: str, known: Sequence[str]) -> None:
        shown = list(known[:20]) + (["…"] if len(known) > 20 else [])
        self.what, self.name = what, name
        self.nearest = _did_you_mean(name, known)
        """The question whether the nearest name was meant; empty if none is near."""
        super().__init__(
            f"there is no {what} {name!r}{self.nearest}",
            "available: " + (", ".join(shown) or "none"),
        )


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return the nearest name, by itself or, such as `author/bot@2`, without its author and number."""
    by_word = {one.rpartition("/")[2]: one for one in reversed(known)}
    by_word |= {one: one for one in known}
    close = get_close_matches(name, by_word, 1) or get_close_matches(name.partition("@")[0], by_word, 1)
    return f"; did you mean {by_word[close[0]]!r}?" if close and by_word[close[0]] != name else ""


class UnknownInStore(UnknownName):
    """A name that a store doesn't have. The hint also names the store once it is known: it may be the wrong one."""

    _store = ""

    def in_store(self, path: str) -> Self:
        """Name the store at this absolute path in the hint, unless one is named already; return the error itself."""
        if not self._store:
            self._store = path
            self.advice = Advice(self.advice, StoreAt(path))
        return self


class UnknownLeague(UnknownInStore):
    """There is no league with that name, or no league at all."""

    def __init__(self, name: str | None, known: Sequence[str]) -> None:
        super().__init__("league", name or "", known)
        if name is None:
            self.args = ("this store has no league yet",)
            self.advice = Advice("create one with ", run("league create", "FILE"))
            if "casual" in known:  # the built-in league of single games
                self.args = ("this store has no league yet, but single games",)
                named = (run("replay list", "casual"), ", ", run("replay show", "casual/0.0"), ", ")
                self.advice = Advice("name them: ", *named, run("faults", "casual"))


class UnknownVersion(UnknownInStore):
    """There is no version of a bot with that name."""


class UnknownEntry(UnknownName):
    """There is no entry with that label or number in the league."""


class UnknownRating(UnknownName):
    """There is no rating system with that name."""


class UnknownGame(LedgerError):
    """The ledger has no such match or game."""

    exit_code = 2


class AmbiguousName(LedgerError):
    """A name that matches several things; the hint lists them."""

    exit_code = 2


class NameRefused(LedgerError):
    """A name that is taken, or that would be ambiguous on the command line."""

    exit_code = 2


# Requests at the wrong time


class MatchUnfinished(LedgerError):
    """Replays and logs stay hidden until their match is finished."""

    exit_code = 2


class LeagueUnfinished(LedgerError):
    """The secret of a league can be revealed only after the league is finished or stopped."""

    exit_code = 2


class LeagueClosed(LedgerError):
    """The league's secret has been revealed, so it can't continue."""

    exit_code = 2


class ReplayNotKept(LedgerError):
    """The game is in the ledger, but its replay was not kept."""

    exit_code = 2


class SegmentAway(ReplayNotKept):
    """The replay of the game was kept, in a segment that isn't here."""


# Bad input


class BadRating(LedgerError):
    """Parameters that the rating system doesn't accept."""

    exit_code = 2


class RatingMissing(LedgerError):
    """The rating system of a league is not installed on this machine."""

    def __init__(self, league: str, system: str) -> None:
        super().__init__(
            f"league {league!r} is rated by {system!r}, and no such rating system is installed",
            "install the package that adds it; what is stored can be read without it",
        )
        self.system = system


class RatingFailed(LedgerError):
    """A rating system raised an exception or returned something other than ratings."""


class BadPolicy(LedgerError):
    """A rule for keeping replays that doesn't exist."""

    exit_code = 2


class RecordRefused(LedgerError):
    """Something given to the store contradicts itself or the league."""


class LedgerConflict(LedgerError):
    """Some records differ from the ledger. The ledger keeps its own and stored the rest."""

    def __init__(self, conflicts: Sequence[str]) -> None:
        self.conflicts = tuple(conflicts)
        more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
        super().__init__(
            f"{conflicts[0]}{more}",
            "the ledger keeps what it had; look for two runners of one league, or a bot that is not deterministic",
        )


class FoldProblem(NamedTuple):
    """Why a league can't be folded."""

    league: str
    reason: str
    match_no: int | None = None
    """The match at which the rating system failed, if it failed at one."""
    missing: str = ""
    """The rating system, if it isn't installed; then there is no other reason."""

    def __str__(self) -> str:
        """Return it as a sentence."""
        if self.missing:
            return f"league {self.league!r} is {self.reason}"
        at = "" if self.match_no is None else f", match {self.match_no}"
        return f"league {self.league!r}{at}: {self.reason}"


class FoldFailed(LedgerError):
    """The games were stored, but the derived tables could not be updated."""

    def __init__(self, problems: Sequence[FoldProblem], message: str, hint: object) -> None:
        super().__init__(message, hint)
        self.problems = tuple(problems)
