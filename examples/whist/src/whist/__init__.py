"""Whist for Arena."""
