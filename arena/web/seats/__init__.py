"""Tables at which people play in the browser: each game runs in a process of its own."""
