"""Exit codes, the same for all commands."""

DONE = 0
OURS = 1
"""A fault of ours, or of the machine."""
USAGE = 2
"""What was asked for makes no sense as it stands."""
BOT_FAILED = 3
"""A bot failed its check."""
INTERRUPTED = 4
"""Interrupted; the same command goes on."""
PAUSED = 5
"""The machine refuses what games need; once that is mended, the same command goes on."""

NO_DIFFERENCE = 10
WORSE = 11
UNDECIDED = 12
"""Of `arena compare`, which is done (0) where the new version is better."""
