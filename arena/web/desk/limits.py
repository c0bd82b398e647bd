"""The limits on uploads, which pages show with what is left of them."""

from msgspec import Struct

from arena.submissions.folder import DEFAULT_LIMITS, FolderLimits

MIB = 1_048_576
_RECEIVE_BYTES_PER_S = 168 * 1024


class UploadLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on uploads. The first four are for each account."""

    in_progress: int = 2
    """Uploads that are being received, waiting or being checked."""
    per_day: int = 30
    """Uploads received on a day (UTC)."""
    kept_bytes: int = 512 * MIB
    """Files of accepted versions, and archives that wait."""
    body_bytes: int = 48 * MIB
    """Of one archive: half as much again as a bot may have, as archives may hold files that are left out."""
    bot: FolderLimits = DEFAULT_LIMITS
    """What a bot may contain."""
    queue: int = 100
    """Uploads of everybody that are received, waiting or being checked."""
    receive_s: float = 300.0
    """How long receiving one archive may take."""
    check_s: float = 1_200.0
    """How long reading, building and checking one bot may take altogether."""
    attempts: int = 3
    """How often an upload is begun, if the machine fails or the server is stopped meanwhile."""
    free_bytes: int = 256 * MIB
    """Space on the disk that uploads leave free."""

    @classmethod
    def of(cls, bot: FolderLimits) -> "UploadLimits":
        """Return limits that fit bots of this size."""
        usual = cls()
        body_bytes = bot.bytes * 3 // 2
        return cls(
            bot=bot,
            body_bytes=body_bytes,
            kept_bytes=max(usual.kept_bytes, 16 * bot.bytes),
            receive_s=max(usual.receive_s, body_bytes / _RECEIVE_BYTES_PER_S),
        )
