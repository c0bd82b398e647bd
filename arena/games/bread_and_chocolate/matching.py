"""A matching built one choice at a time, which rules out choices that would leave someone unmatched."""

from collections.abc import Sequence

_NONE = -1


class Matching:
    """Gives every left number its own right number from those it may have.

    Once it is `complete`, every left number always has one, and `fix` makes choices final.
    """

    __slots__ = ("_choices", "_fixed", "_left_of", "_right_of", "_wanted_by")

    def __init__(self, choices: Sequence[Sequence[int]], rights: int) -> None:
        """Take the allowed right numbers of each left number, from 0 to rights − 1."""
        self._choices = choices
        self._right_of = [_NONE] * len(choices)
        self._left_of = [_NONE] * rights
        self._fixed = bytearray(rights)
        self._wanted_by: list[list[int]] = [[] for _ in range(rights)]
        for left, own in enumerate(choices):
            for right in own:
                self._wanted_by[right].append(left)

    def copy(self) -> "Matching":
        """Return an independent copy."""
        other = Matching.__new__(Matching)
        other._choices = self._choices
        other._wanted_by = self._wanted_by
        other._right_of = self._right_of[:]
        other._left_of = self._left_of[:]
        other._fixed = self._fixed[:]
        return other

    def complete(self) -> bool:
        """Give every left number a right number; return whether that is possible."""
        return all(
            right != _NONE or self._find(left, self._fixed[:]) for left, right in enumerate(self._right_of)
        )

    def lefts_for(self, right: int) -> set[int]:
        """Return the left numbers that can get a right number without leaving any other unmatched.

        This requires as many right numbers as left numbers.
        """
        if self._fixed[right]:
            return set()
        tried = self._fixed[:]
        tried[right] = True
        waiting = [self._left_of[right]]
        found = set(waiting)
        while waiting:
            for other in self._choices[waiting.pop()]:
                if not tried[other]:
                    tried[other] = True
                    waiting.append(self._left_of[other])
                    found.add(waiting[-1])
        return found

    def rights_for(self, left: int) -> set[int]:
        """Return the right numbers that a left number can get without leaving any other unmatched.

        This requires as many right numbers as left numbers.
        """
        found = {self._right_of[left]}
        waiting = list(found)
        while waiting:
            for other in self._wanted_by[waiting.pop()]:
                right = self._right_of[other]
                if right not in found and not self._fixed[right]:
                    found.add(right)
                    waiting.append(right)
        return found.intersection(self._choices[left])

    def fix(self, left: int, right: int) -> bool:
        """Fix a right number for a left number, moving others out of the way.

        Return False, and change nothing, if one of the two is already fixed or another left number would be
        unmatched.
        """
        before, other = self._right_of[left], self._left_of[right]
        if self._fixed[before] or self._fixed[right]:
            return False
        if before != right:
            saved = self._right_of[:], self._left_of[:]
            self._right_of[left], self._left_of[right] = right, left
            self._left_of[before] = _NONE
            tried = self._fixed[:]
            tried[right] = True
            if other != _NONE and not self._find(other, tried):
                self._right_of, self._left_of = saved
                return False
        self._fixed[right] = True
        return True

    def release(self, right: int) -> None:
        """Release a fixed right number."""
        self._fixed[right] = False

    def is_fixed(self, right: int) -> bool:
        """Return whether a right number is fixed."""
        return bool(self._fixed[right])

    def _find(self, left: int, tried: bytearray) -> bool:
        """Find a right number for a left number that has none; return whether there is one.

        This follows an augmenting path: the current holder of a number looks for another one in turn. `tried` are the
        numbers to skip.
        """
        left_of = self._left_of
        choices = self._choices[left]
        for right in choices:
            if left_of[right] == _NONE and not tried[right]:
                self._right_of[left], left_of[right] = right, left
                return True
        for right in choices:
            if not tried[right]:
                tried[right] = True
                if self._find(left_of[right], tried):
                    self._right_of[left], left_of[right] = right, left
                    return True
        return False
