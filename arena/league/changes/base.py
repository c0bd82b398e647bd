"""What a change is, the league that it is about, and the quotas on versions that bound it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Protocol

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.config.names import ARENA
from arena.core.errors import UsageError
from arena.league.definition.checked_definition import Definition, authors_apart, authors_of
from arena.league.definition.stored import StoredDefinition
from arena.schedules.base import Checked, Open
from results.base.advice import Advice, by
from results.base.clock import day_after, utc_day
from results.records import EntryRecord, LeagueEvent, LeagueRecord, VersionRecord
from results.records.roster import ACTIVE_VERSIONS, FINAL, FOLLOWED, Roster, arrivals, roster_at
from results.store import Store
from results.store.entries import named

LeagueName = Annotated[str, Meta(min_length=1, max_length=64)]
EntryName = Annotated[str, Meta(min_length=1, max_length=512, title="Bot")]
VersionName = Annotated[str, Meta(min_length=1, max_length=512)]
Reason = Annotated[str, Meta(max_length=500, title="Reason")]


class Change(Protocol):
    """A change to a store as plain data: what a person asks for, to be made now or left for the runner."""

    kind: ClassVar[str]
    """Names it in commands and addresses, such as `add`."""
    words: ClassVar[str]
    """Names it for people, such as `add a bot`."""

    def perform(self, store: Store) -> str:
        """Make the change; return in words what happens. Raises ArenaError; then nothing has changed."""


class LeagueChange(Struct, frozen=True, forbid_unknown_fields=True):
    """A change to a league; fields have a `title` and `description` in their `Meta` for the API and forms."""

    kind: ClassVar[str]
    """The name of the class in lower case."""
    words: ClassVar[str]
    words_of_league: ClassVar[str] = ""
    """Names it if it may be about an entry, and is about the whole league."""
    has_form: ClassVar[bool] = False
    """Whether the organiser's page of the league has a form for it."""
    league: LeagueName

    def __init_subclass__(cls, **config: Any) -> None:
        super().__init_subclass__(**config)
        cls.kind = cls.__name__.lower()

    def perform(self, store: Store) -> str:
        """As `Change.perform`: check first, then write."""
        raise NotImplementedError


