"""The tables of a store, as SQLModel classes; each field's description becomes its line in docs/ledger.md.

What is here is the newest form; `migrations` brings a file to it, and a test
holds the two together. Bulk writes go through `TABLES`, not through objects.
"""

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, MetaData, Table, UniqueConstraint, text
from sqlmodel import Field, SQLModel

_COMPACT: dict[str, Any] = {"sqlite_with_rowid": False}
"""A table kept in the order of its primary key."""


class LedgerTable(SQLModel):
    """Base of all tables of the ledger; keeps them apart from any others in the process."""

    metadata = MetaData()


# Bots


class AuthorRow(LedgerTable, table=True):
    """Who submits bots."""

    __tablename__ = "author"

    id: int | None = Field(default=None, primary_key=True, description="number of the author")
    name: str = Field(unique=True, description="name of the author")
    added_at: str = Field(description="when first seen")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


class BotRow(LedgerTable, table=True):
    """A program with a name and an author."""

    __tablename__ = "bot"
    __table_args__ = (UniqueConstraint("author_id", "name"),)

    id: int | None = Field(default=None, primary_key=True, description="number of the bot")
    author_id: int = Field(foreign_key="author.id", description="its author")
    name: str = Field(description="name of the bot, unique with its author")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


class VersionRow(LedgerTable, table=True):
    """One immutable submission of a bot; its files lie beside the store."""

    __tablename__ = "version"
    __table_args__ = (UniqueConstraint("bot_id", "number"), UniqueConstraint("bot_id", "sha256"))

    id: int | None = Field(default=None, primary_key=True, description="number of the version in this store")
    bot_id: int = Field(foreign_key="bot.id", description="its bot")
    number: int = Field(description="from 1, in the order of submission of this bot")
    sha256: str = Field(index=True, description="SHA-256 over the sorted files: path, mode, bytes")
    parent_id: int | None = Field(foreign_key="version.id", description="the version it was made from")
    manifest: str = Field(description="what its bot.toml said, JSON")
    report: str = Field(description="what the check on submission found, JSON")
    deterministic: bool | None = Field(
        description="1 if the check saw it play the same game twice, 0 if not, null if not looked at"
    )
    added_at: str = Field(description="when it was submitted")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")
    hash_scheme: int = Field(
        sa_column_kwargs={"server_default": text("1")},
        description="how `sha256` frames the files: 2 by the lengths of name and content, 1 as of old, by line feeds",
    )


# Leagues


class RulesetRow(LedgerTable, table=True):
    """A game's rules with all options fixed."""

    __tablename__ = "ruleset"
    __table_args__ = (UniqueConstraint("game", "rules_version", "options"),)

    id: int | None = Field(default=None, primary_key=True, description="number of the ruleset in this store")
    game: str = Field(description="name of the game")
    rules_version: int = Field(description="version of the game's rules")
    name: str = Field(description="name as shown, such as `tens+hands=2`")
    options: str = Field(description="every option, canonical JSON")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


class LeagueRow(LedgerTable, table=True):
    """A competition: what is played, by whom, and how it is rated."""

    __tablename__ = "league"
    __table_args__ = (
        CheckConstraint("state IN ('created', 'running', 'finished', 'stopped')", name="league_state"),
    )

    id: int | None = Field(default=None, primary_key=True, description="number of the league in this store")
    uuid: str = Field(unique=True, description="the league's name among all leagues of all stores")
    name: str = Field(unique=True, description="name as shown")
    config: str = Field(description="the league file's content with all defaults, canonical JSON")
    ruleset_id: int | None = Field(
        foreign_key="ruleset.id", description="what is played; null in `casual`, where each match has its own"
    )
    secret: bytes = Field(description="32 bytes that all deals follow from")
    commitment: str = Field(description="SHA-256 of the secret, public from the start")
    sealed: bool = Field(
        description="1 if the store drew the secret, 0 if it follows from a seed in the file"
    )
    revealed: bool = Field(default=False, description="1 once the secret is public; the league can't go on")
    rated: bool = Field(description="0 in `casual` and in comparisons: nothing is derived from their games")
    rating: str = Field(description="name of the rating system")
    rating_options: str = Field(description="all parameters of the rating system, canonical JSON")
    keep_replays: str = Field(description="`all`, `faults`, `last N` or `none`")
    state: str = Field(description="`created`, `running`, `finished` or `stopped`")
    created_at: str = Field(description="when it was made")
    seed_derivation: int | None = Field(
        default=None,
        description="how the secret follows from the seed in the file: the version of the derivation, from 1; "
        "null in a sealed league",
    )
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")
    rating_scale: str = Field(
        default="{}",
        sa_column_kwargs={"server_default": text("'{}'")},
        description="what the numbers of its ratings mean, JSON: where they start, the unit, how many `sigma` "
        "below `mu` rankings are ordered by, the decimals shown; `{}` in `casual`",
    )


