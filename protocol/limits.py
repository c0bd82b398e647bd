"""Limits of a line on the wire, and what a bot is allowed where a league says nothing else."""

from protocol.messages import Clock, Limits

LINE_BYTES = 65_536
"""Longest line in both directions, newline included, unless a game declares more."""

DEPTH = 16
"""Deepest nesting of arrays and objects in a line; the message itself is the first level."""

NOTE_CHARS = 500
"""A note longer than this is cut, not refused."""

OUTPUT_BYTES = 16_777_216
"""All that a bot may write to standard output in one game."""

STARTUP_MS = 10_000
"""From starting a bot's process to its `hello`, wall time; not told to the bot, which can't use it."""

DEFAULT_CLOCK = Clock(ready_ms=2_000, move_ms=1_000, bank_ms=10_000, margin_ms=20)
"""The clock of a game where its league sets none."""

DEFAULT_LIMITS = Limits(line_bytes=LINE_BYTES, depth=DEPTH, output_bytes=OUTPUT_BYTES, note_chars=NOTE_CHARS)
"""The limits of a game where neither the game nor its league sets others."""
