"""Where a bot loses points: by verdict, opponent, seat, size of the table and ruleset, with the worst game of each."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct, field

from results.base.scoring import LEAST_MATCHES, UNIT, game_shares, wilson
from results.records import EntryRecord, LeagueRecord, SeatRecord
from results.records.query_rows import FinishedGame
from results.reports.columns import Column, ReportRow, in_percent
from results.reports.matches import labels_of
from results.reports.selection import rulesets_of

if TYPE_CHECKING:
    from results.store import Store

NEWEST = 5000
"""Of a bot with more games, the newest ones are looked at."""


class LossBy(StrEnum):
    """What the games of a row have in common, those that say most first."""

    VERDICT = "verdict"
    OPPONENT = "opponent"
    SEAT = "seat"
    SEATS = "seats"
    RULESET = "ruleset"


class LossRow(ReportRow, frozen=True, kw_only=True):
    """The games of a bot that have one thing in common, and how it did in them."""

    by: LossBy
    value: Annotated[
        str, Column("where", priority=0, drawn=lambda row: row.where, help="What these games have in common")
    ]
    seats: int | None
    """Of the table, where `by` is a seat or the number of seats."""
    games: Annotated[int, Column(priority=2, help="Games of this kind; fewer than 10 say little")]
    share_percent: Annotated[
        float,
        Column(
            "share %",
            1,
            priority=1,
            help="Mean share of opponents it finished above there, a tie counting half",
        ),
    ] = field(name="share")
    low_percent: Annotated[
        float,
        Column(
            "95 %",
            right=True,
            priority=3,
            drawn=lambda row: row.interval,
            help="Confidence interval of the share; if it ends below 50, the loss there is significant",
        ),
    ] = field(name="low")
    high_percent: float = field(name="high")
    """The ends of the 95 % interval of the share."""
    lost: Annotated[
        float,
        Column(
            decimals=1,
            priority=4,
            help="What is missing to an even result: 8 games at a share of 25 % lose 2",
        ),
    ]
    """Games times (½ − share)."""
    game: Annotated[
        str | None,
        Column(
            "worst game",
            right=True,
            priority=5,
            drawn=lambda row: row.worst,
            help="The lost game with the lowest share and score; of a verdict, the newest",
        ),
    ]
    """LEAGUE/MATCH.ROTATION; None if it lost none whose replay is kept."""
    seat: int | None
    """The bot's seat in that game."""

    @property
    def where(self) -> str:
        """What the games have in common, in words."""
        match self.by:
            case LossBy.VERDICT:
                return f"forfeited: {self.value}"
            case LossBy.OPPONENT:
                return f"against {self.value}"
            case LossBy.SEAT:
                return f"in seat {self.value} of {self.seats}"
            case LossBy.SEATS:
                return f"at tables of {self.value}"
        return f"with ruleset {self.value}"

    @property
    def interval(self) -> str:
        """The interval of the share in whole percent, with `?` if there are too few games to say much."""
        return f"{self.low_percent:.0f}–{self.high_percent:.0f}{'?' if self.games < LEAST_MATCHES else ' '}"

    @property
    def worst(self) -> str:
        """The worst game as `arena why` takes it, without its league; empty if there is none."""
        return "" if self.game is None else f"{self.game.rpartition('/')[2]} --seat {self.seat}"


class Losses(Struct, frozen=True, kw_only=True):
    """How a bot did in a league, and where it loses points."""

    bot: str
    games: int
    """Finished games that were looked at; a bot with two seats in one has it twice."""
    left_out: int
    """Older games that weren't."""
    share_percent: float
    forfeits: Mapping[str, int]
    """Games that it forfeited, by verdict, most first."""
    rows: tuple[LossRow, ...]


class _Result(NamedTuple):
    """How a game ended for a seat, against the table or one opponent."""

    share: int
    """In 1 / `UNIT`."""
    lead: int
    game: FinishedGame
    seat: int


