"""Which games a check plays: every game the bot declares, in several rulesets and numbers of seats."""

from collections.abc import Iterator, Sequence
from itertools import count, cycle, islice
from typing import Final

from msgspec import Struct

from arena import registry
from arena.checking.harness import Deal
from arena.core.errors import BadOption, UsageError
from arena.core.game import AnyGame
from arena.core.ruleset import Ruleset, ruleset
from arena.core.ticket import match_seed
from arena.league.definition.given_rules import parse_options
from arena.registry import blaming
from arena.submissions.manifest import Manifest, plays

GAMES: Final = 8
"""Number of games of each declared game, if nothing else is asked for."""
SEED: Final = b"arena/check"


class Wanted(Struct, frozen=True):
    """What to play, as the author asked for it; empty or None where nothing was asked for."""

    game: str | None = None
    ruleset: str | None = None
    options: tuple[str, ...] = ()
    """NAME=VALUE."""
    seats: int | None = None
    games: int | None = None


class Setting(Struct, frozen=True):
    """A ruleset, resolved for a number of seats."""

    game: AnyGame
    ruleset: Ruleset
    seats: int

    def deal(self, seat: int, number: int) -> Deal:
        """Return the game with this number, from 0: the same cards each time."""
        return Deal(self.game, self.ruleset, self.seats, seat, match_seed(SEED, number), number)


class Plan(Struct, frozen=True):
    """The games to play with one declared game."""

    settings: tuple[Setting, ...]
    """Not empty; the first one has the default ruleset and the smallest table, if nothing else was asked for."""
    games: int
    is_exact: bool
    """Whether the number was asked for; if not, a bot that thinks long plays fewer."""

    @property
    def name(self) -> str:
        """The game's name."""
        return self.settings[0].game.info.name

    def deals(self) -> Iterator[Deal]:
        """Yield the games: each setting in turn, at another seat each time."""
        for number, setting in islice(zip(count(), cycle(self.settings)), self.games):
            yield setting.deal(number % setting.seats, number)


def plans_of(manifest: Manifest, wanted: Wanted) -> list[Plan]:
    """Return a plan for each game to check. Raises UsageError if the bot can't play what is wanted."""
    known = registry.games()
    names = [name for name in known if plays(manifest.games, name)]
    if wanted.game is not None:
        registry.game(wanted.game)
        if wanted.game not in names:
            raise UsageError(
                f"the bot does not play {wanted.game}", f"games in its bot.toml: {', '.join(manifest.games)}"
            )
        names = [wanted.game]
    if (wanted.ruleset or wanted.options) and len(names) > 1:
        raise UsageError("a ruleset belongs to one game, and the bot plays several", "name it with --game")
    return [_plan(registry.game(name), wanted) for name in names]


def _plan(game: AnyGame, wanted: Wanted) -> Plan:
    with blaming("game", game.info.name, game):
        options = parse_options(game, wanted.options)
        names: Sequence[str] = list(game.info.rulesets)
        if wanted.ruleset or options:
            names = [wanted.ruleset or names[0]]
        rulesets = [ruleset(game.info, name, options) for name in names]
        settings = _settings(game, rulesets, wanted.seats)
    if not settings:
        raise UsageError(
            f"{game.info.name} is not for {wanted.seats} players in {', '.join(rules.name for rules in rulesets)}",
            "leave out --seats, or choose another number",
        )
    return Plan(tuple(settings), wanted.games or GAMES, wanted.games is not None)


def _settings(game: AnyGame, rulesets: Sequence[Ruleset], seats: int | None) -> list[Setting]:
    """Return each ruleset at its smallest table, then each at its largest, then the first at the other sizes."""
    sizes = {rules.name: game.seats(rules) for rules in rulesets}
    if seats is not None:
        chosen = [(rules, seats) for rules in rulesets if seats in sizes[rules.name]]
    else:
        chosen = [(rules, sizes[rules.name][0]) for rules in rulesets if sizes[rules.name]]
        chosen += [(rules, sizes[rules.name][-1]) for rules in rulesets if len(sizes[rules.name]) > 1]
        chosen += [(rulesets[0], size) for size in sizes[rulesets[0].name][1:-1]]
    settings: list[Setting] = []
    for number, (rules, size) in enumerate(chosen):
        try:
            settings.append(Setting(game, game.resolve(rules, size), size))
        except BadOption:
            if seats is not None or number == 0:  # not a size of our choice
                raise
    return settings
