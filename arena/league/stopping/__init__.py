"""When a league ends: rules that judge what is to be planned, and what came of it."""
