"""The weights of the bot, as benchmarks/trainee.py has found them."""

WEIGHTS = {
    "rate": 1.02,
    "sure": 0.93,
    "liked": 0.99,
    "liked by all": -0.22,
    "best pair": 0.54,
    "next pair": 0.91,
    "all pairs": 0.66,
    "of its family": -0.81,
    "wanted before": -0.16,
    "pairs": 1.29,
    "two families": -0.24,
    "one family": 0.3,
}
