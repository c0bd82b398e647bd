"""Pauses entries that have used up their budget of the day (`[quota]`), and lets them play again on the next one.

Matches count as soon as they are planned, so no entry plays more than one match beyond its budget of games. For CPU
time, a game to come counts as much as the entry's games so far. The decisions depend on the clock and on CPU time, so
they can't be made twice: each is recorded as an event, and read from then on. What was used is always read from the
ledger.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from arena.config.league_file import QuotaTable
from arena.league.definition.stored import StoredDefinition
from arena.schedules.base import MOST_AT_ONCE, Pairing
from results.base.clock import day_after, utc_day
from results.records import LeagueEvent, LeagueRecord
from results.records.query_rows import DayUse, total_use
from results.records.roster import BUDGET, PAUSED, RESUMED, Roster, roster_at
from results.store import Store


class Quotas:
    """The budgets of one league's entries and authors."""

    def __init__(self, store: Store, league: LeagueRecord) -> None:
        """Begin without knowing what was used."""
        self._store = store
        self._league = league.uuid
        self._day = ""
        self._read = 0
        """Matches before this one are finished, and counted below."""
        self._finished: dict[int, DayUse] = {}
        """What each entry has used in them on that day."""
        self._cpu_ns_a_game: dict[int, float] = {}
        """By entry, as far as it is known: a game that is planned counts as much."""
        self._spending = _Spending(QuotaTable(), {}, "")

    def decide(
        self, table: QuotaTable, stored: StoredDefinition, planned: int, *, in_rounds: bool
    ) -> list[str]:
        """Record who pauses and who plays again from match `planned` on; return lines for people about pauses.

        `planned` is the number of planned matches, all of which count. `stored` is as of that match. `in_rounds`: the
        field stays as it is for a round, so an entry pauses if the next round doesn't fit any more, too. An entry that
        a person let play again plays until the day is over, whatever it uses.
        """
        today = utc_day(self._store.now())
        roster = roster_at(stored.events, planned)
        self._spending = self._spent(table, stored, today)
        ahead = self._latest_round(planned) if in_rounds else {}
        paused: dict[int, str] = {}
        events: list[tuple[str, dict[str, object]]] = []
        for entry in stored.labels:
            if not _may_change(roster, entry, today):
                continue
            if why := self._spending.why(entry, ahead):
                paused[entry] = why
            elif entry in roster.paused:
                events.append((RESUMED, {"entry": entry, "by": BUDGET}))
        self._record(planned, [*events, *_pauses(paused, today)])
        return _notices(paused, stored.labels)

    def fitting(
        self,
        pairings: Sequence[Pairing],
        games_of: Callable[[int], int],
        planned: int,
        labels: Mapping[int, str],
    ) -> tuple[int, list[str]]:
        """Return how many of the next matches, from `planned` on, all their entries may play, as of the last `decide`.

        Records that those who may not play the one after them pause from there on; also returns lines for people about
        that.
        """
        for number, pairing in enumerate(pairings):
            paused = {entry: why for entry in pairing.entries if (why := self._spending.why(entry))}
            if paused:
                self._record(planned + number, _pauses(paused, self._spending.day))
                return number, _notices(paused, labels)
            self._spending.plan(pairing.entries, games_of(len(pairing.entries)))
        return len(pairings), []

    def _spent(self, table: QuotaTable, stored: StoredDefinition, today: str) -> "_Spending":
        """Return what everybody will have used today once all planned games are played."""
        finished = self.used(today)
        self._cpu_ns_a_game.update(
            {entry: used.cpu_ns / used.games for entry, used in finished.items() if used.games}
        )
        spending = _Spending(table, stored.authors, today, self._cpu_ns_a_game)
        spending.excused = _resumed_by_people(stored.events, today)
        for entry, used in finished.items():
            spending.add(entry, used)
        if waiting := self._store.matches.open(self._league):
            span = waiting[0].match_no, waiting[-1].match_no
            played = Counter(match_no for match_no, _ in self._store.games.keys(self._league, *span))
            for match in waiting:
                spending.plan(match.entries, match.games - played[match.match_no])
        return spending

    def used(self, day: str) -> dict[int, DayUse]:
        """Return what each entry has used on a day, by number. The part of finished matches is read once."""
        if day != self._day:
            self._day, self._finished = day, {}
            self._read = self._store.games.first_of_day(self._league, day)
        done = self._store.leagues.progress(self._league).matches_counted
        if done > self._read:
            more = self._store.games.use_of_day(self._league, day, self._read, done)
            self._finished = _sum(self._finished, more)
            self._read = done
        return _sum(self._finished, self._store.games.use_of_day(self._league, day, self._read))

    def _latest_round(self, planned: int) -> Counter[int]:
        """Return how many games each entry has in the round that ends before match `planned`."""
        games: Counter[int] = Counter()
        matches = self._store.matches.all(
            self._league, first=max(0, planned - MOST_AT_ONCE), last=planned - 1
        )
        for match in matches:
            if match.round_no == matches[-1].round_no:
                games.update(dict.fromkeys(match.entries, match.games))
        return games

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


