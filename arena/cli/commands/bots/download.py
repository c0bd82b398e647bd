"""`arena bots download`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.messages import answer
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, AnyBot, StoreOption
from arena.cli.stored_names import find_version
from results.base.text import counted


def download(
    version: AnyBot,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-O", metavar="FILE.zip|FOLDER", help="Where to write it: a zip archive, or a folder."
        ),
    ],
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Overwrite the file, or files in the folder.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write the files of a version, as they were submitted, to an archive or a folder.

    They are checked against the version's hash. The same version always gives the same archive, byte by byte.
    """
    from arena.submissions.archives.zip import zip_of
    from arena.submissions.downloads import check_target, submitted_files, write_folder, write_zip

    check_target(output, force=force)
    with reading(store) as opened:
        found = find_version(opened, version)
        files = submitted_files(opened, found)
    if output.suffix.lower() == ".zip":
        write_zip(zip_of(files, found.bot), output, force=force)
    else:
        write_folder(files, output)
    answer(f"{output}: {found.reference}, {counted(len(files), 'file')}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("download")(download)
