"""Tables of the ledger: matches, games, and their details."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    text,
)

from results.store.tables.base import COMPACT, METADATA

MATCH = Table(
    "match",
    METADATA,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="from 0 in its league, without gaps"),
    Column("round_no", Integer, nullable=False, comment="the round of the schedule that it belongs to"),
    Column("entries", String, nullable=False, comment="entry numbers in base order, JSON list"),
    Column("games", Integer, nullable=False, comment="number of its games"),
    Column("why", String, nullable=False, comment="why these entries play, in words"),
    Column(
        "state",
        String,
        nullable=False,
        comment="`planned`, `done` (all games are stored) or `void` (given up, never rated)",
    ),
    Column(
        "ruleset_id",
        Integer,
        ForeignKey("ruleset.id"),
        comment="what is played, if it differs from the league's",
    ),
    Column(
        "checksum",
        Integer,
        comment="4 × the CRC-32 of all but the state, and 0 for `planned`, 1 for `done`, 2 for `void`",
    ),
    Column(
        "seed",
        LargeBinary,
        comment="the seed of its deal, 32 bytes; null if it follows from the league's secret",
    ),
    Column(
        "first_rotation",
        Integer,
        nullable=False,
        default=0,
        comment="number of the rotation that its first game is, in the match whose deal it repeats",
    ),
    Column(
        "rated",
        Boolean,
        nullable=False,
        default=True,
        comment="0 if bots of one author meet in it: then it counts only in the standings of its format",
    ),
    CheckConstraint("state IN ('planned', 'done', 'void')", name="match_state"),
    CheckConstraint("games > 0", name="match_games"),
    Index("match_ruleset", "league_id", "ruleset_id", sqlite_where=text("ruleset_id IS NOT NULL")),
    **COMPACT,
    comment="The games on one deal with the same entries and rotated seats; written before they are played.",
)

GAME = Table(
    "game",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="the match"),
    Column("rotation", Integer, primary_key=True, comment="the number of the game within its match, from 0"),
    Column("fingerprint", String, nullable=False, comment="SHA-256 of the replay body"),
    Column("decisions", Integer, nullable=False, comment="decisions of all seats"),
    Column("wall_ns", Integer, nullable=False, comment="duration of the game, in nanoseconds"),
    Column("sandbox", String, nullable=False, comment="the level of isolation the bots ran at"),
    Column("worker", String, nullable=False, comment="the worker that refereed it"),
    Column("finished_at", String, nullable=False, comment="when it ended"),
    Column(
        "pruned",
        Boolean,
        nullable=False,
        default=False,
        comment="1 if its replay was kept and then dropped by `db prune`",
    ),
    Column(
        "checksums",
        LargeBinary,
        comment=(
            "CRC-32, four bytes each, of its row, its replay (0: none was kept), its seats and their logs"
            " (0: no log), and of these bytes"
        ),
    ),
    ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
    Index("game_sandbox", "league_id", "sandbox"),
    **COMPACT,
    comment="One finished game. The three parts of the key are unique, so no game is stored twice.",
)

ATTEMPT = Table(
    "attempt",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="the match"),
    Column("rotation", Integer, primary_key=True, comment="the number of the game within its match, from 0"),
    Column("at", String, primary_key=True, comment="when it failed"),
    Column("attempt", Integer, primary_key=True, comment="from 1"),
    Column("verdict", String, nullable=False, comment="the platform error"),
    Column("detail", String, nullable=False, comment="details"),
    Column("worker", String, nullable=False, comment="the worker that refereed it"),
    Column("entry_no", Integer, comment="the entry it happened with, if known"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
    **COMPACT,
    comment="A game that failed because of a platform error, and was replayed or given up.",
)

SEAT = Table(
    "seat",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="the match"),
    Column("rotation", Integer, primary_key=True, comment="the number of the game within its match, from 0"),
    Column("seat", Integer, primary_key=True, comment="from 0"),
    Column("entry_no", Integer, nullable=False, comment="the entry at the seat"),
    Column("score", Integer, nullable=False, comment="its score; higher is better"),
    Column("rank", Integer, nullable=False, comment="1 is best; equal seats share a rank"),
    Column("verdict", String, comment="why it was forfeited, or null"),
    Column(
        "detail",
        String,
        nullable=False,
        comment="the verdict with the figure and the limit, for the bot's author",
    ),
    Column("at_decision", Integer, comment="the decision of the game at which the fault happened, from 0"),
    Column("decisions", Integer, nullable=False, comment="decisions the bot was asked for"),
    Column("wall_ns", Integer, nullable=False, comment="wall time of all its decisions, in nanoseconds"),
    Column(
        "max_wall_ns", Integer, nullable=False, comment="the longest wall time of a decision, in nanoseconds"
    ),
    Column("cpu_ns", Integer, nullable=False, comment="CPU time of all its decisions, in nanoseconds"),
    Column(
        "reason",
        String,
        comment="what led to the verdict, in one word; null if the verdict says it, or unknown",
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
    **COMPACT,
    comment="One seat of one finished game.",
)

REPLAY = Table(
    "replay",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="the match"),
    Column("rotation", Integer, primary_key=True, comment="the number of the game within its match, from 0"),
    Column(
        "body",
        LargeBinary,
        nullable=False,
        comment="canonical JSON, zlib; the game's fingerprint is over the JSON",
    ),
    Column(
        "timing",
        LargeBinary,
        nullable=False,
        comment="times of decisions, ids of asks and refused answers, JSON, zlib",
    ),
    ForeignKeyConstraint(
        ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
    ),
    comment="Everything that happened in one game; you can read it without Arena after `zlib` decompression.",
)

LOG = Table(
    "log",
    METADATA,
    Column("league_id", Integer, primary_key=True, comment="the league"),
    Column("match_no", Integer, primary_key=True, comment="the match"),
    Column("rotation", Integer, primary_key=True, comment="the number of the game within its match, from 0"),
    Column("seat", Integer, primary_key=True, comment="the seat"),
    Column("head", LargeBinary, nullable=False, comment="the beginning of the log"),
    Column("tail", LargeBinary, nullable=False, comment="the end of the log, if it didn't fit"),
    Column("dropped_bytes", Integer, nullable=False, comment="number of bytes dropped between head and tail"),
    ForeignKeyConstraint(
        ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
    ),
    comment="What a bot wrote to standard error in one game; no row if it wrote nothing.",
)


SEGMENT = Table(
    "segment",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the segment, from 1"),
    Column("bytes", Integer, nullable=False, comment="size of its file"),
    Column(
        "sha256",
        String,
        nullable=False,
        comment="SHA-256 of its file, whose name has the number and the first 8 digits of this",
    ),
    Column("closed_at", String, nullable=False, comment="when it was written; it never changes after that"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    comment="A file of older replays, in `arena.files/replays/` or shipped elsewhere.",
)

SEGMENT_SPAN = Table(
    "segment_span",
    METADATA,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True, comment="the league"),
    Column("segment_id", Integer, ForeignKey("segment.id"), primary_key=True, comment="the segment"),
    Column("first_match", Integer, nullable=False, comment="the lowest match with a replay in it"),
    Column("last_match", Integer, nullable=False, comment="the highest match with a replay in it"),
    Column("games", Integer, nullable=False, comment="number of the league's replays in it"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    **COMPACT,
    comment="Which replays of a league are in a segment. Replays in between may be in another, or in the store.",
)
