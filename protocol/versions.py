"""Protocol versions: which ones exist, what each changed, and how both sides agree on one."""

from collections.abc import Sequence

from protocol.errors import NoCommonVersion

SUPPORTED: tuple[int, ...] = (1,)
"""Versions the arena speaks, best first."""

CHANGES: dict[int, str] = {1: "The first version."}
"""What each version changed, for the reference page."""


def negotiate(arena_versions: Sequence[int], bot_choice: int) -> int:
    """Return the version to speak with a bot: the one its `hello` chose, if the arena offered it.

    Raises NoCommonVersion, naming the versions of both sides.
    """
    if bot_choice in arena_versions:
        return bot_choice
    offered = ", ".join(map(str, arena_versions))
    raise NoCommonVersion(
        f"no common protocol version: the arena speaks {offered}; the bot answered {bot_choice}"
    )
