"""The interface of schedules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct, field

from arena.core.ruleset import Rotations
from results.base.text import counted
from results.ratings.base import USUAL, Rating, Scale
from results.records import Traits
from results.records.bracket import BracketRound

MOST_AT_ONCE = 4096
"""The most matches that a schedule returns at once: planning more would take too much time and memory."""


class Field(Struct, frozen=True):
    """The entries that take part, and the table sizes."""

    entries: tuple[int, ...]
    """Entry numbers, in the order of the league file."""
    seats: tuple[int, ...]
    """Table sizes: one, or an explicit mix in which every entry plays the same proportion of each."""
    authors: Mapping[int, str] = field(default_factory=dict)
    """The author of each entry's bot, by entry number; empty if versions of one author may share a table."""
    scale: Scale = USUAL
    labels: Mapping[int, str] = field(default_factory=dict)
    """Labels by entry number, as far as they are known yet; also of entries that have left."""
    starts: Mapping[int, Rating] = field(default_factory=dict)
    """Initial ratings by entry number, as far as they are known yet."""
    from_match: int = 0
    """The match from which this field plays: 0, or that of the latest change to it."""
    from_round: int = 0
    """The round of that match, if the schedule counts rounds."""
    joined: Mapping[int, int] = field(default_factory=dict)
    """By entry: the match from which it plays, or plays again after a pause. Without those there from the start."""
    final: "Final | None" = None
    """The final of a season, once it has begun; the field doesn't change any more."""
    predecessors: Mapping[int, int] = field(default_factory=dict)
    """By entry: the one that it replaced. Contains all replacements so far, also those of entries that have left."""
    team_size: int = 1
    """How many bots each entry stands for: more than one are a fixed team, and then `seats` counts sides."""

    def named(self, entries: int) -> str:
        """Return a number of entries in words: `3 bots`, or `3 teams`."""
        return counted(entries, "bot" if self.team_size == 1 else "team")

    def table(self, seats: int) -> str:
        """Return a table of that size in words: `a table of 2 seats`, or `a table of 2 sides`."""
        return f"a table of {counted(seats, 'seat' if self.team_size == 1 else 'side')}"

    @property
    def remedy(self) -> str:
        """What to do if it is too small for a table, as the end of a sentence."""
        teams = f"add teams, each {self.team_size} [[bots]] tables with the same team"
        return teams if self.team_size > 1 else "add bots, or set fewer seats"


class Final(Struct, frozen=True):
    """The last matches of a season."""

    from_match: int
    """The match with which it begins."""
    matches: int
    """How many of these matches each entry plays at least."""


class Finished(Struct, frozen=True):
    """A match whose result a schedule may see."""

    match_no: int
    round_no: int
    entries: tuple[int, ...]
    shares: tuple[int, ...] | None
    """By entry, summed over the match's games, in units of 1 / `results.base.scoring.UNIT`; None: the match is void."""
    games: int
    rated: bool = True
    """False if bots of one author met in it; it counts in the standings of the format all the same."""
    deal_no: int | None = None
    """The first match on its deal, if other tables of its round play the same deal; None: nobody else plays it."""
    scores: tuple[int | float, ...] | None = None
    """By entry, summed over the match's games; None: the match is void."""


class Summary(Struct, frozen=True):
    """What a schedule may know about the league so far."""

    planned: int
    """Number of matches planned; the next match gets this number."""
    seen: int = 0
    """The fields below include the results of exactly the matches before this number."""
    matches: Mapping[int, int] = field(default_factory=dict)
    """By entry: number of its planned matches, played or not."""
    unseen: Mapping[int, int] = field(default_factory=dict)
    """By entry: how many of these are not among the matches seen; missing means none."""
    pairs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By pair of entries, the lower number first: number of planned matches with both."""
    seated: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By entry and table size: number of its planned matches at tables of that size, if sizes are mixed."""
    ratings: Mapping[int, Rating] = field(default_factory=dict)
    latest: Mapping[int, int] = field(default_factory=dict)
    """By entry: number of its latest planned match, if it has one."""
    in_final: Mapping[int, int] = field(default_factory=dict)
    """By entry: how many of its planned matches are in the final (`Field.final`); missing means none."""
    latest_tables: Callable[[int], Sequence[tuple[int, ...]]] = lambda _matches: ()
    """Return the tables of the latest so many planned matches, in order; the entries of each in ascending order."""
    tally: Any = None
    """The schedule's own `Tally` of the matches seen, read-only; None if it keeps none."""


class Pairing(Struct, frozen=True):
    """One match to play: the entries of a table; the league shuffles their starting order."""

    round_no: int
    entries: tuple[int, ...]
    why: str = ""
    """A line for people if there is something to say; the league replaces `#3` with the label of entry 3."""


