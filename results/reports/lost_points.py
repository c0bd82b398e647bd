"""Where a bot loses points: by verdict, opponent, seat, size of the table and ruleset, with the worst game of each.

Of two versions that were compared: where the new one does worse with the same cards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from math import sqrt
from statistics import fmean, stdev
from typing import Annotated, NamedTuple

from msgspec import Struct, field

from results.base.scoring import LEAST_MATCHES, UNIT, game_shares, wilson
from results.records import EntryRecord, LeagueRecord, SeatRecord
from results.records.query_rows import FinishedGame
from results.reports.columns import Column, ReportRow, in_percent
from results.reports.recounted_matches import rulesets_of
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
    """The games of a bot that have one thing in common, and how it did in them.

    Columns:
        value: What these games have in common
        games: Games of this kind; fewer than 10 say little
        share_percent: Mean share of opponents it finished above there, a tie counting half
        low_percent: Confidence interval of the share; if it ends below 50, the loss there is significant
        lost: What is missing to an even result: 8 games at a share of 25 % lose 2
        game: The lost game with the lowest share and score; of a verdict, the newest
    """

    by: LossBy
    value: Annotated[str, Column("where", priority=0, drawn=lambda row: row.where)]
    seats: int | None
    """Of the table, where `by` is a seat or the number of seats."""
    games: Annotated[int, Column(priority=2)]
    share_percent: Annotated[float, Column("share %", 1, priority=1)] = field(name="share")
    low_percent: Annotated[float, Column("95 %", right=True, priority=3, drawn=lambda row: row.interval)] = (
        field(name="low")
    )
    high_percent: float = field(name="high")
    """The ends of the 95 % interval of the share."""
    lost: Annotated[float, Column(decimals=1, priority=4)]
    """Games times (½ − share)."""
    game: Annotated[str | None, Column("worst game", right=True, priority=5, drawn=lambda row: row.worst)]
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
    lead: float
    game: FinishedGame
    seat: int


def losses(store: Store, league: LeagueRecord, entry: EntryRecord) -> Losses | None:
    """Return where an entry loses points, the greatest loss first, by kind; None without a rated game."""
    found = store.games.all(league.uuid, entries=[entry.entry_no], newest_first=True, limit=NEWEST)
    games = [game for game in found if game.state == "done" and (game.rated or not league.rated)]
    groups: dict[tuple[LossBy, str, int | None], list[_Result]] = {}
    every: list[_Result] = []
    rulesets = _rulesets(store, league, games)
    labels = store.entries.labels(league.uuid)
    for game in games:
        sides = league.partners.at(len(game.seats))
        shares = game_shares([seat.rank for seat in game.seats], sides)
        for own, share in zip(game.seats, shares, strict=True):
            if own.entry_no != entry.entry_no:
                continue
            others = [
                seat
                for seat in game.seats
                if seat.entry_no != entry.entry_no and (not sides or sides[seat.seat] != sides[own.seat])
            ]
            result = _Result(
                share, own.score - max((one.score for one in others), default=own.score), game, own.seat
            )
            every.append(result)
            for by, value, size in _kinds(own, len(game.seats), rulesets.get(game.match_no)):
                groups.setdefault((by, value, size), []).append(result)
            for other in others:
                if league.partners.units([other.entry_no]) != (other.entry_no,):
                    continue  # of a fixed team, which is named once
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


def _rulesets(store: Store, league: LeagueRecord, games: Sequence[FinishedGame]) -> Mapping[int, str | None]:
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


HANDS_OF = 200
"""Of a comparison with more games, the points of single hands are read from the newest ones."""
_ERRORS = 2.0
"""Standard errors on each side of a mean that its 95 % interval reaches."""


class DuelBy(StrEnum):
    """What the results of a row have in common."""

    ALL = "all"
    OPPONENT = "opponent"
    SEAT = "seat"
    HAND = "hand"


class DuelRow(ReportRow, frozen=True, kw_only=True):
    """How two versions did with the same cards: on the same deals, each in the other's seat.

    Columns:
        value: What these results have in common
        deals: Deals that both played; fewer than 10 say little
        new: Mean lead of the new version over the others, in points
        old: The same of the old version
        low: Interval of the difference; if it ends below 0, the new version is significantly worse there
    """

    by: DuelBy
    value: Annotated[str, Column("with the same cards", priority=0, drawn=lambda row: row.where)]
    deals: Annotated[int, Column(priority=2)]
    new: Annotated[float, Column("NEW", 2, priority=3)]
    old: Annotated[float, Column("OLD", 2, priority=3)]
    difference: Annotated[
        float, Column("NEW − OLD", priority=1, right=True, drawn=lambda row: f"{row.difference:+.2f}")
    ]
    low: Annotated[float, Column("95 %", priority=1, right=True, drawn=lambda row: row.interval)]
    high: float

    @property
    def where(self) -> str:
        """What the results have in common, in words."""
        match self.by:
            case DuelBy.OPPONENT:
                return f"against {self.value}"
            case DuelBy.SEAT:
                return f"in seat {self.value}"
            case DuelBy.HAND:
                return f"in hand {self.value}"
        return "all"

    @property
    def interval(self) -> str:
        """The interval of the difference, with `?` if there are too few deals to say much."""
        return f"{self.low:+.2f} to {self.high:+.2f}{'?' if self.deals < LEAST_MATCHES else ' '}"


class DealRow(ReportRow, frozen=True, kw_only=True):
    """A deal in which the new version did worse than the old one from one seat.

    Columns:
        seat: The seat that both had, with the same cards
        new: Lead of the new version over the others, in points
        old: The same of the old version
    """

    new_game: Annotated[str, Column("NEW lost", priority=0, drawn=lambda row: row.in_short(row.new_game))]
    old_game: Annotated[str, Column("OLD played", priority=0, drawn=lambda row: row.in_short(row.old_game))]
    """LEAGUE/MATCH.ROTATION."""
    seat: Annotated[int, Column()]
    new: Annotated[float, Column("NEW", 1)]
    old: Annotated[float, Column("OLD", 1)]
    old_won: Annotated[bool, Column("OLD won", drawn=lambda row: "yes" if row.old_won else "no")]

    @staticmethod
    def in_short(game: str) -> str:
        """Return a game without its league."""
        return game.rpartition("/")[2]


class Duel(Struct, frozen=True, kw_only=True):
    """How two versions did on the same deals."""

    rows: tuple[DuelRow, ...]
    """All deals first; then where the new version does worst."""
    worse: tuple[DealRow, ...]
    """Deals in which NEW lost: first those in which OLD won, then the greatest difference."""


class _Held(NamedTuple):
    """A seat of a finished game."""

    game: FinishedGame
    seat: int
    lead: float
    won: float
    """Its share of the game less one half."""
    against: Mapping[str, float]
    """By another's label: the lead over it."""
    hands: Sequence[float]
    """The lead of each hand; empty if that isn't known."""


