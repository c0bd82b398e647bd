"""Tables of matches and games, and of what is derived from them."""

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, String, text

from results.store.tables.base import blob, checksum, flag, integer, key, of_game, real, string, table

MATCH = table(
    "match",
    "The games on one deal with the same entries and rotated seats; written before they are played.",
    key("league_id", "the league", ForeignKey("league.id")),
    key("match_no", "from 0 in its league, without gaps"),
    integer("round_no", "the round of the schedule that it belongs to"),
    string("entries", "entry numbers in base order, JSON list"),
    integer("games", "number of its games"),
    string("why", "why these entries play, in words"),
    string("state", "`planned`, `done` (all games are stored) or `void` (given up, never rated)"),
    integer(
        "ruleset_id",
        "what is played, if it differs from the league's",
        ForeignKey("ruleset.id"),
        nullable=True,
    ),
    integer(
        "checksum",
        "4 × the CRC-32 of all but the state, and 0 for `planned`, 1 for `done`, 2 for `void`",
        nullable=True,
    ),
    blob(
        "seed", "the seed of its deal, 32 bytes; null if it follows from the league's secret", nullable=True
    ),
    integer(
        "first_rotation",
        "number of the rotation that its first game is, in the match whose deal it repeats",
        default=0,
    ),
    flag(
        "rated",
        "0 if bots of one author meet in it: then it counts only in the standings of its format",
        default=True,
    ),
    CheckConstraint("state IN ('planned', 'done', 'void')", name="match_state"),
    CheckConstraint("games > 0", name="match_games"),
    Index("match_ruleset", "league_id", "ruleset_id", sqlite_where=text("ruleset_id IS NOT NULL")),
    compact=True,
)

GAME = table(
    "game",
    "One finished game. The three parts of the key are unique, so no game is stored twice.",
    *of_game(),
    string("fingerprint", "SHA-256 of the replay body"),
    integer("decisions", "decisions of all seats"),
    integer("wall_ns", "duration of the game, in nanoseconds"),
    string("sandbox", "the level of isolation the bots ran at"),
    string("worker", "the worker that refereed it"),
    string("finished_at", "when it ended"),
    flag("pruned", "1 if its replay was kept and then dropped by `db prune`", default=False),
    blob(
        "checksums",
        "CRC-32, four bytes each, of its row, its replay (0: none was kept), its seats and their logs (0: no log), "
        "and of these bytes",
        nullable=True,
    ),
    ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
    Index("game_sandbox", "league_id", "sandbox"),
    compact=True,
)

ATTEMPT = table(
    "attempt",
    "A game that failed because of a platform error, and was replayed or given up.",
    *of_game(),
    key("at", "when it failed", kind=String),
    key("attempt", "from 1"),
    string("verdict", "the platform error"),
    string("detail", "details"),
    string("worker", "the worker that refereed it"),
    integer("entry_no", "the entry it happened with, if known", nullable=True),
    checksum(),
    ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
    compact=True,
)

SEAT = table(
    "seat",
    "One seat of one finished game.",
    *of_game(),
    key("seat", "from 0"),
    integer("entry_no", "the entry at the seat"),
    integer("score", "its score; higher is better"),
    integer("rank", "1 is best; equal seats share a rank"),
    string("verdict", "why it was forfeited, or null", nullable=True),
    string("detail", "the verdict with the figure and the limit, for the bot's author"),
    integer("at_decision", "the decision of the game at which the fault happened, from 0", nullable=True),
    integer("decisions", "decisions the bot was asked for"),
    integer("wall_ns", "wall time of all its decisions, in nanoseconds"),
    integer("max_wall_ns", "the longest wall time of a decision, in nanoseconds"),
    integer("cpu_ns", "CPU time of all its decisions, in nanoseconds"),
    string(
        "reason",
        "what led to the verdict, in one word; null if the verdict says it, or unknown",
        nullable=True,
    ),
    ForeignKeyConstraint(
        ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
    ),
    ForeignKeyConstraint(["league_id", "entry_no"], ["entry.league_id", "entry.entry_no"]),
    Index("seat_entry", "league_id", "entry_no", "match_no", "rotation"),
    Index(
        "seat_fault",
        "league_id",
        "verdict",
        "match_no",
        "rotation",
        "entry_no",
        sqlite_where=text("verdict IS NOT NULL"),
    ),
    compact=True,
)

REPLAY = table(
    "replay",
    "Everything that happened in one game; you can read it without Arena after `zlib` decompression.",
    *of_game(),
    blob("body", "canonical JSON, zlib; the game's fingerprint is over the JSON"),
    blob("timing", "times of decisions, ids of asks and refused answers, JSON, zlib"),
    ForeignKeyConstraint(
        ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
    ),
)

LOG = table(
    "log",
    "What a bot wrote to standard error in one game; no row if it wrote nothing.",
    *of_game(),
    key("seat", "the seat"),
    blob("head", "the beginning of the log"),
    blob("tail", "the end of the log, if it didn't fit"),
    integer("dropped_bytes", "number of bytes dropped between head and tail"),
    ForeignKeyConstraint(
        ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
    ),
)


