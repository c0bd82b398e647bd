"""Faults: games that bots forfeited, and games that failed because of platform errors."""

from collections.abc import Iterator, Sequence, Set
from typing import Annotated

from protocol.verdicts import Verdict
from results.base.errors import MatchUnfinished
from results.records import LeagueRecord
from results.records.query_rows import Forfeit
from results.reports.columns import Column, ReportRow, row_from
from results.store import Store

LOG_LINES = 20
"""Number of final lines of a log that are shown with a fault."""


class FaultRow(ReportRow, frozen=True, kw_only=True):
    """A seat that was forfeited."""

    game: Annotated[str, Column(right=True, priority=0)]
    """Number of the match and rotation, `12.0`."""
    seat: Annotated[int, Column(priority=4)]
    bot: Annotated[str, Column(priority=0)]
    verdict: Annotated[str, Column(priority=2)]
    at_decision: Annotated[int | None, Column("decision", priority=5, drawn=lambda row: row.decision)]
    """The decision of the game at which it happened, from 0."""
    detail: Annotated[str, Column(wide=True, priority=3)]
    """The verdict with the figure and the limit; `HIDDEN` while the match is unfinished, if it quotes the bot."""
    ask: int | None
    """The id of the ask in which it happened; None if it wasn't in a decision, or isn't known."""
    reason: str | None
    """What led to the verdict, in one word; None if the verdict says it, if it isn't known, and where `detail` is
    hidden."""

    @property
    def decision(self) -> str:
        """The decision and the id of its ask, such as `42 (ask 20)`; empty if it wasn't in a decision."""
        if self.at_decision is None:
            return ""
        return f"{self.at_decision}" if self.ask is None else f"{self.at_decision} (ask {self.ask})"


class FaultGroup(FaultRow, frozen=True, kw_only=True):
    """All faults of a bot with the same verdict and reason, and the newest of them as their example."""

    faults: Annotated[int, Column(priority=1)]
    log: str
    """The end of the bot's log in the example; empty if it wrote nothing, or if the log is still hidden."""


class FaultWithLogRow(FaultRow, frozen=True, kw_only=True):
    """A seat that was forfeited, with the last output of its bot."""

    log: Annotated[str | None, Column(wide=True)]
    """The end of its log, empty if it wrote nothing; None while the match is unfinished and the log hidden."""


class LatestFaultRow(ReportRow, frozen=True, kw_only=True):
    """A seat that was forfeited lately."""

    match_no: int
    rotation: int
    bot: str
    verdict: str
    detail: str
    """`HIDDEN` while the match is unfinished, if it quotes the bot."""
    at: str
    """UTC, in the format of `clock.utc_text`."""
    is_over: bool
    """Whether all games of the match are in, so that this one can be watched."""


class FailedAttemptRow(ReportRow, frozen=True, kw_only=True):
    """A game that failed because of a platform error."""

    game: Annotated[str, Column(right=True, priority=0)]
    """Number of the match and rotation, `12.0`."""
    attempt: Annotated[int, Column(priority=5)]
    verdict: Annotated[str, Column(priority=1)]
    worker: Annotated[str, Column(priority=4)]
    at: Annotated[str, Column(priority=6)]
    """UTC, to the second: `2026-11-20 14:00:05`."""
    detail: Annotated[str, Column(wide=True, priority=2)]


def fault_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[FaultRow]:
    """Return the faults of all bots of a league, or of one entry."""
    return [row for _, row in _faults(store, league, entry_no)]


