"""Leagues: schedule, executor, referee and ledger put together."""
