"""Taking bots in: their manifests, checks and immutable versions."""
