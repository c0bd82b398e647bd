"""Schedules: who meets whom. Pure; they see running summaries and know neither games nor bots."""
