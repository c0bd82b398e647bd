"""What a league file comes to: game, rulesets, schedule and numbers, all checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena import registry
from arena.config.league_file import LeagueFile
from arena.config.reading import convert
from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset, ruleset
from arena.league.settling import check
from arena.schedules.base import Field, Schedule

DEFAULT_SCHEDULE = "round-robin"


@dataclass(frozen=True, slots=True)
class Setting:
    """A league's rules of play, without its bots."""

    game: AnyGame
    ruleset: Ruleset
    """As set; what follows from the number of seats is still open."""
    rulesets: dict[int, Ruleset]
    """Resolved, by number of seats."""
    field: Field
    schedule: Schedule
    schedule_settings: Any
    rotations: Rotations

    @property
    def total_matches(self) -> int | None:
        """How many matches there will be, where that is known."""
        return self.schedule.total(self.field, self.schedule_settings)

    def games_of(self, seats: int) -> int:
        """Return the number of games of a match at a table of that size."""
        return len(seatings(tuple(range(seats)), self.rotations))

    @property
    def total_games(self) -> int | None:
        """How many games there will be, where that is known."""
        matches = self.total_matches
        if matches is None:
            return None
        if len(self.field.seats) == 1:
            return matches * self.games_of(self.field.seats[0])
        per_size = {}
        for seats in self.field.seats:
            alone = replace(self.field, seats=(seats,))
            per_size[seats] = (self.schedule.total(alone, self.schedule_settings) or 0) * self.games_of(seats)
        return sum(per_size.values())


def settle(
    file: LeagueFile, entries: int, name: str, text: str = "", authors: Mapping[int, str] | None = None
) -> Setting:
    """Return the setting that a league file describes, for that number of entries.

    `name` and `text` are the file's, for messages; `authors`, by entry number, are those of the bots, as far as
    they are known. Raises UsageError, saying what does not fit.
    """
    try:
        return _settle(file, entries, name, text, authors or {})
    except UsageError as error:
        if str(error).startswith(name):
            raise
        raise UsageError(f"{name}: {error}", error.hint) from None


def _settle(file: LeagueFile, entries: int, name: str, text: str, authors: Mapping[int, str]) -> Setting:
    game = registry.game(file.game)
    rules = ruleset(game.info, file.ruleset, file.options)
    allowed = game.seats(rules)
    if file.seats is None:
        sizes: tuple[int, ...] = (max(min(entries, allowed[-1]), allowed[0]),)
    else:
        sizes = (file.seats,) if isinstance(file.seats, int) else tuple(dict.fromkeys(file.seats))
    rulesets = {}
    for seats in sizes:
        if seats not in allowed:
            raise UsageError(
                f"seats: {rules.name} is for {allowed[0]} to {allowed[-1]} players, not {seats}",
                f"`arena games show {game.info.name}` tells more",
            )
        rulesets[seats] = game.resolve(rules, seats)
    schedule = registry.schedule(str(file.schedule.get("kind", DEFAULT_SCHEDULE)))
    own_keys = {key: value for key, value in file.schedule.items() if key != "kind"}
    settings = convert(own_keys, schedule.settings, name, text, "schedule")
    rotations = file.rotations or game.info.rotations
    if rotations == "all" and max(sizes) > 4:
        raise UsageError(
            f'rotations: "all" of {max(sizes)} seats would be too many games; 4 seats are the most',
            'use "cyclic", or "mirror" for games with neighbours',
        )
    apart = authors if not file.same_author and len(set(authors.values())) > 1 else {}
    field = Field(tuple(range(entries)), sizes, dict(apart), beta=file.rating.beta)
    check(file.stop, entries, endless=schedule.total(field, settings) is None)
    return Setting(game, rules, rulesets, field, schedule, settings, rotations)


def parse_options(game: AnyGame, given: Sequence[str]) -> dict[str, object]:
    """Return options written as NAME=VALUE. Raises UsageError listing what exists."""
    options: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"option {text!r} is not of the form NAME=VALUE")
        options[name] = game.info.option(name).parse(value)
    return options
