"""Makes what is uploaded: a bot's folder as an archive, an archive as it is."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arena.config.errors import BadFile
from arena.submissions.archives import is_archive
from arena.submissions.archives.zip import zip_of
from arena.submissions.folder import MOST_LIMITS, read_files
from arena.submissions.manifest import bot_at_fault, check_has_manifest


@contextmanager
def packed(path: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Yield the name, content and size in bytes of an archive: of a folder, a new one with what `arena submit` takes.

    How large a bot may be is for the server to say. Raises BadFile if there is no bot at `path`, and as `read_files`.
    """
    if not is_archive(path):
        check_has_manifest(path)
        name = path.resolve().name or "bot"
        with bot_at_fault():
            content = zip_of(read_files(path, limits=MOST_LIMITS), name)
        yield f"{name}.zip", io.BytesIO(content), len(content)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}", "make it readable") from None
    with file:
        yield path.name, file, path.stat().st_size
