"""Tables of the ledger: matches, games, and what belongs to them."""

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, text
from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable


class MatchRow(LedgerTable, table=True):
    """The games on one deal with the same entries, seats rotated; written before they are played."""

    __tablename__ = "match"
    __table_args__ = (
        CheckConstraint("state IN ('planned', 'done', 'void')", name="match_state"),
        CheckConstraint("games > 0", name="match_games"),
        COMPACT,
    )

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    match_no: int = Field(primary_key=True, description="from 0 in its league, without gaps")
    round_no: int = Field(description="the sweep of the schedule that it belongs to")
    entries: str = Field(description="entry numbers in base order, JSON list")
    games: int = Field(description="number of its games")
    why: str = Field(description="why this table, in words")
    state: str = Field(description="`planned`, `done` (all games are in) or `void` (given up, never rated)")
    ruleset_id: int | None = Field(
        foreign_key="ruleset.id", description="what is played, where not the league's"
    )
    checksum: int | None = Field(
        default=None,
        description="4 × the CRC-32 of all but the state, and 0 for `planned`, 1 for `done`, 2 for `void`",
    )


class GameRow(LedgerTable, table=True):
    """One finished game. The three parts of its key are unique: no game is in the ledger twice."""

    __tablename__ = "game"
    __table_args__ = (
        ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
        Index("game_sandbox", "league_id", "sandbox"),
        COMPACT,
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="which of the match's games, from 0")
    fingerprint: str = Field(description="SHA-256 of the replay body")
    decisions: int = Field(description="decisions of all seats together")
    wall_ns: int = Field(description="how long the game took, in nanoseconds")
    sandbox: str = Field(description="the level of isolation the bots ran at")
    worker: str = Field(description="who refereed it")
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
    """A game that came to nothing through the platform's fault, and was played again or given up."""

    __tablename__ = "attempt"
    __table_args__ = (
        ForeignKeyConstraint(["league_id", "match_no"], ["match.league_id", "match.match_no"]),
        COMPACT,
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="which of the match's games, from 0")
    at: str = Field(primary_key=True, description="when it failed")
    attempt: int = Field(primary_key=True, description="from 1")
    verdict: str = Field(description="what the platform did wrong")
    detail: str = Field(description="the particulars")
    worker: str = Field(description="who refereed it")
    entry_no: int | None = Field(description="the entry it happened with, where one can be told")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


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
    rotation: int = Field(primary_key=True, description="which of the match's games, from 0")
    seat: int = Field(primary_key=True, description="from 0")
    entry_no: int = Field(description="who sat there")
    score: int = Field(description="its score; the highest is best")
    rank: int = Field(description="1 is best, equal seats share one")
    verdict: str | None = Field(description="why it was forfeited, else null")
    detail: str = Field(description="the verdict with figure and limit, for the bot's author")
    at_decision: int | None = Field(description="the game's decision at which the fault happened, from 0")
    decisions: int = Field(description="decisions that the bot was asked for")
    wall_ns: int = Field(description="wall time over its decisions, in nanoseconds")
    max_wall_ns: int = Field(description="the longest of them, in nanoseconds")
    cpu_ns: int = Field(description="CPU time over its decisions, in nanoseconds")


class ReplayRow(LedgerTable, table=True):
    """All that happened in one game, readable without Arena: `zlib` decompresses both."""

    __tablename__ = "replay"
    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
        ),
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="which of the match's games, from 0")
    body: bytes = Field(description="canonical JSON, zlib; the game's fingerprint is over the JSON")
    timing: bytes = Field(description="times of each decision, JSON, zlib")


class LogRow(LedgerTable, table=True):
    """What a bot wrote to standard error in one game, where it wrote anything."""

    __tablename__ = "log"
    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "match_no", "rotation"], ["game.league_id", "game.match_no", "game.rotation"]
        ),
    )

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    rotation: int = Field(primary_key=True, description="which of the match's games, from 0")
    seat: int = Field(primary_key=True, description="the seat")
    head: bytes = Field(description="its beginning")
    tail: bytes = Field(description="its end, where it did not fit")
    dropped_bytes: int = Field(description="how much between head and tail was not kept")
