"""Coalitions: who does better or worse with whom at the table than strengths explain.

A result of an entry in a game is explained by strengths, by seats, and, at tables of three and more, by who sat before
it, which matters in some games: scores by sums of these (`coalition_terms`), places by the log odds of finishing above
each other entry at the table (`coalition_odds`). For each pair of entries two terms are added, one at a time:

- the *transfer*: how much further the one is ahead of the other, at tables where both sit;
- the *alliance*, at tables of three and more: by how much both are better there, at the cost of the others.

Soft play, where one entry loses so that a friend wins, is a transfer. Two that help each other are an alliance, and
who spends nothing of its own to lift another (kingmaking) is both.

**What counts as unusual.** Honest entries, too, do better against some than against others, and nobody can tell from
results why. So a pair is measured by the field that it plays in: by how far the terms of all *other* pairs of its
league are spread, beyond what luck explains. How unusual a term looks is a matter of chance
in honest fields too. So fields like this one are simulated: the same matches and the same luck, with normally
distributed terms, spread by as much as luck, or more, whichever makes unusual terms most frequent. A pair is flagged if
not many of these have any term as unusual. A flagged term becomes part of the explanation, and the others
are tested again, so that one coalition neither hides another nor makes its members look odd with everybody else.

**Errors.** The games of a match share a deal, so a match counts as one: the variance of a term is that of the sums of
its matches (a sandwich), with the scatter of one imaginary match added. Its degrees of freedom follow from how evenly
the matches tell about the term, and those of the field's spread from the number of pairs and how they overlap
(Satterthwaite).

**By places**, shares end at 0 and 100 %: whoever loses nearly always can't do much worse against one than against
another. In log odds there is no such end, and comparisons whose winner is nearly certain tell nearly nothing. What
the results tell too little about is not looked at; luck is at least what the league has at the mean, and honest entries
may differ from the model by a percentage point (`coalition_field`). A term is measured where the model is without it,
and shown as what it changes in the shares there.

In a field of three at tables of two, and wherever else a term follows from the others, nothing can be told.

Sources: Frisch and Waugh (1933), for one term at a time; Liang and Zeger, "Longitudinal data analysis using
generalized linear models" (1986); Satterthwaite (1946); Efron, "Large-scale simultaneous hypothesis testing: the choice
of a null hypothesis" (2004), for measuring by the field; Holm (1979).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from results.analysis.coalition_field import Field
from results.analysis.coalition_odds import Odds
from results.analysis.coalition_terms import Additive, Design, Kind, sums
from results.analysis.match_sums import ENTRY, MATCH, Measure, games_by_size
from results.records.query_rows import SeatResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

ERROR_RATE = 0.05
"""In how many honest fields any pair is flagged, at most."""

_FLAGGED_AT = 0.6
"""Part of the error rate at which a pair is flagged; the rest is for what the simulated fields get wrong: they look at
luck as if it were known, and small fields of simulated leagues had unusual terms a little more often."""

MOST_PAIRS = 300
"""Of more pairs, those that met in the most matches are looked at."""

LEAST_MATCHES = 8
"""A pair is looked at if both have played so many matches together, and each as many without the other."""

_DECIMALS = 6
"""Decimals of points or percentage points that are kept: the same on every machine."""


class Term(Struct, frozen=True):
    """What a pair does to the results of both, in the unit of the results."""

    kind: Kind
    entry_no: int
    other_no: int
    matches: int
    """At the same table."""
    value: float
    """Transfer: of the difference of their results; alliance: of the result of each."""
    error: float
    """Its standard error."""
    usual: float
    """Standard deviation of the terms of this kind among the other pairs, beyond luck."""
    chance: float
    """In which part of honest fields any term would be so large, as far as 1."""
    is_flagged: bool


class Coalitions(Struct, frozen=True):
    """The terms of all pairs that were looked at."""

    terms: tuple[Term, ...]
    """By entry numbers, then kind."""
    pairs_unseen: int
    """Pairs that met, but were not looked at: too few matches, too many pairs, inseparable from the rest, or nearly
    certain who finishes above whom."""


def coalitions(
    blocks: "Iterable[Sequence[SeatResult] | Integers]", measure: Measure, error_rate: float = ERROR_RATE
) -> Coalitions:
    """Return the terms of the pairs of a league; `blocks` as for `match_sums`."""
    import numpy as np

    tables = games_by_size(blocks)
    if not tables:
        return Coalitions((), 0)
    entries = np.unique(np.concatenate([games[:, :, ENTRY].ravel() for games in tables]))
    pairs, together, met = _pairs(tables, entries)
    design = Design([games.shape[1] for games in tables], entries, pairs)
    explained = Odds(design, tables) if measure is Measure.SHARES else Additive(design, tables)
    flagged: dict[int, Term] = {}
    while True:
        found = sums(explained, design, list(flagged))
        field = Field(found, design.kinds, list(flagged))
        terms = _terms(field, design, together)
        if not terms:
            break
        number, first = min(terms.items(), key=lambda item: item[1].chance)
        if first.chance > _FLAGGED_AT * error_rate:
            break
        flagged[number] = structs.replace(first, is_flagged=True)
    all_terms = sorted(
        [*flagged.values(), *terms.values()], key=lambda one: (one.entry_no, one.other_no, one.kind)
    )
    seen = {(one.entry_no, one.other_no) for one in all_terms}
    return Coalitions(tuple(all_terms), met - len(seen))


def _terms(field: Field, design: Design, together: "Integers") -> dict[int, Term]:
    """Return the terms that can be told from the rest by number, the least likely first."""
    import numpy as np

    if not len(field.numbers):
        return {}
    unusual, usual = (one[0] for one in field.tested(field.scores[None], field.luck[None]))
    chance = field.chances(unusual)
    found = {}
    for i in np.argsort(-unusual, kind="stable"):
        kind, a, b = design.terms[field.numbers[i]]
        found[int(field.numbers[i])] = Term(
            kind,
            int(design.entries[a]),
            int(design.entries[b]),
            int(together[a, b]),
            _rounded(field.shown[i] * field.value[i]),
            _rounded(field.shown[i] * np.sqrt(field.luck[i]) * field.unit[i]),
            _rounded(field.shown[i] * usual[i]),
            float(chance[i]),
            is_flagged=False,
        )
    return found


def _rounded(value: "float | np.float64") -> float:
    return round(float(value), _DECIMALS) + 0.0  # no −0


def _pairs(tables: "Sequence[Integers]", entries: "Integers") -> "tuple[Integers, Integers, int]":
    """Return the pairs to look at as [pair, 2], the matches of all pairs as a matrix, and how many pairs met."""
    import numpy as np

    size = len(entries)
    together = np.zeros((size, size), dtype=np.int64)
    for games in tables:
        first = np.flatnonzero(np.diff(games[:, 0, MATCH], prepend=-1))
        seated = np.zeros((len(first), size), dtype=np.float64)
        seated[np.arange(len(first))[:, None], np.searchsorted(entries, games[first, :, ENTRY])] = 1
        together += np.asarray(np.rint(seated.T @ seated), dtype=np.int64)
    matches = together.diagonal()
    a, b = np.nonzero(np.triu(together, 1))
    met = len(a)
    apart = np.minimum(matches[a], matches[b]) - together[a, b]
    enough = (together[a, b] >= LEAST_MATCHES) & (apart >= LEAST_MATCHES)
    a, b = a[enough], b[enough]
    most = np.sort(np.argsort(-together[a, b], kind="stable")[:MOST_PAIRS])
    return np.stack([a[most], b[most]], axis=1), together, met
