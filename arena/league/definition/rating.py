"""How a league is rated, by `[rating]` of its file: the system, the draw probability, and where ratings start."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.config.league_file import LeagueFile, RatingTable
from arena.config.mistakes import at_key, convert
from arena.core.chance import Chance, Stream
from arena.core.errors import BadValue
from arena.core.game import AnyGame, Outcome, at_random, capped, play_chance, refuse_endless
from arena.core.ruleset import Rotations, Ruleset
from arena.core.seatings import seatings
from arena.core.ticket import match_seed
from arena.league.definition.checked_definition import Definition
from arena.registry import PluginFailed, blaming
from results.base.scoring import Sides, game_shares
from results.ratings import OF_ALL, Rater, rater, rating_system
from results.ratings.base import MeasuresDraws, RatesSides, Rating, taken_over
from results.ratings.mean_score import MEAN_SCORE
from results.records import EntrySpec, LeagueRecord, RulesetRecord, VersionRecord
from results.records.query_rows import SeatResult
from results.store import Store

MOST_MATCHES = 200
"""Matches per table size: enough for an error of a draw probability of about 0.02 at two seats, less at more."""
LEAST_MATCHES = 20
MOST_MOVES_A_GAME = 100_000
"""A longer game is assumed never to end."""
MOST_MOVES = 40_000
"""Stop after this many moves, once LEAST_MATCHES are played, so that long games take little longer."""

_SECRET = b"arena/draw-probability"


def random_matches(
    game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations, sides: Sides = ()
) -> Iterator[list[SeatResult]]:
    """Yield the seats of some matches, of one after the other; `rules` are resolved. The same on every machine.

    `sides`: the side of each seat, if some are partners.
    """
    moves = 0
    for match_no in range(MOST_MATCHES):
        if match_no >= LEAST_MATCHES and moves >= MOST_MOVES:
            break
        seed = match_seed(_SECRET, match_no)
        rows = []
        for rotation, seating in enumerate(seatings(tuple(range(seats)), rotations, sides)):
            outcome, made = _play(game, rules, seats, seed, rotation)
            moves += made
            points = game.info.points(outcome.scores)
            rows += [
                SeatResult(match_no, rotation, seat, entry, outcome.ranks[seat], points[seat], 0)
                for seat, entry in enumerate(seating)
            ]
        yield rows


def _play(game: AnyGame, rules: Ruleset, seats: int, seed: bytes, rotation: int) -> tuple[Outcome, int]:
    """Play one game at random; return its outcome and the number of moves."""
    state, _ = game.deal(seats, rules, Chance(seed=seed))
    chance = Stream(seed, f"rotation/{rotation}")
    draw = at_random(Stream(seed, f"rotation/{rotation}/later"))
    state, _ = play_chance(game, game.copy(state), draw)
    moves = 0
    while not isinstance(turn := game.turn(state), Outcome):
        if capped(game.info, moves):
            return Outcome(game.scores(state)), moves
        refuse_endless(game.info, moves)
        made = {
            decision.seat: decision.legal[0]
            if decision.legal is not None and len(decision.legal) == 1
            else game.sample_move(state, decision.seat, chance)
            for decision in turn
        }
        game.advance(state, made)
        state, _ = play_chance(game, state, draw)
        moves += len(made)
        if moves > MOST_MOVES_A_GAME:
            raise PluginFailed(
                f"the game {rules.game!r} had not ended after {MOST_MOVES_A_GAME:,} random moves",
                "it may never end: add a rule that ends every game",
            )
    return turn, moves


LOWEST, HIGHEST = 0.01, 0.5
"""Limits of the measured probability: ties can always happen, and ratings must keep learning."""


def draw_probability(definition: Definition, *, by_games: bool = False) -> float:
    """Return the probability that two equal players tie in a match, or `by_games` in a game: 0.01 to 0.5, rounded.

    The players choose at random among legal moves. Two tie if their shares over the match's games have the same sum.
    The result is the mean over the league's table sizes. It depends on the rules alone, so every machine gets the
    same. Raises PluginFailed if the game fails or does not end.
    """
    game = definition.game
    with blaming("game", game.info.name, game):
        measured = [
            tie_rate(
                *(game, rules, seats, definition.rotations),
                sides=definition.partners.at(seats),
                by_games=by_games,
            )
            for seats, rules in definition.rulesets.items()
        ]
    return round(min(max(sum(measured) / len(measured), LOWEST), HIGHEST), 3)


def tie_rate(
    game: AnyGame,
    rules: Ruleset,
    seats: int,
    rotations: Rotations,
    *,
    sides: Sides = (),
    by_games: bool = False,
) -> float:
    """Return the fraction of pairs, 0 to 1, that tied in matches (`by_games`: in single games) of random players.

    With `sides`, of pairs of sides.
    """
    compared = ties = 0
    members = [sides.index(side) for side in range(max(sides) + 1)] if sides else list(range(seats))
    for match in random_matches(game, rules, seats, rotations, sides):
        shares = [0] * seats
        for first in range(0, len(match), seats):
            rows = match[first : first + seats]
            of_game = game_shares([row.rank for row in rows], sides)
            if by_games:
                compared += 1
                ties += _tied([of_game[seat] for seat in members])
            for row, share in zip(rows, of_game, strict=True):
                shares[row.entry_no] += share
        if not by_games:
            compared += 1
            ties += _tied([shares[entry] for entry in members])
    return ties / (compared * len(members) * (len(members) - 1) // 2)


def _tied(shares: Sequence[int]) -> int:
    return sum(shares[a] == shares[b] for a in range(len(shares)) for b in range(a))


class RatingPlan(Struct, frozen=True):
    """How to rate a league."""

    table: RatingTable
    """The keys that all systems have."""
    rater: Rater
    """The system, with its own keys as set in the file."""
    measured: str | None
    """The key whose value is measured; None if there is none, or the file sets it."""

    @property
    def widen(self) -> float:
        """Uncertainty added to an inherited rating, as a standard deviation."""
        if self.table.widen is not None:
            return self.table.widen
        return self.rater.scale.start.sigma / 2

    def as_stored(self) -> dict[str, Any]:
        """Return all keys with their values, as stored with the league."""
        return {
            **msgspec.to_builtins(self.table),
            "widen": self.widen,
            **self.rater.options,
            **({self.measured: None} if self.measured else {}),
        }


def rating_plan(file: LeagueFile) -> RatingPlan:
    """Return the rating plan of a league file. Raises BadValue, SeveralMistakes, BrokenPlugin, and RatingFailed."""
    of_all = {key: value for key, value in file.rating.items() if key in OF_ALL}
    own = {key: value for key, value in file.rating.items() if key not in OF_ALL}
    table = convert(of_all, RatingTable, ("rating",))
    with at_key("rating", "system"):
        if table.system == MEAN_SCORE.name:
            raise BadValue((), f"{file.game} is rated by who finishes above whom", 'use system = "trueskill"')
        system = rating_system(table.system)
    settings = convert(own, system.settings, ("rating",), besides=OF_ALL)
    measured = system.draws if isinstance(system, MeasuresDraws) and system.draws not in own else None
    return RatingPlan(table, Rater(system, settings), measured)


def scores_plan(file: LeagueFile, decimals: int) -> RatingPlan:
    """Return the plan of a league that compares scores of tables, which have so many decimals.

    Raises BadValue if the file sets how to rate it.
    """
    if file.rating:
        raise BadValue(
            ("rating",),
            f"{file.game} has no winners and losers, so there is nothing to rate: its bots have mean scores",
            "remove [rating]",
        )
    return RatingPlan(
        RatingTable(system=MEAN_SCORE.name), rater(MEAN_SCORE.name, {"decimals": decimals}), None
    )


def with_draws(plan: RatingPlan, definition: Definition, measured: float | None = None) -> Rater:
    """Return the league's rater; unless it is set or `measured` before, measures the draw probability it needs.

    Raises BadValue if the game has partners and the system rates none.
    """
    if definition.partners.sides and not isinstance(plan.rater.system, RatesSides):
        raise BadValue(
            ("system",),
            f"{definition.file.game} has partners, which the rating system {plan.rater.system.name!r} can't rate",
            f"remove system, for {RatingTable().system}, or use another system that has `rate_sides`",
        )
    if plan.measured is None:
        return plan.rater
    if measured is None:
        measured = draw_probability(definition, by_games=plan.rater.rates_games)
    return rater(plan.table.system, {**plan.rater.options, plan.measured: measured})


def with_predecessors(specs: Sequence[EntrySpec], versions: Mapping[int, VersionRecord]) -> list[EntrySpec]:
    """Return the entries; the predecessor of each is the newest older version of its bot among those before it.

    `versions` are by their `id`. Entries with different arguments are never predecessors of each other.
    """
    found: list[EntrySpec] = []
    before: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    """By bot and arguments: numbers of version and entry."""
    for entry_no, spec in enumerate(specs):
        version = versions.get(spec.version_id) if spec.version_id is not None else None
        if version is None:
            found.append(spec)
            continue
        same = before.setdefault((*_bot(version), spec.args), [])
        older = [one for one in same if one[0] < version.number]
        found.append(replace(spec, predecessor=max(older)[1]) if older else spec)
        same.append((version.number, entry_no))
    return found


def with_priors(
    store: Store,
    specs: Sequence[EntrySpec],
    versions: Mapping[int, VersionRecord],
    rules: RulesetRecord,
    rater: Rater,
    config: Mapping[str, Any],
) -> list[EntrySpec]:
    """Return the entries; those that have played before get a prior.

    The prior comes from the newest league with the same rules, rating system and scale in which the same version, or
    else the newest older one, played with the same arguments. `versions` are by their `id`, `config` is the new
    league's.
    """
    of_games = _are_of_games(rater.options, config)
    widen: float = config["rating"]["widen"]
    earlier = [
        _ratings_in(store, league)
        for league in reversed(store.leagues.all())
        if league.rated
        and league.ruleset == rules
        and league.rating == rater.system.name
        and (league.scale.start, league.scale.unit) == (rater.scale.start, rater.scale.unit)
        and _are_of_games(league.rating_options, league.config) == of_games
    ]
    found = []
    for spec in specs:
        version = versions.get(spec.version_id) if spec.version_id is not None else None
        key, newest = ((*_bot(version), spec.args), version.number) if version else ((), 0)
        found_in = ([one for one in ratings.get(key, ()) if one[0] <= newest] for ratings in earlier)
        last = next((max(older, key=lambda one: one[0])[1] for older in found_in if older), None)
        found.append(replace(spec, prior=taken_over(last, widen, rater.scale.start)) if last else spec)
    return found


def _are_of_games(options: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    """Whether ratings are of games, as opposed to matches of several games, which spread the same bots further."""
    return options.get("rates") == "games" or config.get("rotations") == "off"


def _ratings_in(store: Store, league: LeagueRecord) -> dict[tuple[object, ...], list[tuple[int, Rating]]]:
    """Return the numbers of versions that played in a league, and their ratings, by bot and arguments."""
    rows = store.ratings.standings(league.uuid)
    played = {row.entry_no: Rating(row.mu, row.sigma) for row in rows if row.matches}
    found: dict[tuple[object, ...], list[tuple[int, Rating]]] = {}
    for entry in store.entries.all(league.uuid):
        if entry.version and entry.entry_no in played:
            same = found.setdefault((*_bot(entry.version), entry.args), [])
            same.append((entry.version.number, played[entry.entry_no]))
    return found


def _bot(version: VersionRecord) -> tuple[str, str]:
    return version.author, version.bot
