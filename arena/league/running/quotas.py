"""Pauses entries that have used up their budget of the day (`[quota]`), and lets them play again on the next one.

The decisions depend on the clock and on CPU time, so they can't be made twice: each is recorded as an event, and read
from then on. What was used is always read from the ledger.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from arena.config.league_file import QuotaTable
from arena.league.definition.stored import StoredDefinition
from results.clock import day_after, utc_day
from results.query_rows import DayUse, total_use
from results.records import LeagueEvent, LeagueRecord
from results.roster import BUDGET, PAUSED, RESUMED, Roster, roster_at
from results.store import Store


class Quotas:
    """The budgets of one league's entries and authors."""

    def __init__(self, store: Store, league: LeagueRecord) -> None:
        """Begin without knowing what was used."""
        self._store = store
        self._league = league.uuid
        self._use = _UseOfDay(store, league.uuid)

    def decide(self, table: QuotaTable, stored: StoredDefinition, at: int) -> list[str]:
        """Record who pauses and who plays again from match `at` on; return a line for people for each pause.

        `stored` is as of the next match. An entry that a person let play again plays until the day is over, whatever
        it uses.
        """
        today = utc_day(self._store.now())
        roster = roster_at(stored.events, at)
        judged = [entry for entry in stored.labels if _may_change(roster, entry, today)]
        if not judged:
            return []
        spent = _spent(table, self._use.of(today), stored.authors)
        excused = _resumed_by_people(stored.events, today)
        told = []
        events: list[tuple[str, dict[str, object]]] = []
        for entry in judged:
            if entry in spent and entry not in excused:
                why = f"{spent[entry]} on {today}; back at 00:00 UTC"
                data: dict[str, object] = {
                    "entry": entry,
                    "by": BUDGET,
                    "why": why,
                    "until": day_after(today),
                }
                events.append((PAUSED, data))
                told.append(f"{stored.labels[entry]} is paused: {why}")
            elif entry in roster.paused:
                events.append((RESUMED, {"entry": entry, "by": BUDGET}))
        self._record(at, events)
        return told

    def end_pauses(self, stored: StoredDefinition, at: int) -> None:
        """Let all entries that budgets have paused play again from match `at` on."""
        roster = roster_at(stored.events, at)
        out = [entry for entry in sorted(roster.paused) if roster.is_out_for_the_day(entry)]
        self._record(at, [(RESUMED, {"entry": entry, "by": BUDGET}) for entry in out])

    def _record(self, at: int, events: Sequence[tuple[str, Mapping[str, object]]]) -> None:
        if not events:
            return
        with self._store.together():
            for kind, data in events:
                self._store.leagues.add_event(self._league, at, kind, data)


class _UseOfDay:
    """What each entry has used today. The part of finished matches is read once."""

    def __init__(self, store: Store, league: str) -> None:
        self._store = store
        self._league = league
        self._day = ""
        self._read = 0
        """Matches before this one are finished, and counted below."""
        self._finished: dict[int, DayUse] = {}

    def of(self, day: str) -> dict[int, DayUse]:
        """Return what each entry has used on a day, by number."""
        if day != self._day:
            self._day, self._finished = day, {}
            self._read = self._store.games.first_of_day(self._league, day)
        done = self._store.leagues.progress(self._league).matches_counted
        if done > self._read:
            more = self._store.games.use_of_day(self._league, day, self._read, done)
            self._finished = _sum(self._finished, more)
            self._read = done
        return _sum(self._finished, self._store.games.use_of_day(self._league, day, self._read))


def _sum(one: Mapping[int, DayUse], other: Mapping[int, DayUse]) -> dict[int, DayUse]:
    nothing = DayUse()
    return {
        entry: total_use((one.get(entry, nothing), other.get(entry, nothing))) for entry in {*one, *other}
    }


def _may_change(roster: Roster, entry: int, today: str) -> bool:
    """Return whether an entry plays, or may play again because the day of its pause is over."""
    if entry in roster.retired or entry in roster.awaited or entry in roster.benched:
        return False
    pause = roster.paused.get(entry)
    return pause is None or (pause.by == BUDGET and today >= (pause.until or ""))


def _resumed_by_people(events: Iterable[LeagueEvent], today: str) -> set[int]:
    """Return the entries that a person let play again today although their budget was used up."""
    paused_by: dict[int, str] = {}
    found = set()
    for event in events:
        if "entry" not in event.data:
            continue
        if event.kind == PAUSED:
            paused_by[event.data["entry"]] = event.data.get("by", "")
        elif event.kind == RESUMED:
            was = paused_by.pop(event.data["entry"], None)
            if was == BUDGET and event.data.get("by") != BUDGET and utc_day(event.at) == today:
                found.add(event.data["entry"])
    return found


def _spent(table: QuotaTable, use: Mapping[int, DayUse], authors: Mapping[int, str]) -> dict[int, str]:
    """Return the entries whose budget, or that of their author, is used up, each with the figure in words."""
    spent = {}
    by_author: dict[str, list[DayUse]] = defaultdict(list)
    for entry, used in use.items():
        if entry in authors:
            by_author[authors[entry]].append(used)
    for author, parts in by_author.items():
        why = _over(total_use(parts), table.author_cpu_s_per_day, table.author_games_per_day)
        if why:
            spent.update(
                {entry: f"the bots of {author} {why}" for entry, by in authors.items() if by == author}
            )
    for entry, used in use.items():
        if why := _over(used, table.cpu_s_per_day, table.games_per_day):
            spent[entry] = why
    return spent


def _over(used: DayUse, cpu_s: float | None, games: int | None) -> str:
    """Return what is used up, in words; empty if nothing is."""
    if cpu_s is not None and used.cpu_ns >= cpu_s * 1e9:
        return f"used {_number(used.cpu_ns / 1e9)} of {_number(cpu_s)} CPU seconds"
    if games is not None and used.games >= games:
        return f"played {used.games:,} of {games:,} games"
    return ""


def _number(seconds: float) -> str:
    """Return seconds for people: whole ones from 10 on.

    >>> _number(612.4), _number(0.5)
    ('612', '0.5')
    """
    return f"{seconds:,.0f}" if seconds >= 10 else f"{seconds:.3g}"
