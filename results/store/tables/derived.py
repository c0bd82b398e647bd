"""Tables that are derived from the ledger."""

from sqlalchemy import Index
from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable

DERIVED = (
    "rating",
    "rating_point",
    "entry_total",
    "seat_total",
    "fault_total",
    "pair_total",
    "pair_part",
    "luck_total",
)
"""Tables that can be dropped and refolded. `progress` is one too, but also counts unrated leagues."""


class ProgressRow(LedgerTable, table=True):
    """The progress of a league, and of the fold of its games."""

    __tablename__ = "progress"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    next_match_no: int = Field(
        description="all matches below are finished and, in a rated league, folded; the fold continues here"
    )
    matches_planned: int = Field(description="matches written so far, of any state")
    matches_done: int = Field(description="matches with all their games")
    matches_void: int = Field(description="matches given up")
    games_planned: int = Field(description="games of all matches written so far")
    games_done: int = Field(description="games in the ledger")


class RatingRow(LedgerTable, table=True):
    """The rating of an entry that has played a match."""

    __tablename__ = "rating"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    mu: float = Field(description="estimate of its strength")
    sigma: float = Field(description="its standard deviation; 0 if the rating system has none")
    last_match_no: int = Field(description="the last match it played")
    last_change: float = Field(description="how that match changed the value that rankings are ordered by")


class RatingPointRow(LedgerTable, table=True):
    """The rating of an entry after a match that it played."""

    __tablename__ = "rating_point"
    __table_args__ = (Index("rating_point_entry", "league_id", "entry_no", "match_no"), COMPACT)

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    entry_no: int = Field(primary_key=True, description="the entry")
    mu: float = Field(description="estimate after the match")
    sigma: float = Field(description="standard deviation after the match; 0 if the rating system has none")


class EntryTotalRow(LedgerTable, table=True):
    """Sums over all games of one entry."""

    __tablename__ = "entry_total"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    matches: int = Field(description="matches played")
    games: int = Field(description="games played")
    wins: int = Field(description="wins, in units of 1/1441440")
    share: int = Field(description="sum of shares, in units of 1/1441440")
    score: int = Field(description="sum of scores")
    faults: int = Field(description="games it forfeited")
    decisions: int = Field(description="decisions it was asked for")
    wall_ns: int = Field(description="wall time of all decisions, in nanoseconds")
    max_wall_ns: int = Field(description="the longest wall time of a decision, in nanoseconds")
    cpu_ns: int = Field(description="CPU time of all decisions, in nanoseconds")


class SeatTotalRow(LedgerTable, table=True):
    """Sums over the games of one entry at one seat of tables of one size."""

    __tablename__ = "seat_total"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    seats: int = Field(primary_key=True, description="seats at the table")
    seat: int = Field(primary_key=True, description="the seat, from 0")
    games: int = Field(description="games played there")
    wins: int = Field(description="wins, in units of 1/1441440")
    share: int = Field(description="sum of shares, in units of 1/1441440")
    score: int = Field(description="sum of scores")


class FaultTotalRow(LedgerTable, table=True):
    """How often an entry was forfeited, by verdict."""

    __tablename__ = "fault_total"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    verdict: str = Field(primary_key=True, description="the verdict")
    games: int = Field(description="games forfeited with this verdict")


class PairTotalRow(LedgerTable, table=True):
    """How two entries did at the same table; each pair has one row, with the lower number as `entry_a`."""

    __tablename__ = "pair_total"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_a: int = Field(primary_key=True, description="one entry")
    entry_b: int = Field(primary_key=True, description="the other entry, with a higher number")
    games: int = Field(description="games played together")
    games_above: int = Field(description="games in which `entry_a` finished above `entry_b`")
    games_tied: int = Field(description="games in which they shared a rank")
    matches: int = Field(description="matches played together")
    matches_above: int = Field(description="matches in which `entry_a` had the higher sum of shares")
    matches_tied: int = Field(description="matches in which the sums were equal")


class PairPartRow(LedgerTable, table=True):
    """The matches of `pair_total`, in 64 parts by a hash of their numbers: the input for intervals."""

    __tablename__ = "pair_part"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    part: int = Field(primary_key=True, description="which part of the matches, 0 to 63")
    entry_a: int = Field(primary_key=True, description="one entry")
    entry_b: int = Field(primary_key=True, description="the other entry, with a higher number")
    matches: int = Field(description="matches of this part played together")
    matches_above: int = Field(
        description="of these, matches in which `entry_a` had the higher sum of shares"
    )
    matches_tied: int = Field(description="of these, matches in which the sums were equal")


class LuckTotalRow(LedgerTable, table=True):
    """Sums of one entry over one kind of match, from which the spread between games of one deal is computed.

    A point is a share in units of 1/(2(seats − 1)): 2 for each seat ranked below, 1 for each tied.
    """

    __tablename__ = "luck_total"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    seats: int = Field(primary_key=True, description="seats at the table")
    games: int = Field(primary_key=True, description="games per match")
    matches: int = Field(description="matches of this kind")
    points: int = Field(description="sum of points over all games")
    game_squares: int = Field(description="sum of the squares of each game's points")
    match_squares: int = Field(description="sum of the squares of each match's points")
