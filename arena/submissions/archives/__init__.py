"""Reads archives of bots into memory, within limits, and writes them. Nothing here ever unpacks to a folder."""
