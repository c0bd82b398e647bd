"""What a reader asks of a ladder: which matches to count, since when to show movement, which bots to show."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from arena.web.html.links import asking
from results.base.errors import LedgerError
from results.base.scoring import MAX_SEATS
from results.records import LeagueRecord
from results.reports.recounted_matches import Selection, entries_named, rulesets_of
from results.store import Store

ASKS = ("seats", "ruleset", "against", "since", "until", "moved", "active")
"""What may follow the address of a ladder."""
SPANS = {"1d": "1 day", "7d": "7 days", "30d": "30 days"}
"""Choices of `moved`, besides a date."""


@dataclass(frozen=True, slots=True)
class Filters:
    """The conditions, as typed and as understood."""

    typed: Mapping[str, str]
    selection: Selection
    moved_since: datetime | None
    """Show movement since then."""
    active_only: bool
    chips: tuple[tuple[str, str], ...]
    """The conditions in force, each with the query of the address without it: empty, or `?seats=3`."""
    problems: tuple[str, ...]
    """What couldn't be understood, in sentences."""
    rulesets: tuple[str, ...]
    """All that the league has."""

    @property
    def asking(self) -> str:
        """What follows the address for these conditions: empty, or `?seats=3`."""
        return asking(self.typed)

    @property
    def is_recount(self) -> bool:
        """Whether matches have to be rated again."""
        return not self.selection.is_everything


def filters_of(
    store: Store, league: LeagueRecord, asked: Mapping[str, tuple[str, ...]], now: datetime
) -> Filters:
    """Return what is asked. What can't be understood is a problem, and is left out. `now`: in UTC."""
    typed = {name: (asked.get(name) or ("",))[-1].strip()[:500] for name in ASKS}
    problems: list[str] = []
    words: dict[str, str] = {}
    rulesets = rulesets_of(store, league)
    seats = None
    if typed["seats"]:
        if typed["seats"] in map(str, range(1, MAX_SEATS + 1)):
            seats = int(typed["seats"])
            words["seats"] = f"tables of {seats}"
        else:
            problems.append(f"A table has 1 to {MAX_SEATS} seats, not {typed['seats']}.")
    ruleset = typed["ruleset"] or None
    if ruleset and ruleset not in rulesets:
        has = f" It has {', '.join(rulesets)}." if rulesets else ""
        problems.append(f"No match of this league has the ruleset {ruleset}.{has}")
        ruleset = None
    elif ruleset:
        words["ruleset"] = f"ruleset {ruleset}"
    against: Mapping[int, str] = {}
    if typed["against"]:
        try:
            against = entries_named(store, league, typed["against"])
            words["against"] = f"against {', '.join(against.values())}"
        except LedgerError:
            problems.append(f"No bot of this league is called {typed['against']}.")
    since = _day("since", typed, problems)
    until = _day("until", typed, problems)
    if since and until and since > until:
        problems.append("The first day is after the last one.")
        since = until = None
    if since:
        words["since"] = f"from {since.date()}"
    if until:
        words["until"] = f"to {until.date()}"
    moved = _moment_of_movement(typed, problems, now)
    if moved:
        words["moved"] = f"movement since {moved:%Y-%m-%d}"
    active_only = typed["active"] == "1"
    if typed["active"] and not active_only:
        problems.append(f"active can't be {typed['active']}. It may be 1, to leave out bots that don't play.")
    elif active_only:
        words["active"] = "active bots only"
    return Filters(
        typed=typed,
        selection=Selection(
            since=since,
            until=until + timedelta(days=1) if until else None,
            against=frozenset(against),
            seats=seats,
            ruleset=ruleset,
        ),
        moved_since=moved,
        active_only=active_only,
        chips=tuple(
            (text, asking({other: value for other, value in typed.items() if other != name}))
            for name, text in words.items()
        ),
        problems=tuple(problems),
        rulesets=rulesets,
    )


def _moment_of_movement(typed: Mapping[str, str], problems: list[str], now: datetime) -> datetime | None:
    text = typed["moved"]
    if text in SPANS:
        return now - timedelta(days=int(text[:-1]))
    return _day("moved", typed, problems, f" It may also be {', '.join(SPANS)}.")


def _day(name: str, typed: Mapping[str, str], problems: list[str], more: str = "") -> datetime | None:
    text = typed[name]
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
        if not 1970 <= day.year < 9999:
            raise ValueError
    except ValueError:
        problems.append(f"{text} is not a day. Write it like 2026-01-31.{more}")
        return None
    return datetime.combine(day, time(), UTC)
