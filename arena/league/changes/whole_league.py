"""Changes of a whole league: budget, name, end, and the leagues made from it; and which of them are possible."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, ClassVar

from msgspec import Meta, Struct, structs

from arena.config.league_file import MOST_MATCHES, LeagueFile, StopTable
from arena.config.names import check_name
from arena.core.errors import BadValue, UsageError
from arena.league.changes.base import LeagueChange, LeagueName, Subject, subject
from arena.league.definition.checked_definition import Definition
from arena.league.definition.league_secret import secret_of
from arena.league.definition.rating import with_priors
from arena.league.definition.stored import config_of
from arena.schedules.base import Checked, Field, Open
from arena.submissions.launch_spec import program_of
from results.base.advice import Advice, Key, by
from results.base.errors import UnknownLeague
from results.base.scoring import NO_PARTNERS
from results.base.text import counted
from results.ratings import league_rater
from results.records import EntrySpec, LeagueRecord
from results.records.roster import EXTENDED, FINAL, FOLLOWED, ORGANISER, REPLAYS
from results.store import Store, holder_of

RENAMED = "renamed"
"""Kind of the league event by which a league got another name: `{"from": name, "to": name}`."""
AIM = ("schedule", "aim")
"""The key of a ladder's aim in the league file."""
FINAL_MATCHES = 20
"""How many matches of the final each entry plays at least, if nothing else is asked for."""


class Extend(LeagueChange, frozen=True):
    """A league's budgets, or its number of rounds, grow by these amounts; a finished league can then go on."""

    words: ClassVar[str] = "extend a league"
    has_form: ClassVar[bool] = True
    matches: Annotated[int, Meta(ge=1, le=MOST_MATCHES, title="More matches")] | None = None
    games: Annotated[int, Meta(ge=1, le=MOST_MATCHES, title="More games")] | None = None
    minutes: Annotated[float, Meta(gt=0, le=525_600, title="More minutes")] | None = None
    rounds: Annotated[int, Meta(ge=1, le=MOST_MATCHES, title="More rounds")] | None = None

    def perform(self, store: Store) -> str:
        """Raise the budgets; return in words what happens. Raises UsageError."""
        about = subject(store, self.league)
        about.check_open()
        name, stop = about.league.name, about.definition.file.stop
        settings = about.definition.schedule_settings
        if about.roster.final is not None:
            raise UsageError(f"{name}: the final of the season ends it", "extend the season that follows")
        changed: dict[str, float] = {}
        for key in _BUDGETS:
            more, budget = getattr(self, key), getattr(stop, key)
            if more and budget is None:
                raise UsageError(f"{name} has no budget of {key} to extend", _budgets(stop, settings))
            if more:
                changed[f"stop.{key}"] = budget + more
        if self.rounds:
            if not isinstance(now := getattr(settings, "rounds", None), int):
                raise UsageError(f"{name} has no fixed number of rounds", _budgets(stop, settings))
            changed["schedule.rounds"] = now + self.rounds
        if not changed:
            raise UsageError(
                "nothing to extend",
                Advice(
                    "give ", Key("matches"), ", ", Key("games"), ", ", Key("minutes"), " or ", Key("rounds")
                ),
            )
        store.leagues.add_event(about.league.uuid, about.planned, EXTENDED, {"set": changed})
        subject(store, self.league)  # refuses numbers beyond the bounds of the league file
        if about.league.state == "finished":
            store.leagues.set_state(about.league.uuid, "stopped")
        words = ", ".join(f"{key.partition('.')[2]} = {value:g}" for key, value in changed.items())
        return f"{name} is extended: {words}"


_BUDGETS = ("matches", "games", "minutes")


class Aim(LeagueChange, frozen=True):
    """A ladder finds out something else first, from the next match on."""

    words: ClassVar[str] = "change the aim of a ladder"
    aim: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            title="Aim",
            description="order, top:10 for the best ten, or bot: and a label",
        ),
    ]

    def perform(self, store: Store) -> str:
        """Change the aim; return in words what happens. Raises UsageError."""
        about = subject(store, self.league)
        about.check_goes_on()
        name, field = about.league.name, about.definition.field
        settings, schedule = about.definition.schedule_settings, about.definition.schedule
        now = getattr(settings, AIM[-1], None)
        if now is None or not isinstance(schedule, Checked):
            raise UsageError(
                f"{name} has no aim: only ladders choose what to find out first",
                Advice("play it again as a ladder", by("league clone", name, "NEW")),
            )
        if self.aim == now:
            raise UsageError(f"the aim of {name} is {now} already")
        playing = {entry: label for entry, label in field.labels.items() if entry in field.entries}
        schedule.check(structs.replace(field, labels=playing), structs.replace(settings, aim=self.aim))
        store.leagues.add_event(
            about.league.uuid, about.planned, EXTENDED, {"set": {".".join(AIM): self.aim}}
        )
        return f"the aim of {name} is {self.aim} from match {about.planned} on; it was {now}"


