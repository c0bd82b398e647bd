"""The composer: schedule, executor, referee and ledger put together into a league."""
