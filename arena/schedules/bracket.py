"""Brackets of an elimination at tables of two: neighbours meet, and who is in another half can meet only in the final.

A bracket is made from the top. The field is split into two halves, each half again, and so on. A split parts every two
neighbours in the order of the seeds, so the best 2, 4, 8 … seeds meet as late as they can. It also parts the entries of
each group two by two, so as many are in one half as in the other, give or take one. Both are always possible: who is
parted from whom makes chains and even rings, and along these the halves alternate.

So of a group with at most as many entries as a round has tables, none meet in that round or before it, and no other
bracket keeps them apart for longer.
"""

from collections.abc import Hashable, Mapping, Sequence


def bracket(entries: Sequence[int], group_of: Mapping[int, Hashable]) -> list[int | None]:
    """Return the places of a bracket in order; entries are best seed first, and who meets nobody is beside a None.

    Without larger groups, seeds meet as usual: the best the last, the second the one before.

    >>> bracket(range(8), {entry: entry for entry in range(8)})
    [0, 7, 3, 4, 1, 6, 2, 5]
    >>> bracket(range(5), {0: "a", 1: "b", 2: "c", 3: "d", 4: "d"})
    [0, None, 3, None, 1, None, 2, 4]
    """
    return _placed(entries, 1 << (len(entries) - 1).bit_length(), group_of)


def _placed(entries: Sequence[int], places: int, group_of: Mapping[int, Hashable]) -> list[int | None]:
    if places == 1:
        return [entries[0] if entries else None]
    is_first = _halves([group_of[entry] for entry in entries])
    first = [entry for entry, first in zip(entries, is_first, strict=True) if first]
    second = [entry for entry, first in zip(entries, is_first, strict=True) if not first]
    return _placed(first, places // 2, group_of) + _placed(second, places // 2, group_of)


def _halves(groups: Sequence[Hashable]) -> list[bool]:
    """Return whether each entry is in the first half; those whose group leaves it open are where they usually are."""
    usual = [seed % 4 in (0, 3) for seed in range(len(groups))]
    parted: list[list[int]] = [[] for _ in groups]
    for seed in range(0, len(groups) - 1, 2):
        _part(parted, seed, seed + 1)
    members: dict[Hashable, list[int]] = {}
    for seed, group in enumerate(groups):
        members.setdefault(group, []).append(seed)
    for of_group in members.values():
        ones = [seed for seed in of_group if usual[seed]]
        others = [seed for seed in of_group if not usual[seed]]
        matched = min(len(ones), len(others))
        left = ones[matched:] + others[matched:]
        for one, other in (*zip(ones, others, strict=False), *zip(left[::2], left[1::2], strict=False)):
            _part(parted, one, other)
    found: dict[int, bool] = {}
    for seed, first in enumerate(usual):
        chain = [] if seed in found else [(seed, first)]
        while chain:
            at, half = chain.pop()
            if at not in found:
                found[at] = half
                chain += [(next_to, not half) for next_to in parted[at]]
    return [found[seed] for seed in range(len(groups))]


def _part(parted: list[list[int]], one: int, other: int) -> None:
    parted[one].append(other)
    parted[other].append(one)
