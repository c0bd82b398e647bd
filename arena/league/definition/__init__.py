"""Defines a league: resolves its file against games, schedules and rating systems, and checks all of it."""
