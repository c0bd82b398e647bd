"""The referee: plays one game by the rules and under the clock, and records it."""
