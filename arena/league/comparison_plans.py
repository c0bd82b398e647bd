"""Plans of comparisons, races and tunes: a league file from bots and a question, checked before anything is played."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, structs

from arena import registry
from arena.config.deal_suites import Suite
from arena.config.league_file import BotTable, LeagueFile
from arena.core.errors import UnknownName, UsageError
from arena.core.game import sides_of
from arena.core.ruleset import players, ruleset
from arena.league.definition.bot_arguments import (
    check_plays,
    common_game,
    distinct_labels,
    games_of,
    plays_alone,
)
from arena.league.definition.checked_definition import Definition, resolve
from arena.league.definition.given_rules import parse_options
from arena.league.tune import STEP_DEALS, Tuning, games_for
from arena.submissions.launch_spec import manifest_in
from arena.submissions.manifest import Parameter
from results.analysis.sequential_test import LEAST_MATCHES, Question
from results.analysis.tuning import AHEAD_STEPS
from results.base.text import counted
from results.records import VersionRecord

OLD, NEW = 0, 1
"""Entry numbers of the two versions to compare; the others at the table follow. In a race, BASE is OLD."""
NAME, RACE_NAME, TUNE_NAME = "compare", "race", "tune"
BUDGET_GAMES = 10_000
"""The most games of a comparison or a race, unless it is asked for another number."""
MOST_VARIANTS = 32
"""Of a race: each of them makes the proof of a winner longer."""

Games = Annotated[int, Meta(ge=1, le=100_000_000)]
_Text = Annotated[str, Meta(max_length=256)]


class Asked(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is asked of the bots of a comparison, race or tune, and how they play for it."""

    difference: Annotated[float, Meta(ge=0.001, le=0.5)] = 0.05
    error_rate: Annotated[float, Meta(ge=0.0001, le=0.2)] = 0.05
    at_least: Annotated[int, Meta(ge=LEAST_MATCHES, le=1_000_000)] | None = None
    budget_games: Games | None = None
    """None: `BUDGET_GAMES`; in a tune, what suits its parameters."""
    then_games: Games = BUDGET_GAMES
    """The budget of the comparison at the end of a tune."""
    seats: Annotated[int, Meta(ge=2, le=100)] = 2
    """Of a race or a tune; at the table of a comparison, all bots sit."""
    game: _Text | None = None
    ruleset: _Text | None = None
    options: tuple[_Text, ...] = ()
    seed: _Text | None = None
    suite: Suite | None = None

    @property
    def question(self) -> Question:
        """What the games are to answer."""
        return Question(self.difference, self.error_rate, self.at_least)

    def file(
        self,
        name: str,
        versions: Sequence[VersionRecord],
        labels: Sequence[str],
        args: Sequence[tuple[str, ...]],
        **more: Any,
    ) -> LeagueFile:
        """Return a league file with these bots, each with its arguments, and `more` keys."""
        tables = [
            BotTable(version=version.reference, label=label, args=given)
            for version, label, given in zip(versions, labels, args, strict=True)
        ]
        return LeagueFile(
            name=name,
            game=self.game or common_game(map(games_of, versions)),
            bots=tuple(tables),
            ruleset=self.ruleset,
            same_author=True,
            seed=self.seed,
            **more,
        )


class ComparisonPlan(Struct, frozen=True):
    """A checked plan: which versions to compare, and how."""

    definition: Definition
    """The league's definition; it gets its name when the comparison begins."""
    versions: tuple[VersionRecord, ...]
    """OLD, NEW, and the others at the table; or the base and the variants of a race. Then those on a side with them."""
    question: Question
    budget_games: int
    """Play no more than this many."""
    is_race: bool = False
    parameters: Mapping[str, Parameter] = {}
    """Of a tune: what it turns, by name."""

    @property
    def file(self) -> LeagueFile:
        """The league file."""
        return self.definition.file

    @property
    def seats(self) -> int:
        """The size of its tables."""
        return self.definition.field.seats[0]

    @property
    def alone(self) -> bool:
        """Whether each version plays a deal by itself, as the game is for one player."""
        return self.seats == 1

    @property
    def games_a_match(self) -> int:
        """How many games a match has; where each version plays alone, the deal that two of them play."""
        return 2 if self.alone and not self.is_race else self.definition.games_at(self.seats)

    @property
    def suite(self) -> Suite | None:
        """The suite whose deals are played, if it is one's."""
        return self.file.deals if isinstance(self.file.deals, Suite) else None

    @property
    def matches(self) -> int:
        """How many matches the budget allows."""
        return self.budget_games // self.games_a_match

    @property
    def variants(self) -> int:
        """How many variants a race has."""
        return len(self.definition.partners.teams or self.versions) - 1

    @property
    def in_rounds(self) -> bool:
        """Whether its budget is one of rounds, and not of matches."""
        return self.is_race or bool(self.parameters)


