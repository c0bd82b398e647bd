"""Puts labels into lines from schedules, which know entries by number only."""

import re
from collections.abc import Mapping


def with_labels(line: str, labels: Mapping[int, str]) -> str:
    """Return a line with every `#` and entry number replaced by the entry's label.

    >>> with_labels("#0 beats #7", {0: "crumb"})
    'crumb beats #7'
    """
    return re.sub(r"#(\d+)", lambda found: labels.get(int(found[1]), found[0]), line)
