"""When a league ends: rules that judge planned matches and results."""
