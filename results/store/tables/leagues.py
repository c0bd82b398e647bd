"""Tables of bots, leagues and their entries."""

from sqlalchemy import CheckConstraint, UniqueConstraint, text
from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable


class AuthorRow(LedgerTable, table=True):
    """An author of bots."""

    __tablename__ = "author"

    id: int | None = Field(default=None, primary_key=True, description="number of the author")
    name: str = Field(unique=True, description="name of the author")
    added_at: str = Field(description="when first seen")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")


class BotRow(LedgerTable, table=True):
    """A program with a name and an author."""

    __tablename__ = "bot"
    __table_args__ = (UniqueConstraint("author_id", "name"),)

    id: int | None = Field(default=None, primary_key=True, description="number of the bot")
    author_id: int = Field(foreign_key="author.id", description="its author")
    name: str = Field(description="name of the bot, unique among its author's bots")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")
    last_deleted: int = Field(
        default=0,
        sa_column_kwargs={"server_default": text("0")},
        description="highest number of its deleted versions, which no other version gets; 0 if there is none",
    )


class VersionRow(LedgerTable, table=True):
    """One immutable submission of a bot; its files are next to the store."""

    __tablename__ = "version"
    __table_args__ = (UniqueConstraint("bot_id", "number"), UniqueConstraint("bot_id", "sha256"))

    id: int | None = Field(default=None, primary_key=True, description="number of the version in this store")
    bot_id: int = Field(foreign_key="bot.id", description="its bot")
    number: int = Field(description="from 1, in the order in which versions of this bot were submitted")
    sha256: str = Field(index=True, description="SHA-256 over the sorted files: path, mode, bytes")
    parent_id: int | None = Field(foreign_key="version.id", description="the version it was derived from")
    manifest: str = Field(description="the content of its bot.toml, JSON")
    report: str = Field(description="the result of the check on submission, JSON")
    deterministic: bool | None = Field(
        description="1 if it played the same game identically twice in the check, 0 if not, null if not checked"
    )
    added_at: str = Field(description="when it was submitted")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")
    hash_scheme: int = Field(
        sa_column_kwargs={"server_default": text("1")},
        description="how `sha256` frames the files: 2 by the lengths of name and content, 1 (older) by line feeds",
    )
    build: str = Field(
        default="{}",
        sa_column_kwargs={"server_default": text("'{}'")},
        description="how the files were built, JSON: hash of the source, architecture, sandbox, duration, what the "
        "build printed; `{}` if they weren't",
    )


class RulesetRow(LedgerTable, table=True):
    """A game's rules with all options fixed."""

    __tablename__ = "ruleset"
    __table_args__ = (UniqueConstraint("game", "rules_version", "options"),)

    id: int | None = Field(default=None, primary_key=True, description="number of the ruleset in this store")
    game: str = Field(description="name of the game")
    rules_version: int = Field(description="version of the game's rules")
    name: str = Field(description="name shown to users, such as `tens+hands=2`")
    options: str = Field(description="every option, canonical JSON")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")


class LeagueRow(LedgerTable, table=True):
    """A competition: its game, its entries and its rating system."""

    __tablename__ = "league"
    __table_args__ = (
        CheckConstraint("state IN ('created', 'running', 'finished', 'stopped')", name="league_state"),
    )

    id: int | None = Field(default=None, primary_key=True, description="number of the league in this store")
    uuid: str = Field(unique=True, description="identifies the league among all leagues of all stores")
    name: str = Field(unique=True, description="name shown to users")
    config: str = Field(description="the league file's content with all defaults, canonical JSON")
    ruleset_id: int | None = Field(
        foreign_key="ruleset.id", description="what is played; null in `casual`, where each match has its own"
    )
    secret: bytes = Field(description="32 bytes from which all deals are derived")
    commitment: str = Field(description="SHA-256 of the secret, public from the start")
    sealed: bool = Field(
        description="1 if the store drew the secret, 0 if it is derived from a seed in the file"
    )
    revealed: bool = Field(
        default=False, description="1 once the secret is public; the league can't continue"
    )
    rated: bool = Field(description="0 in `casual` and in comparisons: nothing is derived from their games")
    rating: str = Field(description="name of the rating system")
    rating_options: str = Field(description="all parameters of the rating system, canonical JSON")
    keep_replays: str = Field(description="`all`, `faults`, `last N` or `none`")
    state: str = Field(description="`created`, `running`, `finished` or `stopped`")
    created_at: str = Field(description="when it was created")
    seed_derivation: int | None = Field(
        default=None,
        description="how the secret is derived from the seed in the file: version of the derivation, from 1; "
        "null in a sealed league",
    )
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")
    rating_scale: str = Field(
        default="{}",
        sa_column_kwargs={"server_default": text("'{}'")},
        description="the meaning of its ratings, JSON: initial rating, unit, how many `sigma` "
        "below `mu` rankings are ordered by, decimals shown; `{}` in `casual`",
    )


class EntryRow(LedgerTable, table=True):
    """A version with its arguments in one league: the unit that is rated."""

    __tablename__ = "entry"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    entry_no: int = Field(primary_key=True, description="from 0 in its league")
    label: str = Field(description="name shown to users")
    version_id: int | None = Field(
        foreign_key="version.id", description="the version; null for a player that isn't a submitted bot"
    )
    args: str = Field(description="arguments for the bot's command, JSON list")
    prior_mu: float | None = Field(description="initial mean, if it differs from the rating system's default")
    prior_sigma: float | None = Field(description="initial standard deviation, likewise")
    predecessor: int | None = Field(description="the number of the entry whose rating it takes over")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")


class LeagueEventRow(LedgerTable, table=True):
    """A change to a running league: an entry added or retired, a pause, a stop."""

    __tablename__ = "league_event"
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    event_no: int = Field(primary_key=True, description="from 0 in its league")
    at_match_no: int = Field(description="the first match that it applies to")
    kind: str = Field(description="the kind of change, in one word")
    data: str = Field(description="details, JSON")
    at: str = Field(description="when")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")


class CommandRow(LedgerTable, table=True):
    """A command from the inbox that was taken up; entered together with its effect, so that it has none twice."""

    __tablename__ = "command"
    __table_args__ = (CheckConstraint("outcome IN ('done', 'refused')", name="command_outcome"),)

    id: int | None = Field(default=None, primary_key=True, description="from 1, in the order of taking up")
    uuid: str = Field(unique=True, description="identifies the command among all commands")
    kind: str = Field(description="what it asks for, in one word; empty for a file that isn't a command")
    submitted_by: str = Field(description="the user who left it")
    submitted_at: str = Field(description="when it was left")
    taken_at: str = Field(description="when it was taken up")
    outcome: str = Field(description="`done` or `refused`")
    words: str = Field(description="what it did, or why it was refused")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")
