"""Tickets: all that is needed to play one game, and the seeds that follow from one."""

import hmac
from dataclasses import dataclass

from arena.core.chance import Stream
from arena.core.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Ticket:
    """One game to be played. Its key (league, match_no, rotation) is unique in the ledger."""

    league: str
    """The league's uuid."""
    match_no: int
    """From 0, in the order of the schedule."""
    rotation: int
    """Which of the match's games, from 0."""
    entries: tuple[int, ...]
    """The entry number at each seat."""
    ruleset: Ruleset
    """Resolved for the number of seats."""
    match_seed: bytes
    """32 bytes that fix the deal, the same for all rotations of a match."""
    attempt: int = 1
    """From 1; rises when a game is played again for a fault of the platform."""
    benched: tuple[int, ...] = ()
    """Entry numbers, of those seated, that forfeit without being started."""
    worker_no: int = 0
    """Which worker plays it, from 0: all games of a match are played by workers of one number, one after the other."""

    @property
    def key(self) -> tuple[str, int, int]:
        """The game's identity in the ledger."""
        return (self.league, self.match_no, self.rotation)

    def bot_seed(self, seat: int) -> int:
        """Return the seed told to the bot at a seat, 0 to 2⁵³ − 1; it tells nothing of the deal."""
        stream = self.stream(f"bot/{seat}")
        return stream.word() << 21 | stream.word() >> 11

    def stream(self, name: str) -> Stream:
        """Return a stream of this game's own (house, examples), apart from the deal's."""
        return Stream(self.match_seed, f"rotation/{self.rotation}/{name}")


def match_seed(secret: bytes, match_no: int) -> bytes:
    """Return the seed of a match's deal: HMAC-SHA-256 of the league's secret and the match number."""
    return hmac.digest(secret, f"match/{match_no}".encode(), "sha256")
