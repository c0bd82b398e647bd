"""Leagues: schedule, executor, referee and ledger, working together."""