class Subject(Struct, frozen=True):
    """A league with its definition and roster as of its next match."""

    store: Store
    league: LeagueRecord
    planned: int
    definition: Definition
    roster: Roster
    events: Sequence[LeagueEvent]
    """All of them, also those of matches to come."""

    def check_open(self) -> None:
        """Raise UsageError if the league can't change any more: it replays another one, or its secret is public."""
        name = self.league.name
        if self.roster.replays is not None:
            raise UsageError(
                f"{name} replays the events of another league",
                Advice("change a copy", by("league clone", name, "NEW")),
            )
        if self.league.revealed:
            raise UsageError(
                f"the secret of {name} is public: its future deals are known",
                Advice("continue with a copy", by("league clone", name, "NEW")),
            )

    def check_goes_on(self) -> None:
        """Raise UsageError if nothing is played any more in the league: it is finished, or as `check_open`."""
        self.check_open()
        if self.league.state == "finished":
            name = self.league.name
            raise UsageError(
                f"{name} is finished",
                Advice(
                    *("extend it", by("league extend", name, "…")),
                    *("; or make a copy", by("league clone", name, "NEW")),
                ),
            )

    def changes_at(self) -> int:
        """Return the first match from which the field can be another one. Raises UsageError if it can't change."""
        schedule = self.check_changeable()
        at = schedule.changes_at(self.definition.field, self.definition.schedule_settings, self.planned)
        if at is None:
            name = self.league.name
            raise UsageError(
                f"{name} is in its last round, so no later match could have another field",
                Advice("add rounds first", by("league extend", name, "--rounds 1")),
            )
        return at

    def check_changeable(self) -> Open:
        """Return the schedule, whose field can change. Raises UsageError if it is fixed, or if the league is over."""
        if self.league.partners.teams:
            raise UsageError(
                f"the teams of {self.league.name} are fixed from its start, so no bot can join, leave or pause",
                "create a new league with other teams",
            )
        if self.roster.final is not None and self.roster.replays is None:
            over, following = self.league.state == "finished", self._next_season()
            raise UsageError(
                f"{self.league.name} is over"
                if over
                else f"{self.league.name}: the final of the season has begun, and its field is frozen",
                f"join the next season, {following}"
                if following
                else Advice("play it again", by("league clone", self.league.name, "NEW")),
            )
        self.check_open()
        name, schedule = self.league.name, self.definition.schedule
        if not isinstance(schedule, Open):
            raise UsageError(
                f"{name}: its bots are fixed, as its schedule is {schedule.name}",
                Advice("make a copy with another field", by("league clone", name, "NEW")),
            )
        self.check_goes_on()
        return schedule

    def _next_season(self) -> str:
        """Return the name of the season after this one, whose final has begun; it may not have begun itself.

        Empty if it was deleted.
        """
        name = ""
        leagues = {league.uuid: league.name for league in self.store.leagues.all()}
        for event in self.store.leagues.events(self.league.uuid):
            if event.kind == FINAL:
                name = str(event.data["next"])
            elif event.kind == FOLLOWED:
                name = leagues.get(event.data["league"], "")
        return name

    def check_field(
        self, at: int, *, joins: Sequence[VersionRecord] = (), leaves: Sequence[int] = ()
    ) -> None:
        """Raise UsageError if the schedule can't go on with the field from match `at` on after a change.

        `joins` are the versions of new entries, `leaves` the numbers of entries. A league that goes on until it is
        stopped waits for more bots instead.
        """
        schedule, field = self.definition.schedule, self.definition.field
        if not isinstance(schedule, Checked) or self.definition.endless:
            return
        roster, entries = self.roster_from(at), self.store.entries.all(self.league.uuid)
        new = dict(enumerate(joins, len(entries)))
        playing = [
            entry.entry_no
            for entry in entries
            if roster.plays(entry.entry_no) or roster.is_out_for_the_day(entry.entry_no)
            if entry.entry_no not in leaves
        ] + list(new)
        ever = {e.entry_no: e.version for e in entries if e.entry_no not in roster.awaited} | new
        apart = authors_apart(self.definition.file, authors_of(ever))
        labels = {
            **field.labels,
            **{number: f"#{number}" for number in playing if number not in field.labels},
        }
        authors = {number: author for number, author in apart.items() if number in playing}
        after = replace(field, entries=tuple(playing), authors=authors, labels=labels)
        try:
            schedule.check(after, self.definition.schedule_settings)
        except UsageError as error:
            raise UsageError(f"{self.league.name} could not continue: {error}", error.advice) from None

    def roster_from(self, match_no: int) -> Roster:
        """Return the roster from a match on, as far as it is known."""
        return roster_at(self.events, match_no)

    def entry(self, text: str) -> EntryRecord:
        """Return an entry as `Entries.find` does; among several of a bot, the one not retired."""
        entries = self.store.entries.all(self.league.uuid)
        staying = [entry for entry in entries if entry.entry_no not in self.roster.retired]
        found = [entry for entry in entries if entry.label == text] or named(staying, text)
        return found[0] if len(found) == 1 else self.store.entries.find(self.league.uuid, text)

    def staying(self, text: str, at: int) -> EntryRecord:
        """Return an entry that isn't retired at match `at`. Raises UsageError, UnknownEntry, AmbiguousName."""
        found = self.entry(text)
        retired = self.roster_from(at).retired
        if found.entry_no in retired:
            raise UsageError(
                f"{found.label} retired from {self.league.name} at match {retired[found.entry_no]}",
                Advice("let it join again", by("league add", self.league.name, "BOT")),
            )
        return found


