"""A schedule of another package that shows in everything it does what it was told of the league so far."""

from hashlib import sha256

from msgspec import Struct

from arena.schedules.base import Field, Finished, Pairing, Summary
from results.records import Traits

BLOCK = 3
LAG = 4


class AdaptiveSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How long it goes on."""

    matches: int = 20


class Results(list[Finished]):
    """Keeps all results. A `Tally`."""

    add = list.append


class Adaptive:
    """Tables drawn from a hash of the whole summary: whatever differs in that, differs in the league."""

    name = "adaptive"
    settings: type[Struct] = AdaptiveSettings
    traits = Traits(chooses=True)

    def tally(self, field: Field, settings: AdaptiveSettings) -> "Results":  # noqa: ARG002
        """Return a list of no results."""
        return Results()

    def sees(self, field: Field, settings: AdaptiveSettings, planned: int) -> int:  # noqa: ARG002
        """Return LAG matches fewer than stand before the block."""
        return max(0, planned // BLOCK * BLOCK - LAG)

    def total(self, field: Field, settings: AdaptiveSettings) -> int:  # noqa: ARG002
        """Return the number of matches."""
        return settings.matches

    def next_matches(
        self, field: Field, settings: AdaptiveSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return a block of tables."""
        if summary.planned >= settings.matches:
            return None
        assert len(summary.tally) == summary.seen
        told = sha256(
            repr(
                (
                    summary.planned,
                    summary.seen,
                    sorted(summary.matches.items()),
                    sorted(summary.pairs.items()),
                    sorted(
                        (entry, rating.mu.hex(), rating.sigma.hex())
                        for entry, rating in summary.ratings.items()
                    ),
                    list(summary.tally),
                )
            ).encode()
        ).hexdigest()
        count = min(BLOCK, settings.matches - summary.planned)
        return tuple(
            Pairing(summary.planned // BLOCK, self._table(field, f"{told}/{i}"), told) for i in range(count)
        )

    def _table(self, field: Field, told: str) -> tuple[int, ...]:
        ordered = sorted(field.entries, key=lambda entry: sha256(f"{told}/{entry}".encode()).digest())
        return tuple(ordered[: field.seats[0]])


SCHEDULE = Adaptive()
