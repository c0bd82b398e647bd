"""The kinds of commands. Each is a type that checks the command's data and carries it out."""

from collections.abc import Mapping

import msgspec

from arena.core.errors import UnknownName, UsageError
from arena.league.changes import field, whole_league
from arena.league.changes.change import Change, LeagueChange
from arena.league.changes.versions import DeleteVersion, Submit
from arena.league.inbox.command import Command, new_command
from arena.league.inbox.new_league import NewLeague, ReplayedLeague
from arena.league.inbox.played_match import PlayedMatch
from results.store import Store

CHANGES: Mapping[str, type[LeagueChange]] = {
    change.kind: change
    for module in (field, whole_league)
    for change in vars(module).values()
    if change in LeagueChange.__subclasses__()
}
"""The changes of leagues, by kind."""
KINDS: Mapping[str, type[Change]] = {
    **CHANGES,
    **{kind.kind: kind for kind in (Submit, DeleteVersion, PlayedMatch, NewLeague, ReplayedLeague)},
}
"""By name. A command whose kind isn't here is refused."""


def command_for(change: Change, uuid: str | None = None) -> Command:
    """Return a new command of this user that makes a change. `uuid`: from `new_id`, if something is attached to it."""
    return new_command(change.kind, msgspec.to_builtins(change), uuid)


def perform(store: Store, command: Command) -> str:
    """Carry a command out by its kind; return what it did, in words.

    Raises UsageError for an unknown kind and for data that the kind doesn't take, and what the kind raises.
    """
    kind = KINDS.get(command.kind)
    if kind is None:
        raise UnknownName("kind of command", command.kind, list(KINDS))
    try:
        change = msgspec.convert(command.data, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{command.kind}: {error}") from None
    return change.perform(store)
