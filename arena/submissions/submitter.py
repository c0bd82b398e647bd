"""The author of a submission that comes from an account: bot.toml may leave it out, and can't name another one."""

from pathlib import Path

from arena.config.bounded_toml import decoded, load
from arena.config.errors import BadFile
from arena.config.key_lines import line_of
from arena.submissions.manifest import MANIFEST_BOUNDS

AUTHOR = "author"


def signed(content: bytes, path: Path, submitter: str) -> bytes:
    """Return the bytes of a bot.toml with its submitter as author; `path` is for messages.

    A file without `author` gets a last line with it, so that no line of the author's own moves. Raises BadFile if the
    file isn't TOML, or names another author.
    """
    text = decoded(content, str(path), MANIFEST_BOUNDS)
    data = load(text, str(path), MANIFEST_BOUNDS)
    named = data.get(AUTHOR)
    if named is None:
        return content + f'\n{AUTHOR} = "{submitter}"\n'.encode()
    if isinstance(named, str) and named != submitter:
        line = line_of(text, [AUTHOR])
        where = f"{path}:{line}" if line else str(path)
        raise BadFile(
            f"{where}: author: the bot's author is {named!r}, but you are signed in as {submitter!r}",
            f'write author = "{submitter}", or leave that line out',
        )
    return content
