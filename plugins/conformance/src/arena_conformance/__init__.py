"""The conformance kit: the requirements for games, schedules and rating systems, as tests for their authors to run.

`python -m arena_conformance --game NAME` plays an installed game; `--schedule NAME` plays leagues of a schedule
without games. Nothing in Arena imports this package.
"""


def is_own(plugin: object) -> bool:
    """Return whether a game, a schedule or a rating system comes with Arena rather than another package."""
    return type(plugin).__module__.startswith(("arena.games.", "arena.schedules.", "results.ratings."))
