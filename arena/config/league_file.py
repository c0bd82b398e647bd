"""The league file's tables and keys, with their defaults."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from arena.config.deal_suites import Suite
from arena.config.names import LABEL_CHARS, MOST_WORDS, WORD_CHARS
from arena.config.toml import within
from arena.core.ruleset import Rotations
from arena.sandbox.bot_program import MIB, Bounds
from protocol.messages import DEFAULT_CLOCK, DEFAULT_LIMITS, STARTUP_MS
from results.base.isolation_levels import Wanted
from results.records import POLICIES

MOST_ENTRIES = 10_000
"""Limit on the entries of a league."""
MOST_MATCHES = 1_000_000_000_000
"""Limit on budgets and on the matches of a schedule, beyond any league that could be played."""
DEFAULT_SCHEDULE = "round-robin"

Count = Annotated[int, Meta(ge=1, le=MOST_MATCHES)]
"""Of matches or games."""
Entries = Annotated[int, Meta(ge=1, le=MOST_ENTRIES)]
CpuSeconds = Annotated[float, Meta(gt=0, le=1_000_000_000)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Arguments = Annotated[tuple[Annotated[str, Meta(max_length=WORD_CHARS)], ...], Meta(max_length=MOST_WORDS)]
PathText = Annotated[str, Meta(min_length=1, max_length=4_000)]

_INT64 = 2**63
_BOUNDS = Bounds()


class ClockTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[clock]`: time allowances, in milliseconds of wall time."""

    startup_ms: Annotated[int, within(1, 600_000, "from the start of a bot's process to its `hello`")] = (
        STARTUP_MS
    )
    ready_ms: Annotated[int, within(1, 600_000, "from `start` to `ready`")] = DEFAULT_CLOCK.ready_ms
    move_ms: Annotated[int, within(1, 3_600_000, "for each decision, before the bank is used")] = (
        DEFAULT_CLOCK.move_ms
    )
    bank_ms: Annotated[
        int, within(0, 86_400_000, "for a whole game, used by decisions that take longer than `move_ms`")
    ] = DEFAULT_CLOCK.bank_ms
    margin_ms: Annotated[int, within(0, 60_000, "tolerance after the bank is used up")] = (
        DEFAULT_CLOCK.margin_ms
    )
    pace_ms: Annotated[
        int,
        within(
            0,
            60_000,
            "shortest duration of a turn as the other players see it, so that quick answers reveal "
            "nothing; it uses up no time; 0: none",
        ),
    ] = 0


class LimitsTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[limits]`: how much a bot may write in one game, and how much of the machine it may use."""

    line_bytes: Annotated[int, within(1024, 16_777_216, "longest line, newline included")] = (
        DEFAULT_LIMITS.line_bytes
    )
    depth: Annotated[int, within(4, 64, "deepest nesting in a line")] = DEFAULT_LIMITS.depth
    output_bytes: Annotated[int, within(1024, 1_073_741_824, "total standard output in one game")] = (
        DEFAULT_LIMITS.output_bytes
    )
    note_chars: Annotated[int, within(0, 100_000, "longest `note`; longer ones are cut")] = (
        DEFAULT_LIMITS.note_chars
    )
    memory_mib: Annotated[int, within(16, 1_048_576, "memory of all of a bot's processes together")] = (
        _BOUNDS.memory_bytes // MIB
    )
    address_mib: Annotated[
        int, within(0, 16_777_216, "address space of each process, as a backstop; 0: no limit")
    ] = _BOUNDS.address_bytes // MIB
    processes: Annotated[int, within(1, 4096, "processes and threads of a bot")] = _BOUNDS.processes
    descriptors: Annotated[int, within(16, 65_536, "open files of each process")] = _BOUNDS.descriptors
    file_mib: Annotated[int, within(1, 1_048_576, "largest file a bot may write")] = _BOUNDS.file_bytes // MIB
    scratch_mib: Annotated[int, within(1, 65_536, "size of each of its two scratch folders")] = (
        _BOUNDS.scratch_bytes // MIB
    )
    scratch_files: Annotated[
        int, within(16, 10_000_000, "files, folders and links in each of its two scratch folders")
    ] = _BOUNDS.scratch_files


class RatingTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[rating]`: the rating system, and where ratings start."""

    system: Annotated[Name, Meta(description="name of the rating system")] = "trueskill"
    inherit: Annotated[
        bool,
        Meta(
            description="start a bot from its rating, or that of its newest older version, in the newest earlier "
            "league in the store with the same rules and scale"
        ),
    ] = False
    widen: Annotated[
        Annotated[float, Meta(ge=0, le=10_000)] | None,
        Meta(
            description="uncertainty added to an inherited rating: σ becomes √(σ² + widen²), at most "
            "the σ of a new entry; default: half the σ of a new entry"
        ),
    ] = None


RankedBy = Literal["places", "scores"]


class RankingTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[ranking]`: what the league is about."""

    by: Annotated[
        RankedBy,
        Meta(
            description="which fit `arena rankings` and the site show beside the ratings: `places`: strengths by who "
            "finished above whom; `scores`: strengths in points per game, which count by how much. Ratings are by "
            "places in any case; a league by scores is ordered by these strengths once it is over"
        ),
    ] = "places"


class StopTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[stop]`: when a league ends before its schedule is complete; the first condition to be met ends it."""

    until: Annotated[
        Literal["settled"] | None,
        Meta(description="`settled`: end as soon as the order of the entries is certain at the error rate"),
    ] = None
    error_rate: Annotated[
        float,
        within(0.000_001, 0.5, "probability of any mistake in a settled order; 0.05: in 1 league of 20"),
    ] = 0.05
    top: Annotated[
        Entries | None,
        Meta(description="settle only this many of the best entries, in order; default: the whole order"),
    ] = None
    indifference: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="two entries count as equal once their mean shares in matches with each other surely differ "
            "by less; 0.05 is 0.525 to 0.475 at a table of two",
        ),
    ] = 0.0
    arrivals: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="fraction of the error rate reserved for entries that join later; 0: none may join",
        ),
    ] = 0.0
    ahead: Annotated[
        int,
        within(
            1,
            131_072,
            "with `until`: matches are planned this far ahead of the results looked at, and as many are "
            "played after the order is certain; about eight for each game played at the same time",
        ),
    ] = 32
    matches: Annotated[Count | None, Meta(description="end after this many matches; default: no limit")] = (
        None
    )
    games: Annotated[
        Count | None,
        Meta(description="end after this many games, rounded down to whole matches; default: no limit"),
    ] = None
    minutes: Annotated[
        Annotated[float, Meta(gt=0, le=525_600)] | None,
        Meta(
            description="end after this much playing time; matches planned by then are still played; "
            "default: no limit"
        ),
    ] = None


class QuotaTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[quota]`: what bots and authors may use of a league that bots can join; days are UTC.

    Unlimited unless set, except `active_versions`.
    """

    cpu_s_per_day: Annotated[
        CpuSeconds | None,
        Meta(
            description="CPU seconds that a bot's decisions may take in a day; then it pauses until the next day"
        ),
    ] = None
    games_per_day: Annotated[
        Count | None,
        Meta(
            description="games that a bot may finish in a day; then it pauses until the next day. In a round robin "
            "or a gauntlet: as many whole rounds as fit, and at least one"
        ),
    ] = None
    author_cpu_s_per_day: Annotated[
        CpuSeconds | None,
        Meta(description="CPU seconds for all bots of one author together; then all of them pause"),
    ] = None
    author_games_per_day: Annotated[
        Count | None,
        Meta(description="games for all bots of one author together; a game with two of them counts twice"),
    ] = None
    versions_per_day: Annotated[
        Entries | None,
        Meta(description="bots of one author that may join in a day, new versions of earlier ones included"),
    ] = None
    active_versions: Annotated[
        Entries | None,
        Meta(
            description="bots of one author in the league at the same time, paused ones included; default: 3 for "
            "bots that authors enter themselves, once there are several authors"
        ),
    ] = None

    @property
    def limits_use(self) -> bool:
        """Whether it limits how much bots play in a day."""
        others = QuotaTable(versions_per_day=self.versions_per_day, active_versions=self.active_versions)
        return self != others


class BotTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[[bots]]`: one entry, or with `glob` several."""

    path: Annotated[
        PathText | None, Meta(description="a bot's folder or archive, relative to the league file")
    ] = None
    version: Annotated[
        Annotated[str, Meta(min_length=1, max_length=256)] | None,
        Meta(description="a submitted bot: `name`, `author/name`, `name@2` or the start of its hash"),
    ] = None
    track: Annotated[
        Annotated[str, Meta(min_length=3, max_length=256, pattern="^[^/@]+/[^/@]+$")] | None,
        Meta(
            description="a submitted bot as `author/name`: its newest version plays, and each new version that is "
            "submitted replaces every entry of the bot"
        ),
    ] = None
    glob: Annotated[
        PathText | None,
        Meta(
            description='folders by pattern, relative to the league file, such as `"bots/*"`; '
            "each is an entry; at most one `**`"
        ),
    ] = None
    label: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS)] | None,
        Meta(
            description="name in this league; default: the bot's own. One line of text without `/`, "
            "and no `-` at its start"
        ),
    ] = None
    team: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS - 3)] | None,
        Meta(
            description='with `teams = "fixed"`: the name of its team, instead of `label`; its bots are called after '
            "it: `Reds`, `Reds 2`"
        ),
    ] = None
    args: Annotated[
        Arguments,
        Meta(description="arguments added to the bot's command; none may be empty; 32 KiB in total at most"),
    ] = ()


class LeagueFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole league file."""

    name: Annotated[
        Name, Meta(description="the league's name. One line of text without `/`, and no `-` at its start")
    ]
    game: Annotated[Name, Meta(description="name of the game; `arena games` lists them")]
    bots: Annotated[
        tuple[BotTable, ...],
        Meta(
            max_length=MOST_ENTRIES,
            description="the entries, at most 10,000; only a ladder without `[stop]` may begin without any, and "
            "waits for them",
        ),
    ] = ()
    ruleset: Annotated[Name | None, Meta(description="name of a ruleset of the game; default: its first")] = (
        None
    )
    options: Annotated[dict[str, Any], Meta(description="options that differ from the ruleset's")] = field(
        default_factory=dict
    )
    seats: Annotated[
        Annotated[int, Meta(ge=1, le=100)]
        | Annotated[tuple[Annotated[int, Meta(ge=1, le=100)], ...], Meta(min_length=1, max_length=16)]
        | None,
        Meta(
            description="table size, or a list of sizes; default: all bots at one table, if the game allows"
        ),
    ] = None
    schedule: Annotated[
        dict[str, Any], Meta(description="`kind` and the schedule's own keys; default: a round robin")
    ] = field(default_factory=dict)
    same_author: Annotated[
        bool,
        Meta(
            description="let bots of one author meet, and rate their games; not needed if one author wrote "
            "all bots but the reference bots"
        ),
    ] = False
    rotations: Annotated[
        Rotations | None,
        Meta(
            description="how a match rotates its deal through the seats; default: the schedule's, or else the game's"
        ),
    ] = None
    deals: Annotated[
        Literal["own", "common"] | Suite | None,
        Meta(
            description="`own`: each match has a deal of its own; `common`: all tables of a round play the same deal, "
            'in a round robin or a gauntlet; `"suite:NAME"`: they play the deals of the file `NAME.suite.toml` beside '
            "the league file, and nothing is rated; default: `own`, but `common` where scores of tables are compared"
        ),
    ] = None
    teams: Annotated[
        Literal["drawn", "fixed"] | None,
        Meta(
            description="in a game with partners: `drawn`: each match draws them, and each bot is rated; `fixed`: the "
            "bots of a `team` always play together, and each team is rated; default: `drawn`"
        ),
    ] = None
    final_rounds: Annotated[
        int,
        within(
            0,
            1_000_000,
            "where scores of tables are compared: nobody sees the deals, games and logs of the last "
            "rounds, as many as this, before the league is over",
        ),
    ] = 0
    seed: Annotated[
        Annotated[int, Meta(ge=-_INT64, le=_INT64 - 1)] | Annotated[str, Meta(max_length=256)] | None,
        Meta(
            description="makes the league reproducible, and marks it *not sealed*: bots can search a short seed, so "
            "don't set it unless you trust all bots; default: a sealed secret"
        ),
    ] = None
    workers: Annotated[
        Annotated[int, Meta(ge=1, le=1024)] | None,
        Meta(description="worker processes; default: one per core"),
    ] = None
    keep_replays: Annotated[
        str, Meta(description="`all`, `faults`, `last N` or `none`", pattern=f"^({POLICIES})$")
    ] = "all"
    sandbox: Annotated[
        Wanted,
        Meta(
            description="sandbox for bots: `require` refuses to run without one, `auto` uses the strongest available, "
            "`off` uses none"
        ),
    ] = "auto"
    pondering: Annotated[bool, Meta(description="whether bots may think while it is not their turn")] = False
    clock: ClockTable = field(default_factory=ClockTable)
    limits: LimitsTable = field(default_factory=LimitsTable)
    rating: Annotated[
        dict[str, Any], Meta(description="the keys of every rating system, and those of the one chosen")
    ] = field(default_factory=dict)
    ranking: RankingTable = field(default_factory=RankingTable)
    stop: StopTable = field(default_factory=StopTable)
    quota: QuotaTable = field(default_factory=QuotaTable)
