"""Where ratings start: a new version of a bot can inherit the rating of an older one."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from results.ratings.base import Rating, Scale, taken_over
from results.ratings.rater import Rater
from results.records import EntrySpec, LeagueRecord, RulesetRecord, VersionRecord
from results.store import Store


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
        _Earlier(store, league)
        for league in reversed(store.leagues.all())
        if league.rated
        and league.ruleset == rules
        and league.rating == rater.system.name
        and _mean_the_same(league.scale, rater.scale)
        and _are_of_games(league.rating_options, league.config) == of_games
    ]
    found = []
    for spec in specs:
        version = versions.get(spec.version_id) if spec.version_id is not None else None
        ratings = (league.rating_of(version, spec.args) for league in earlier) if version else ()
        last = next((rating for rating in ratings if rating), None)
        found.append(replace(spec, prior=taken_over(last, widen, rater.scale.start)) if last else spec)
    return found


def _mean_the_same(one: Scale, other: Scale) -> bool:
    """Return whether ratings on two scales of one rating system are comparable."""
    return (one.start, one.unit) == (other.start, other.unit)


def _are_of_games(options: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    """Return whether a league's ratings are of games, as opposed to matches of several games.

    By matches of several games, the same bots are further apart, because these depend less on luck.
    """
    return options.get("rates") == "games" or config.get("rotations") == "off"


class _Earlier:
    """The ratings of a league, by bot."""

    def __init__(self, store: Store, league: LeagueRecord) -> None:
        played = {
            row.entry_no: Rating(row.mu, row.sigma)
            for row in store.ratings.standings(league.uuid)
            if row.matches
        }
        self._ratings: dict[tuple[object, ...], list[tuple[int, Rating]]] = {}
        """By bot and arguments: numbers of versions, and their ratings."""
        for entry in store.entries.all(league.uuid):
            if entry.version and entry.entry_no in played:
                same = self._ratings.setdefault((*_bot(entry.version), entry.args), [])
                same.append((entry.version.number, played[entry.entry_no]))

    def rating_of(self, version: VersionRecord, args: tuple[str, ...]) -> Rating | None:
        """Return the rating of a version, or of the newest older one, that played with these arguments."""
        same = self._ratings.get((*_bot(version), args), ())
        found = [one for one in same if one[0] <= version.number]
        return max(found, key=lambda one: one[0])[1] if found else None


def _bot(version: VersionRecord) -> tuple[str, str]:
    return version.author, version.bot
