"""Tables of the ledger: matches, games, and their details."""

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, text
from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable


class MatchRow(LedgerTable, table=True):
    """The games on one deal with the same entries and rotated seats; written before they are played."""

    __tablename__ = "match"
    __table_args__ = (
        CheckConstraint("state IN ('planned', 'done', 'void')", name="match_state"),
        CheckConstraint("games > 0", name="match_games"),
        COMPACT,
    )

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    match_no: int = Field(primary_key=True, description="from 0 in its league, without gaps")
    round_no: int = Field(description="the round of the schedule that it belongs to")
    entries: str = Field(description="entry numbers in base order, JSON list")
    games: int = Field(description="number of its games")
    why: str = Field(description="why these entries play, in words")
    state: str = Field(
        description="`planned`, `done` (all games are stored) or `void` (given up, never rated)"
    )
    ruleset_id: int | None = Field(
        foreign_key="ruleset.id", description="what is played, if it differs from the league's"
    )
    checksum: int | None = Field(
        default=None,
        description="4 × the CRC-32 of all but the state, and 0 for `planned`, 1 for `done`, 2 for `void`",
    )
    seed: bytes | None = Field(
        default=None,
        description="the seed of its deal, 32 bytes; null if it follows from the league's secret",
    )
    first_rotation: int = Field(
        default=0,
        sa_column_kwargs={"server_default": text("0")},
        description="number of the rotation that its first game is, in the match whose deal it repeats",
    )


class GameRow(LedgerTable, table=True):
    """One finished game. The three parts of the key are unique, so no game is stored twice."""

    __tablename__ = "game"
    __table_args__ = (
        ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
        Index("game_sandbox", "league_id", "sandbox"),
        COMPACT,
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="the number of the game within its match, from 0")
    fingerprint: str = Field(description="SHA-256 of the replay body")
    decisions: int = Field(description="decisions of all seats")
    wall_ns: int = Field(description="duration of the game, in nanoseconds")
    sandbox: str = Field(description="the level of isolation the bots ran at")
    worker: str = Field(description="the worker that refereed it")
    finished_at: str = Field(description="when it ended")
    pruned: bool = Field(
        default=False,
        sa_column_kwargs={"server_default": text("0")},
        description="1 if its replay was kept and then dropped by `db prune`",
    )
    checksums: bytes | None = Field(
        default=None,
        description=(
            "CRC-32, four bytes each, of its row, its replay (0: none was kept), its seats and their logs "
            "(0: no log), and of these bytes"
        ),
    )


class AttemptRow(LedgerTable, table=True):
    """A game that failed because of a platform error, and was replayed or given up."""

    __tablename__ = "attempt"
    __table_args__ = (
        ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
        COMPACT,
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="the number of the game within its match, from 0")
    at: str = Field(primary_key=True, description="when it failed")
    attempt: int = Field(primary_key=True, description="from 1")
    verdict: str = Field(description="the platform error")
    detail: str = Field(description="details")
    worker: str = Field(description="the worker that refereed it")
    entry_no: int | None = Field(description="the entry it happened with, if known")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")


class SeatRow(LedgerTable, table=True):
    """One seat of one finished game."""

    __tablename__ = "seat"
    __table_args__ = (
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
        COMPACT,
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="the number of the game within its match, from 0")
    seat: int = Field(primary_key=True, description="from 0")
    entry_no: int = Field(description="the entry at the seat")
    score: int = Field(description="its score; higher is better")
    rank: int = Field(description="1 is best; equal seats share a rank")
    verdict: str | None = Field(description="why it was forfeited, or null")
    detail: str = Field(description="the verdict with the figure and the limit, for the bot's author")
    at_decision: int | None = Field(
        description="the decision of the game at which the fault happened, from 0"
    )
    decisions: int = Field(description="decisions the bot was asked for")
    wall_ns: int = Field(description="wall time of all its decisions, in nanoseconds")
    max_wall_ns: int = Field(description="the longest wall time of a decision, in nanoseconds")
    cpu_ns: int = Field(description="CPU time of all its decisions, in nanoseconds")


class ReplayRow(LedgerTable, table=True):
    """Everything that happened in one game; you can read it without Arena after `zlib` decompression."""

    __tablename__ = "replay"
    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
        ),
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="the number of the game within its match, from 0")
    body: bytes = Field(description="canonical JSON, zlib; the game's fingerprint is over the JSON")
    timing: bytes = Field(description="times of decisions, ids of asks and refused answers, JSON, zlib")


class LogRow(LedgerTable, table=True):
    """What a bot wrote to standard error in one game; no row if it wrote nothing."""

    __tablename__ = "log"
    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
        ),
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="the number of the game within its match, from 0")
    seat: int = Field(primary_key=True, description="the seat")
    head: bytes = Field(description="the beginning of the log")
    tail: bytes = Field(description="the end of the log, if it didn't fit")
    dropped_bytes: int = Field(description="number of bytes dropped between head and tail")
