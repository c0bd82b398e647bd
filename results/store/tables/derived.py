"""Tables that are derived from the ledger."""

from sqlalchemy import Column, Float, Index, Integer, String, Table

from results.store.tables.base import COMPACT, METADATA

DERIVED = (
    "rating",
    "rating_point",
    "entry_total",
    "seat_total",
    "fault_total",
    "pair_total",
    "luck_total",
)
"""Tables that can be dropped and refolded. `progress` is one too, but also counts unrated leagues."""

PROGRESS = Table(
    "progress",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column(
        "next_match_no",
        Integer,
        nullable=False,
        comment="all matches below are finished and, in a rated league, folded; the fold continues here",
    ),
    Column("matches_planned", Integer, nullable=False, comment="matches written so far, of any state"),
    Column("matches_done", Integer, nullable=False, comment="matches with all their games"),
    Column("matches_void", Integer, nullable=False, comment="matches given up"),
    Column("games_planned", Integer, nullable=False, comment="games of all matches written so far"),
    Column("games_done", Integer, nullable=False, comment="games in the ledger"),
    Column(
        "games_unrated",
        Integer,
        nullable=False,
        default=0,
        comment="games of matches with all their games that aren't rated",
    ),
    **COMPACT,
    comment="The progress of a league, and of the fold of its games.",
)

RATING = Table(
    "rating",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("entry_no", Integer, primary_key=True, comment="the entry"),
    Column("mu", Float, nullable=False, comment="estimate of its strength"),
    Column("sigma", Float, nullable=False, comment="its standard deviation; 0 if the rating system has none"),
    Column("last_match_no", Integer, nullable=False, comment="the last match it played"),
    Column(
        "last_change",
        Float,
        nullable=False,
        comment="how that match changed the value that rankings are ordered by",
    ),
    **COMPACT,
    comment="The rating of an entry that has played a match.",
)

RATING_POINT = Table(
    "rating_point",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="the match"),
    Column("entry_no", Integer, primary_key=True, comment="the entry"),
    Column("mu", Float, nullable=False, comment="estimate after the match"),
    Column(
        "sigma",
        Float,
        nullable=False,
        comment="standard deviation after the match; 0 if the rating system has none",
    ),
    Index("rating_point_entry", "league_id", "entry_no", "match_no"),
    **COMPACT,
    comment="The rating of an entry after a match that it played.",
)

ENTRY_TOTAL = Table(
    "entry_total",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("entry_no", Integer, primary_key=True, comment="the entry"),
    Column("matches", Integer, nullable=False, comment="matches played"),
    Column("games", Integer, nullable=False, comment="games played"),
    Column("wins", Integer, nullable=False, comment="wins, in units of 1/1441440"),
    Column("share", Integer, nullable=False, comment="sum of shares, in units of 1/1441440"),
    Column("score", Integer, nullable=False, comment="sum of scores"),
    Column("faults", Integer, nullable=False, comment="games it forfeited"),
    Column("decisions", Integer, nullable=False, comment="decisions it was asked for"),
    Column("wall_ns", Integer, nullable=False, comment="wall time of all decisions, in nanoseconds"),
    Column(
        "max_wall_ns", Integer, nullable=False, comment="the longest wall time of a decision, in nanoseconds"
    ),
    Column("cpu_ns", Integer, nullable=False, comment="CPU time of all decisions, in nanoseconds"),
    **COMPACT,
    comment="Sums over all games of one entry.",
)

SEAT_TOTAL = Table(
    "seat_total",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("entry_no", Integer, primary_key=True, comment="the entry"),
    Column("seats", Integer, primary_key=True, comment="seats at the table"),
    Column("seat", Integer, primary_key=True, comment="the seat, from 0"),
    Column("games", Integer, nullable=False, comment="games played there"),
    Column("wins", Integer, nullable=False, comment="wins, in units of 1/1441440"),
    Column("share", Integer, nullable=False, comment="sum of shares, in units of 1/1441440"),
    Column("score", Integer, nullable=False, comment="sum of scores"),
    **COMPACT,
    comment="Sums over the games of one entry at one seat of tables of one size.",
)

FAULT_TOTAL = Table(
    "fault_total",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("entry_no", Integer, primary_key=True, comment="the entry"),
    Column("verdict", String, primary_key=True, comment="the verdict"),
    Column("games", Integer, nullable=False, comment="games forfeited with this verdict"),
    **COMPACT,
    comment="How often an entry was forfeited, by verdict.",
)

PAIR_TOTAL = Table(
    "pair_total",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("entry_a", Integer, primary_key=True, comment="one entry"),
    Column("entry_b", Integer, primary_key=True, comment="the other entry, with a higher number"),
    Column("games", Integer, nullable=False, comment="games played together"),
    Column(
        "games_above", Integer, nullable=False, comment="games in which `entry_a` finished above `entry_b`"
    ),
    Column("games_tied", Integer, nullable=False, comment="games in which they shared a rank"),
    Column("matches", Integer, nullable=False, comment="matches played together"),
    Column(
        "matches_above",
        Integer,
        nullable=False,
        comment="matches in which `entry_a` had the higher sum of shares",
    ),
    Column("matches_tied", Integer, nullable=False, comment="matches in which the sums were equal"),
    **COMPACT,
    comment=(
        "How two entries did at the same table; each pair has one row, with the lower number as `entry_a`."
    ),
)

LUCK_TOTAL = Table(
    "luck_total",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("entry_no", Integer, primary_key=True, comment="the entry"),
    Column("seats", Integer, primary_key=True, comment="seats at the table"),
    Column("games", Integer, primary_key=True, comment="games per match"),
    Column("matches", Integer, nullable=False, comment="matches of this kind"),
    Column("points", Integer, nullable=False, comment="sum of points over all games"),
    Column("game_squares", Integer, nullable=False, comment="sum of the squares of each game's points"),
    Column("match_squares", Integer, nullable=False, comment="sum of the squares of each match's points"),
    **COMPACT,
    comment=(
        "Sums of one entry over one kind of match, from which the spread between games of one deal is"
        " computed."
        "\n\nA point is a share in units of 1/(2(seats − 1)): 2 for each seat ranked below, 1 for each "
        "tied."
    ),
)

STANDING = """
    CREATE VIEW standing AS
    SELECT league.name AS league, entry.label AS entry, rating.mu AS mu, rating.sigma AS sigma,
        entry_total.matches AS matches, entry_total.games AS games, entry_total.wins / 1441440.0 AS wins,
        entry_total.share / 1441440.0 / entry_total.games AS share, entry_total.faults AS faults
    FROM rating
    JOIN league ON league.id = rating.league_id
    JOIN entry ON entry.league_id = rating.league_id AND entry.entry_no = rating.entry_no
    JOIN entry_total ON entry_total.league_id = rating.league_id AND entry_total.entry_no = rating.entry_no
    """
"""A view of the rankings, for people who ask the store in SQL."""
