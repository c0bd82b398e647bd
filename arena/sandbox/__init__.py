"""Starts a bot's program within limits, and removes everything it leaves behind."""
