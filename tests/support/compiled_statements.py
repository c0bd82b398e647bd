"""SQL compiled once for all stores of a process: nearly every test has a store, and would compile it anew."""

from functools import cache
from typing import Any
from unittest.mock import patch

import sqlalchemy
from sqlalchemy import Dialect, Engine

from results.store import database

_compiled: dict[Any, Any] = {}


def share_compiled_statements() -> None:
    """Have the engines of all stores share what they compile, from now on."""
    patch.object(database, "create_engine", _create_engine).start()


def _create_engine(*arguments: Any, **options: Any) -> Engine:
    engine = sqlalchemy.create_engine(*arguments, **options)
    engine.dialect = _dialect()
    engine.update_execution_options(compiled_cache=_compiled)
    return engine


@cache
def _dialect() -> Dialect:
    """Return the dialect of all engines: SQLAlchemy knows compiled statements by it."""
    engine = sqlalchemy.create_engine("sqlite+pysqlite://")
    with engine.connect():  # which completes the dialect
        return engine.dialect
