"""Reads and checks the league file, bot.toml and the settings file; errors name file, line and key."""
