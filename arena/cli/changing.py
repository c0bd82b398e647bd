"""Makes a change to a league, or leaves it for the process that runs leagues in the store."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.leaving import perform_or_leave
from arena.cli.messages import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.league.changes.commands import Change


def entry_named(store: Path, league: str, bot: str) -> str:
    """Return the name by which a change finds an entry: `bot`, or the entry's label if that is the path of its bot.

    The process that makes the change may be another one, with other folders.
    """
    from arena.cli.open_store import reading_if_there
    from arena.cli.stored_names import find_entry
    from arena.league.definition.named_bots import HERE, bot_path, is_there
    from results.errors import AmbiguousName

    if bot_path(bot, HERE) is None and not is_there(Path(bot)):
        return bot
    with reading_if_there(store) as opened, suppress(AmbiguousName):
        return bot if opened is None else find_entry(opened, opened.leagues.get(league), bot).label
    return bot


def start_joining(
    store: Path, league: str, bot: str | None, args: "Sequence[str]" = (), entry: str = ""
) -> None:
    """Start the bot once that is to join a league, or to replace an entry; see `entering.to_start`.

    Raises DoesNotStart.
    """
    from arena.cli.confinement import starting
    from arena.cli.open_store import reading_if_there
    from arena.league.changes.entering import to_start
    from arena.league.definition.stored import file_of

    with reading_if_there(store) as opened:
        if opened is not None and (bots := to_start(opened, league, bot, args, entry)):
            starting(store)(bots, file_of(opened.leagues.get(league)))


def make_change(store: Path, change: "Change") -> None:
    """Make a change in the store and print what happens."""
    if words := perform_or_leave(store, change):
        answer(words)
