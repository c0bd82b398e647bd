"""Which replays of a league are kept: `all`, `faults`, `none`, or `last N` games."""

import re

from results.errors import BadPolicy

POLICIES = "all|faults|none|last [1-9][0-9]{0,8}"
"""All that a policy may be, as a regular expression."""


def check_policy(keep_replays: str) -> None:
    """Raise BadPolicy unless this is a rule for keeping replays."""
    if not re.fullmatch(POLICIES, keep_replays):
        raise BadPolicy(
            f"keep_replays can't be {keep_replays!r}", "it is `all`, `faults`, `none`, or `last N` (games)"
        )


def newest_kept(keep_replays: str) -> int | None:
    """Return the N of `last N`; None for another policy."""
    return int(keep_replays.removeprefix("last ")) if keep_replays.startswith("last ") else None
