"""All errors that are meant for people, in one tree; each says what was wrong, and `hint` what to do about it.

    ArenaError
        UsageError: the user's mistakes, with exit code 2
            BadFile, BadValue, BadOption, UnknownName
            LedgerRefusal, a LedgerError too: StoreMissing, NotAStore, UnknownLeague, NameRefused, …
        MachineRefuses, with exit code 5
        IllegalMove, CorruptReplay: of a game's rules
        LedgerError: StoreBusy, StoreDamaged, StoreFailed, RatingFailed, LedgerConflict, …

Games import their part as `arena.core.errors`. Bots that think ahead get a copy of this module under that name, so it
needs nothing but `advice`.
"""

import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple, Self

from .advice import Advice, StoreAt, by, run


class ArenaError(Exception):
    """Base class of everything that Arena refuses or fails at."""

    exit_code = 1

    def __init__(self, message: str, hint: object = "") -> None:
        """`hint`: what to do about it: a text, or `Advice`, worded for each audience."""
        super().__init__(message)
        self.advice = hint

    @property
    def hint(self) -> str:
        """What to do about it, as a terminal says it."""
        return str(self.advice)


class UsageError(ArenaError):
    """The user's request makes no sense."""

    exit_code = 2


class MachineRefuses(ArenaError):
    """The machine refuses something that every game needs. After the cause is fixed, the same command continues."""

    exit_code = 5


class BadValue(UsageError):
    """A value that a key of a file can't have, by the path of the key; who reads the file adds its name and the line.

    A schedule raises it for its settings: `BadValue(("schedule", "rounds"), "must be even", "set 2")`.
    """

    names_key = False
    """Whether the words name the key themselves."""
    names_remedy = False
    """Whether the words say what was probably meant, so that a list of mistakes can leave the hint out."""

    def __init__(self, keys: tuple[str, ...], words: str, hint: object = "") -> None:
        """`keys`: the path of the key, with indexes of lists as in `("bots", "0", "args")`; `words`: what is wrong."""
        super().__init__(f"{'.'.join(keys)}: {words}" if keys and not self.names_key else words, hint)
        self.keys = keys
        self.words = words
        self.about = keys
        """The path of the key to mend; longer than `keys` if it is missing."""


class BadFile(UsageError):
    """A file has a mistake; the message names the file, and the line if there is one."""

    about: tuple[str, ...] = ()
    """The path of the key to mend, the first one of several; empty if it isn't about a key."""


_MOST_LISTED = 20


class UnknownName(UsageError):
    """A name that doesn't exist; the message suggests the nearest one, and the hint lists the existing ones."""

    def __init__(self, what: str, name: str, known: Sequence[str], *, owner: str = "") -> None:
        """`owner`: the game, if the name is that of one of its rulesets or options."""
        self.what, self.name = what, name
        self.nearest = _did_you_mean(name, known)
        """The question whether the nearest name was meant; empty if none is near."""
        listed = [*known[:_MOST_LISTED], *(["…"] if len(known) > _MOST_LISTED else [])]
        lacking = f"{owner} has no" if owner else "there is no"
        super().__init__(
            f"{lacking} {what} {name!r}{self.nearest}", f"available: {', '.join(listed) or 'none'}"
        )


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return the nearest name, by itself or, such as `author/bot@2`, without its author and number."""
    by_word = {one.rpartition("/")[2]: one for one in reversed(known)}
    by_word |= {one: one for one in known}
    close = get_close_matches(name, by_word, 1) or get_close_matches(name.partition("@")[0], by_word, 1)
    return f"; did you mean {by_word[close[0]]!r}?" if close and by_word[close[0]] != name else ""


# The rules of a game


class BadOption(UsageError):
    """A value that an option of a ruleset can't have."""

    def __init__(self, words: str, hint: object = "", *, option: str = "") -> None:
        """`option`: its name, if it is the value of one; the message begins with it."""
        super().__init__(f"option {option}: {words}" if option else words, hint)
        self.option = option
        self.words = words


