"""Submissions: reads bot.toml, makes immutable versions named by content hash, and checks bots before they may play."""