def subject(store: Store, name: str) -> Subject:
    """Return the league of that name, for a change. Raises UnknownLeague, and UsageError if it can never change."""
    league = store.leagues.get(name)
    if not league.rated:
        raise UsageError(f"{league.name} isn't rated: nothing can be changed in it")
    stored = StoredDefinition(store, league)
    planned = store.leagues.progress(league.uuid).matches_planned
    definition = stored.at(planned)
    return Subject(store, league, planned, definition, stored.roster, stored.events)


EnteredBy = Literal["organiser", "author", "account"]
"""Who enters a version: by `league add`, by submitting it to a store, or by uploading it to the site."""


def check_arrival(
    about: Subject,
    author: str,
    at: int,
    replaces: EntryRecord | None = None,
    count: int = 1,
    active_by_default: int | None = None,
) -> None:
    """Raise UsageError, naming all limits, if an author has no room for `count` more versions from match `at` on."""
    quota = about.definition.file.quota
    most_active = quota.active_versions or active_by_default
    if quota.versions_per_day is None and most_active is None:
        return
    authors = {
        entry.entry_no: entry.version.author
        for entry in about.store.entries.all(about.league.uuid)
        if entry.version is not None
    }
    reached: list[tuple[str, Advice]] = []
    if quota.versions_per_day is not None:
        reached += _of_day(about, author, authors, quota.versions_per_day, count)
    stays = replaces is not None and authors.get(replaces.entry_no) == author
    if most_active is not None and not stays:  # replacing an own entry doesn't make them more
        reached += _active(about, author, authors, most_active, at)
    if reached:
        hints = [part for _, hint in reached for part in ("; and ", hint)]
        raise UsageError("; and ".join(what for what, _ in reached), Advice(*hints[1:]))


def active_by_default(about: Subject, author: str, by: EnteredBy) -> int | None:
    """Return how many active versions an author may have once one is entered so, if the league's file sets no limit.

    None: any number. An organiser decides freely, and so does an author as long as all bots but the reference bots are
    the author's own. On a site, others will come.
    """
    entries = about.store.entries.all(about.league.uuid)
    others = authors_of({entry.entry_no: entry.version for entry in entries}).values()
    is_alone = by == "author" and all(other == author for other in others)
    return None if by == "organiser" or is_alone or author == ARENA else ACTIVE_VERSIONS


def _of_day(
    about: Subject, author: str, authors: dict[int, str], limit: int, more: int
) -> Iterator[tuple[str, Advice]]:
    """Yield what is wrong and a hint if the limit of the day is reached."""
    today = utc_day(about.store.now())
    events = about.store.leagues.events(about.league.uuid)
    joined = arrivals(event for event in events if utc_day(event.at) == today)
    count = sum(authors.get(entry) == author for entry in joined)
    if count + more > limit:
        yield (
            f"{author} has entered {count} of {limit} versions in {about.league.name} on {today}"
            f"{f', and this would be {more} more' if more > 1 else ''} "
            "(quota.versions_per_day counts bots that joined and new versions of earlier ones)",
            Advice(f"wait until {day_after(today)}, 00:00 UTC"),
        )


def _active(
    about: Subject, author: str, authors: dict[int, str], limit: int, at: int
) -> Iterator[tuple[str, Advice]]:
    """Yield what is wrong and a hint if the author has as many entries as allowed."""
    retired = about.roster_from(at).retired
    active = [entry for entry, by in authors.items() if by == author and entry not in retired]
    if len(active) >= limit:
        labels = about.store.entries.labels(about.league.uuid)
        named = ", ".join(labels[entry] for entry in active[:5]) + (", …" if len(active) > 5 else "")
        is_default = about.definition.file.quota.active_versions is None
        default = f", {limit} by default for bots that authors enter" if is_default else ""
        league, first = about.league.name, labels[active[0]]
        more = ("; or an organiser adds it", by("league add", league, "BOT")) if is_default else ()
        yield (
            f"{author} has {len(active)} of {limit} bots in {about.league.name}: {named} "
            f"(quota.active_versions{default} counts all that have not retired, paused ones too)",
            Advice(
                *("retire one first", by("league retire", league, first)),
                *("; or let the new version replace one", by("league replace", league, first)),
                *more,
            ),
        )