def plan_comparison(
    versions: Sequence[VersionRecord], asked: Asked, args: Sequence[tuple[str, ...]] = ()
) -> ComparisonPlan:
    """Return the plan for a comparison of versions (OLD, NEW, others) in one ruleset, each with its arguments if any.

    In a game of two sides, each version plays one: alone, or with the others as partners, who play with both. Raises
    UsageError.
    """
    old, new = versions[OLD], versions[NEW]
    given = args or [()] * len(versions)
    if (old.sha256, given[OLD]) == (new.sha256, given[NEW]):
        raise UsageError(
            f"both are the same version, {old.reference}",
            "change the new one first, or name another version; `arena bots` lists them",
        )
    schedule = {"kind": "round-robin", "rounds": 1}
    file = asked.file(
        NAME,
        *(versions, _names(versions, given), given),
        seats=len(versions),
        schedule=schedule,
        deals=asked.suite,
    )
    if plays_alone(file.game, file.ruleset, asked.options) and len(versions) == 2:
        file = structs.replace(file, seats=1)
    bots = len(versions)
    sizes = _sizes_of_sides(file, asked.options, 2, bots)
    if size := next((one for one in sizes if bots in (2, 1 + one)), 0):
        sides = [[one, *(range(2, bots) or [one] * (size - 1))] for one in (OLD, NEW)]
        file, versions = _as_sides(file, versions, sides)
    return _planned(versions, file, asked)


