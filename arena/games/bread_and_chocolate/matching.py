"""A matching that is made up one choice at a time, each refused that would leave somebody without."""

from collections.abc import Sequence

_NONE = -1


class Matching:
    """Gives every left number a right number of its own, out of those that it may have."""

    __slots__ = ("_choices", "_fixed", "_left_of", "_right_of")

    def __init__(self, choices: Sequence[Sequence[int]], rights: int) -> None:
        """Take what each left number may have, out of 0 to rights − 1."""
        self._choices = list(choices)
        self._right_of = [_NONE] * len(choices)
        self._left_of = [_NONE] * rights
        self._fixed = bytearray(rights)

    def copy(self) -> "Matching":
        """Return a matching of one's own."""
        other = Matching.__new__(Matching)
        other._choices = self._choices[:]
        other._right_of = self._right_of[:]
        other._left_of = self._left_of[:]
        other._fixed = self._fixed[:]
        return other

    def complete(self) -> bool:
        """Give every left number a right one; return whether that is possible."""
        return all(
            right != _NONE or self._find(left, self._fixed[:]) for left, right in enumerate(self._right_of)
        )

    def fix(self, left: int, right: int) -> bool:
        """Give a left number this right one for good, moving others out of the way.

        Return False, and change nothing, where another one would be left without.
        """
        before, other = self._right_of[left], self._left_of[right]
        if before != right:
            saved = self._right_of[:], self._left_of[:]
            self._right_of[left], self._left_of[right] = right, left
            if before != _NONE:
                self._left_of[before] = _NONE
            tried = self._fixed[:]
            tried[right] = True
            if other != _NONE and not self._find(other, tried):
                self._right_of, self._left_of = saved
                return False
        self._fixed[right] = True
        return True

    def release(self, right: int) -> None:
        """Let a right number that was fixed be given to others again."""
        self._fixed[right] = False

    def is_fixed(self, right: int) -> bool:
        """Return whether a right number is taken for good."""
        return bool(self._fixed[right])

    def has_fixed(self, left: int) -> bool:
        """Return whether a left number has its right one for good, in a matching that is complete."""
        return self.is_fixed(self._right_of[left])

    def _find(self, left: int, tried: bytearray) -> bool:
        """Find a right number for one that has none or has lost it; return whether there is one.

        An augmenting path: whoever has the number already looks for another one in turn. `tried` are the
        numbers not to be looked at.
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
