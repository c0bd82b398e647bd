"""The referee: plays one game between players by the rules, under the clock, and records it."""
