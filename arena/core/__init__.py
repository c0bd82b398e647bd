"""What every game shares: the Game abstraction, rulesets, chance, tickets, replays; no time, no files."""
