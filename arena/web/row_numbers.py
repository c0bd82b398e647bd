"""Numbers of rows in addresses: SQLite has no larger ones, and fails at them."""

from typing import Annotated

from fastapi import Path

MOST = 2**63 - 1
PathNumber = Annotated[int, Path(ge=0, le=MOST)]
