"""Tables of bots, leagues and their entries."""

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint

from results.store.schema.base import blob, checksum, flag, integer, key, real, string, table

AUTHOR = table(
    "author",
    "An author of bots.",
    key("id", "number of the author"),
    string("name", "name of the author", unique=True),
    string("added_at", "when first seen"),
    checksum(),
)

BOT = table(
    "bot",
    "A program with a name and an author.",
    key("id", "number of the bot"),
    integer("author_id", "its author", ForeignKey("author.id")),
    string("name", "name of the bot, unique among its author's bots"),
    checksum(),
    integer(
        "last_deleted",
        "highest number of its deleted versions, which no other version gets; 0 if there is none",
        default=0,
    ),
    UniqueConstraint("author_id", "name"),
)

VERSION = table(
    "version",
    "One immutable submission of a bot; its files are next to the store.",
    key("id", "number of the version in this store"),
    integer("bot_id", "its bot", ForeignKey("bot.id")),
    integer("number", "from 1, in the order in which versions of this bot were submitted"),
    string("sha256", "SHA-256 over the sorted files: path, mode, bytes", index=True),
    integer("parent_id", "the version it was derived from", ForeignKey("version.id"), nullable=True),
    string("manifest", "the content of its bot.toml, JSON"),
    string("report", "the result of the check on submission, JSON"),
    flag(
        "deterministic",
        "1 if it played the same game identically twice in the check, 0 if not, null if not checked",
        nullable=True,
    ),
    string("added_at", "when it was submitted"),
    checksum(),
    string(
        "build",
        "how the files were built, JSON: hash of the source, architecture, sandbox, duration, what the build "
        "printed; `{}` if they weren't",
        default="{}",
    ),
    flag(
        "bundled",
        "1 if it came with the Arena that entered it: a reference bot, known by its content",
        default=False,
    ),
    UniqueConstraint("bot_id", "number"),
    UniqueConstraint("bot_id", "sha256"),
)

RULESET = table(
    "ruleset",
    "A game's rules with all options fixed.",
    key("id", "number of the ruleset in this store"),
    string("game", "name of the game"),
    integer("rules_version", "version of the game's rules"),
    string("name", "name shown to users, such as `tens+hands=2`"),
    string("options", "every option, canonical JSON"),
    checksum(),
    UniqueConstraint("game", "rules_version", "options"),
)

LEAGUE = table(
    "league",
    "A competition: its game, its entries and its rating system.",
    key("id", "number of the league in this store"),
    string("uuid", "identifies the league among all leagues of all stores", unique=True),
    string("name", "name shown to users", unique=True),
    string("config", "the league file's content with all defaults, canonical JSON"),
    integer(
        "ruleset_id",
        "what is played; null in `casual`, where each match has its own",
        ForeignKey("ruleset.id"),
        nullable=True,
    ),
    blob("secret", "32 bytes from which all deals are derived"),
    string("commitment", "SHA-256 of the secret, public from the start"),
    flag("sealed", "1 if the store drew the secret, 0 if it is derived from a seed in the file"),
    flag("revealed", "1 once the secret is public; the league can't continue", default=False),
    flag("rated", "0 in `casual` and in comparisons: nothing is derived from their games"),
    string("rating", "name of the rating system"),
    string("rating_options", "all parameters of the rating system, canonical JSON"),
    string("keep_replays", "`all`, `faults`, `last N` or `none`"),
    string("state", "`created`, `running`, `finished` or `stopped`"),
    string("created_at", "when it was created"),
    checksum(),
    string(
        "rating_scale",
        "the meaning of its ratings, JSON: initial rating, unit, how many `sigma` below `mu` rankings are "
        "ordered by, decimals shown; `{}` in `casual`",
        default="{}",
    ),
    string(
        "schedule_traits",
        "what reports have to know of its schedule, JSON without what is false or empty: whether results "
        "decide who meets whom, the format whose own standings decide who has won, whether rounds count; "
        "`{}` in `casual`",
        default="{}",
    ),
    CheckConstraint("state IN ('created', 'running', 'finished', 'stopped')", name="league_state"),
)

ENTRY = table(
    "entry",
    "A version with its arguments in one league: the unit that is rated.",
    key("league_id", "the league", ForeignKey("league.id")),
    key("entry_no", "from 0 in its league"),
    string("label", "name shown to users"),
    integer(
        "version_id",
        "the version; null for a player that isn't a submitted bot",
        ForeignKey("version.id"),
        nullable=True,
    ),
    string("args", "arguments for the bot's command, JSON list"),
    real("prior_mu", "initial mean, if it differs from the rating system's default", nullable=True),
    real("prior_sigma", "initial standard deviation, likewise", nullable=True),
    integer("predecessor", "the number of the entry whose rating it takes over", nullable=True),
    checksum(),
    compact=True,
)

LEAGUE_EVENT = table(
    "league_event",
    "A change to a running league: an entry added or retired, a pause, a stop.",
    key("league_id", "the league", ForeignKey("league.id")),
    key("event_no", "from 0 in its league"),
    integer("at_match_no", "the first match that it applies to"),
    string("kind", "the kind of change, in one word"),
    string("data", "details, JSON"),
    string("at", "when"),
    checksum(),
    compact=True,
)

COMMAND = table(
    "command",
    "A command from the inbox that was taken up; entered together with its effect, so that it has none twice.",
    key("id", "from 1, in the order of taking up"),
    string("uuid", "identifies the command among all commands", unique=True),
    string("kind", "what it asks for, in one word; empty for a file that isn't a command"),
    string("submitted_by", "the user who left it"),
    string("submitted_at", "when it was left"),
    string("taken_at", "when it was taken up"),
    string("outcome", "`done` or `refused`"),
    string("words", "what it did, or why it was refused"),
    string("hint", "what to do about a refusal: a JSON list of texts and commands; empty for nothing"),
    checksum(),
    CheckConstraint("outcome IN ('done', 'refused')", name="command_outcome"),
)
