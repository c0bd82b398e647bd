"""The ledger of finished games and everything computed from it."""
