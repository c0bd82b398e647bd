"""Plans a league's matches in the ledger. The schedule sees a fixed number of results for each."""

from arena.executors.base import Abandoned, Stop
from arena.league.definition.define import Definition
from arena.league.definition.entry_labels import with_labels
from arena.league.running.summary import RunningSummary
from arena.league.running.tickets import starting_circle
from arena.league.stopping.judge import Judge
from arena.registry import blaming
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
        self._summary = RunningSummary(
            store,
            league,
            tally=definition.schedule.tally(definition.field, definition.schedule_settings),
            games_of=definition.games_of,
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
        sees = definition.schedule.sees(definition.field, definition.schedule_settings, planned)
        if not 0 <= sees <= planned:
            raise AssertionError(f"{definition.schedule.name} wants {sees} results before match {planned}")
        if not self._summary.has(sees):
            return ()
        try:
            pairings = self._made(sees)
        except Abandoned:
            return ()
        if pairings is not None and not pairings:
            raise AssertionError(f"{definition.schedule.name} gives no match {planned} and is not complete")
        if pairings is None:
            return None
        return tuple(self._judge.within(pairings, planned, self._games, definition.games_of)) or None

    def _made(self, sees: int) -> tuple[Pairing, ...] | None:
        """Return the schedule's pairings after that many results. Raises Abandoned if the run is stopped."""
        definition, summary = self._definition, self._summary.seeing(sees)
        self._stop.abandonable = True
        try:
            with blaming("schedule", definition.schedule.name, definition.schedule):
                return definition.schedule.next_matches(
                    definition.field, definition.schedule_settings, summary
                )
        finally:
            self._stop.abandonable = False
