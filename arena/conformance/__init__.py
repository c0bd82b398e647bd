"""The conformance kit: what every game and schedule keeps to, as tests that anybody runs on their own.

`python -m arena.conformance --game NAME` plays a game that is installed, `--schedule NAME` has leagues of a schedule
played without games. It needs pytest and Hypothesis, the extra `conformance` of the package; nothing else of Arena
needs these, and nothing imports this room.
"""