class EntryRow(LedgerTable, table=True):
    """A version with its arguments in one league: what is rated."""

    __tablename__ = "entry"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    entry_no: int = Field(primary_key=True, description="from 0 in its league")
    label: str = Field(description="name as shown")
    version_id: int | None = Field(
        foreign_key="version.id", description="the version; null for a player that is no submitted bot"
    )
    args: str = Field(description="arguments to the bot's command, JSON list")
    prior_mu: float | None = Field(description="mean it starts at, where not the rating system's own")
    prior_sigma: float | None = Field(description="standard deviation it starts at, likewise")
    predecessor: int | None = Field(description="the entry number that it took over from")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


class LeagueEventRow(LedgerTable, table=True):
    """Something done to a league while it ran: an entry added or retired, a pause, a stop."""

    __tablename__ = "league_event"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    event_no: int = Field(primary_key=True, description="from 0 in its league")
    at_match_no: int = Field(description="the first match that it is true for")
    kind: str = Field(description="what was done, in one word")
    data: str = Field(description="the particulars, JSON")
    at: str = Field(description="when")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


# The ledger


class MatchRow(LedgerTable, table=True):
    """The games on one deal with the same entries, seats rotated; written before they are played."""

    __tablename__ = "match"
    __table_args__ = (
        CheckConstraint("state IN ('planned', 'done', 'void')", name="match_state"),
        CheckConstraint("games > 0", name="match_games"),
        _COMPACT,
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
        _COMPACT,
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
        _COMPACT,
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
        _COMPACT,
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


# Derived from the ledger


class ProgressRow(LedgerTable, table=True):
    """How far a league is, and how far its games have been folded."""

    __tablename__ = "progress"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    next_match_no: int = Field(
        description="all matches below are finished and, in a rated league, folded; the fold goes on here"
    )
    matches_planned: int = Field(description="matches written so far, of any state")
    matches_done: int = Field(description="matches with all games in")
    matches_void: int = Field(description="matches given up")
    games_planned: int = Field(description="games of all matches written so far")
    games_done: int = Field(description="games in the ledger")


class RatingRow(LedgerTable, table=True):
    """The rating of an entry that has played a match."""

    __tablename__ = "rating"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    mu: float = Field(description="estimate of its strength")
    sigma: float = Field(description="standard deviation of it; 0 where the rating system has none")
    last_match_no: int = Field(description="the last match that it played")
    last_change: float = Field(description="what that match changed in what rankings are ordered by")


class RatingPointRow(LedgerTable, table=True):
    """The rating of an entry after a match that it played."""

    __tablename__ = "rating_point"
    __table_args__ = (Index("rating_point_entry", "league_id", "entry_no", "match_no"), _COMPACT)

    league_id: int = Field(primary_key=True, description="the league")
    match_no: int = Field(primary_key=True, description="the match")
    entry_no: int = Field(primary_key=True, description="the entry")
    mu: float = Field(description="estimate after the match")
    sigma: float = Field(description="standard deviation after the match; 0 where the rating system has none")


class EntryTotalRow(LedgerTable, table=True):
    """Sums over all games of one entry."""

    __tablename__ = "entry_total"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    matches: int = Field(description="matches played")
    games: int = Field(description="games played")
    wins: int = Field(description="wins, in units of 1/1441440")
    share: int = Field(description="sum of shares, in units of 1/1441440")
    score: int = Field(description="sum of scores")
    faults: int = Field(description="games in which it was forfeited")
    decisions: int = Field(description="decisions that it was asked for")
    wall_ns: int = Field(description="wall time over them, in nanoseconds")
    max_wall_ns: int = Field(description="the longest of them, in nanoseconds")
    cpu_ns: int = Field(description="CPU time over them, in nanoseconds")


class SeatTotalRow(LedgerTable, table=True):
    """Sums over the games of one entry at one seat of tables of one size."""

    __tablename__ = "seat_total"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    seats: int = Field(primary_key=True, description="seats at the table")
    seat: int = Field(primary_key=True, description="the seat, from 0")
    games: int = Field(description="games played there")
    wins: int = Field(description="wins, in units of 1/1441440")
    share: int = Field(description="sum of shares, in units of 1/1441440")
    score: int = Field(description="sum of scores")


class FaultTotalRow(LedgerTable, table=True):
    """How often an entry was forfeited, and why."""

    __tablename__ = "fault_total"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    verdict: str = Field(primary_key=True, description="the verdict")
    games: int = Field(description="games forfeited by it")


class PairTotalRow(LedgerTable, table=True):
    """How two entries did at the same table; every two are here once, the lower number as `entry_a`."""

    __tablename__ = "pair_total"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_a: int = Field(primary_key=True, description="one entry")
    entry_b: int = Field(primary_key=True, description="another, of a higher number")
    games: int = Field(description="games played together")
    games_above: int = Field(description="games in which `entry_a` finished above `entry_b`")
    games_tied: int = Field(description="games in which they shared a rank")
    matches: int = Field(description="matches played together")
    matches_above: int = Field(description="matches in which `entry_a` had the higher sum of shares")
    matches_tied: int = Field(description="matches in which the sums were equal")


class PairPartRow(LedgerTable, table=True):
    """The matches of `pair_total`, in 64 parts by a hash of their numbers: what intervals are drawn from."""

    __tablename__ = "pair_part"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    part: int = Field(primary_key=True, description="which part of the matches, 0 to 63")
    entry_a: int = Field(primary_key=True, description="one entry")
    entry_b: int = Field(primary_key=True, description="another, of a higher number")
    matches: int = Field(description="matches of this part played together")
    matches_above: int = Field(
        description="of these, matches in which `entry_a` had the higher sum of shares"
    )
    matches_tied: int = Field(description="of these, matches in which the sums were equal")


class LuckTotalRow(LedgerTable, table=True):
    """Sums from which the spread between the games of one deal follows, of one entry and one kind of match.

    A point is a share in units of 1/(2(seats − 1)): 2 for each seat ranked below, 1 for each tied.
    """

    __tablename__ = "luck_total"
    __table_args__ = _COMPACT

    league_id: int = Field(primary_key=True, description="the league")
    entry_no: int = Field(primary_key=True, description="the entry")
    seats: int = Field(primary_key=True, description="seats at the table")
    games: int = Field(primary_key=True, description="games of each match")
    matches: int = Field(description="matches of this kind")
    points: int = Field(description="sum of points over all games")
    game_squares: int = Field(description="sum of the squares of each game's points")
    match_squares: int = Field(description="sum of the squares of each match's points")


# The file itself


class RowCountRow(LedgerTable, table=True):
    """How many rows a table has whose rows never go, so that missing ones are noticed."""

    __tablename__ = "row_count"
    __table_args__ = _COMPACT

    table_name: str = Field(primary_key=True, description="the table")
    league_id: int = Field(primary_key=True, description="the league; 0 for a table of the whole store")
    rows: int = Field(description="rows written so far")


class MigrationRow(LedgerTable, table=True):
    """What brought the file to its present form; its version is also in `PRAGMA user_version`."""

    __tablename__ = "migration"

    number: int = Field(primary_key=True, description="from 1")
    name: str = Field(description="what it did")
    at: str = Field(description="when")
    backup: str | None = Field(description="file name of the copy made before; null in a new store")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")


TABLES: dict[str, Table] = dict(LedgerTable.metadata.tables)
"""Every table by name, for bulk work."""

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
"""Tables that can be dropped and folded again; `progress` belongs to them, but counts unrated leagues too."""

COUNTED = ("author", "bot", "version", "ruleset", "league")
"""Tables of the whole store whose rows never go."""

COUNTED_BY_LEAGUE = ("entry", "league_event", "match", "attempt")
"""Tables whose rows belong to a league and never go. Games are counted by their matches, seats by their games."""
