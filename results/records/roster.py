"""Who plays in a league from a given match on: the events of a league, folded. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from msgspec import Struct, convert, field

from results.base.advice import Advice, run
from results.base.errors import StoreDamaged
from results.records import LeagueEvent

ADDED = "added"
"""Entries join: `{"entries": [number, …]}`."""
REPLACED = "replaced"
"""A new version takes over from an entry: `{"entry": number, "predecessor": number}`."""
RETIRED = "retired"
"""An entry stops playing for good: `{"entry": number}`."""
PAUSED = "paused"
"""An entry stops playing for now: `{"entry": number, "by": …, "why": text}`. Without `entry`, the league.

A pause by a budget has `until`, too: the day (UTC) with which it ends, such as `2026-01-31`."""
RESUMED = "resumed"
"""A paused entry plays again: `{"entry": number}`, `"by": "budget"` if a new day let it. Without `entry`, the league.
"""
BENCHED = "benched"
"""An entry is no longer started: `{"entry_no": number, "why": text}`, `"by": "organiser"` if one decided it, or
`"by": "starts"` if it can't be started.

Otherwise it broke the rules."""
UNBENCHED = "unbenched"
"""A benched entry is started again: `{"entry": number}`."""
EXTENDED = "extended"
"""Budgets, rounds, a ladder's aim, or what follows the games in flight change: `{"set": {"stop.matches": number, …}}`.

The names are keys of the league file."""
COMPARISON = "comparison"
"""The league is a comparison or a race; its data is the question: `{"difference": number, "error_rate": number,
"at_least": matches}`."""
TUNE = "tune"
"""The league is a tune; its data are the parameters: `{"parameters": {name: {"low": number, …}}}`."""
JUDGED = "judged"
"""What a run of a comparison or a race has found, as an `Outcome`."""
QUEUED = "queued"
"""A comparison, race or tune waits for a runner that has nothing else to play, as a `Job`; the latest one holds."""
ENDED = "ended"
"""A rule ends the league: `{"why": text}`, with `"by": "settled"` if its order is certain."""
SETTLED = "settled"
FINAL = "final"
"""The final of a season begins: `{"matches": number, "next": name}`."""
FOLLOWED = "followed"
"""After the final, the next season was created: `{"league": uuid}`."""
REPLAYS = "replays"
"""The league replays the events of another one, and decides nothing itself: `{"league": uuid, "matches": number}`."""

FIELD_CHANGES = frozenset({ADDED, REPLACED, RETIRED, PAUSED, RESUMED, BENCHED, UNBENCHED, FINAL})
"""The kinds of events that may change the field."""

ACTIVE_VERSIONS = 3
"""How many bots an author may have in a league at a time by entering them, unless its file says otherwise.

One to play for the place, the one before it, and one to try; an author with many more could fill the field."""

PausedBy = Literal["organiser", "faults", "budget"]
BUDGET: PausedBy = "budget"
BenchedBy = Literal["organiser", "faults", "starts"]
STARTS: BenchedBy = "starts"
ORGANISER: Literal["organiser"] = "organiser"
BENCHED_BY_ORGANISER = "benched by the organiser"
"""Why, if the organiser gave no reason."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What a comparison or a race has found at the end of its latest run. All differences are of mean shares, −1 to 1.

    In a race, `new` is the variant in front.
    """

    old: str
    new: str
    answer: str | None
    """An `Answer`, or that of a race, `best` or `none better`; None: undecided."""
    difference: float
    error_rate: float
    """The question, as in `Question`."""
    estimate: float | None
    """NEW's less OLD's; None before the first match."""
    low: float
    high: float
    """The ends of its interval."""
    matches: int
    """On which it rests; deals in a race."""


JobState = Literal["waits", "paused", "removed", "done"]


class Job(Struct, frozen=True, kw_only=True):
    """What a runner may play of a comparison, race or tune in the queue."""

    what: Literal["compare", "race", "tune"]
    author: str
    """Of the bot that it is about: authors take turns."""
    by: str = ""
    """The author who asked for it, on the site; empty for an organiser."""
    difference: float
    error_rate: float
    at_least: int | None
    """The question, as in `Question`."""
    budget_games: int
    then_games: int = 0
    """The budget of the comparison at the end of a tune."""
    priority: int = 0
    """The highest plays first."""
    state: JobState = "waits"
    why: str = ""
    """Why it has failed, or is paused, if the runner paused it."""
    is_new: bool = False
    """Whether somebody has just asked for it, and not changed it: only that counts in a quota."""


class Pause(Struct, frozen=True):
    """Why an entry or a league doesn't play."""

    at_match_no: int
    by: PausedBy
    why: str
    """A line for people."""
    since: str
    """In the format of `clock.utc_text`."""
    until: str | None = None
    """The day (UTC) with which it ends by itself; None: it doesn't."""


class Bench(Struct, frozen=True):
    """Why an entry is no longer started."""

    by: BenchedBy
    why: str
    """A line for people."""

    @property
    def by_organiser(self) -> str:
        """What the organiser said, as a clause; empty if Arena benched the entry for breaking the rules."""
        if self.by != ORGANISER:
            return ""
        return self.why if self.why == BENCHED_BY_ORGANISER else f"{BENCHED_BY_ORGANISER}: {self.why}"

    @property
    def of_start(self) -> str:
        """Why its games are forfeited like those of a bot that doesn't start; empty if it broke the rules."""
        return f"benched: {self.why}" if self.by == STARTS else self.by_organiser


