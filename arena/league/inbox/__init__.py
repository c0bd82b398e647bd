"""The inbox of a store: commands left for the process that holds its lock, and how that process takes them up."""