class Schedule(Protocol):
    """A schedule. `settings` is the type of its table in the league file."""

    name: str
    settings: type[Struct]
    traits: Traits
    """What reports and pages have to know of it; kept with each league when it is created."""

    def tally(self, field: Field, settings: Any) -> "Tally | None":
        """Return an empty tally; None if the schedule needs only counts and ratings."""

    def sees(self, field: Field, settings: Any, planned: int) -> int:
        """Return how many matches must have results before match number `planned` can be created.

        The summary then contains exactly these, so that the same results give the same league for any number
        of workers. 0 for a schedule that doesn't adapt; at most `planned`; never decreases.
        """

    def next_matches(self, field: Field, settings: Any, summary: Summary) -> tuple[Pairing, ...] | None:
        """Return the next matches in order, at least one; None: the league is complete.

        Depends only on its arguments: the same arguments give the same matches.
        """

    def total(self, field: Field, settings: Any) -> int | None:
        """Return the total number of matches, if it is known in advance."""


class Tally(Protocol):
    """A schedule's summary of the results: sums, which don't grow with the number of matches."""

    def add(self, match: Finished) -> None:
        """Add the next match, which may be void. Matches come in order, each once."""


@runtime_checkable
class Checked(Protocol):
    """A schedule that restricts fields and settings."""

    def check(self, field: Field, settings: Any) -> None:
        """Raise UsageError if field and settings don't fit. Called first, and again before each match is created.

        A `BadValue` names the key at fault: `("schedule", "rounds")`, `("seats",)`.
        """


class Remark(NamedTuple):
    """A warning about a setting."""

    keys: tuple[str, ...]
    """The path of its key in the league file, as in `BadValue`."""
    words: str


@runtime_checkable
class Remarks(Protocol):
    """A schedule that accepts settings that don't do in every field what they say."""

    def remarks(self, field: Field, settings: Any) -> Sequence[Remark]:
        """Return a warning for each setting that does something else in this field, and what it does; none if all fit.

        Asked when a league is created.
        """


@runtime_checkable
class Open(Protocol):
    """A schedule whose field may change: it gets the next match's, with `from_match`, `from_round` and `joined`."""

    def changes_at(self, field: Field, settings: Any, planned: int) -> int | None:
        """Return the first match from which another field can play; at least `planned`, the number of planned matches.

        None if no match follows in which it could.
        """

    def rests(self, field: Field, settings: Any, summary: Summary) -> str:
        """Return why no match is worth playing until the field changes, in a line for people; empty if one is.

        Asked before `next_matches`, in leagues that are to go on until they are stopped.
        """


@runtime_checkable
class Follows(Protocol):
    """A schedule whose settings follow how many games are in flight."""

    def follows(self, settings: Any) -> bool:
        """Return whether they do in a league that began with these settings."""

    def following(self, field: Field, settings: Any, slots: int) -> Mapping[str, int]:
        """Return which of the present settings are to change from the next match on, with new values; empty for none.

        Asked only where they follow. `slots`: how many games can be played at the same time; 0 if that isn't known. A
        change is kept in the ledger. `sees` may then return less than before; in that case, the results stay those of
        before until it has caught up.
        """


@runtime_checkable
class Rotated(Protocol):
    """A schedule that recommends its own rotations if the league file sets none."""

    rotations: Rotations


@runtime_checkable
class Sized(Protocol):
    """A schedule that uses table sizes other than those of the field."""

    def sizes(self, field: Field, settings: Any) -> Mapping[int, int | None]:
        """Return the total number of matches by table size; None for a number that isn't known in advance."""


class Placing(Struct, frozen=True):
    """The standing of an entry by the rules of a format, which may differ from its rating."""

    place: int
    """From 1; equal entries share a place."""
    entry: int
    points: float
    """As counted by the format."""
    byes: int = 0
    """Rounds in which it had a bye."""
    tie_breaks: Mapping[str, float] = field(default_factory=dict)
    """What decides between entries with equal points, by name, the most important first."""
    note: str = ""
    """What else decided, in words for people; `#3` stands for entry 3."""


@runtime_checkable
class Placed(Protocol):
    """A schedule whose format has its own order besides the ratings."""

    def placing(self, field: Field, settings: Any, results: Iterable[Finished]) -> tuple[Placing, ...]:
        """Return every entry, best first, after the given matches; `results` are in order, without gaps."""


@runtime_checkable
class Bracketed(Protocol):
    """A schedule in which those who lose are out, so that pages can draw its bracket."""

    def bracket(self, field: Field, settings: Any, results: Iterable[Finished]) -> tuple[BracketRound, ...]:
        """Return all rounds after the given matches, also those to come; round `n` has the matches of `round_no` n.

        `results` are in order. Those of matches that aren't over are left out, also in the middle.
        """