def losses(store: "Store", league: LeagueRecord, entry: EntryRecord) -> Losses | None:
    """Return where an entry loses points, the greatest loss first, by kind; None without a rated game."""
    found = store.games.all(league.uuid, entries=[entry.entry_no], newest_first=True, limit=NEWEST)
    games = [game for game in found if game.state == "done" and (game.rated or not league.rated)]
    groups: dict[tuple[LossBy, str, int | None], list[_Result]] = {}
    every: list[_Result] = []
    rulesets = _rulesets(store, league, games)
    labels = labels_of(store, league)
    for game in games:
        shares = game_shares([seat.rank for seat in game.seats])
        for own, share in zip(game.seats, shares, strict=True):
            if own.entry_no != entry.entry_no:
                continue
            others = [seat for seat in game.seats if seat.entry_no != entry.entry_no]
            result = _Result(
                share, own.score - max((one.score for one in others), default=own.score), game, own.seat
            )
            every.append(result)
            for by, value, size in _kinds(own, len(game.seats), rulesets.get(game.match_no)):
                groups.setdefault((by, value, size), []).append(result)
            for other in others:
                above = UNIT * ((own.rank < other.rank) + (own.rank <= other.rank)) // 2
                against = _Result(above, own.score - other.score, game, own.seat)
                groups.setdefault((LossBy.OPPONENT, labels[other.entry_no], None), []).append(against)
    if not every:
        return None
    kinds = [by for by, *_ in groups]
    rows = [
        _row(by, value, size, results)
        for (by, value, size), results in groups.items()
        if by not in (LossBy.SEATS, LossBy.RULESET) or kinds.count(by) > 1
    ]
    order = list(LossBy)
    forfeits = {row.value: row.games for row in rows if row.by is LossBy.VERDICT}
    return Losses(
        bot=entry.label,
        games=len(every),
        left_out=store.games.number(league.uuid, entries=[entry.entry_no]) - len(found),
        share_percent=_percent(every),
        forfeits=dict(sorted(forfeits.items(), key=lambda one: -one[1])),
        rows=tuple(sorted(rows, key=lambda row: (order.index(row.by), -row.lost, row.value))),
    )


def _kinds(seat: SeatRecord, size: int, ruleset: str | None) -> Iterator[tuple[LossBy, str, int | None]]:
    """Yield the groups that a game belongs to by itself, whoever else plays in it."""
    if seat.verdict is not None:
        yield LossBy.VERDICT, str(seat.verdict), None
    yield LossBy.SEAT, str(seat.seat), size
    yield LossBy.SEATS, str(size), size
    if ruleset is not None:
        yield LossBy.RULESET, ruleset, None


def _rulesets(
    store: "Store", league: LeagueRecord, games: Sequence[FinishedGame]
) -> Mapping[int, str | None]:
    """Return the rulesets of matches; none if all have the same."""
    if not games or len(rulesets_of(store, league)) < 2:
        return {}
    counted = store.matches.counted(league.uuid, games[-1].match_no, games[0].match_no + 1)
    return {match.match_no: match.ruleset for match in counted}


def _row(by: LossBy, value: str, size: int | None, results: Sequence[_Result]) -> LossRow:
    interval = wilson(sum(one.share for one in results) / UNIT, len(results))
    assert interval is not None, "a group has a game"  # noqa: S101 - for the type checker
    seen = [one for one in results if one.game.has_replay and (by is LossBy.VERDICT or 2 * one.share < UNIT)]
    if by is LossBy.VERDICT:
        seen = seen[:1]
    worst = min(seen, key=lambda one: (one.share, one.lead), default=None)
    return LossRow(
        by=by,
        value=value,
        seats=size,
        games=len(results),
        share_percent=_percent(results),
        low_percent=100 * interval.low,
        high_percent=100 * interval.high,
        lost=len(results) / 2 - sum(one.share for one in results) / UNIT,
        game=None if worst is None else f"{worst.game.league}/{worst.game.match_no}.{worst.game.rotation}",
        seat=None if worst is None else worst.seat,
    )


def _percent(results: Sequence[_Result]) -> float:
    """Return the mean share in percent."""
    return in_percent(sum(one.share for one in results) / UNIT / len(results))
