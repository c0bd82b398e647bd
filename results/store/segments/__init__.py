"""Segments: files next to the store that hold older replays, each written once."""
