"""The migrations that bring a store to its newest version, each named after what it adds."""

VERSION = 15
"""The number of the newest step, so that reading a store needn't import them all."""
