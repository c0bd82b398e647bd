"""Changes to leagues: who plays, how long, and what they are called. Each checks first, then writes events."""
