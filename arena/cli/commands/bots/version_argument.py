"""The argument that names a version."""

from typing import Annotated

import typer

VersionArgument = Annotated[
    str,
    typer.Argument(
        metavar="VERSION", help="A submitted bot: `name`, `author/name`, `name@2`, or a prefix of its hash."
    ),
]
