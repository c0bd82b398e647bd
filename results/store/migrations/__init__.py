"""The migrations that bring a store to its newest version, each named after what it adds."""
