"""The JSON API: an application of its own below `/api`, with its own errors and documentation."""
