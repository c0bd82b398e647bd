"""The ledger of finished games and all that is computed from it."""
