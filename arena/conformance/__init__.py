"""The conformance kit: the requirements for games, schedules and rating systems, as tests for their authors to run.

`python -m arena.conformance --game NAME` plays an installed game; `--schedule NAME` plays leagues of a schedule
without games. It needs pytest and Hypothesis, the package's extra `conformance`. Nothing else in Arena needs these,
and nothing imports this package.
"""
