"""Tables of bots, leagues and their entries."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
)

from results.store.tables.base import COMPACT, METADATA

AUTHOR = Table(
    "author",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the author"),
    Column("name", String, nullable=False, unique=True, comment="name of the author"),
    Column("added_at", String, nullable=False, comment="when first seen"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    comment="An author of bots.",
)

BOT = Table(
    "bot",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the bot"),
    Column("author_id", Integer, ForeignKey("author.id"), nullable=False, comment="its author"),
    Column("name", String, nullable=False, comment="name of the bot, unique among its author's bots"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    Column(
        "last_deleted",
        Integer,
        nullable=False,
        default=0,
        comment="highest number of its deleted versions, which no other version gets; 0 if there is none",
    ),
    UniqueConstraint("author_id", "name"),
    comment="A program with a name and an author.",
)

VERSION = Table(
    "version",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the version in this store"),
    Column("bot_id", Integer, ForeignKey("bot.id"), nullable=False, comment="its bot"),
    Column(
        "number",
        Integer,
        nullable=False,
        comment="from 1, in the order in which versions of this bot were submitted",
    ),
    Column(
        "sha256",
        String,
        nullable=False,
        index=True,
        comment="SHA-256 over the sorted files: path, mode, bytes",
    ),
    Column("parent_id", Integer, ForeignKey("version.id"), comment="the version it was derived from"),
    Column("manifest", String, nullable=False, comment="the content of its bot.toml, JSON"),
    Column("report", String, nullable=False, comment="the result of the check on submission, JSON"),
    Column(
        "deterministic",
        Boolean,
        comment="1 if it played the same game identically twice in the check, 0 if not, null if not checked",
    ),
    Column("added_at", String, nullable=False, comment="when it was submitted"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    Column(
        "build",
        String,
        nullable=False,
        default="{}",
        comment=(
            "how the files were built, JSON: hash of the source, architecture, sandbox, duration, what "
            "the build printed; `{}` if they weren't"
        ),
    ),
    Column(
        "bundled",
        Boolean,
        nullable=False,
        default=False,
        comment="1 if it came with the Arena that entered it: a reference bot, known by its content",
    ),
    UniqueConstraint("bot_id", "number"),
    UniqueConstraint("bot_id", "sha256"),
    comment="One immutable submission of a bot; its files are next to the store.",
)

RULESET = Table(
    "ruleset",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the ruleset in this store"),
    Column("game", String, nullable=False, comment="name of the game"),
    Column("rules_version", Integer, nullable=False, comment="version of the game's rules"),
    Column("name", String, nullable=False, comment="name shown to users, such as `tens+hands=2`"),
    Column("options", String, nullable=False, comment="every option, canonical JSON"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    UniqueConstraint("game", "rules_version", "options"),
    comment="A game's rules with all options fixed.",
)

LEAGUE = Table(
    "league",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the league in this store"),
    Column(
        "uuid",
        String,
        nullable=False,
        unique=True,
        comment="identifies the league among all leagues of all stores",
    ),
    Column("name", String, nullable=False, unique=True, comment="name shown to users"),
    Column(
        "config",
        String,
        nullable=False,
        comment="the league file's content with all defaults, canonical JSON",
    ),
    Column(
        "ruleset_id",
        Integer,
        ForeignKey("ruleset.id"),
        comment="what is played; null in `casual`, where each match has its own",
    ),
    Column("secret", LargeBinary, nullable=False, comment="32 bytes from which all deals are derived"),
    Column("commitment", String, nullable=False, comment="SHA-256 of the secret, public from the start"),
    Column(
        "sealed",
        Boolean,
        nullable=False,
        comment="1 if the store drew the secret, 0 if it is derived from a seed in the file",
    ),
    Column(
        "revealed",
        Boolean,
        nullable=False,
        default=False,
        comment="1 once the secret is public; the league can't continue",
    ),
    Column(
        "rated",
        Boolean,
        nullable=False,
        comment="0 in `casual` and in comparisons: nothing is derived from their games",
    ),
    Column("rating", String, nullable=False, comment="name of the rating system"),
    Column(
        "rating_options",
        String,
        nullable=False,
        comment="all parameters of the rating system, canonical JSON",
    ),
    Column("keep_replays", String, nullable=False, comment="`all`, `faults`, `last N` or `none`"),
    Column("state", String, nullable=False, comment="`created`, `running`, `finished` or `stopped`"),
    Column("created_at", String, nullable=False, comment="when it was created"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    Column(
        "rating_scale",
        String,
        nullable=False,
        default="{}",
        comment=(
            "the meaning of its ratings, JSON: initial rating, unit, how many `sigma` below `mu` rankings"
            " are ordered by, decimals shown; `{}` in `casual`"
        ),
    ),
    Column(
        "schedule_traits",
        String,
        nullable=False,
        default="{}",
        comment=(
            "what reports have to know of its schedule, JSON without what is false or empty: whether results decide who"
            " meets whom, the format whose own standings decide who has won, whether rounds count; `{}` in `casual`"
        ),
    ),
    CheckConstraint("state IN ('created', 'running', 'finished', 'stopped')", name="league_state"),
    comment="A competition: its game, its entries and its rating system.",
)

ENTRY = Table(
    "entry",
    METADATA,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True, comment="the league"),
    Column("entry_no", Integer, primary_key=True, comment="from 0 in its league"),
    Column("label", String, nullable=False, comment="name shown to users"),
    Column(
        "version_id",
        Integer,
        ForeignKey("version.id"),
        comment="the version; null for a player that isn't a submitted bot",
    ),
    Column("args", String, nullable=False, comment="arguments for the bot's command, JSON list"),
    Column("prior_mu", Float, comment="initial mean, if it differs from the rating system's default"),
    Column("prior_sigma", Float, comment="initial standard deviation, likewise"),
    Column("predecessor", Integer, comment="the number of the entry whose rating it takes over"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    **COMPACT,
    comment="A version with its arguments in one league: the unit that is rated.",
)

LEAGUE_EVENT = Table(
    "league_event",
    METADATA,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True, comment="the league"),
    Column("event_no", Integer, primary_key=True, comment="from 0 in its league"),
    Column("at_match_no", Integer, nullable=False, comment="the first match that it applies to"),
    Column("kind", String, nullable=False, comment="the kind of change, in one word"),
    Column("data", String, nullable=False, comment="details, JSON"),
    Column("at", String, nullable=False, comment="when"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    **COMPACT,
    comment="A change to a running league: an entry added or retired, a pause, a stop.",
)

COMMAND = Table(
    "command",
    METADATA,
    Column("id", Integer, primary_key=True, comment="from 1, in the order of taking up"),
    Column("uuid", String, nullable=False, unique=True, comment="identifies the command among all commands"),
    Column(
        "kind",
        String,
        nullable=False,
        comment="what it asks for, in one word; empty for a file that isn't a command",
    ),
    Column("submitted_by", String, nullable=False, comment="the user who left it"),
    Column("submitted_at", String, nullable=False, comment="when it was left"),
    Column("taken_at", String, nullable=False, comment="when it was taken up"),
    Column("outcome", String, nullable=False, comment="`done` or `refused`"),
    Column("words", String, nullable=False, comment="what it did, or why it was refused"),
    Column(
        "hint",
        String,
        nullable=False,
        comment="what to do about a refusal: a JSON list of texts and commands; empty for nothing",
    ),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    CheckConstraint("outcome IN ('done', 'refused')", name="command_outcome"),
    comment=(
        "A command from the inbox that was taken up; entered together with its effect, so that it has"
        " none twice."
    ),
)
