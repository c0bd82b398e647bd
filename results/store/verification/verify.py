"""Verifies a store."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from results.base.children import uninterrupted_start
from results.base.errors import LedgerError, StoreFailed
from results.records.query_rows import Finding, Mend
from results.store.beside_store import VERIFIED_FILE, Cache
from results.store.database import Database, Row, rows, value
from results.store.league_rows import all_leagues
from results.store.schema.all_tables import refuse_other_tables
from results.store.sqlite_file import Connection
from results.store.verification.database_file import (
    SEALED,
    SEALED_BY_LEAGUE,
    check_counts,
    check_file,
    check_league,
    check_references,
    check_rows,
    check_segments,
    check_strays,
    reading_anything,
)
from results.store.verification.derived import check_derived, of_several
from results.store.verification.games import DIGEST_BYTES, CheckBody, Checked, Span, Verified, check_span

if TYPE_CHECKING:
    from concurrent.futures import Future

    from results.store import Store


MATCHES = 16
"""Matches per span: some seconds of work if every game is replayed by the rules."""

_AHEAD = 4
"""Spans to hand out in advance, per process."""


def spans_of(connection: Connection, league: Row, first: int) -> Iterator[Span]:
    """Yield the spans of a league's matches to check, from match `first` on."""
    end = value(
        connection,
        "SELECT max(coalesce((SELECT max(match_no) + 1 FROM match WHERE league_id = :league), 0), "
        "coalesce((SELECT rows FROM row_count WHERE league_id = :league AND table_name = 'match'), 0))",
        league=league.id,
    )
    of_span: dict[int, int] = dict(
        rows(
            connection,
            "SELECT (match_no - :first) / :size, count(*) FROM game "
            "WHERE league_id = :league AND match_no >= :first GROUP BY 1",
            league=league.id,
            first=first,
            size=MATCHES,
        )
    )
    for number, start in enumerate(range(first, end, MATCHES)):
        stop = min(start + MATCHES, end)
        yield Span(league.id, league.name, league.keep_replays, start, stop, of_span.get(number, 0))