def duel(
    store: Store,
    league: LeagueRecord,
    old: EntryRecord,
    new: EntryRecord,
    hands: Callable[[FinishedGame], Sequence[Sequence[float]]],
) -> Duel | None:
    """Return how two versions did with the same cards; None before the first deal that both have played.

    `hands` returns the points of each seat by hand; it is called for games whose replay is kept, 200 at most.
    """
    games = [
        game
        for game in store.games.all(
            league.uuid, entries=[old.entry_no, new.entry_no], newest_first=True, limit=NEWEST
        )
        if game.state == "done"
    ]
    labels = store.entries.labels(league.uuid)
    pairs: list[tuple[Sequence[_Held], Sequence[_Held]]] = []
    read = 0
    for _, match in groupby(games, lambda game: game.match_no):
        held: dict[tuple[int, int], list[_Held]] = {}
        for game in match:
            by_hand = hands(game) if game.has_replay and read < HANDS_OF else ()
            read += 1
            for seat in game.seats:
                if seat.entry_no in (old.entry_no, new.entry_no):
                    held.setdefault((seat.seat, seat.entry_no), []).append(
                        _held(game, seat, {old.entry_no, new.entry_no}, labels, by_hand)
                    )
        for seat_no in sorted({seat_no for seat_no, _ in held}):
            both = held.get((seat_no, new.entry_no)), held.get((seat_no, old.entry_no))
            if both[0] and both[1]:
                pairs.append((both[0], both[1]))
    if not pairs:
        return None
    # Between two seats, what one gains the other loses: each says the same.
    seats = {of_new[0].seat for of_new, _ in pairs} if len(games[0].seats) > 2 else set()
    others = sorted({label for of_new, _ in pairs for one in of_new for label in one.against})
    most_hands = max([len(one.hands) for of_new, _ in pairs for one in of_new])
    parts: list[tuple[DuelBy, str, Callable[[_Held], float | None]]] = [
        *((DuelBy.OPPONENT, label, lambda one, label=label: one.against.get(label)) for label in others),
        *(
            (DuelBy.SEAT, str(seat), lambda one, seat=seat: one.lead if one.seat == seat else None)
            for seat in seats
        ),
        *(
            (
                DuelBy.HAND,
                str(hand + 1),
                lambda one, hand=hand: one.hands[hand] if hand < len(one.hands) else None,
            )
            for hand in range(most_hands if most_hands > 1 else 0)
        ),
    ]
    (every,) = _duel_rows(pairs, [(DuelBy.ALL, "", lambda one: one.lead)])
    rows = sorted(_duel_rows(pairs, parts), key=lambda row: row.difference)
    return Duel(rows=(every, *rows), worse=tuple(_worse(pairs)))


