"""Verification of a store: rows, games, derived tables."""