def check_spans(
    database: Database,
    spans: Sequence[Span],
    check_body: CheckBody | None,
    jobs: int,
    verified: Verified | None = None,
) -> Iterator[tuple[Span, Checked]]:
    """Check spans, in `jobs` processes if that is more than 1; yields each with its result, in any order.

    With several processes, `check_body` must be a module-level function. Raises StoreFailed if a process ends
    early.
    """
    if jobs == 1 or len(spans) < 2:
        for span in spans:
            yield span, _checked(database, span, check_body, verified)
        return
    # Imported here because every command loads this module and few need these.
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context, resource_tracker

    waiting = iter(spans)
    running: dict[Future[Checked], Span] = {}
    executor = ProcessPoolExecutor(
        min(jobs, len(spans)),
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(database.path, verified),
    )
    try:
        while True:
            free = _AHEAD * jobs - len(running)
            with uninterrupted_start(resource_tracker, {signal.SIGINT}):  # the parent handles Ctrl-C
                running |= {executor.submit(_check, span, check_body): span for span in islice(waiting, free)}
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    except BrokenProcessPool as error:
        raise StoreFailed(
            "a process that checked games was ended from outside, perhaps for lack of memory",
            "verify with fewer --jobs",
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def _checked(
    database: Database, span: Span, check_body: CheckBody | None, verified: Verified | None
) -> Checked:
    """Check a span in one transaction; anything unreadable becomes a finding."""
    try:
        with database.reading() as connection, reading_anything(connection):
            return check_span(database, connection, span, check_body, verified)
    except LedgerError:
        raise
    except Exception as error:  # noqa: BLE001  # damaged values can be anything
        text = f"matches {span.start} to {span.stop - 1} can't be checked ({type(error).__name__}: {error})"
        return Checked(findings=[Finding("row", span.name, None, None, text)])


_opened: list[tuple[Database, Verified | None]] = []
"""The store of a checking process, and what was verified before."""


def _begin(path: Path, verified: Verified | None) -> None:
    from results.store import open_store  # here, because the store imports this module

    _opened.append((open_store(path, readonly=True), verified))


def _check(span: Span, check_body: CheckBody | None) -> Checked:
    database, verified = _opened[0]
    return _checked(database, span, check_body, verified)


MOST_VERIFIED = 2_000_000


def read_verified(cache: Cache, key: bytes) -> Verified:
    """Return the games that were verified before; `key` differs for other rules."""
    kept = cache.read(VERIFIED_FILE) or b""
    digests = [kept[at : at + DIGEST_BYTES] for at in range(0, len(kept), DIGEST_BYTES)]
    return Verified(key, frozenset(digests[:MOST_VERIFIED]))


Tell = Callable[[str, int, int], None]
"""Called with what is being checked (`file`, `segments`, `ratings`, `versions`, `games`), the number done, and the
total."""

CheckFiles = Callable[[str], str | None]
"""Checks the files of the version with this content hash; returns what is wrong, or None."""


def verify(
    store: "Store",
    *,
    tell: Tell = lambda _what, _done, _of: None,
    check_body: CheckBody | None = None,
    check_files: CheckFiles | None = None,
    check_source: CheckFiles | None = None,
    since: int | str | None = None,
    jobs: int = 1,
    rules_key: bytes = b"",
    everything: bool = False,
) -> list[Finding]:
    """Check everything in a store; return the problems found.

    This compares every row with its checksum and every table with the number of rows written. It recomputes every
    derived table and compares all bits. It checks every kept replay's fingerprint, and its result against the seats.
    It calls `check_body` with replay bodies, `check_files` for every version, and `check_source` for what one was built
    from.

    `since`: skip matches, games, replays and logs before this match number, or before the first match with a game
    that ended at or after this time (UTC, ISO 8601 without its offset). Everything else is checked completely.
    `jobs`: number of processes that check games; with more than one, `check_body` must be a module-level function.

    `rules_key`, which differs for other rules: remember in the store's cache which games `check_body` found right, and
    don't call it again for them unless `everything` is to be checked.

    Changes nothing in the store. Raises StoreFailed if a process ends early.
    """
    findings: list[Finding] = []
    with store.reading() as connection:
        refuse_other_tables(connection, store.path)
    with store.reading() as connection, reading_anything(connection):
        leagues = all_leagues(connection)
        tell("file", 0, 1)
        findings += _check_rows(connection, leagues)
        tell("file", 1, 1)
        spans = [span for each in leagues for span in _spans(connection, each, since)]
        findings += check_segments(store, connection, spans, partial(tell, "segments"))
        derived = (check_derived(connection, each, partial(tell, "ratings")) for each in leagues)
        findings += of_several(chain.from_iterable(derived))
        if check_files:
            findings += _check_versions(connection, check_files, tell)
        if check_source:
            findings += _check_sources(connection, check_source)
    without_rules: Counter[tuple[str, str]] = Counter()
    done, games = 0, sum(span.games for span in spans)
    tell("games", 0, games)
    verified = read_verified(store.cache, rules_key) if rules_key else None
    before = Verified(rules_key) if everything and verified else verified
    digests: set[bytes] = set()
    for span, checked in check_spans(store, spans, check_body, jobs, before):
        findings += checked.findings
        digests.update(checked.verified)
        for reason, count in checked.without_rules.items():
            without_rules[span.name, reason] += count
        done += checked.games
        tell("games", done, games)
    if verified:
        kept = digests if since is None else digests | verified.digests
        if kept != verified.digests:
            store.cache.write(VERIFIED_FILE, b"".join(sorted(kept)[:MOST_VERIFIED]))
    for (name, reason), count in without_rules.items():
        games_were = "game was" if count == 1 else "games were"
        text = f"{count} {games_were} not played through the rules: {reason}"
        findings.append(Finding("rules", name, None, None, text, Mend.NONE))
    return sorted(findings, key=_in_order)


def _in_order(finding: Finding) -> tuple[Any, ...]:
    """Sort by place, with problems that `db rebuild` fixes last, because it relies on the rest of the store."""
    at = (-1 if finding.match_no is None else finding.match_no, finding.rotation or 0)
    return (
        finding.mend is Mend.REBUILD,
        finding.mend in (Mend.INSTALL, Mend.FIX, Mend.AWAY),
        finding.league or "",
        at,
    )


def _check_rows(connection: Connection, leagues: Sequence[Row]) -> Iterator[Finding]:
    """Check everything but games and derived tables."""
    names = {each.id: each.name for each in leagues}
    yield from check_file(connection)
    yield from check_references(connection, names)
    for table in SEALED:
        yield from check_rows(connection, table, names)
    yield from check_strays(connection)
    for table in SEALED_BY_LEAGUE:
        yield from check_rows(connection, table, names)
    yield from check_counts(connection, names)
    for number, name in names.items():
        yield from check_league(connection, number, name)


def _spans(connection: Connection, league: Row, since: int | str | None) -> Iterator[Span]:
    first = since if isinstance(since, int) else 0
    if isinstance(since, str):
        text = "SELECT min(match_no) FROM game WHERE league_id = :league AND substr(finished_at, 1, 19) >= :since"
        found = value(connection, text, league=league.id, since=since[:19])
        if found is None:
            return iter(())
        first = found
    return spans_of(connection, league, first)


def _check_versions(connection: Connection, check_files: CheckFiles, tell: Tell) -> Iterator[Finding]:
    versions = _versions(connection, "version.sha256")
    for done, (name, sha256) in enumerate(versions, 1):
        if wrong := check_files(sha256):
            yield Finding("version", None, None, None, f"version {name}: {wrong}", Mend.RESUBMIT)
        tell("versions", done, len(versions))


def _check_sources(connection: Connection, check_source: CheckFiles) -> Iterator[Finding]:
    """Check what versions were built from; damaged columns are found by their checksums."""
    for name, source in _versions(
        connection, "iif(json_valid(build), json_extract(build, '$.source'), NULL)"
    ):
        if isinstance(source, str) and (wrong := check_source(source)):
            yield Finding(
                "version", None, None, None, f"the source of version {name}: {wrong}", Mend.RESUBMIT
            )


def _versions(connection: Connection, column: str) -> list[tuple[str, Any]]:
    """Return the name and an expression of each version, also of those whose bot is lost."""
    text = (
        f"SELECT author.name, bot.name, version.number, {column} FROM version LEFT JOIN bot ON bot.id = bot_id "
        "LEFT JOIN author ON author.id = author_id ORDER BY version.id"
    )
    return [(f"{author}/{bot}@{number}", found) for author, bot, number, found in rows(connection, text)]