class Rename(LeagueChange, frozen=True):
    """A league gets another name."""

    words: ClassVar[str] = "rename a league"
    name: LeagueName

    def perform(self, store: Store) -> str:
        """Give the league the name; return in words what happened. Raises UsageError, NameRefused."""
        about = subject(store, self.league)
        check_name(("name",), self.name)
        store.leagues.rename(about.league.uuid, self.name)
        data = {"from": about.league.name, "to": self.name}
        store.leagues.add_event(about.league.uuid, about.planned, RENAMED, data)
        return f"{about.league.name} is now called {self.name}"


class Delete(LeagueChange, frozen=True):
    """A league is deleted with all its games; bots and their versions stay."""

    words: ClassVar[str] = "delete a league"

    def perform(self, store: Store) -> str:
        """Delete the league. Raises UsageError if it is being played, or is the built-in one."""
        record = store.leagues.get(self.league)
        if not record.rated and record.ruleset is None:
            raise UsageError(f"{record.name} is the built-in league of single games, which can't be deleted")
        if store.leagues.is_played(record):
            raise UsageError(
                f"{record.name} is being played",
                Advice("pause it first, then delete it", by("league pause", record.name)),
            )
        games = store.leagues.progress(record.uuid).games_done
        store.leagues.delete(record.uuid)
        return f"{record.name} is deleted, with {counted(games, 'game')}"


class Reveal(LeagueChange, frozen=True):
    """The secret of a league that has ended is published."""

    words: ClassVar[str] = "publish a secret"

    def perform(self, store: Store) -> str:
        """Publish the secret; return it in hexadecimal. Raises UsageError, LeagueUnfinished."""
        record = store.leagues.get(self.league)
        if record.rated and record.state == "stopped" and subject(store, record.name).definition.standing:
            raise UsageError(
                f"{record.name} isn't over, and can't continue once its secret is public",
                Advice("end it first", by("league season", record.name)),
            )
        runner = holder_of(store.path)
        if record.state == "stopped" and runner is not None and runner.is_runner:
            raise UsageError(
                f"{record.name} isn't finished, and process {runner.pid} {runner.does}",
                "finish it first, or stop that process: once its secret is public, a league can't continue",
            )
        return store.leagues.reveal(record.uuid).hex()


class Clone(LeagueChange, frozen=True):
    """A league is created with the same rules, schedule and limits as another, and the entries that still play."""

    words: ClassVar[str] = "copy a league"
    name: LeagueName
    seed: int | Annotated[str, Meta(max_length=256)] | None = None
    """Replaces the seed of the league file; without any, the new league is sealed."""
    inherit: bool = False
    """Whether ratings start where those of the old league are, widened."""

    def perform(self, store: Store) -> str:
        """Create the league; return in words what happened. Raises UsageError, NameRefused."""
        league = _copy(subject(store, self.league), self.name, seed=self.seed, inherit=self.inherit)
        return f"created {league.name}, a copy of {self.league}{seal(league)}"


class Season(LeagueChange, frozen=True):
    """The final of a ladder's season begins.

    From the next match on, the field is frozen. Every entry plays at least this many more matches, then the league is
    finished and the next season begins, from the ratings of this one.
    """

    words: ClassVar[str] = "end a season"
    has_form: ClassVar[bool] = True
    matches: Annotated[int, Meta(ge=1, le=1_000_000, title="Matches of the final per bot")] = FINAL_MATCHES
    next: (
        Annotated[
            LeagueName, Meta(title="Name of the next season", description="Empty: this one's with a number.")
        ]
        | None
    ) = None

    def perform(self, store: Store) -> str:
        """Begin the final; return in words what happens. Raises UsageError, NameRefused."""
        about = subject(store, self.league)
        at = about.changes_at()
        if not about.definition.endless or not isinstance(about.definition.schedule, Open):
            raise UsageError(
                f"{about.league.name} ends by itself: only ladders have seasons",
                Advice("play it again", by("league clone", about.league.name, "NEW")),
            )
        if self.matches < 1:
            raise UsageError(f"a final of {self.matches} matches", "give 1 or more")
        following = self.next or _next_name(about.league.name)
        check_name(("name",), following)
        store.leagues.check_new_name(following)
        data = {"matches": self.matches, "next": following}
        store.leagues.add_event(about.league.uuid, at, FINAL, data)
        return (
            f"the final of {about.league.name} begins at match {at}: {counted(self.matches, 'match', 'matches')} "
            f"or more for each bot; then {following} begins"
        )


def next_season(store: Store, league: LeagueRecord) -> LeagueRecord | None:
    """Return the league that follows a finished season, under a free name; None if none is due. Raises UsageError."""
    events = store.leagues.events(league.uuid)
    names = [str(event.data["next"]) for event in events if event.kind == FINAL]
    if not names or league.state != "finished" or any(event.kind in (FOLLOWED, REPLAYS) for event in events):
        return None
    about = subject(store, league.name)
    seed = about.definition.file.seed
    taken = {other.name for other in store.leagues.all()}
    name = names[-1]
    while name in taken:
        name = _next_name(name)
    with store.together():
        # Other deals than before, which bots could have learnt.
        following = _copy(about, name, seed=None if seed is None else f"{seed}/{name}", inherit=True)
        store.leagues.add_event(league.uuid, about.planned, FOLLOWED, {"league": following.uuid})
    return following


