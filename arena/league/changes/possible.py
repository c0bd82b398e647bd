"""Which changes a league is open to, for pages that offer them."""

from dataclasses import dataclass

from arena.core.errors import UsageError
from arena.league.changes.subject import subject
from arena.league.changes.whole_league import extendable
from results.store import Store


@dataclass(frozen=True, slots=True)
class Possible:
    """The changes a league is open to now. Each is checked again when it is made."""

    fixed: str
    """Why its field can't change; empty if it can."""
    benched_forfeit: bool
    """Whether benched entries stay in the schedule and forfeit; otherwise they get no matches."""
    season: bool
    """Whether its season can end with a final."""
    extendable: tuple[str, ...]
    """By what it can be extended: some of `matches`, `games`, `minutes`, `rounds`."""


def possible(store: Store, league: str) -> Possible:
    """Return which changes a league is open to. Raises UnknownLeague."""
    fixed, endless = "", False
    try:
        about = subject(store, league)
        endless = about.definition.endless
        about.check_changeable()
    except UsageError as error:
        fixed = str(error)
    return Possible(fixed, not endless, endless and not fixed, tuple(extendable(store, league)))
