"""Changes as plain data: what a person asks for, to be made now or left for the process that runs the leagues."""

from typing import Annotated, ClassVar, Protocol

from msgspec import Meta, Struct

from arena.config.allowed_names import LABEL_CHARS
from arena.config.arguments import MOST_WORDS, WORD_CHARS
from arena.config.league_file import RankedBy
from arena.league.changes.copies import FINAL_MATCHES, MOST_FINAL_MATCHES, clone, seal, season
from arena.league.changes.field import add, replace, retire
from arena.league.changes.pausing import bench, pause, resume, unbench
from arena.league.changes.whole_league import delete, extend, rank, rename, reveal
from results.store import Store

LeagueName = Annotated[str, Meta(min_length=1, max_length=64)]
Named = Annotated[str, Meta(min_length=1, max_length=512)]
"""The name of an entry or a version."""
Words = Annotated[str, Meta(max_length=500)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000_000)]


class Change(Protocol):
    """A change to a league."""

    kind: ClassVar[str]

    def perform(self, store: Store) -> str:
        """Make the change; return in words what happens. Raises ArenaError or LedgerError; then nothing has changed."""


class Add(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot joins."""

    kind: ClassVar[str] = "add"
    league: LeagueName
    bot: Named
    label: Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS)] | None = None
    args: Annotated[tuple[Annotated[str, Meta(max_length=WORD_CHARS)], ...], Meta(max_length=MOST_WORDS)] = ()

    def perform(self, store: Store) -> str:
        """See `field.add`."""
        return add(store, self.league, self.bot, label=self.label, args=self.args)


class Replace(Struct, frozen=True, forbid_unknown_fields=True):
    """A new version takes over from an entry."""

    kind: ClassVar[str] = "replace"
    league: LeagueName
    entry: Named
    bot: Named | None = None

    def perform(self, store: Store) -> str:
        """See `field.replace`."""
        return replace(store, self.league, self.entry, self.bot)


class Retire(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry leaves for good."""

    kind: ClassVar[str] = "retire"
    league: LeagueName
    entry: Named

    def perform(self, store: Store) -> str:
        """See `field.retire`."""
        return retire(store, self.league, self.entry)


class Pause(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry pauses, or the league."""

    kind: ClassVar[str] = "pause"
    league: LeagueName
    entry: Named | None = None
    why: Words = ""

    def perform(self, store: Store) -> str:
        """See `pausing.pause`."""
        return pause(store, self.league, self.entry, self.why)


class Resume(Struct, frozen=True, forbid_unknown_fields=True):
    """A pause ends."""

    kind: ClassVar[str] = "resume"
    league: LeagueName
    entry: Named | None = None

    def perform(self, store: Store) -> str:
        """See `pausing.resume`."""
        return resume(store, self.league, self.entry)


class Bench(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry isn't started any more."""

    kind: ClassVar[str] = "bench"
    league: LeagueName
    entry: Named
    why: Words = ""

    def perform(self, store: Store) -> str:
        """See `pausing.bench`."""
        return bench(store, self.league, self.entry, self.why)


class Unbench(Struct, frozen=True, forbid_unknown_fields=True):
    """A benched entry may play again."""

    kind: ClassVar[str] = "unbench"
    league: LeagueName
    entry: Named

    def perform(self, store: Store) -> str:
        """See `pausing.unbench`."""
        return unbench(store, self.league, self.entry)


class Extend(Struct, frozen=True, forbid_unknown_fields=True):
    """A league goes on for longer."""

    kind: ClassVar[str] = "extend"
    league: LeagueName
    matches: Count = 0
    games: Count = 0
    minutes: Annotated[float, Meta(ge=0, le=525_600)] = 0
    rounds: Count = 0

    def perform(self, store: Store) -> str:
        """See `whole_league.extend`."""
        return extend(
            store,
            self.league,
            matches=self.matches,
            games=self.games,
            minutes=self.minutes,
            rounds=self.rounds,
        )


class Rank(Struct, frozen=True, forbid_unknown_fields=True):
    """Another fit stands beside the ratings."""

    kind: ClassVar[str] = "rank"
    league: LeagueName
    by: RankedBy

    def perform(self, store: Store) -> str:
        """See `whole_league.rank`."""
        return rank(store, self.league, self.by)


class Rename(Struct, frozen=True, forbid_unknown_fields=True):
    """A league gets another name."""

    kind: ClassVar[str] = "rename"
    league: LeagueName
    name: LeagueName

    def perform(self, store: Store) -> str:
        """See `whole_league.rename`."""
        return rename(store, self.league, self.name)


class Delete(Struct, frozen=True, forbid_unknown_fields=True):
    """A league is deleted."""

    kind: ClassVar[str] = "delete"
    league: LeagueName

    def perform(self, store: Store) -> str:
        """See `whole_league.delete`."""
        return delete(store, self.league)


class Reveal(Struct, frozen=True, forbid_unknown_fields=True):
    """A league's secret is published."""

    kind: ClassVar[str] = "reveal"
    league: LeagueName

    def perform(self, store: Store) -> str:
        """See `whole_league.reveal`."""
        return reveal(store, self.league)


class Clone(Struct, frozen=True, forbid_unknown_fields=True):
    """A league is copied."""

    kind: ClassVar[str] = "clone"
    league: LeagueName
    name: LeagueName
    seed: int | Annotated[str, Meta(max_length=256)] | None = None
    inherit: bool = False

    def perform(self, store: Store) -> str:
        """See `copies.clone`."""
        league = clone(store, self.league, self.name, seed=self.seed, inherit=self.inherit)
        return f"created {league.name}, a copy of {self.league}{seal(league)}"


class Season(Struct, frozen=True, forbid_unknown_fields=True):
    """A season ends, and the next begins."""

    kind: ClassVar[str] = "season"
    league: LeagueName
    matches: Annotated[int, Meta(ge=1, le=MOST_FINAL_MATCHES)] = FINAL_MATCHES
    next: LeagueName | None = None

    def perform(self, store: Store) -> str:
        """See `copies.season`."""
        return season(store, self.league, matches=self.matches, next_name=self.next)


CHANGES: dict[str, type[Change]] = {
    change.kind: change
    for change in (
        Add,
        Replace,
        Retire,
        Pause,
        Resume,
        Bench,
        Unbench,
        Extend,
        Rank,
        Rename,
        Delete,
        Reveal,
        Clone,
        Season,
    )
}
"""By kind."""
