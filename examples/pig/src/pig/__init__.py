"""Pig for Arena: the rules are in `game`."""