SEGMENT = table(
    "segment",
    "A file of older replays, in `arena.files/replays/` or shipped elsewhere.",
    key("id", "number of the segment, from 1"),
    integer("bytes", "size of its file"),
    string("sha256", "SHA-256 of its file, whose name has the number and the first 8 digits of this"),
    string("closed_at", "when it was written; it never changes after that"),
    checksum(),
)

SEGMENT_SPAN = table(
    "segment_span",
    "Which replays of a league are in a segment. Replays in between may be in another, or in the store.",
    key("league_id", "the league", ForeignKey("league.id")),
    key("segment_id", "the segment", ForeignKey("segment.id")),
    integer("first_match", "the lowest match with a replay in it"),
    integer("last_match", "the highest match with a replay in it"),
    integer("games", "number of the league's replays in it"),
    checksum(),
    compact=True,
)


DERIVED = ("rating", "rating_point", "entry_total", "seat_total", "fault_total", "pair_total", "luck_total")
"""Tables that can be dropped and refolded. `progress` is one too, but also counts unrated leagues."""

PROGRESS = table(
    "progress",
    "The progress of a league, and of the fold of its games.",
    key("league_id", "the league"),
    integer(
        "next_match_no",
        "all matches below are finished and, in a rated league, folded; the fold continues here",
    ),
    integer("matches_planned", "matches written so far, of any state"),
    integer("matches_done", "matches with all their games"),
    integer("matches_void", "matches given up"),
    integer("games_planned", "games of all matches written so far"),
    integer("games_done", "games in the ledger"),
    integer("games_unrated", "games of matches with all their games that aren't rated", default=0),
    compact=True,
)

RATING = table(
    "rating",
    "The rating of an entry that has played a match.",
    key("league_id", "the league"),
    key("entry_no", "the entry"),
    real("mu", "estimate of its strength"),
    real("sigma", "its standard deviation; 0 if the rating system has none"),
    integer("last_match_no", "the last match it played"),
    real("last_change", "how that match changed the value that rankings are ordered by"),
    compact=True,
)

RATING_POINT = table(
    "rating_point",
    "The rating of an entry after a match that it played.",
    key("league_id", "the league"),
    key("match_no", "the match"),
    key("entry_no", "the entry"),
    real("mu", "estimate after the match"),
    real("sigma", "standard deviation after the match; 0 if the rating system has none"),
    Index("rating_point_entry", "league_id", "entry_no", "match_no"),
    compact=True,
)

ENTRY_TOTAL = table(
    "entry_total",
    "Sums over all games of one entry.",
    key("league_id", "the league"),
    key("entry_no", "the entry"),
    integer("matches", "matches played"),
    integer("games", "games played"),
    integer("wins", "wins, in units of 1/1441440"),
    integer("share", "sum of shares, in units of 1/1441440"),
    integer("score", "sum of scores"),
    integer("faults", "games it forfeited"),
    integer("decisions", "decisions it was asked for"),
    integer("wall_ns", "wall time of all decisions, in nanoseconds"),
    integer("max_wall_ns", "the longest wall time of a decision, in nanoseconds"),
    integer("cpu_ns", "CPU time of all decisions, in nanoseconds"),
    compact=True,
)

SEAT_TOTAL = table(
    "seat_total",
    "Sums over the games of one entry at one seat of tables of one size.",
    key("league_id", "the league"),
    key("entry_no", "the entry"),
    key("seats", "seats at the table"),
    key("seat", "the seat, from 0"),
    integer("games", "games played there"),
    integer("wins", "wins, in units of 1/1441440"),
    integer("share", "sum of shares, in units of 1/1441440"),
    integer("score", "sum of scores"),
    compact=True,
)

FAULT_TOTAL = table(
    "fault_total",
    "How often an entry was forfeited, by verdict.",
    key("league_id", "the league"),
    key("entry_no", "the entry"),
    key("verdict", "the verdict", kind=String),
    integer("games", "games forfeited with this verdict"),
    compact=True,
)

PAIR_TOTAL = table(
    "pair_total",
    "How two entries did at the same table; each pair has one row, with the lower number as `entry_a`.",
    key("league_id", "the league"),
    key("entry_a", "one entry"),
    key("entry_b", "the other entry, with a higher number"),
    integer("games", "games played together"),
    integer("games_above", "games in which `entry_a` finished above `entry_b`"),
    integer("games_tied", "games in which they shared a rank"),
    integer("matches", "matches played together"),
    integer("matches_above", "matches in which `entry_a` had the higher sum of shares"),
    integer("matches_tied", "matches in which the sums were equal"),
    compact=True,
)

LUCK_TOTAL = table(
    "luck_total",
    "Sums of one entry over one kind of match, from which the spread between games of one deal is computed.\n\n"
    "A point is a share in units of 1/(2(seats − 1)): 2 for each seat ranked below, 1 for each tied.",
    key("league_id", "the league"),
    key("entry_no", "the entry"),
    key("seats", "seats at the table"),
    key("games", "games per match"),
    integer("matches", "matches of this kind"),
    integer("points", "sum of points over all games"),
    integer("game_squares", "sum of the squares of each game's points"),
    integer("match_squares", "sum of the squares of each match's points"),
    compact=True,
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
