"""Looking a store over: rows, games, what is derived."""
