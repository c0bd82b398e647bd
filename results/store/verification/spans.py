"""Checks games a few matches at a time, in this process or in several."""

import signal
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from results.errors import LedgerError, StoreFailed
from results.store.database import Database
from results.store.league_rows import LeagueFacts
from results.store.verification.games import CheckBody, Checked, Span, check_span
from results.store.verification.rows import reading_anything
from results.verification_findings import Finding

if TYPE_CHECKING:
    from concurrent.futures import Future

MATCHES = 16
"""Matches per span: some seconds of work if every game is replayed by the rules."""

_AHEAD = 4
"""Spans to hand out in advance, per process."""


def spans_of(connection: Connection, league: LeagueFacts, first: int, sample: int | None) -> Iterator[Span]:
    """Return the spans of a league's matches from `first` to the last existing or expected one.

    `sample`: about how many games to replay by the rules; None: all.
    """
    ((end, games),) = connection.exec_driver_sql(
        "SELECT max(coalesce((SELECT max(match_no) + 1 FROM match WHERE league_id = :league), 0), "
        "coalesce((SELECT rows FROM row_count WHERE league_id = :league AND table_name = 'match'), 0)), "
        "(SELECT count(*) FROM game WHERE league_id = :league AND match_no >= :first)",
        {"league": league.number, "first": first},
    )
    of_span: dict[int, int] = dict(
        connection.exec_driver_sql(
            "SELECT (match_no - :first) / :size, count(*) FROM game "
            "WHERE league_id = :league AND match_no >= :first GROUP BY 1",
            {"league": league.number, "first": first, "size": MATCHES},
        ).all()
    )
    every = max(1, games // sample) if sample else 1
    before = 0
    for number, start in enumerate(range(first, end, MATCHES)):
        stop = min(start + MATCHES, end)
        of_league = (league.number, league.name, league.keep_replays)
        yield Span(*of_league, start, stop, of_span.get(number, 0), before, every)
        before += of_span.get(number, 0)


def check_spans(
    database: Database, spans: Sequence[Span], check_body: CheckBody | None, jobs: int
) -> Iterator[tuple[Span, Checked]]:
    """Check spans, in `jobs` processes if that is more than 1; yields each with its result, in any order.

    With several processes, `check_body` must be a module-level function. Raises StoreFailed if a process ends
    early.
    """
    if jobs == 1 or len(spans) < 2:
        for span in spans:
            yield span, _checked(database, span, check_body)
        return
    # Imported here because every command loads this module and few need these.
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    waiting = iter(spans)
    running: dict[Future[Checked], Span] = {}
    executor = ProcessPoolExecutor(
        min(jobs, len(spans)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(database.path,),
    )
    try:
        while True:
            free = _AHEAD * jobs - len(running)
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


def _checked(database: Database, span: Span, check_body: CheckBody | None) -> Checked:
    """Check a span in one transaction; anything unreadable becomes a finding."""
    try:
        with database.reading() as connection, reading_anything(connection):
            return check_span(database, connection, span, check_body)
    except LedgerError:
        raise
    except Exception as error:  # noqa: BLE001  # damaged values can be anything
        text = f"matches {span.start} to {span.stop - 1} can't be checked ({type(error).__name__}: {error})"
        return Checked(findings=[Finding("row", span.name, None, None, text)])


_opened: list[Database] = []
"""The store of a checking process."""


def _begin(path: Path) -> None:
    from results.store import open_store  # here, because the store imports this module

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    _opened.append(open_store(path, readonly=True).database)


def _check(span: Span, check_body: CheckBody | None) -> Checked:
    return _checked(_opened[0], span, check_body)
