"""What a ladder keeps of its computations changes none of its choices."""

from random import Random

from arena.schedules.base import Field, Summary
from arena.schedules.ladder.information import FEW, Information
from results.ratings.base import Rating

ENTRIES = tuple(range(4 * FEW))


def information(rng: Random) -> Information:
    """Return a field in the middle of a league, the same for the same random numbers."""
    ratings = {
        entry: Rating(rng.gauss(25, 6), rng.uniform(0.5, 8)) for entry in ENTRIES if rng.random() < 0.9
    }
    summary = Summary(800, 700, dict.fromkeys(ENTRIES, 20), {3: 2, 5: 1}, {(3, 5): 4}, ratings=ratings)
    return Information(Field(ENTRIES, (4,)), summary, 50)


def test_the_neediest_is_the_one_with_the_greatest_need_of_all() -> None:
    for seed in range(3):
        rng = Random(seed)
        found = information(rng)
        for _ in range(30):
            among = set(ENTRIES) if rng.random() < 0.5 else set(rng.sample(ENTRIES, 3 * FEW))
            best = found.neediest(among)
            assert best is not None
            every = information(Random(seed))  # nothing is known yet, and few are compared one by one
            every.unseen.update({entry: found.unseen[entry] - every.unseen[entry] for entry in ENTRIES})
            least = sorted(among)
            tops = [every.neediest(least[start : start + FEW]) for start in range(0, len(least), FEW)]
            assert best == every.neediest([top for top in tops if top is not None])
            found.count([best, *rng.sample(sorted(set(ENTRIES) - {best}), 3)])


def test_a_table_that_grows_is_worth_what_it_is_worth_at_once() -> None:
    found, rng = information(Random(1)), Random(2)
    for _ in range(10):
        table = [rng.choice(ENTRIES)]
        while len(table) < 4:
            candidates = found.rivals(table[0])
            best = found.best_joining(table, candidates, lambda entry, table=table: entry not in table)  # type: ignore[misc]
            at_once = information(Random(1))
            at_once.unseen.update({e: found.unseen[e] - at_once.unseen[e] for e in ENTRIES})
            at_once.matches.update(found.matches)
            at_once._new_pairs = found._new_pairs
            assert best == at_once.best_joining(table, candidates, lambda e, table=table: e not in table)  # type: ignore[misc]
            assert best is not None
            table.append(best)
        found.count(table)
