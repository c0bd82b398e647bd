"""Talks to a server of Arena over HTTP: what is asked, what comes back, and the tokens of this user."""