class _Spending:
    """What entries and authors will have used on one day, and may use."""

    def __init__(
        self,
        table: QuotaTable,
        authors: Mapping[int, str],
        day: str,
        cpu_ns_a_game: Mapping[int, float] = MappingProxyType({}),
    ) -> None:
        """Begin with nothing; `cpu_ns_a_game` is what an entry is taken to use in each game to come."""
        self.day = day
        self.excused: Collection[int] = ()
        """Entries that may use what they want."""
        self._table = table
        self._authors = authors
        self._cpu_ns_a_game = cpu_ns_a_game
        self._of_entry: dict[int, DayUse] = {}
        self._of_author: dict[str, DayUse] = {}

    def add(self, entry: int, used: DayUse) -> None:
        self._of_entry[entry] = total_use((self._of_entry.get(entry, DayUse()), used))
        if (author := self._authors.get(entry)) is not None:
            self._of_author[author] = total_use((self._of_author.get(author, DayUse()), used))

    def plan(self, entries: Iterable[int], games: int) -> None:
        """Count games that entries will play."""
        for entry in entries:
            self.add(entry, DayUse(games, int(games * self._cpu_ns_a_game.get(entry, 0))))

    def why(self, entry: int, ahead: Mapping[int, int] = MappingProxyType({})) -> str:
        """Return what is used up if an entry may play no more; `ahead`: games that are played as a whole."""
        if entry in self.excused:
            return ""
        table, author = self._table, self._authors.get(entry)
        own = self._of_entry.get(entry, DayUse())
        if what := _over(own, table.cpu_s_per_day, table.games_per_day, ahead.get(entry, 0), self.day):
            return what
        if author is None:
            return ""
        theirs = sum(games for other, games in ahead.items() if self._authors.get(other) == author)
        used = self._of_author.get(author, DayUse())
        of_all = f"{self.day} of all bots by {author}"
        return _over(used, table.author_cpu_s_per_day, table.author_games_per_day, theirs, of_all)


def _over(used: DayUse, cpu_s: float | None, games: int | None, ahead: int, whose: str) -> str:
    """Return what is used up, in words; empty if nothing is. Who has used nothing may play what is `ahead` anyway."""
    if cpu_s is not None and used.cpu_ns >= cpu_s * 1e9:
        return f"CPU seconds for {whose} used up ({cpu_s:,g} a day); back at 00:00 UTC"
    if games is not None and (used.games >= games or 0 < used.games > games - ahead):
        return f"games for {whose} used up ({games:,} a day); back at 00:00 UTC"
    return ""


def _pauses(paused: Mapping[int, str], today: str) -> list[tuple[str, dict[str, object]]]:
    """Return the events that entries pause until the next day, each with the reason."""
    return [
        (PAUSED, {"entry": entry, "by": BUDGET, "why": why, "until": day_after(today)})
        for entry, why in paused.items()
    ]


def _notices(paused: Mapping[int, str], labels: Mapping[int, str]) -> list[str]:
    """Return a line for people for each reason, with who pauses for it."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for entry, why in paused.items():
        by_reason[why].append(labels[entry])
    return [
        f"{named[0]} is paused: {why}" if len(named) == 1 else f"{len(named):,} bots are paused: {why}"
        for why, named in by_reason.items()
    ]
