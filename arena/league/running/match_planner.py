"""Plans a league's matches in the ledger. For each, field and results are those of fixed points in the league."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from msgspec.structs import replace

from arena.config.deal_suites import Suite
from arena.executors.base import Abandoned, Stop
from arena.league.definition.checked_definition import Definition
from arena.league.definition.stored import StoredDefinition, with_labels
from arena.league.end_rules import Judge
from arena.league.running.base_orders import BaseOrders
from arena.league.running.benching import FIRST_LOOKS, Benching, Decision, prefix
from arena.league.running.daily_quotas import Quotas
from arena.league.running.schedule_input import InFlight, InheritedRatings, RunningSummary
from arena.registry import PluginFailed, blaming, plugin_failed
from arena.schedules.base import MOST_AT_ONCE, Follows, Open, Pairing, Summary
from arena.schedules.base.table_rules import of_one_author
from results.base.text import counted
from results.records import LeagueRecord, MatchRecord
from results.records.roster import RETIRED
from results.store import Store


class Planner:
    """Asks the schedule for matches once the results it needs are in, and writes them to the ledger.

    The plan depends only on events and on results without gaps, so neither the number of workers nor interruptions
    change it.
    """

    def __init__(
        self,
        store: Store,
        league: LeagueRecord,
        stored: StoredDefinition,
        secret: bytes,
        judge: Judge | None = None,
        stop: Stop | None = None,
        changed: Callable[[Definition], None] = lambda _: None,
        slots: Callable[[], int] = lambda: 0,
    ) -> None:
        """Read the league's current state.

        `secret` shuffles the base orders. `judge` has the rules that end the league early. `stop` can interrupt
        a schedule that takes long. `changed` is called with the definition whenever events have changed it. `slots`
        returns how many games can be played at the same time; 0 if that isn't known.
        """
        self._stop = stop or Stop()
        self._store = store
        self._league = league
        self._stored = stored
        self._orders = BaseOrders(secret, stored.first.rotations, stored.first.drawn)
        self._changed = changed
        self._judge = judge or Judge(store, league.uuid)
        self._benching = Benching(store, league)
        self._quotas = Quotas(store, league)
        self._inherited = InheritedRatings(store, league)
        self._in_flight = InFlight(store, league, slots)
        progress = store.leagues.progress(league.uuid)
        self._games = progress.games_planned
        self._definition = stored.at(progress.matches_planned)
        self._too_few = _why_too_few(self._definition)
        for match in store.matches.all(
            league.uuid, first=self._orders.first_needed(progress.matches_planned)
        ):
            self._orders.add(match.match_no, league.partners.units(match.entries))
        self.notices: list[str] = []
        """What the organiser should know of the schedule and of entries, a line each."""
        self.waits = ""
        """Why nothing is planned although the league isn't over, in a line for people; empty while it is played."""
        first = stored.first
        with self._blaming():
            tally = first.schedule.tally(first.field, first.schedule_settings)
            self._total = self._total_of(self._definition)
        self._summary = RunningSummary(
            store, league, tally=tally, games_of=first.games_at, blamed=self._blaming
        )

    @property
    def planned(self) -> int:
        """The number of planned matches."""
        return self._summary.planned

    def next_matches(self) -> list[MatchRecord]:
        """Plan the next matches and return them; none while results are missing or if all matches are planned."""
        pairings = self._pairings() or ()
        matches = []
        labels = self._stored.labels if pairings else {}
        deals = self._deals(pairings)
        partners = self._definition.partners
        for match_no, (pairing, deal_no) in enumerate(zip(pairings, deals, strict=True), self.planned):
            order = self._orders.choose(match_no, pairing.entries)
            self._orders.add(match_no, order)
            match = MatchRecord(
                league=self._league.uuid,
                match_no=match_no,
                round_no=pairing.round_no,
                entries=partners.seated(order, len(order) * partners.team_size),
                games=self._definition.games_at(len(order)),
                why=with_labels(pairing.why, labels),
                rated=not of_one_author(self._definition.field, pairing.entries),
                deal_no=deal_no,
            )
            matches.append(match)
        if matches:
            self._store.matches.plan(self._league.uuid, matches)
            self._summary.add(matches)
            self._games += sum(match.games for match in matches)
        if self._total is not None and self.planned > self._total:
            self.notices.append(
                f"the schedule {self._definition.schedule.name!r} said that it has {self._total} matches in total, and "
                "makes more: its `total` is wrong"
            )
            self._total = None
        return matches

    def _deals(self, pairings: Sequence[Pairing]) -> list[int | None]:
        """Return the first match on the deal of each, for those that share one; None for the others.

        The tables of a round share a deal if they are planned at once: so nobody who joins later can play it, and
        no game on it is seen before its last table is over. Two bots of one author never share one, unless scores of
        tables on it are compared, or the deals are published.
        """
        if not self._definition.common_deals:
            return [None] * len(pairings)
        authors = self._definition.field.authors
        bots = Counter(authors.values())
        of_several = {entry for entry, author in authors.items() if bots[author] > 1}
        if self._definition.counts_scores or isinstance(self._definition.file.deals, Suite):
            of_several = set()
        keys = [(one.round_no, tuple(sorted(of_several.intersection(one.entries)))) for one in pairings]
        tables = Counter(keys)
        first: dict[tuple[int, tuple[int, ...]], int] = {}
        for match_no, key in enumerate(keys, self.planned):
            first.setdefault(key, match_no)
        return [first[key] if tables[key] > 1 else None for key in keys]

    def is_complete(self) -> bool:
        """Return whether all matches are planned; False as long as that is unknown."""
        return self._pairings() is None

    def _pairings(self) -> tuple[Pairing, ...] | None:
        """Return the next pairings: an empty tuple while results are missing, None if the league is complete."""
        self.waits = ""
        self._follow()
        if not self._judge.is_ready(self.planned):
            return ()
        if self._judge.ended_by is not None:
            return None
        self._change_field()
        if (final := self._definition.field.final) is not None:
            self._summary.begin_final(final.from_match)
        self._keep_quotas()
        if self._in_flight.follow(self._stored, self._definition, self.planned):
            self._follow()
        sees = self._sees()
        judged = sees if self._in_flight.follows(self._stored) else prefix(self.planned, sees)
        if not self._summary.has(judged):
            return ()
        if not self._judge_faults(judged):
            return ()
        roster = self._stored.roster
        if roster.replays is not None and self.planned >= roster.replays:
            return None
        if roster.league_paused:
            self.waits = f"paused: {roster.league_paused.why}"
            return ()
        if self._too_few:
            if self._definition.field.final is not None:  # nobody can join it
                return None
            self.waits = self._until_tomorrow(self._too_few)
            return ()
        if not self._inherited.are_given(self._stored, self.planned, self._summary):
            return ()
        self._follow()
        try:
            pairings = self._made(sees)
        except Abandoned:
            return ()
        if pairings is None or self.waits:
            self.waits = self._until_tomorrow(self.waits)
            return () if self.waits else None
        self._check(pairings)
        planned = self._within_quotas(pairings[: self._room(pairings)])
        within = self._judge.within(planned, self.planned, self._games, self._definition.games_at)
        return tuple(within) or None

    def _change_field(self) -> None:
        """At the beginning of a round, let those join whom an end rule wants to see, and retire those it has seen."""
        roster = self._stored.roster
        joining = self._judge.joining(self.planned, len(self._stored.labels))
        leaving = [entry for entry in self._judge.leaving(self.planned) if roster.plays(entry)]
        if not (joining or leaving) or roster.replays is not None:
            return
        if self._changes_at(self.planned) == self.planned:
            if joining:
                self._store.entries.add(self._league.uuid, joining, self.planned)
            for entry in leaving:
                self._store.leagues.add_event(self._league.uuid, self.planned, RETIRED, {"entry": entry})
            self._follow()

    def _follow(self) -> None:
        """Take the definition of the next match, which events may have changed."""
        definition = self._stored.at(self.planned)
        if definition is not self._definition:
            self._definition = definition
            self._too_few = _why_too_few(definition)
            self._summary.forget_ratings()
            with self._blaming():
                self._total = self._total_of(definition)
            self._changed(definition)

    def _sees(self) -> int:
        """Return how many results the schedule needs for the next match."""
        definition, planned = self._definition, self.planned
        with self._blaming():
            sees = definition.schedule.sees(definition.field, definition.schedule_settings, planned)
        if not isinstance(sees, int) or not 0 <= sees <= planned:
            raise self._failed(
                f"`sees` returned {sees!r} for {planned} planned matches: it must be 0 to {planned}"
            )
        return max(sees, self._in_flight.least_seen(self._stored))

    def _judge_faults(self, end: int) -> bool:
        """Take entries out that misbehaved below `end`, unless it is a replay; return whether enough is known."""
        if self._stored.roster.replays is not None:
            return True
        pauses = self._definition.standing
        self._tell_out(self._benching.judge(self.planned, end, self._stored.roster, pauses=pauses))
        if not self._looks_at_starts:
            return True
        startless = self._benching.look(self.planned, self._stored.roster, pauses=pauses)
        self._tell_out(startless or ())
        return startless is not None

    def _tell_out(self, decisions: Sequence[Decision]) -> None:
        """Tell who is out from the next match on, and play without them."""
        for entry_no, kind, why in decisions:
            self.notices.append(f"{self._stored.labels[entry_no]} is {kind}: {why}")
        if decisions:
            self._follow()

    @property
    def _looks_at_starts(self) -> bool:
        """Whether starts are looked at while the first matches are planned: not if those need results anyway."""
        definition = self._definition
        with self._blaming():
            return not isinstance(definition.schedule, Follows) and not definition.schedule.sees(
                definition.field, definition.schedule_settings, FIRST_LOOKS[-1]
            )

    def _keep_quotas(self) -> None:
        """Pause entries over their budget of the day and end such pauses, except in a replay or a final."""
        stored, final = self._stored, self._definition.field.final
        if stored.roster.replays is not None or not self._definition.file.quota.limits_use:
            return
        if final is None and self._changes_at(self.planned) == self.planned:
            self.notices += self._quotas.decide(
                self._definition.file.quota, stored, self.planned, in_rounds=not self._changes_any_time()
            )
        elif final is not None and final.from_match == self.planned:
            self._quotas.end_pauses(stored, self.planned)
        self._follow()

    def _within_quotas(self, pairings: Sequence[Pairing]) -> Sequence[Pairing]:
        """Return the first pairings, as many as all their entries may play today.

        Where the field changes only between rounds, these are the rest of the round: `_keep_quotas` has seen to that.
        """
        definition = self._definition
        limits = definition.file.quota.limits_use and self._stored.roster.replays is None
        if not limits or definition.field.final is not None:
            return pairings
        if not self._changes_any_time():
            after = self._changes_at(self.planned + 1)
            return pairings if after is None else pairings[: after - self.planned]
        number, notices = self._quotas.fitting(
            pairings, definition.games_at, self.planned, self._stored.labels
        )
        self.notices += notices
        return pairings[:number]

    def _until_tomorrow(self, waits: str) -> str:
        """Return why nothing is planned, with the entries whose budget of the day is used up, if there are any."""
        roster = self._stored.roster
        out = sum(roster.is_out_for_the_day(entry) for entry in roster.paused)
        if not out or roster.replays is not None or self._changes_at(self.planned) is None:
            return waits
        spent = f"{out:,} {'has used up its quota' if out == 1 else 'have used up their quota'}"
        if len(self._definition.field.entries) < min(self._definition.field.seats):
            return f"no bot may play today ({spent}); back at 00:00 UTC"
        return f"{waits} ({spent}; back at 00:00 UTC)" if waits else f"{spent}; back at 00:00 UTC"

    def _changes_any_time(self) -> bool:
        """Return whether another field can play from every match on, and not only from rounds on."""
        return self._changes_at(self.planned + 1) == self.planned + 1

    def _changes_at(self, planned: int) -> int | None:
        """Return the first match from which another field can play after so many; None if there is none."""
        definition = self._definition
        if not isinstance(definition.schedule, Open):
            return None
        with self._blaming():
            return definition.schedule.changes_at(definition.field, definition.schedule_settings, planned)

    def _room(self, pairings: Sequence[Pairing]) -> int | None:
        """Return how many matches may be planned before the next event or look at starts; None: any number."""
        ends = [self._stored.next_event(self.planned), self._stored.roster.replays]
        look = next((look for look in FIRST_LOOKS if look > self.planned), None)
        if self._looks_at_starts and look is not None:
            if self._definition.common_deals:  # no look divides a round
                rounds = [one.round_no for one in pairings[look - self.planned - 1 :]]
                look += sum(round_no == rounds[0] for round_no in rounds[1:])
            ends.append(look)
        return min((end - self.planned for end in ends if end is not None), default=None)

    def _made(self, sees: int) -> tuple[Pairing, ...] | None:
        """Return the schedule's pairings after that many results. Raises Abandoned if the run is stopped."""
        definition, summary = self._definition, self._summary.seeing(sees)
        self._stop.abandonable = True
        try:
            with self._blaming():
                if isinstance(definition.schedule, Open) and self._may_rest:
                    self.waits = definition.schedule.rests(
                        definition.field, definition.schedule_settings, summary
                    )
                    if self.waits:
                        return ()
                pairings = definition.schedule.next_matches(
                    definition.field, definition.schedule_settings, summary
                )
                return self._whole_rounds(pairings, summary) if definition.common_deals else pairings
        finally:
            self._stop.abandonable = False

    def _whole_rounds(
        self, pairings: tuple[Pairing, ...] | None, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return pairings up to the end of a round, but for rounds of more than `MOST_AT_ONCE` tables."""
        definition, found = self._definition, list(pairings or ())
        while found and found[0].round_no == found[-1].round_no and len(found) < MOST_AT_ONCE:
            then = replace(summary, planned=summary.planned + len(found))
            more = definition.schedule.next_matches(definition.field, definition.schedule_settings, then)
            if not more:
                return tuple(found)
            found += more
        whole = [one for one in found if one.round_no != found[-1].round_no]
        return tuple(whole or found) or None

    def _check(self, pairings: Sequence[Pairing]) -> None:
        """Raise PluginFailed unless a schedule's matches can be played."""
        if not isinstance(pairings, tuple | list) or not pairings:
            raise self._failed(
                f"`next_matches` returned {pairings!r} at match {self.planned}: it must return at least one match, or "
                "None if the league is complete"
            )
        size = self._definition.partners.team_size
        entries = set(self._definition.field.entries)
        sizes = sorted(seats // size for seats in self._definition.rulesets)
        for match_no, pairing in enumerate(pairings, self.planned):
            if not isinstance(pairing, Pairing):
                raise self._failed(f"`next_matches` returned {pairing!r} as match {match_no}, not a Pairing")
            seated = pairing.entries
            if unknown := sorted(set(seated) - entries):
                raise self._failed(f"match {match_no} has entries that the league doesn't have: {unknown}")
            if len(set(seated)) < len(seated):
                raise self._failed(f"match {match_no} has an entry twice: {list(seated)}")
            if len(seated) not in sizes:
                raise self._failed(f"match {match_no} has {len(seated)} entries; its table sizes are {sizes}")

    @property
    def _may_rest(self) -> bool:
        """Whether the schedule may wait for a change of the field: not in a final, nor in a replay, which has all."""
        definition = self._definition
        return definition.standing and definition.field.final is None and self._stored.roster.replays is None

    def _total_of(self, definition: Definition) -> int | None:
        return definition.schedule.total(definition.field, definition.schedule_settings)

    def _blaming(self) -> AbstractContextManager[None]:
        return blaming("schedule", self._definition.schedule.name, self._definition.schedule)

    def _failed(self, why: str) -> PluginFailed:
        return plugin_failed("schedule", self._definition.schedule.name, self._definition.schedule, why)


def _why_too_few(definition: Definition) -> str:
    """Return why a league has to wait for entries, as unrated games gain an endless one nothing; empty if not."""
    field = definition.field
    playing, needed = len(field.entries), min(field.seats)
    if not isinstance(definition.schedule, Open):
        return ""
    if playing < needed:
        return f"{playing or 'no'} bot{'s' * (playing > 1)} can play, and a table needs {needed}"
    authors = len({field.authors.get(entry, entry) for entry in field.entries})
    if definition.endless and authors < needed:
        return (
            f"its bots that play are by {counted(authors, 'author')}, and a table needs "
            f"{needed}, as bots of one author are kept apart"
        )
    return ""
