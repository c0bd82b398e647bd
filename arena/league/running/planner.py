"""Plans a league's matches in the ledger. The schedule sees a fixed number of results for each."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from arena.executors.base import Abandoned, Stop
from arena.league.definition.define import Definition
from arena.league.definition.entry_labels import with_labels
from arena.league.running.summary import RunningSummary
from arena.league.running.tickets import starting_circle
from arena.league.stopping.judge import Judge
from arena.registry import PluginFailed, blaming, plugin_failed
from arena.schedules.base import Pairing
from results.records import LeagueRecord, MatchRecord
from results.store import Store


class Planner:
    """Asks the schedule for matches once the results it needs are in, and writes them to the ledger.

    The plan depends only on results without gaps, so neither the number of workers nor interruptions change it.
    """

    def __init__(
        self,
        store: Store,
        league: LeagueRecord,
        definition: Definition,
        secret: bytes,
        judge: Judge | None = None,
        stop: Stop | None = None,
    ) -> None:
        """Read the league's current state.

        `secret` shuffles the starting circles. `judge` has the rules that end the league early. `stop` can interrupt
        a schedule that takes long.
        """
        self._stop = stop or Stop()
        self._store = store
        self._league = league
        self._definition = definition
        self._secret = secret
        self._judge = judge or Judge(store, league.uuid)
        self._games = store.leagues.progress(league.uuid).games_planned
        self.notices: list[str] = []
        """What the organiser should know of the schedule, a line each."""
        with self._blaming():
            tally = definition.schedule.tally(definition.field, definition.schedule_settings)
            self._total = definition.schedule.total(definition.field, definition.schedule_settings)
        self._summary = RunningSummary(
            store, league, tally=tally, games_of=definition.games_of, blamed=self._blaming
        )
        self._labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}

    @property
    def planned(self) -> int:
        """The number of planned matches."""
        return self._summary.planned

    def next_matches(self) -> list[MatchRecord]:
        """Plan the next matches and return them; none while results are missing or if all matches are planned."""
        pairings = self._pairings() or ()
        matches = [
            MatchRecord(
                league=self._league.uuid,
                match_no=match_no,
                round_no=pairing.round_no,
                entries=starting_circle(self._secret, match_no, sorted(pairing.entries)),
                games=self._definition.games_of(len(pairing.entries)),
                why=with_labels(pairing.why, self._labels),
            )
            for match_no, pairing in enumerate(pairings, self.planned)
        ]
        if matches:
            self._store.matches.plan(self._league.uuid, matches)
            self._summary.add(matches)
            self._games += sum(match.games for match in matches)
            self._compare_with_total()
        return matches

    def is_complete(self) -> bool:
        """Return whether all matches are planned; False as long as that is unknown."""
        return self._pairings() is None

    def _pairings(self) -> tuple[Pairing, ...] | None:
        """Return the next pairings: an empty tuple while results are missing, None if the league is complete."""
        if not self._judge.is_ready(self.planned):
            return ()
        if self._judge.ended_by is not None:
            return None
        definition, planned = self._definition, self.planned
        with self._blaming():
            sees = definition.schedule.sees(definition.field, definition.schedule_settings, planned)
        if not isinstance(sees, int) or not 0 <= sees <= planned:
            raise self._failed(
                f"`sees` returned {sees!r} for {planned} planned matches: it must be 0 to {planned}"
            )
        if not self._summary.has(sees):
            return ()
        try:
            pairings = self._made(sees)
        except Abandoned:
            return ()
        if pairings is None:
            return None
        self._check(pairings)
        return tuple(self._judge.within(pairings, planned, self._games, definition.games_of)) or None

    def _made(self, sees: int) -> tuple[Pairing, ...] | None:
        """Return the schedule's pairings after that many results. Raises Abandoned if the run is stopped."""
        definition, summary = self._definition, self._summary.seeing(sees)
        self._stop.abandonable = True
        try:
            with self._blaming():
                return definition.schedule.next_matches(
                    definition.field, definition.schedule_settings, summary
                )
        finally:
            self._stop.abandonable = False

    def _check(self, pairings: Sequence[Pairing]) -> None:
        """Raise PluginFailed unless a schedule's matches can be played."""
        if not isinstance(pairings, tuple | list) or not pairings:
            raise self._failed(
                f"`next_matches` returned {pairings!r} at match {self.planned}: it must return at least one match, or "
                "None if the league is complete"
            )
        entries, sizes = set(self._definition.field.entries), sorted(self._definition.rulesets)
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

    def _compare_with_total(self) -> None:
        """Notice, once, that the schedule makes more matches than it said."""
        if self._total is not None and self.planned > self._total:
            name = self._definition.schedule.name
            self.notices.append(
                f"the schedule {name!r} said that it has {self._total} matches in total, and makes more: its `total` "
                "is wrong"
            )
            self._total = None

    def _blaming(self) -> AbstractContextManager[None]:
        return blaming("schedule", self._definition.schedule.name, self._definition.schedule)

    def _failed(self, why: str) -> PluginFailed:
        return plugin_failed("schedule", self._definition.schedule.name, self._definition.schedule, why)
