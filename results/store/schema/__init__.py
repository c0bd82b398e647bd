"""The tables of a store, and the checksums and counts of their rows."""
