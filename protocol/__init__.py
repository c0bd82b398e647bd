"""The protocol between the arena and a bot: messages, codec, versions, verdicts."""
