"""Looking a store over, and mending what is derived."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from sqlalchemy import Connection, delete, select

from results.findings import Finding, Mend
from results.store.database import Database
from results.store.folding import Report, fold_forward, refold
from results.store.missing import refuse_missing, refuse_missing_games, refuse_missing_of_store
from results.store.rows import LeagueFacts, all_league_facts, league_facts
from results.store.tables import DERIVED, TABLES
from results.store.verification.derived import check_derived
from results.store.verification.games import CheckBody, Span
from results.store.verification.rows import (
    SEALED,
    SEALED_BY_LEAGUE,
    check_counts,
    check_file,
    check_league,
    check_references,
    check_rows,
    check_strays,
    reading_anything,
)
from results.store.verification.spans import check_spans, spans_of

_league = TABLES["league"]

Tell = Callable[[str, int, int], None]
"""Told what is being checked (`file`, `ratings`, `versions`, `games`), and how many of how many are done."""

CheckFiles = Callable[[str, int], str | None]
"""Looks at the files of the version with this content hash of this scheme; returns what is wrong, or None."""


class Verification(Database):
    """The part of a store that checks and mends what is derived."""

    def rebuild(self, league: str | None = None, progress: Report | None = None) -> None:
        """Drop the derived tables of one league, or of all, and fold the ledger again, in one transaction.

        Of all: the indexes are made anew too, and derived rows of leagues that are not there are dropped.
        `progress` is told (matches folded, matches to fold). Raises StoreBusy while a process runs one of
        the leagues, StoreDamaged where rows of the ledger have been lost, and FoldFailed where a rating system
        fails; then nothing has changed.
        """
        with self.reading() as session:
            leagues = _leagues(session.connection(), league)
        with ExitStack() as held:
            for facts in leagues:
                held.enter_context(self.lock_of(facts.uuid, facts.name))
            with self.changing() as connection:
                if league is None:
                    refuse_missing_of_store(connection)
                for facts in leagues:
                    refuse_missing(connection, facts.number, facts.name, ("entry", "match", "league_event"))
                    refuse_missing_games(connection, facts.number, facts.name)
                if league is None:
                    connection.exec_driver_sql("REINDEX")
                    for name in (*DERIVED, "progress"):
                        table = TABLES[name]
                        connection.execute(
                            delete(table).where(table.c.league_id.not_in(select(_league.c.id)))
                        )
                for facts in leagues:
                    refold(connection, facts, progress)

    def catch_up(self) -> None:
        """Fold what is in the ledger and not yet in the derived tables, after a step to a newer form of the store.

        A rating system that fails is left for `rebuild` to tell.
        """
        with self.changing() as connection:
            for facts in all_league_facts(connection):
                fold_forward(connection, facts)

    def verify(
        self,
        league: str | None = None,
        *,
        tell: Tell | None = None,
        check_body: CheckBody | None = None,
        check_files: CheckFiles | None = None,
        sample: int | None = None,
        since: int | str | None = None,
        jobs: int = 1,
    ) -> list[Finding]:
        """Check one league, or all and the file itself; return what is wrong, nothing if all is well.

        Every row is held against its checksum, every table against the number of rows written. Every derived
        table is computed beside and compared bit for bit; every kept replay's fingerprint is computed again and
        its result compared with the seats. `check_body` is called with replay bodies: all, or a `sample` of
        about that many per league, evenly spread. `check_files` is called for every version.

        `since`: matches, games, replays and logs before are passed over: before this number of match, or before
        the first match with a game that ended at or after this time (UTC, ISO 8601 without its offset). All
        else is checked whole.
        `jobs`: processes that check games; with more than one, `check_body` has to be a function of a module.

        Changes nothing. Raises StoreFailed where a process ends before its work.
        """
        findings: list[Finding] = []
        say = tell or _tell_nobody
        with self.reading() as session:
            connection = session.connection()
            with reading_anything(connection):
                leagues = _leagues(connection, league)
                say("file", 0, 1)
                findings += _check_rows(connection, leagues, whole=league is None)
                say("file", 1, 1)
                spans = [span for facts in leagues for span in _spans(connection, facts, since, sample)]
                for facts in leagues:
                    findings += check_derived(connection, facts, partial(say, "ratings"))
                if check_files and league is None:
                    findings += _check_versions(connection, check_files, say)
        without_rules: Counter[tuple[str, str]] = Counter()
        done, games = 0, sum(span.games for span in spans)
        say("games", 0, games)
        for span, checked in check_spans(self, spans, check_body, jobs):
            findings += checked.findings
            for reason, count in checked.without_rules.items():
                without_rules[span.name, reason] += count
            done += checked.games
            say("games", done, games)
        for (name, reason), count in without_rules.items():
            text = f"{count} games were not played through the rules: {reason}"
            findings.append(Finding("rules", name, None, None, text, Mend.NONE))
        return sorted(findings, key=_in_order)


def _tell_nobody(_what: str, _done: int, _of: int) -> None:
    """Tell nobody."""


def _in_order(finding: Finding) -> tuple[Any, ...]:
    """Sort by place, and last what `db rebuild` mends, which goes by all else in the store."""
    at = (-1 if finding.match_no is None else finding.match_no, finding.rotation or 0)
    return finding.mend is Mend.REBUILD, finding.league or "", at


def _leagues(connection: Connection, name: str | None) -> list[LeagueFacts]:
    return all_league_facts(connection) if name is None else [league_facts(connection, name)]


def _check_rows(connection: Connection, leagues: Sequence[LeagueFacts], *, whole: bool) -> Iterator[Finding]:
    """Check all but games and what is derived; `whole`: the tables of the whole store and the file too."""
    names = {facts.number: facts.name for facts in leagues}
    if whole:
        yield from check_file(connection)
        yield from check_references(connection, names)
        for table in SEALED:
            yield from check_rows(connection, table, names)
        yield from check_strays(connection)
    for table in SEALED_BY_LEAGUE:
        yield from check_rows(connection, table, names)
    yield from check_counts(connection, names, whole=whole)
    for number, name in names.items():
        yield from check_league(connection, number, name)


def _spans(
    connection: Connection, league: LeagueFacts, since: int | str | None, sample: int | None
) -> Iterator[Span]:
    first = since if isinstance(since, int) else 0
    if isinstance(since, str):
        # Both ways of writing UTC are in use, and agree as far as the seconds.
        found = connection.exec_driver_sql(
            "SELECT min(match_no) FROM game WHERE league_id = ? AND substr(finished_at, 1, 19) >= ?",
            (league.number, since[:19]),
        ).scalar()
        if found is None:
            return iter(())
        first = found
    return spans_of(connection, league, first, sample)


def _check_versions(connection: Connection, check_files: CheckFiles, tell: Tell) -> Iterator[Finding]:
    versions = connection.exec_driver_sql(
        "SELECT author.name, bot.name, version.number, version.sha256, version.hash_scheme FROM version "
        "LEFT JOIN bot ON bot.id = version.bot_id LEFT JOIN author ON author.id = bot.author_id "
        "ORDER BY version.id"
    ).all()
    for done, (author, bot, number, sha256, scheme) in enumerate(versions, 1):
        if wrong := check_files(sha256, scheme):
            text = f"version {author}/{bot}@{number}: {wrong}"
            yield Finding("version", None, None, None, text, Mend.RESUBMIT)
        tell("versions", done, len(versions))
