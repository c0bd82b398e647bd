"""Forecasts: how many matches a league or a comparison takes to tell bots apart, from what is known of the luck."""
