"""Arena: leagues of card-playing bots, refereed, rated and kept."""
