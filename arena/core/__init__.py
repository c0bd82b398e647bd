"""What every game shares: the Game abstraction, rulesets, chance, tickets, replays. Pure; no time, no files."""
