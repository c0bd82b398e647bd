"""Gives entries that replace others their ratings, once all matches before their first have results."""

from arena.league.definition.stored import StoredDefinition
from arena.league.running.summary import RunningSummary
from results.ratings.succession import taken_over
from results.records import LeagueRecord
from results.roster import REPLACED
from results.store import Store


class Succession:
    """The entries of one league that replace others."""

    def __init__(self, store: Store, league: LeagueRecord) -> None:
        """Begin with none."""
        self._store = store
        self._league = league
        self._rated: set[int] = set()
        """The entries that have been given their ratings."""

    def is_settled(self, stored: StoredDefinition, planned: int, summary: RunningSummary) -> bool:
        """Give every entry that replaces another from match `planned` or earlier its rating.

        Returns False while results for that are missing. `summary` then has the new ratings, too.
        """
        heirs = [
            (event.at_match_no, event.data["entry"], event.data["predecessor"])
            for event in stored.events
            if event.kind == REPLACED
            and event.at_match_no <= planned
            and event.data["entry"] not in self._rated
        ]
        if not heirs or not self._league.rated:
            return True
        if not summary.has(planned):
            return False
        start, widen = self._league.scale.start, self._league.config["rating"]["widen"]
        for at, heir, predecessor in heirs:
            if not self._store.entries.has_prior(self._league.uuid, heir):
                rating = self._store.ratings.after(self._league.uuid, at - 1)[predecessor]
                self._store.entries.set_prior(self._league.uuid, heir, taken_over(rating, widen, start))
            self._rated.add(heir)
        summary.forget_ratings()
        stored.forget()
        return True
