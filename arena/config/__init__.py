"""The league file and bot.toml: read, checked, and refused with the place named."""
