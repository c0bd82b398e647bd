"""The tables of all games that are installed, for the tests of single games."""

from arena.conformance.tables import Played, Table, as_bytes, decision_json, named_tables, played, quick
from arena.registry import games

__all__ = ["TABLES", "Played", "Table", "as_bytes", "decision_json", "played", "quick"]

TABLES = list(named_tables(games().values()))
"""Every named ruleset at every number of seats."""
