"""Ranks entries by the rules of their league's format, as opposed to their ratings."""

from dataclasses import replace

from arena.league.definition.entry_labels import with_labels
from arena.league.definition.stored import definition_of
from arena.league.stopping.judge import finished
from arena.schedules.base import Placed, Placing
from results.records import LeagueRecord
from results.store import Store


def format_ranking(store: Store, league: LeagueRecord) -> tuple[Placing, ...]:
    """Return every entry of a league, best first by its format; nothing if the format has no ranking of its own.

    Counts the matches before the first unfinished one. Notes name entries by label. Raises UsageError if the rules of
    the game have changed since.
    """
    if league.ruleset is None:
        return ()
    definition = definition_of(store, league)
    if not isinstance(definition.schedule, Placed):
        return ()
    results = finished(store, league.uuid, 0, store.leagues.progress(league.uuid).matches_counted)
    labels = definition.field.labels
    return tuple(
        replace(placed, note=with_labels(placed.note, labels))
        for placed in definition.schedule.placing(definition.field, definition.schedule_settings, results)
    )
