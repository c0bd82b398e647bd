"""Protocol versions: which exist, and what each number changed."""

SUPPORTED: tuple[int, ...] = (1,)
"""Versions that the arena speaks, best first."""

CHANGES: dict[int, str] = {1: "The first version."}
"""What each version changed, for the reference page."""