def _held(
    game: FinishedGame,
    seat: SeatRecord,
    two: set[int],
    labels: Mapping[int, str],
    by_hand: Sequence[Sequence[float]],
) -> _Held:
    shares = dict(
        zip([one.seat for one in game.seats], game_shares([one.rank for one in game.seats]), strict=True)
    )
    rest = [one for one in game.seats if one.seat != seat.seat]

    def lead(points: Sequence[float] | Mapping[int, float]) -> float:
        return points[seat.seat] - fmean([points[one.seat] for one in rest])

    scores = {one.seat: one.score for one in game.seats}
    return _Held(
        game,
        seat.seat,
        lead(scores),
        shares[seat.seat] / UNIT - 0.5,
        {labels[one.entry_no]: seat.score - scores[one.seat] for one in rest if one.entry_no not in two},
        [lead(points) for points in by_hand],
    )


def _duel_rows(
    pairs: Sequence[tuple[Sequence[_Held], Sequence[_Held]]],
    parts: Sequence[tuple[DuelBy, str, Callable[[_Held], float | None]]],
) -> Iterator[DuelRow]:
    """Yield a row for each part of the results that there is; the seats of a deal count together, as it is one draw."""
    for by, value, points in parts:
        deals: dict[int, list[tuple[float, float]]] = {}
        for pair in pairs:
            of_new, of_old = ([found for one in side if (found := points(one)) is not None] for side in pair)
            if of_new and of_old:
                deals.setdefault(pair[0][0].game.match_no, []).append((fmean(of_new), fmean(of_old)))
        if not deals:
            continue
        differences = [fmean([new - old for new, old in deal]) for deal in deals.values()]
        mean = fmean(differences)
        error = _ERRORS * stdev(differences) / sqrt(len(deals)) if len(deals) > 1 else 0.0
        every = [both for deal in deals.values() for both in deal]
        yield DuelRow(
            by=by,
            value=value,
            deals=len(deals),
            new=fmean([new for new, _ in every]),
            old=fmean([old for _, old in every]),
            difference=mean,
            low=mean - error,
            high=mean + error,
        )


def _worse(pairs: Sequence[tuple[Sequence[_Held], Sequence[_Held]]]) -> list[DealRow]:
    """Return a row for each deal in which the new version lost and did worse than the old one, of its worst seat."""
    found: dict[int, tuple[tuple[bool, float], DealRow]] = {}
    for of_new, of_old in pairs:
        new, old = (
            min(of_new, key=lambda one: (one.won, one.lead)),
            max(of_old, key=lambda one: (one.won, one.lead)),
        )
        if new.won >= 0 or new.lead >= old.lead or not new.game.has_replay:
            continue
        names = [f"{one.game.league}/{one.game.match_no}.{one.game.rotation}" for one in (new, old)]
        row = DealRow(
            new_game=names[0],
            old_game=names[1],
            seat=new.seat,
            new=new.lead,
            old=old.lead,
            old_won=old.won > 0,
        )
        order = (not row.old_won, new.lead - old.lead)
        deal = new.game.match_no
        found[deal] = min(found.get(deal, (order, row)), (order, row), key=lambda one: one[0])
    return [row for _, row in sorted(found.values(), key=lambda one: one[0])]
