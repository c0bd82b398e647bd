"""What tests of the sandbox share."""

from collections.abc import Iterator

import pytest

from tests.support.sandbox import (
    Sandbox,
    needs_ordinary_user,
    needs_root,
    open_folder,
    sandbox,
)


@pytest.fixture(
    params=[
        pytest.param("ordinary user", marks=needs_ordinary_user),
        pytest.param("root", marks=[needs_root, pytest.mark.slow]),
    ]
)
def inside(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Have a sandbox with an empty bot."""
    with open_folder() as place:
        yield sandbox(place, request.param)
