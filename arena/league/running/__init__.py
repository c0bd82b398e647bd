"""Runs leagues: plans matches, has games played, appends results, and pauses when the machine fails."""
