"""Tables of matches and games, and of the segments of their replays."""

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, String, text

from results.store.schema.base import blob, checksum, flag, integer, key, of_game, string, table

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
    integer(
        "deal_no",
        "the first match on the same deal, if several tables of a round share one; null: no other match has it",
        nullable=True,
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
    integer("score", "its score; higher is better, with decimals if the game has any"),
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
