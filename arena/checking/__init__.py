"""Checks a bot step by step, and says what is wrong with it, where, and what to do."""
