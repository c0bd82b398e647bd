"""Tickets: everything needed to play one game, and the seeds derived from it."""

import hmac
from dataclasses import dataclass, field

from arena.core.chance import Stream
from arena.core.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class WorkEntry:
    """What a machine needs to start an entry's bot, as plain data."""

    label: str
    sha256: str
    """The version's content hash, hexadecimal."""
    command: tuple[str, ...]
    """The command in bot.toml, followed by the entry's arguments."""
    engine: bool = False
    reuse: bool = True
    machine: str = ""
    """The architecture that its files were built for, such as `x86_64`; empty if they were not built."""
    is_deterministic: bool = False
    """Whether it was seen to play the same deal in the same way twice."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One game to play. Its key (league, match_no, rotation) is unique in the ledger."""

    league: str
    """The league's uuid."""
    match_no: int
    """From 0, in the order of the schedule."""
    rotation: int
    """The number of the game within its match, from 0."""
    entries: tuple[int, ...]
    """The entry number at each seat."""
    ruleset: Ruleset
    match_seed: bytes = field(repr=False)
    """32 bytes that fix the deal, the same for all games on it; a secret, so not in the `repr`."""
    attempt: int = 1
    """From 1; increased when a game is replayed after a platform error."""
    benched: tuple[tuple[int, str], ...] = ()
    """The seated entries that forfeit without being started: the number, and what the organiser said who benched it.

    The text is empty for an entry that was benched for breaking the rules.
    """
    worker_no: int = 0
    """The worker that plays it, from 0: one worker plays all games on a deal, one after the other."""
    newcomers: tuple[tuple[int, WorkEntry], ...] = ()
    """The seated entries that joined the league after its work was handed out, by number."""
    deal_no: int | None = None
    """The first match on its deal, if other matches share it; None: no other does."""
    games_before: int = 0
    """How many games the matches before it have on its deal; one worker plays them all, one after the other."""

    @property
    def key(self) -> tuple[str, int, int]:
        """The game's identity in the ledger."""
        return (self.league, self.match_no, self.rotation)

    @property
    def deal(self) -> tuple[str, int]:
        """The league, and the first match on the deal."""
        return (self.league, self.match_no if self.deal_no is None else self.deal_no)

    @property
    def turn(self) -> int:
        """The number of the game among all those on its deal, from 0."""
        return self.games_before + self.rotation

    def bot_seed(self, seat: int) -> int:
        """Return the seed sent to the bot at a seat, 0 to 2⁵³ − 1; it reveals nothing about the deal."""
        stream = self.stream(f"bot/{seat}")
        return stream.word() << 21 | stream.word() >> 11

    def stream(self, name: str) -> Stream:
        """Return a stream for this game (house, examples), independent of the deal."""
        return Stream(self.match_seed, f"rotation/{self.rotation}/{name}")


def match_seed(secret: bytes, match_no: int) -> bytes:
    """Return the seed of a match's deal: HMAC-SHA-256 of the league's secret and the first match on it."""
    return hmac.digest(secret, f"match/{match_no}".encode(), "sha256")
