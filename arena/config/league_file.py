"""The league file's tables and keys, with their defaults."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from arena.config.deal_suites import Suite
from arena.config.names import LABEL_CHARS, MOST_WORDS, WORD_CHARS
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
    """`[clock]`: time allowances, in milliseconds of wall time.

    Keys:
        startup_ms: from the start of a bot's process to its `hello`
        ready_ms: from `start` to `ready`
        move_ms: for each decision, before the bank is used
        bank_ms: for a whole game, used by decisions that take longer than `move_ms`
        margin_ms: tolerance after the bank is used up
        pace_ms: shortest duration of a turn as the other players see it, so that quick answers reveal
            nothing; it uses up no time; 0: none
    """

    startup_ms: Annotated[int, Meta(ge=1, le=600_000)] = STARTUP_MS
    ready_ms: Annotated[int, Meta(ge=1, le=600_000)] = DEFAULT_CLOCK.ready_ms
    move_ms: Annotated[int, Meta(ge=1, le=3_600_000)] = DEFAULT_CLOCK.move_ms
    bank_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = DEFAULT_CLOCK.bank_ms
    margin_ms: Annotated[int, Meta(ge=0, le=60_000)] = DEFAULT_CLOCK.margin_ms
    pace_ms: Annotated[int, Meta(ge=0, le=60_000)] = 0


class LimitsTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[limits]`: how much a bot may write in one game, and how much of the machine it may use.

    Keys:
        line_bytes: longest line, newline included
        depth: deepest nesting in a line
        output_bytes: total standard output in one game
        note_chars: longest `note`; longer ones are cut
        memory_mib: memory of all of a bot's processes together
        address_mib: address space of each process, as a backstop; 0: no limit
        processes: processes and threads of a bot
        descriptors: open files of each process
        file_mib: largest file a bot may write
        scratch_mib: size of each of its two scratch folders
        scratch_files: files, folders and links in each of its two scratch folders
    """

    line_bytes: Annotated[int, Meta(ge=1024, le=16_777_216)] = DEFAULT_LIMITS.line_bytes
    depth: Annotated[int, Meta(ge=4, le=64)] = DEFAULT_LIMITS.depth
    output_bytes: Annotated[int, Meta(ge=1024, le=1_073_741_824)] = DEFAULT_LIMITS.output_bytes
    note_chars: Annotated[int, Meta(ge=0, le=100_000)] = DEFAULT_LIMITS.note_chars
    memory_mib: Annotated[int, Meta(ge=16, le=1_048_576)] = _BOUNDS.memory_bytes // MIB
    address_mib: Annotated[int, Meta(ge=0, le=16_777_216)] = _BOUNDS.address_bytes // MIB
    processes: Annotated[int, Meta(ge=1, le=4096)] = _BOUNDS.processes
    descriptors: Annotated[int, Meta(ge=16, le=65_536)] = _BOUNDS.descriptors
    file_mib: Annotated[int, Meta(ge=1, le=1_048_576)] = _BOUNDS.file_bytes // MIB
    scratch_mib: Annotated[int, Meta(ge=1, le=65_536)] = _BOUNDS.scratch_bytes // MIB
    scratch_files: Annotated[int, Meta(ge=16, le=10_000_000)] = _BOUNDS.scratch_files


class RatingTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[rating]`: the rating system, and where ratings start.

    Keys:
        system: name of the rating system
        inherit: start a bot from its rating, or that of its newest older version, in the newest earlier
            league in the store with the same rules and scale
        widen: uncertainty added to an inherited rating: σ becomes √(σ² + widen²), at most the σ of a new
            entry; default: half the σ of a new entry
    """

    system: Name = "trueskill"
    inherit: bool = False
    widen: Annotated[float, Meta(ge=0, le=10_000)] | None = None


class RankingTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[ranking]`: what the league is about.

    Keys:
        by: which fit `arena rankings` and the site show beside the ratings: `places`: strengths by who
            finished above whom; `scores`: strengths in points per game, which count by how much. Ratings are
            by places in any case; a league by scores is ordered by these strengths once it is over
    """

    by: Literal["places", "scores"] = "places"


class StopTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[stop]`: when a league ends before its schedule is complete; the first condition to be met ends it.

    Keys:
        until: `settled`: end as soon as the order of the entries is certain at the error rate
        error_rate: probability of any mistake in a settled order; 0.05: in 1 league of 20
        top: settle only this many of the best entries, in order; default: the whole order
        indifference: two entries count as equal once their mean shares in matches with each other surely
            differ by less; 0.05 is 0.525 to 0.475 at a table of two
        arrivals: fraction of the error rate reserved for entries that join later; 0: none may join
        ahead: with `until`: matches are planned this far ahead of the results looked at, and as many are
            played after the order is certain; about eight for each game played at the same time
        matches: end after this many matches; default: no limit
        games: end after this many games, rounded down to whole matches; default: no limit
        minutes: end after this much playing time; matches planned by then are still played; default: no limit
    """

    until: Literal["settled"] | None = None
    error_rate: Annotated[float, Meta(ge=0.000_001, le=0.5)] = 0.05
    top: Entries | None = None
    indifference: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    arrivals: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    ahead: Annotated[int, Meta(ge=1, le=131_072)] = 32
    matches: Count | None = None
    games: Count | None = None
    minutes: Annotated[float, Meta(gt=0, le=525_600)] | None = None


class QuotaTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[quota]`: what bots and authors may use of a league that bots can join; days are UTC.

    Unlimited unless set, except `active_versions`.

    Keys:
        cpu_s_per_day: CPU seconds that a bot's decisions may take in a day; then it pauses until the next day
        games_per_day: games that a bot may finish in a day; then it pauses until the next day. In a round
            robin or a gauntlet: as many whole rounds as fit, and at least one
        author_cpu_s_per_day: CPU seconds for all bots of one author together; then all of them pause
        author_games_per_day: games for all bots of one author together; a game with two of them counts twice
        versions_per_day: bots of one author that may join in a day, new versions of earlier ones included
        active_versions: bots of one author in the league at the same time, paused ones included; default: 3
            for bots that authors enter themselves, once there are several authors
    """

    cpu_s_per_day: CpuSeconds | None = None
    games_per_day: Count | None = None
    author_cpu_s_per_day: CpuSeconds | None = None
    author_games_per_day: Count | None = None
    versions_per_day: Entries | None = None
    active_versions: Entries | None = None

    @property
    def limits_use(self) -> bool:
        """Whether it limits how much bots play in a day."""
        others = QuotaTable(versions_per_day=self.versions_per_day, active_versions=self.active_versions)
        return self != others


class BotTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`[[bots]]`: one entry, or with `glob` several.

    Keys:
        path: a bot's folder or archive, relative to the league file
        version: a submitted bot: `name`, `author/name`, `name@2` or the start of its hash
        track: a submitted bot as `author/name`: its newest version plays, and each new version that is
            submitted replaces every entry of the bot
        glob: folders by pattern, relative to the league file, such as `"bots/*"`; each is an entry; at most
            one `**`
        label: name in this league; default: the bot's own. One line of text without `/`, and no `-` at its
            start
        team: with `teams = "fixed"`: the name of its team, instead of `label`; its bots are called after it:
            `Reds`, `Reds 2`
        args: arguments added to the bot's command; none may be empty; 32 KiB in total at most
    """

    path: PathText | None = None
    version: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    track: Annotated[str, Meta(min_length=3, max_length=256, pattern="^[^/@]+/[^/@]+$")] | None = None
    glob: PathText | None = None
    label: Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS)] | None = None
    team: Annotated[str, Meta(min_length=1, max_length=LABEL_CHARS - 3)] | None = None
    args: Arguments = ()


class LeagueFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole league file.

    Keys:
        name: the league's name. One line of text without `/`, and no `-` at its start
        game: name of the game; `arena games` lists them
        bots: the entries, at most 10,000; only a ladder without `[stop]` may begin without any, and waits for
            them
        ruleset: name of a ruleset of the game; default: its first
        options: options that differ from the ruleset's
        seats: table size, or a list of sizes; default: all bots at one table, if the game allows
        schedule: `kind` and the schedule's own keys; default: a round robin
        same_author: let bots of one author meet, and rate their games; not needed if one author wrote all
            bots but the reference bots
        rotations: how a match rotates its deal through the seats; default: the schedule's, or else the game's
        deals: `own`: each match has a deal of its own; `common`: all tables of a round play the same deal, in
            a round robin or a gauntlet; `"suite:NAME"`: they play the deals of the file `NAME.suite.toml`
            beside the league file, and nothing is rated; default: `own`, but `common` where scores of tables
            are compared
        teams: in a game with partners: `drawn`: each match draws them, and each bot is rated; `fixed`: the
            bots of a `team` always play together, and each team is rated; default: `drawn`
        final_rounds: where scores of tables are compared: nobody sees the deals, games and logs of the last
            rounds, as many as this, before the league is over
        seed: makes the league reproducible, and marks it *not sealed*: bots can search a short seed, so don't
            set it unless you trust all bots; default: a sealed secret
        workers: worker processes; default: one per core
        keep_replays: `all`, `faults`, `last N` or `none`
        sandbox: sandbox for bots: `require` refuses to run without one, `auto` uses the strongest available,
            `off` uses none
        pondering: whether bots may think while it is not their turn
        rating: the keys of every rating system, and those of the one chosen
    """

    name: Name
    game: Name
    bots: Annotated[tuple[BotTable, ...], Meta(max_length=MOST_ENTRIES)] = ()
    ruleset: Name | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seats: (
        Annotated[int, Meta(ge=1, le=100)]
        | Annotated[tuple[Annotated[int, Meta(ge=1, le=100)], ...], Meta(min_length=1, max_length=16)]
        | None
    ) = None
    schedule: dict[str, Any] = field(default_factory=dict)
    same_author: bool = False
    rotations: Rotations | None = None
    deals: Literal["own", "common"] | Suite | None = None
    teams: Literal["drawn", "fixed"] | None = None
    final_rounds: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    seed: Annotated[int, Meta(ge=-_INT64, le=_INT64 - 1)] | Annotated[str, Meta(max_length=256)] | None = None
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None
    keep_replays: Annotated[str, Meta(pattern=f"^({POLICIES})$")] = "all"
    sandbox: Wanted = "auto"
    pondering: bool = False
    clock: ClockTable = field(default_factory=ClockTable)
    limits: LimitsTable = field(default_factory=LimitsTable)
    rating: dict[str, Any] = field(default_factory=dict)
    ranking: RankingTable = field(default_factory=RankingTable)
    stop: StopTable = field(default_factory=StopTable)
    quota: QuotaTable = field(default_factory=QuotaTable)
