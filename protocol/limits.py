"""Limits of a line in the protocol, and the defaults for a bot's clock and output."""

from protocol.messages import Clock, Limits

LINE_BYTES = 65_536
"""Longest line in either direction, newline included, unless a game declares more."""

DEPTH = 16
"""Deepest nesting of arrays and objects in a line; the message itself is level 1."""

NOTE_CHARS = 500
"""Longer notes are cut, not refused."""

OUTPUT_BYTES = 16_777_216
"""The most that a bot may write to standard output in one game."""

STARTUP_MS = 10_000
"""Wall time from starting a bot's process to its `hello`. Bots aren't told, since they can't use it."""

DEFAULT_CLOCK = Clock(ready_ms=2_000, move_ms=1_000, bank_ms=10_000, margin_ms=20)
"""The clock of a game if its league sets none."""

DEFAULT_LIMITS = Limits(line_bytes=LINE_BYTES, depth=DEPTH, output_bytes=OUTPUT_BYTES, note_chars=NOTE_CHARS)
"""The limits of a game if neither the game nor its league sets others."""
