"""Schedules: who meets whom. They are pure, see only running summaries and know neither games nor bots."""
