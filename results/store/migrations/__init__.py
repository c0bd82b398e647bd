"""The steps that bring a store to its newest form, each named after what it adds."""
