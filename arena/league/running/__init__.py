"""Runs leagues: plans matches, plays games, appends results, and pauses if the machine fails."""
