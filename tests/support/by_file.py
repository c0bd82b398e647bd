"""Quick tests of a file go to one worker, together: they share what the file makes for all of them."""

from xdist.scheduler import LoadGroupScheduling


class ByFile(LoadGroupScheduling):  # type: ignore[misc] # pytest-xdist has no types
    """Deals out files, those with the most tests first, and groups as ever.

    Dealing out single tests takes time with the square of their number, on a core that would run tests.
    """

    def _split_scope(self, nodeid: str) -> str:
        scope = str(super()._split_scope(nodeid))
        return scope if scope != nodeid else nodeid.partition("::")[0]
