"""Rows that are written as objects, as SQLModel classes on the tables. Reading needs none of them, and starts faster
without: functions that write import this module themselves.
"""

from sqlmodel import Field, SQLModel

from results.store.tables.base import METADATA
from results.store.tables.derived import PROGRESS
from results.store.tables.leagues import AUTHOR, BOT, COMMAND, ENTRY, LEAGUE, LEAGUE_EVENT, RULESET, VERSION


class StoredRow(SQLModel):
    """Base of the rows of the ledger; separates them from other tables in the process."""

    metadata = METADATA


class AuthorRow(StoredRow, table=True):
    """An author of bots."""

    __table__ = AUTHOR
    id: int | None = Field(default=None, sa_column=AUTHOR.c.id)
    name: str = Field(sa_column=AUTHOR.c.name)
    added_at: str = Field(sa_column=AUTHOR.c.added_at)
    checksum: int | None = Field(default=None, sa_column=AUTHOR.c.checksum)


class BotRow(StoredRow, table=True):
    """A program with a name and an author."""

    __table__ = BOT
    id: int | None = Field(default=None, sa_column=BOT.c.id)
    author_id: int = Field(sa_column=BOT.c.author_id)
    name: str = Field(sa_column=BOT.c.name)
    checksum: int | None = Field(default=None, sa_column=BOT.c.checksum)
    last_deleted: int = Field(default=0, sa_column=BOT.c.last_deleted)


class VersionRow(StoredRow, table=True):
    """One immutable submission of a bot; its files are next to the store."""

    __table__ = VERSION
    id: int | None = Field(default=None, sa_column=VERSION.c.id)
    bot_id: int = Field(sa_column=VERSION.c.bot_id)
    number: int = Field(sa_column=VERSION.c.number)
    sha256: str = Field(sa_column=VERSION.c.sha256)
    parent_id: int | None = Field(sa_column=VERSION.c.parent_id)
    manifest: str = Field(sa_column=VERSION.c.manifest)
    report: str = Field(sa_column=VERSION.c.report)
    deterministic: bool | None = Field(sa_column=VERSION.c.deterministic)
    added_at: str = Field(sa_column=VERSION.c.added_at)
    checksum: int | None = Field(default=None, sa_column=VERSION.c.checksum)
    build: str = Field(default="{}", sa_column=VERSION.c.build)
    bundled: bool = Field(default=False, sa_column=VERSION.c.bundled)


class RulesetRow(StoredRow, table=True):
    """A game's rules with all options fixed."""

    __table__ = RULESET
    id: int | None = Field(default=None, sa_column=RULESET.c.id)
    game: str = Field(sa_column=RULESET.c.game)
    rules_version: int = Field(sa_column=RULESET.c.rules_version)
    name: str = Field(sa_column=RULESET.c.name)
    options: str = Field(sa_column=RULESET.c.options)
    checksum: int | None = Field(default=None, sa_column=RULESET.c.checksum)


class LeagueRow(StoredRow, table=True):
    """A competition: its game, its entries and its rating system."""

    __table__ = LEAGUE
    id: int | None = Field(default=None, sa_column=LEAGUE.c.id)
    uuid: str = Field(sa_column=LEAGUE.c.uuid)
    name: str = Field(sa_column=LEAGUE.c.name)
    config: str = Field(sa_column=LEAGUE.c.config)
    ruleset_id: int | None = Field(sa_column=LEAGUE.c.ruleset_id)
    secret: bytes = Field(sa_column=LEAGUE.c.secret)
    commitment: str = Field(sa_column=LEAGUE.c.commitment)
    sealed: bool = Field(sa_column=LEAGUE.c.sealed)
    revealed: bool = Field(default=False, sa_column=LEAGUE.c.revealed)
    rated: bool = Field(sa_column=LEAGUE.c.rated)
    rating: str = Field(sa_column=LEAGUE.c.rating)
    rating_options: str = Field(sa_column=LEAGUE.c.rating_options)
    keep_replays: str = Field(sa_column=LEAGUE.c.keep_replays)
    state: str = Field(sa_column=LEAGUE.c.state)
    created_at: str = Field(sa_column=LEAGUE.c.created_at)
    checksum: int | None = Field(default=None, sa_column=LEAGUE.c.checksum)
    rating_scale: str = Field(default="{}", sa_column=LEAGUE.c.rating_scale)
    schedule_traits: str = Field(default="{}", sa_column=LEAGUE.c.schedule_traits)


class EntryRow(StoredRow, table=True):
    """A version with its arguments in one league: the unit that is rated."""

    __table__ = ENTRY
    league_id: int = Field(sa_column=ENTRY.c.league_id)
    entry_no: int = Field(sa_column=ENTRY.c.entry_no)
    label: str = Field(sa_column=ENTRY.c.label)
    version_id: int | None = Field(sa_column=ENTRY.c.version_id)
    args: str = Field(sa_column=ENTRY.c.args)
    prior_mu: float | None = Field(sa_column=ENTRY.c.prior_mu)
    prior_sigma: float | None = Field(sa_column=ENTRY.c.prior_sigma)
    predecessor: int | None = Field(sa_column=ENTRY.c.predecessor)
    checksum: int | None = Field(default=None, sa_column=ENTRY.c.checksum)


class LeagueEventRow(StoredRow, table=True):
    """A change to a running league: an entry added or retired, a pause, a stop."""

    __table__ = LEAGUE_EVENT
    league_id: int = Field(sa_column=LEAGUE_EVENT.c.league_id)
    event_no: int = Field(sa_column=LEAGUE_EVENT.c.event_no)
    at_match_no: int = Field(sa_column=LEAGUE_EVENT.c.at_match_no)
    kind: str = Field(sa_column=LEAGUE_EVENT.c.kind)
    data: str = Field(sa_column=LEAGUE_EVENT.c.data)
    at: str = Field(sa_column=LEAGUE_EVENT.c.at)
    checksum: int | None = Field(default=None, sa_column=LEAGUE_EVENT.c.checksum)


class CommandRow(StoredRow, table=True):
    """A command from the inbox that was taken up; entered together with its effect, so that it has none twice."""

    __table__ = COMMAND
    id: int | None = Field(default=None, sa_column=COMMAND.c.id)
    uuid: str = Field(sa_column=COMMAND.c.uuid)
    kind: str = Field(sa_column=COMMAND.c.kind)
    submitted_by: str = Field(sa_column=COMMAND.c.submitted_by)
    submitted_at: str = Field(sa_column=COMMAND.c.submitted_at)
    taken_at: str = Field(sa_column=COMMAND.c.taken_at)
    outcome: str = Field(sa_column=COMMAND.c.outcome)
    words: str = Field(sa_column=COMMAND.c.words)
    hint: str = Field(sa_column=COMMAND.c.hint)
    checksum: int | None = Field(default=None, sa_column=COMMAND.c.checksum)


class ProgressRow(StoredRow, table=True):
    """The progress of a league, and of the fold of its games."""

    __table__ = PROGRESS
    league_id: int = Field(sa_column=PROGRESS.c.league_id)
    next_match_no: int = Field(sa_column=PROGRESS.c.next_match_no)
    matches_planned: int = Field(sa_column=PROGRESS.c.matches_planned)
    matches_done: int = Field(sa_column=PROGRESS.c.matches_done)
    matches_void: int = Field(sa_column=PROGRESS.c.matches_void)
    games_planned: int = Field(sa_column=PROGRESS.c.games_planned)
    games_done: int = Field(sa_column=PROGRESS.c.games_done)
    games_unrated: int = Field(default=0, sa_column=PROGRESS.c.games_unrated)
