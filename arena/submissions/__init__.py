"""Taking bots in: bot.toml, the immutable version by content hash, the check before it may play."""
