"""Dask's log, which is not for users: what they have to know, Arena says itself."""

import logging

LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")
"""All that Dask gives a level of their own when it is imported."""


def quieten_dask() -> None:
    """Let Dask log nothing in this process. Call it once `distributed` has been imported."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
