"""Exit codes, the same for all commands."""

DONE = 0
OURS = 1
"""Arena or the machine is at fault."""
USAGE = 2
"""The command, or a file it reads, has a mistake."""
BOT_FAILED = 3
"""A bot that is there has a mistake, doesn't start, or failed its check."""
INTERRUPTED = 4
"""Interrupted; run the same command to continue."""
PAUSED = 5
"""The machine lacks resources that games need; once that is fixed, run the same command to continue."""

DIFFERENT = 6
"""A bot, or a game played again, differs from the stored game."""

NO_DIFFERENCE = 10
WORSE = 11
UNDECIDED = 12
"""Answers of `arena compare`, which exits with 0 if the new version is better."""
