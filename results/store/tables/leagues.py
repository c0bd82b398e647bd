"""Tables of bots, leagues and their entries."""

from sqlalchemy import CheckConstraint, UniqueConstraint, text
from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable


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
    __table_args__ = COMPACT

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
    __table_args__ = COMPACT

    league_id: int = Field(primary_key=True, foreign_key="league.id", description="the league")
    event_no: int = Field(primary_key=True, description="from 0 in its league")
    at_match_no: int = Field(description="the first match that it is true for")
    kind: str = Field(description="what was done, in one word")
    data: str = Field(description="the particulars, JSON")
    at: str = Field(description="when")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")