def _sizes_of_sides(file: LeagueFile, options: Sequence[str], sides: int, bots: int) -> list[int]:
    """Return how many seats a side has at tables of so many sides; none if the bots fill a table. Raises UsageError."""
    game = registry.game(file.game)
    rules = ruleset(game.info, file.ruleset, parse_options(game, options))
    allowed = game.seats(rules)
    tables = () if bots in allowed else allowed
    found = {seats: sides_of(game, game.resolve(rules, seats), seats) for seats in tables}
    return [seats // sides for seats, of_seats in found.items() if of_seats and max(of_seats) + 1 == sides]


def _as_sides(
    file: LeagueFile, versions: Sequence[VersionRecord], sides: Sequence[Sequence[int]], at_table: int = 2
) -> tuple[LeagueFile, list[VersionRecord]]:
    """Return both for sides, each its versions, as teams called after their firsts; `at_table` of them meet."""
    order = [(side, place) for place in range(len(sides[0])) for side in sides]
    tables = []
    for side, place in order:
        name = str(file.bots[side[0]].label)
        label = f"{name} {place + 1}" if place else name
        tables.append(structs.replace(file.bots[side[place]], team=name, label=label))
    file = structs.replace(file, bots=tuple(tables), seats=at_table * len(sides[0]), teams="fixed")
    return file, [versions[side[place]] for side, place in order]


def plan_race(
    versions: Sequence[VersionRecord], args: Sequence[tuple[str, ...]], asked: Asked
) -> ComparisonPlan:
    """Return the plan for a race of variants against a base, which comes first, each with its arguments.

    In a game with partners, each fills a side, and `seats` counts sides. Raises UsageError.
    """
    seats, options = asked.seats, asked.options
    if not 2 <= len(versions) <= 1 + MOST_VARIANTS:
        raise UsageError(
            f"a race has 1 to {MOST_VARIANTS} variants besides the base, not {len(versions) - 1}",
            "name fewer of them; the best of each race can meet in another one",
        )
    names = _names(versions, args)
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    for version, given, name in zip(versions, args, names, strict=True):
        other = first.setdefault((version.sha256, given), name)
        if other is not name:
            raise UsageError(
                f"{other} and {name} have the same files and arguments ({version.reference})",
                "name each variant once",
            )
    if seats > len(versions):
        raise UsageError(
            f"a table of {seats} takes the base and {seats - 1} variants, and there are {len(versions) - 1}",
            "name more variants, or pass a smaller --seats",
        )
    tables = max(1, (len(versions) - 1) // (seats - 1))
    file = asked.file(
        RACE_NAME,
        *(versions, names, args),
        seats=seats,
        schedule={"kind": "gauntlet", "challengers": 1, "tables": tables},
        deals=asked.suite or "common",
    )
    if seats == 2 and plays_alone(file.game, file.ruleset, options):
        file = structs.replace(file, seats=1, schedule={"kind": "round-robin", "rounds": 1})
    for size in _sizes_of_sides(file, options, seats, seats)[:1]:
        file, versions = _as_sides(file, versions, [[one] * size for one in range(len(versions))], seats)
    return _planned(versions, file, asked, is_race=True)


def _names(versions: Sequence[VersionRecord], args: Sequence[tuple[str, ...]]) -> list[str]:
    """Return what entries are called: by their arguments, if they have any."""
    return [
        label if not given else " ".join((version.bot, *given))
        for label, version, given in zip(distinct_labels(versions), versions, args, strict=True)
    ]


def plan_tune(version: VersionRecord, asked: Asked, only: Sequence[str] = ()) -> ComparisonPlan:
    """Return the plan for a tune of a version: of `only` some of its parameters, or of all. Raises UsageError."""
    known = manifest_in(version).parameters
    for name in only:
        if name not in known:
            error = UnknownName("parameter", name, list(known))
            raise UsageError(f"{version.reference}: {error}", error.advice)
    parameters = {name: one for name, one in known.items() if not only or name in only}
    if not parameters:
        raise UsageError(
            f"{version.reference} has no [parameters] in its bot.toml",
            "add some, for example: [parameters] and below it: boldness = { value = 0.5, low = 0, high = 1 }, which "
            "the bot reads from its argument --boldness=0.5",
        )
    seats = asked.seats
    if asked.budget_games is None:
        asked = structs.replace(asked, budget_games=games_for(len(parameters), seats))
    first = Tuning(parameters, version, seats).specs(0)
    file = asked.file(
        TUNE_NAME,
        *([version] * seats, [one.label for one in first], [one.args for one in first]),
        seats=seats,
        schedule={"kind": "round-robin", "rounds": 1},
    )
    plan = _planned([version] * seats, file, asked, parameters=parameters)
    if asked.then_games < (least := plan.question.fewest * plan.games_a_match):
        raise UsageError(
            f"the comparison at the end of a tune has no answer after {counted(asked.then_games, 'game')}",
            f"pass --compare-budget {least} or more",
        )
    return plan


def _planned(
    versions: Sequence[VersionRecord],
    file: LeagueFile,
    asked: Asked,
    *,
    is_race: bool = False,
    parameters: Mapping[str, Parameter] | None = None,
) -> ComparisonPlan:
    """Return a plan for a file without options, checked against the game and the budget. Raises UsageError."""
    game, question = registry.game(file.game), asked.question
    budget_games = asked.budget_games or BUDGET_GAMES
    for version in versions:
        check_plays(version.reference, games_of(version), game.info.name)
    given = parse_options(game, asked.options)
    rules = ruleset(game.info, file.ruleset, given)
    allowed, seats = game.seats(rules), file.seats
    tables = [one for one in allowed if one == seats] or allowed
    has_partners = any(sides_of(game, game.resolve(rules, one), one) for one in tables)
    if has_partners and (parameters or (is_race and not file.teams)):
        hint = "pass as --seats how many sides meet, such as 2: each variant fills one"
        hint = "try values by hand: arena race BASE --arg NAME=1,2,4" if parameters else hint
        raise UsageError(f"{game.info.name} has partners, who would share a result at a table", hint)
    if seats not in allowed:
        more = "name more bots to fill the table: arena compare OLD NEW OTHER..."
        remedy = more if allowed and len(versions) < allowed[0] else "name fewer bots"
        remedy = "pass another --seats" if is_race or parameters else remedy
        raise UsageError(f"{game.info.name} ({rules.name}) is for {players(allowed)}, not {seats}", remedy)
    if game.info.shared_score and seats is not None and (seats if isinstance(seats, int) else seats[0]) > 1:
        raise UsageError(
            f"all seats of {game.info.name} share a score, so no version does better than another at its table",
            "put both into a league of all pairs of bots: arena league create",
        )
    file = structs.replace(file, game=game.info.name, options=given)
    plan = ComparisonPlan(
        resolve(file, len(versions)),
        *(tuple(versions), question, budget_games, is_race, parameters or {}),
    )
    if parameters:
        least = (len(parameters) + AHEAD_STEPS + 1) * STEP_DEALS * plan.games_a_match
        if budget_games < least:
            raise UsageError(
                f"a budget of {counted(budget_games, 'game')} is too small to tune "
                f"{counted(len(parameters), 'parameter')}",
                f"pass --budget {least} or more; without it, a tune has "
                f"{counted(games_for(len(parameters), len(versions)), 'game')}",
            )
        return plan
    a_round = plan.definition.total_matches or 1
    if plan.alone and not is_race:
        a_round = 1
    if plan.suite is not None:
        deals = len(plan.suite.seeds)
        if deals < question.fewest:
            raise UsageError(
                f"the suite {plan.suite.name} has {counted(deals, 'deal')}; at least {question.fewest} are "
                "needed for an answer",
                f"make a larger one: arena suite NAME --game {game.info.name}",
            )
        plan = structs.replace(plan, budget_games=min(budget_games, deals * plan.games_a_match * a_round))
    least = question.fewest * plan.games_a_match * a_round
    if budget_games < least:
        what = counted(plan.matches // a_round, "deal" if is_race else "match", "" if is_race else "matches")
        raise UsageError(
            f"a budget of {counted(budget_games, 'game')} is {what}; "
            f"at least {question.fewest} are needed for an answer",
            f"a {'deal' if is_race else 'match'} has {counted(plan.games_a_match * a_round, 'game')} here: pass "
            f"--budget {least} or more",
        )
    return plan
