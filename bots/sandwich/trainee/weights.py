"""The weights of the bot, as benchmarks/trainee.py has found them."""

WEIGHTS = {
    "rate": 1.05,
    "sure": 1.88,
    "liked": 0.96,
    "liked by all": 0.92,
    "best pair": 1.73,
    "next pair": 0.18,
    "all pairs": 1.18,
    "of its family": -0.78,
    "wanted before": -0.44,
    "pairs": 1.28,
    "two families": -0.33,
    "one family": -0.7,
}