class PackageMissing(UsageError):
    """Something needs a package, or an extra of Arena's own, that isn't installed."""

    def __init__(self, what: str, package: str) -> None:
        """Name what needs it, such as `a PNG`, and what to install: `arena-league[png]`."""
        super().__init__(
            f"{what} needs packages that aren't installed", f"pip install {shlex.quote(package)}"
        )


class IllegalMove(ArenaError):
    """A move that the rules don't allow; the message names the rule."""


class CorruptReplay(ArenaError):
    """A replay that doesn't follow from its own deal and moves."""


# The ledger


class LedgerError(ArenaError):
    """The ledger refuses something, or its file can't be used."""


class LedgerRefusal(LedgerError, UsageError):
    """What the user wants of the ledger makes no sense."""


# The file


class StoreMissing(LedgerRefusal):
    """There is no file at the path of the store."""


class NotAStore(LedgerRefusal):
    """The file is there, but it is not a store."""


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


class UnknownInStore(UnknownName, LedgerRefusal):
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
            unrated = [one for one in known if one != "casual"]
            if unrated:
                self.args = (f"this store has no rated league, but {', '.join(unrated[-3:])}",)
                self.advice = Advice("name one: ", run("rankings", unrated[-1]))
            elif known:  # the built-in league of single games
                self.args = ("this store has no league yet, but single games",)
                named = (run("replay list", "casual"), ", ", run("replay show", "casual/0.0"), ", ")
                self.advice = Advice("name them: ", *named, run("faults", "casual"))


class UnknownVersion(UnknownInStore):
    """There is no version of a bot with that name."""


class UnknownEntry(UnknownName, LedgerRefusal):
    """There is no entry with that label or number in the league."""


class UnknownRating(UnknownName, LedgerRefusal):
    """There is no rating system with that name."""


class UnknownGame(LedgerRefusal):
    """The ledger has no such match or game."""


class AmbiguousName(LedgerRefusal):
    """A name that matches several things; the hint lists them."""


class NameRefused(LedgerRefusal):
    """A name that is taken, or that would be ambiguous on the command line."""


# Requests at the wrong time


class MatchUnfinished(LedgerRefusal):
    """Replays and logs stay hidden until their match is finished."""


class LeagueUnfinished(LedgerRefusal):
    """The secret of a league can be revealed only after the league is finished or stopped."""


class LeagueClosed(LedgerRefusal):
    """The league's secret has been revealed, so it can't continue."""


class ReplayNotKept(LedgerRefusal):
    """The game is in the ledger, but its replay was not kept."""


class SegmentAway(ReplayNotKept):
    """The replay of the game was kept, in a segment that isn't here."""


# Bad input


class BadRating(LedgerRefusal):
    """Parameters that the rating system doesn't accept."""


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


class BadPolicy(LedgerRefusal):
    """A rule for keeping replays that doesn't exist."""


class RecordRefused(LedgerError):
    """Something given to the store contradicts itself or the league."""


class LedgerConflict(LedgerError):
    """Some records differ from the ledger. The ledger keeps its own and stored the rest."""

    def __init__(self, conflicts: Sequence[str]) -> None:
        self.conflicts = tuple(conflicts)
        more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
        super().__init__(
            f"{conflicts[0]}{more}",
            "the ledger keeps the first results; check for two runners of a league, or a bot that isn't deterministic",
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
        if self.missing:
            return f"league {self.league!r} is {self.reason}"
        at = "" if self.match_no is None else f", match {self.match_no}"
        return f"league {self.league!r}{at}: {self.reason}"


class FoldFailed(LedgerError):
    """The games were stored, but the derived tables could not be updated."""

    def __init__(self, problems: Sequence[FoldProblem], message: str, hint: object) -> None:
        super().__init__(message, hint)
        self.problems = tuple(problems)