class Roster(Struct):
    """The entries of a league and what became of them, from the view of one match."""

    match_no: int
    joined: dict[int, int] = field(default_factory=dict)
    """By entry: the match from which it plays, or plays again; missing: from the start."""
    awaited: set[int] = field(default_factory=set)
    retired: dict[int, int] = field(default_factory=dict)
    """By entry: the first match that it no longer plays."""
    replaced_by: dict[int, int] = field(default_factory=dict)
    """By retired entry: the one that took over from it."""
    paused: dict[int, Pause] = field(default_factory=dict)
    benched: dict[int, Bench] = field(default_factory=dict)
    league_paused: Pause | None = None
    final: tuple[int, int] | None = None
    """First match of the final, and how many of its matches each entry plays at least."""
    has_changed: bool = False
    """Whether the field has changed since the league was created."""
    changed_at: int = 0
    set: dict[str, Any] = field(default_factory=dict)
    """Keys of the league file that were changed."""
    replays: int | None = None
    """If the league replays the events of another one: how many matches it has."""

    def plays(self, entry_no: int) -> bool:
        """Return whether an entry plays in this match, benched or not."""
        return entry_no not in self.awaited and entry_no not in self.retired and entry_no not in self.paused

    def is_out_for_the_day(self, entry_no: int) -> bool:
        """Return whether only the budget of the day keeps an entry from playing."""
        pause = self.paused.get(entry_no)
        return pause is not None and pause.by == BUDGET and entry_no not in self.retired


def arrivals(events: Iterable[LeagueEvent]) -> dict[int, int]:
    """Return the entries that joined after the start, or will, in that order, each with the first match it may play."""
    joined: dict[int, int] = {}
    with _whole():
        for event in events:
            if event.kind == ADDED:
                joined.update(dict.fromkeys(event.data["entries"], event.at_match_no))
            elif event.kind == REPLACED:
                joined[event.data["entry"]] = event.at_match_no
    return joined


def roster_at(events: Iterable[LeagueEvent], match_no: int) -> Roster:
    """Return the roster by the events, in order, up to and including that match. Raises StoreDamaged."""
    with _whole():
        return _folded(events, match_no)


@contextmanager
def _whole() -> Iterator[None]:
    """Turn what goes wrong with data that no event has into StoreDamaged."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreDamaged(
            f"an event of a league is damaged: {type(error).__name__}: {error}",
            Advice("run ", run("db verify"), " to find it; restore a backup"),
        ) from error


def is_tune(events: Sequence[LeagueEvent]) -> bool:
    """Return whether a league is a tune, from its events."""
    return any(event.kind == TUNE for event in events)


def outcome_of(events: Sequence[LeagueEvent]) -> Outcome | None:
    """Return what a comparison or a race has found, from the events of its league; None if there is nothing yet.

    Raises StoreDamaged.
    """
    judged = [event.data for event in events if event.kind == JUDGED]
    with _whole():
        return convert(judged[-1], Outcome) if judged else None


OPEN_STATES = ("waits", "paused")
"""Of a job that isn't over."""


def jobs_of(events: Sequence[LeagueEvent]) -> dict[str, Job]:
    """Return the latest job of each league by its uuid, in the order of the events. Raises StoreDamaged."""
    latest = {event.league: event.data for event in events if event.kind == QUEUED}
    with _whole():
        return {league: convert(data, Job) for league, data in latest.items()}


def _folded(events: Iterable[LeagueEvent], match_no: int) -> Roster:
    roster = Roster(match_no)
    for event in events:
        data, at = event.data, event.at_match_no
        if at > match_no:
            if event.kind == ADDED:
                roster.awaited.update(data["entries"])
            elif event.kind == REPLACED:
                roster.awaited.add(data["entry"])
            continue
        if event.kind in FIELD_CHANGES and (event.kind not in (PAUSED, RESUMED) or "entry" in data):
            roster.has_changed, roster.changed_at = True, max(roster.changed_at, at)
        if event.kind == ADDED:
            roster.joined.update(dict.fromkeys(data["entries"], at))
        elif event.kind == REPLACED:
            roster.joined[data["entry"]] = at
            roster.retired.setdefault(data["predecessor"], at)
            roster.replaced_by[data["predecessor"]] = data["entry"]
        elif event.kind == RETIRED:
            roster.retired.setdefault(data["entry"], at)
        elif event.kind == PAUSED:
            pause = Pause(at, data.get("by", "organiser"), data.get("why", ""), event.at, data.get("until"))
            if "entry" in data:
                roster.paused[data["entry"]] = pause
            else:
                roster.league_paused = pause
        elif event.kind == RESUMED:
            if "entry" not in data:
                roster.league_paused = None
            elif roster.paused.pop(data["entry"], None):
                roster.joined[data["entry"]] = at
        elif event.kind == BENCHED:
            roster.benched[data["entry_no"]] = Bench(data.get("by", "faults"), data["why"])
        elif event.kind == UNBENCHED:
            if roster.benched.pop(data["entry"], None) is not None:
                roster.joined[data["entry"]] = at
        elif event.kind == EXTENDED:
            roster.set.update(data["set"])
        elif event.kind == FINAL:
            roster.final = (at, data["matches"])
        elif event.kind == REPLAYS:
            roster.replays = data["matches"]
    return roster
