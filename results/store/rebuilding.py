"""Recomputes the derived tables from the ledger."""

from contextlib import ExitStack

from sqlalchemy import delete, select

from results.errors import FoldFailed
from results.store.database import Database
from results.store.folding import Report, fold_forward, refold
from results.store.league_rows import all_league_facts, some_league_facts
from results.store.lost_rows import refuse_missing, refuse_missing_games, refuse_missing_of_store
from results.store.tables import DERIVED, TABLES

_league = TABLES["league"]


def rebuild(database: Database, league: str | None = None, progress: Report | None = None) -> None:
    """Implement `Store.rebuild`."""
    with database.reading() as session:
        leagues = some_league_facts(session.connection(), league)
    failed: list[str] = []
    with ExitStack() as held:
        for facts in leagues:
            held.enter_context(database.lock_of(facts.uuid, facts.name))
        with database.changing() as connection:
            if league is None:
                refuse_missing_of_store(connection)
            for facts in leagues:
                refuse_missing(connection, facts.number, facts.name, ("entry", "match", "league_event"))
                refuse_missing_games(connection, facts.number, facts.name)
            if league is None:
                connection.exec_driver_sql("REINDEX")
                for name in (*DERIVED, "progress"):
                    table = TABLES[name]
                    connection.execute(delete(table).where(table.c.league_id.not_in(select(_league.c.id))))
            for facts in leagues:
                try:
                    with connection.begin_nested():
                        refold(connection, facts, progress)
                except FoldFailed as error:
                    failed.append(str(error))
    if failed:
        others = "" if len(leagues) == len(failed) else "all other leagues are rebuilt; "
        raise FoldFailed(
            "; ".join(failed), f"{others}install or fix its package and rebuild again; nothing stored is lost"
        )


def catch_up(database: Database) -> None:
    """Fold everything that is in the ledger but not yet in the derived tables, after an upgrade of the store.

    If a rating system fails, `rebuild` reports it later.
    """
    with database.changing() as connection:
        for facts in all_league_facts(connection):
            fold_forward(connection, facts)
