"""Recomputes the derived tables from the ledger."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from sqlalchemy import delete, select

from results.errors import FoldFailed, FoldProblem
from results.store.database import Database
from results.store.folding import Report, fold_forward, refold
from results.store.league_rows import all_league_facts, some_league_facts
from results.store.lost_rows import refuse_missing, refuse_missing_games, refuse_missing_of_store
from results.store.tables import DERIVED, TABLES

_league = TABLES["league"]

_MOST_NAMED = 5


def rebuild(database: Database, league: str | None = None, progress: Report | None = None) -> None:
    """Implement `Store.rebuild`."""
    with database.reading() as connection:
        leagues = some_league_facts(connection, league)
    failed: list[FoldProblem] = []
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
                    failed += error.problems
    if failed:
        others = "" if len(leagues) == len(failed) else "all other leagues are rebuilt; "
        raise FoldFailed(
            failed,
            "; ".join(_reasons(failed)),
            f"{others}install or fix its package and rebuild again; nothing stored is lost",
        )


def _reasons(failed: Sequence[FoldProblem]) -> Iterator[str]:
    """Yield why leagues were not rebuilt, each reason once."""
    alike: dict[tuple[str, str], list[FoldProblem]] = {}
    for problem in failed:
        alike.setdefault((problem.missing, problem.reason), []).append(problem)
    for (missing, reason), of_reason in alike.items():
        if len(of_reason) == 1:
            yield str(of_reason[0])
            continue
        more = f" and {len(of_reason) - _MOST_NAMED} more" if len(of_reason) > _MOST_NAMED else ""
        listed = ", ".join(
            repr(one.league) + ("" if one.match_no is None else f" (match {one.match_no})")
            for one in of_reason[:_MOST_NAMED]
        )
        yield f"leagues {listed}{more}{' are ' if missing else ': '}{reason}"


def catch_up(database: Database) -> None:
    """Fold everything that is in the ledger but not yet in the derived tables, after an upgrade of the store.

    If a rating system fails, `rebuild` reports it later.
    """
    with database.changing() as connection:
        for facts in all_league_facts(connection):
            fold_forward(connection, facts)
