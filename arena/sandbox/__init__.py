"""Starting a bot's program within bounds, and leaving nothing of it behind."""
