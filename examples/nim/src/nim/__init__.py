"""Nim for Arena: the rules are in `game`, told to people in rules.md."""
