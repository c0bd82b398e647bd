"""Games between people and bots in the browser: each table has a process of its own."""