def fault_groups(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[FaultGroup]:
    """Return the faults of all bots of a league, or of one entry, by verdict and reason, the most frequent first."""
    groups: dict[tuple[str, str, str | None], list[tuple[Forfeit, FaultRow]]] = {}
    for fault, row in _faults(store, league, entry_no):
        groups.setdefault((row.bot, row.verdict, row.reason), []).append((fault, row))
    found = [
        row_from(row, FaultGroup, faults=len(group), log=_end_of_log(store, league, fault) or "")
        for group in groups.values()
        for fault, row in group[-1:]
    ]
    return sorted(found, key=lambda row: (-row.faults, row.bot, row.verdict))


def fault_with_log_rows(
    store: Store, league: LeagueRecord, entry_no: int | None = None
) -> list[FaultWithLogRow]:
    """Return the faults of all bots of a league, or of one entry, each with the end of the bot's log."""
    return [
        row_from(row, FaultWithLogRow, log=_end_of_log(store, league, fault))
        for fault, row in _faults(store, league, entry_no)
    ]


def _faults(store: Store, league: LeagueRecord, entry_no: int | None) -> Iterator[tuple[Forfeit, FaultRow]]:
    asks = store.replays.asks_at_fault(league.uuid, entry_no=entry_no)
    unfinished = store.matches.hidden(league.uuid)
    for fault in store.games.faults(league.uuid, entries=() if entry_no is None else (entry_no,)):
        detail = detail_of(fault, unfinished)
        yield (
            fault,
            row_from(
                fault,
                FaultRow,
                game=f"{fault.match_no}.{fault.rotation}",
                bot=fault.label,
                ask=asks.get((fault.match_no, fault.rotation, fault.seat)),
                detail=detail,
                reason=None if detail == HIDDEN else fault.reason,
            ),
        )


def latest_faults(
    store: Store, league: LeagueRecord, faults: Sequence[Forfeit], most: int
) -> list[LatestFaultRow]:
    """Return the latest of some faults of a league, the newest match first."""
    unfinished = store.matches.hidden(league.uuid)
    return [
        row_from(
            fault,
            LatestFaultRow,
            bot=fault.label,
            detail=detail_of(fault, unfinished),
            at=fault.finished_at,
            is_over=fault.match_no not in unfinished,
        )
        for fault in sorted(faults, key=lambda one: (one.match_no, one.rotation), reverse=True)[:most]
    ]


def latest_faults_of_league(store: Store, league: LeagueRecord, most: int) -> list[LatestFaultRow]:
    """Return the latest faults of all bots of a league, the newest match first, reading from the end."""
    planned = store.leagues.progress(league.uuid).matches_planned
    matches = 4 * most
    while True:
        found = store.games.faults(league.uuid, first=max(0, planned - matches))
        if len(found) >= most or matches >= planned:
            return latest_faults(store, league, found, most)
        matches *= 8


def failed_attempt_rows(store: Store, league: LeagueRecord) -> list[FailedAttemptRow]:
    """Return the games of a league that failed because of platform errors."""
    return [
        row_from(
            failed,
            FailedAttemptRow,
            game=f"{failed.match_no}.{failed.rotation}",
            at=failed.at[:19].replace("T", " "),
            detail=failed.detail.strip(),
        )
        for failed in store.games.attempts(league.uuid)
    ]


HIDDEN = "hidden until the match is finished"
_QUOTING = frozenset({Verdict.MALFORMED, Verdict.ILLEGAL})
"""Verdicts whose detail quotes what the bot wrote, which may be its cards."""


def detail_of(fault: Forfeit, unfinished: Set[int]) -> str:
    """Return what may be told of a fault; `unfinished`: the matches with games still to come."""
    return detail_of_verdict(fault.verdict, fault.detail, is_open=fault.match_no in unfinished)


def detail_of_verdict(verdict: str | None, detail: str, *, is_open: bool) -> str:
    """Return what may be told of a verdict; `is_open`: games of its match are still to come."""
    return HIDDEN if is_open and verdict in _QUOTING else detail


def _end_of_log(store: Store, league: LeagueRecord, fault: Forfeit) -> str | None:
    try:
        logs = store.replays.logs(league.uuid, fault.match_no, fault.rotation)
    except MatchUnfinished:
        return None
    for log in logs:
        if log.seat == fault.seat:
            text = (log.tail or log.head).decode("utf-8", "replace")
            return "\n".join(text.rstrip().splitlines()[-LOG_LINES:])
    return ""
