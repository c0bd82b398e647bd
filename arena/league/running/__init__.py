"""Runs leagues: matches planned in time, games played, results entered, faults of the machine told from others."""
