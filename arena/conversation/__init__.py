"""Conversations: what one seat of a stored game was sent and what it answered, and speaking them with another bot."""
