"""The table of a single match: who plays, and who sits where."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.league.definition.named_bots import labels
from arena.league.definition.staged_bots import StagedBot


@dataclass(frozen=True, slots=True)
class TablePlayer:
    """A bot or a person in a single match, at one seat or at several."""

    label: str
    bot: StagedBot | None = None
    """None for a person."""
    args: tuple[str, ...] = ()
    """Arguments for the bot's command, beyond those in its bot.toml."""


@dataclass(frozen=True, slots=True)
class Table:
    """The players of a single match, and their seats."""

    players: tuple[TablePlayer, ...]
    """Each once, in the order in which they sit down."""
    seats: tuple[int, ...]
    """The index of the player at each seat of the first game."""

    def seated(self) -> list[str]:
        """Return the label of the player at each seat."""
        return [self.players[index].label for index in self.seats]

    def with_person(self, name: str, seat: int) -> "Table":
        """Return the table with a person at a seat, from 0; who sat there or after moves up by one."""
        seats = (*self.seats[:seat], len(self.players), *self.seats[seat:])
        return replace(self, players=(*self.players, TablePlayer(name)), seats=seats)


def table_of(bots: Sequence[StagedBot]) -> Table:
    """Return the table with a bot for each seat, in order. The same version at two seats is one player."""
    versions = [bot.version for bot in bots]
    label_of = dict(zip((version.id for version in versions), labels(versions), strict=True))
    bot_of = {bot.version.id: bot for bot in bots}
    index_of = {number: index for index, number in enumerate(label_of)}
    return Table(
        tuple(TablePlayer(label, bot_of[number]) for number, label in label_of.items()),
        tuple(index_of[version.id] for version in versions),
    )
