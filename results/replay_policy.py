"""The policy for keeping a league's replays: `all`, `faults`, `none`, or `last N` games."""

import re

from results.errors import BadPolicy

POLICIES = "all|faults|none|last [1-9][0-9]{0,8}"
"""All valid policies, as a regular expression."""


def check_policy(keep_replays: str) -> None:
    """Raise BadPolicy unless this is a valid policy."""
    if not re.fullmatch(POLICIES, keep_replays):
        raise BadPolicy(
            f"keep_replays can't be {keep_replays!r}", "it is `all`, `faults`, `none`, or `last N` (games)"
        )


def newest_kept(keep_replays: str) -> int | None:
    """Return the N of `last N`; None for other policies."""
    return int(keep_replays.removeprefix("last ")) if keep_replays.startswith("last ") else None
