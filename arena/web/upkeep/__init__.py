"""What keeps a site going: the runner beside it, backups, and whether bots are still confined."""
