"""Draws the output of the command line: tables, charts and live displays."""
