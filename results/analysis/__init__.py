"""Analyses of results: strengths fitted to all matches, sequential comparison, and whether an order is settled."""