def seal(league: LeagueRecord) -> str:
    """Return what to publish about a new league, after its name; empty if it isn't sealed."""
    return f", sealed: its secret has the SHA-256 {league.commitment}" if league.sealed else ""


def _copy(about: Subject, name: str, *, seed: int | str | None, inherit: bool) -> LeagueRecord:
    store, league, file = about.store, about.league, about.definition.file
    check_name(("name",), name)
    file = structs.replace(file, name=name, seed=file.seed if seed is None else seed)
    entries = [
        entry
        for entry in store.entries.all(league.uuid)
        if about.roster.plays(entry.entry_no) or about.roster.is_out_for_the_day(entry.entry_no)
        if (bench := about.roster.benched.get(entry.entry_no)) is None or bench.by != ORGANISER
        if entry.version is not None
    ]
    if not entries:
        raise UsageError(f"no bot is left in {league.name}", "create a league from a league file")
    if league.partners.teams and len(entries) < len(store.entries.all(league.uuid)):
        raise UsageError(f"a team of {league.name} lacks a bot", "create a league from a league file")
    for entry in entries:
        if entry.version is not None:
            program_of(store, entry.version)  # refuses a version whose files are missing
    specs = [EntrySpec(entry.label, entry.version.id, entry.args) for entry in entries if entry.version]
    file = _with_an_aim(file, about.definition, specs)
    if inherit and league.ruleset is not None:
        rater = league_rater(league.name, league.rating, league.rating_options, league.scale)
        versions = {entry.version.id: entry.version for entry in entries if entry.version}
        specs = with_priors(store, specs, versions, league.ruleset, rater, config_of(file, NO_PARTNERS))
    if league.ruleset is None:
        raise AssertionError("a rated league without rules")
    return store.leagues.create(
        name=name,
        config=config_of(file, league.partners),
        ruleset=league.ruleset,
        entries=specs,
        secret=secret_of(file),
        rating=league.rating,
        rating_options=league.rating_options,
        keep_replays=league.keep_replays,
        traits=league.traits,
    )


def _with_an_aim(file: LeagueFile, definition: Definition, specs: Sequence[EntrySpec]) -> LeagueFile:
    """Return the file of a copy, without an aim for which too few bots are left, or whose bot is gone."""
    labels = {number: spec.label for number, spec in enumerate(specs)}
    field = Field(tuple(labels), definition.field.seats, labels=labels)
    try:
        if isinstance(definition.schedule, Checked):
            definition.schedule.check(field, definition.schedule_settings)
    except BadValue as error:
        if error.keys == AIM:
            schedule = {key: value for key, value in file.schedule.items() if key != AIM[-1]}
            return structs.replace(file, schedule=schedule)
    return file


def _next_name(name: str) -> str:
    """Return the name of the season after a league: its own with the next number.

    >>> _next_name("autumn"), _next_name("autumn-9"), _next_name("autumn-²")
    ('autumn-2', 'autumn-10', 'autumn-²-2')
    """
    base, dash, number = name.rpartition("-")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    return f"{base}-{int(number) + 1}" if dash and is_number else f"{name}-2"


class Possible(Struct, frozen=True):
    """The changes a league is open to now. Each is checked again when it is made."""

    fixed: str
    """Why its field can't change; empty if it can."""
    benched_forfeit: bool
    """Whether benched entries stay in the schedule and forfeit; otherwise they get no matches."""
    season: bool
    """Whether its season can end with a final."""
    extendable: tuple[str, ...]
    """By what it can be extended: some of `matches`, `games`, `minutes`, `rounds`."""


def possible(store: Store, league: str) -> Possible:
    """Return which changes a league is open to. Raises UnknownLeague."""
    fixed, endless, extendable = "", False, list[str]()
    try:
        about = subject(store, league)
        endless, file = about.definition.endless, about.definition.file
        with suppress(UsageError):
            about.check_open()
            if about.roster.final is None:
                extendable = _raisable(file.stop, about.definition.schedule_settings)
        about.check_changeable()
    except UnknownLeague:
        raise
    except UsageError as error:
        fixed = str(error)
    return Possible(fixed, not endless, endless and not fixed, tuple(extendable))


def _raisable(stop: StopTable, settings: object) -> list[str]:
    known = [key for key in _BUDGETS if getattr(stop, key) is not None]
    return [*known, "rounds"] if isinstance(getattr(settings, "rounds", None), int) else known


def _budgets(stop: StopTable, settings: object) -> Advice:
    known = [part for key in _raisable(stop, settings) for part in (", ", Key(key))]
    if not known:
        return Advice("it continues until its season ends", by("league season"))
    return Advice("it can be extended by ", *known[1:])
