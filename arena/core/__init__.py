"""What all games share: the Game abstraction, rulesets, chance, tickets and replays. No clocks, no file access."""
